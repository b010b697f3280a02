"""Derive every row of a cluster anew from its stored objects, as after an upgrade of the core."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from django.db import transaction

from pools.domain.claim import Claim
from pools.domain.cluster import DomainObject, Node, Pod
from pools.domain.errors import Undecodable
from pools.domain.ids import ClaimId, PoolId
from pools.domain.pool import Slice
from pools.ingest.mirror import Mirror, locked, stored_fields
from pools.ingest.sync import BATCH, update
from pools.ingest.write_claims import write_claims, write_pods
from pools.ingest.write_nodes import write_nodes
from pools.models import Claim as ClaimRow
from pools.models import Cluster, Finding, Pool, StoredObject
from pools.models import Node as NodeRow
from pools.models import Pod as PodRow
from pools.stored import unpack
from pools.wire.registry import decode

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(slots=True)
class _Found:
    claims: list[Claim] = field(default_factory=list)
    pods: list[Pod] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def rebuild(name: str, progress: Progress) -> list[str]:
    """
    Derive all rows of the cluster *name* anew, in one transaction.

    Returns:
        For each stored object that this version cannot read, a sentence naming it. It stays stored, without rows.

    Cost: the whole cluster is read, and its writers wait.
    """
    with transaction.atomic():
        cluster = locked(name)
        mirror = Mirror(cluster)
        found = _read(mirror, progress)
        mirror.advance()
        Finding.objects.filter(cluster=cluster, pool=None).delete()
        nodes = {item.meta.name for item in found.nodes}
        write_nodes(cluster, found.nodes, _observed(cluster) - nodes, mirror.touched)
        write_claims(cluster, found.claims, _gone(ClaimRow, cluster, found.claims), mirror.touched)
        write_pods(cluster, found.pods, _gone(PodRow, cluster, found.pods), mirror.touched)
        _touch_all(mirror, found)
        mirror.derive(lambda done, total: progress("pools", done, total))
    return found.faults


def _read(mirror: Mirror, progress: Progress) -> _Found:
    found = _Found()
    rows = StoredObject.objects.filter(cluster=mirror.cluster).order_by("pk")
    total, done = rows.count(), 0
    changed: list[StoredObject] = []
    for row in rows.iterator(chunk_size=BATCH):
        done += 1
        if done % 1000 == 0 or done == total:
            progress("objects", done, total)
        try:
            item = decode(unpack(bytes(row.body)))
        except Undecodable as fault:
            found.faults.append(f"{row}: {fault.path + ': ' if fault.path else ''}{fault.reason}")
            continue
        _sort(item, found)
        wanted = stored_fields(item, bytes(row.digest), bytes(row.body))
        differing = [name for name in ("form", "driver", "pool") if getattr(row, name) != wanted[name]]
        for name in differing:
            setattr(row, name, wanted[name])
        changed += [row] if differing else []
        if isinstance(item, Slice):
            mirror.touched.pools.add(item.pool_id)
    update(StoredObject, changed, ("form", "driver", "pool"))
    return found


def _sort(item: DomainObject, found: _Found) -> None:
    if isinstance(item, Claim):
        found.claims.append(item)
    elif isinstance(item, Pod):
        found.pods.append(item)
    elif isinstance(item, Node):
        found.nodes.append(item)


def _observed(cluster: Cluster) -> set[str]:
    return set(NodeRow.objects.filter(cluster=cluster, observed=True).values_list("name", flat=True))


def _gone(model: type[ClaimRow] | type[PodRow], cluster: Cluster, items: Collection[Claim | Pod]) -> set[ClaimId]:
    rows = model._default_manager.filter(cluster=cluster).values_list("namespace", "name")
    return {ClaimId(*pair) for pair in rows} - {item.id for item in items}


def _touch_all(mirror: Mirror, found: _Found) -> None:
    """Everything that findings may be about."""
    touched, cluster = mirror.touched, mirror.cluster
    touched.pools |= {PoolId(*pair) for pair in Pool.objects.filter(cluster=cluster).values_list("driver", "name")}
    touched.nodes |= set(NodeRow.objects.filter(cluster=cluster, observed=False).values_list("name", flat=True))
    touched.plugin_nodes |= {item.meta.name for item in found.nodes}
    touched.claims |= {item.id for item in found.claims}
    touched.claims |= {ClaimId(pod.meta.namespace, name) for pod in found.pods for name in pod.claim_names()}
    touched.templates |= {ClaimId(p.meta.namespace, e.template) for p in found.pods for e in p.claims if e.template}
    touched.classes |= set(_asked_classes(found.claims))
    rules = StoredObject.objects.filter(cluster=cluster, kind="DeviceTaintRule")
    touched.rules |= set(rules.values_list("name", flat=True))


def _asked_classes(claims: Collection[Claim]) -> Iterator[str]:
    for claim in claims:
        for request in claim.requests:
            yield from (each.device_class for each in request.alternatives if each.device_class)
