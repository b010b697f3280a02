"""
Findings about what surrounds the pools (claims, templates, classes, rules, nodes); called by the mirror alone.

The core judges a cut of the cluster: what was touched, and all that its findings depend on. Findings about anything
else that such a cut brings forth are not meant, and dropped here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, TypeVar

from django.db.models import QuerySet

from pools.core.gather import gather
from pools.core.lint import lint_cluster
from pools.domain.claim import Claim, ClaimTemplate, DeviceClass, TaintRule
from pools.domain.cluster import Node, Pod, Snapshot
from pools.domain.errors import Finding
from pools.domain.ids import ClaimId, PoolId
from pools.domain.pool import Pool as PoolNoun
from pools.domain.pool import Slice
from pools.ingest.changes import CHUNK, Touched
from pools.ingest.derive import finding_fields
from pools.ingest.sync import discard, sync
from pools.ingest.write_claims import rows_of
from pools.models import Allocation, Cluster, PodClaim, Pool, StoredObject
from pools.models import Claim as ClaimRow
from pools.models import Finding as FindingRow
from pools.models import Pod as PodRow
from pools.stored import Evidence, named, nouns

N = TypeVar("N")
Group = Literal["pool", "template", "class", "rule", "node", "claim"]
Unit = tuple[Group, str]
"""What a finding is about: its group, and the object as findings write it."""

_GROUPS: dict[str, Group] = {
    "allocated-pool-not-published": "pool",
    "claim-template-missing": "template",
    "device-class-missing": "class",
    "taint-rule-without-selector": "rule",
    "device-plugin-on-dra-node": "node",
}


def write_findings(evidence: Evidence, touched: Touched) -> None:
    """Make the findings about touched objects say what the core says of them now."""
    units = set(_units(touched))
    published = {("pool", str(pool)) for pool in _published(evidence.cluster, touched.pools)}
    found = [item for item in _findings(evidence, touched) if _unit(item.code, item.object) in units - published]
    claims = _claim_keys(evidence.cluster, found)
    wanted = {
        (item.code, item.object, item.message): {
            "cluster_id": evidence.cluster.pk,
            "claim_id": claims.get(item.object) if _group(item.code) == "claim" else None,
            **finding_fields(item),
        }
        for item in found
    }
    existing = _existing(evidence.cluster, units)
    _, gone = sync(FindingRow, existing, wanted, lambda row: (row.code, row.object, row.message))
    discard(FindingRow, gone)


def _units(touched: Touched) -> Iterator[Unit]:
    """Every object whose findings are derived anew."""
    yield from (("pool", str(pool)) for pool in touched.pools)
    yield from (("pool", driver) for driver in touched.guessed_drivers)
    yield from (("claim", str(claim)) for claim in touched.claims)
    yield from (("template", str(template)) for template in touched.templates)
    yield from (("class", name) for name in touched.classes)
    yield from (("rule", name) for name in touched.rules)
    yield from (("node", name) for name in touched.plugin_nodes)


def _existing(cluster: Cluster, units: Collection[Unit]) -> list[FindingRow]:
    names = sorted({name for _, name in units})
    return [
        row
        for start in range(0, len(names), CHUNK)
        for row in FindingRow.objects.filter(cluster=cluster, pool=None, object__in=names[start : start + CHUNK])
        if _unit(row.code, row.object) in units
    ]


def _group(code: str) -> Group:
    return _GROUPS.get(code, "claim")


def _unit(code: str, name: str) -> Unit:
    return _group(code), name


def _claim_keys(cluster: Cluster, found: Iterable[Finding]) -> dict[str, int]:
    """Primary keys of the claims that findings are about, by `namespace/name`."""
    names = {item.object for item in found if _group(item.code) == "claim"}
    ids = [ClaimId(*name.split("/", 1)) for name in names if "/" in name]
    return {f"{row.namespace}/{row.name}": row.pk for row in rows_of(ClaimRow, cluster, ids)}


def _published(cluster: Cluster, pools: Collection[PoolId]) -> set[PoolId]:
    rows = Pool.objects.filter(cluster=cluster, driver__in={i.driver for i in pools}, name__in={i.name for i in pools})
    return {PoolId(*pair) for pair in rows.order_by().values_list("driver", "name")} & set(pools)


def _findings(evidence: Evidence, touched: Touched) -> tuple[Finding, ...]:
    """What the core says of a cut that holds all that findings about touched objects depend on."""
    cluster = evidence.cluster
    classes = _of(DeviceClass, nouns(_stored(cluster, "DeviceClass"))) if touched.classes else ()
    claims = _claims(evidence, touched, {item.meta.name for item in classes})
    nodes = _plugin_nodes(cluster, touched.plugin_nodes)
    snapshot = Snapshot(
        slices=_slices_to_guess_from(evidence, touched),
        claims=claims,
        templates=_of(ClaimTemplate, named(cluster, "ResourceClaimTemplate", touched.templates)),
        classes=classes,
        taint_rules=_of(TaintRule, nouns(_stored(cluster, "DeviceTaintRule").filter(name__in=touched.rules))),
        nodes=nodes,
        pods=_pods(cluster, touched, [node.meta.name for node in nodes]),
    )
    return lint_cluster(snapshot, _pools_on(evidence, nodes))


def _of(kind: type[N], items: Iterable[object]) -> tuple[N, ...]:
    return tuple(item for item in items if isinstance(item, kind))


def _stored(cluster: Cluster, kind: str) -> QuerySet[StoredObject]:
    return StoredObject.objects.filter(cluster=cluster, kind=kind).order_by("namespace", "name")


def _claims(evidence: Evidence, touched: Touched, classes: Collection[str]) -> tuple[Claim, ...]:
    """Touched claims, holders of touched pools that are gone, and all that wait where a class is missing."""
    cluster = evidence.cluster
    lost = touched.pools - _published(cluster, touched.pools)
    holds = Allocation.objects.filter(claim__cluster=cluster)
    named_ = holds.filter(driver__in={pool.driver for pool in lost}, pool_name__in={pool.name for pool in lost})
    guessed = holds.filter(guessed=True, pool_name="", driver__in=touched.guessed_drivers)
    ids = set(touched.claims)
    for rows in (named_, guessed) if lost or touched.guessed_drivers else ():
        ids |= {ClaimId(*pair) for pair in rows.values_list("claim__namespace", "claim__name")}
    if touched.classes - set(classes):
        waiting = ClaimRow.objects.filter(cluster=cluster, allocated=False)
        ids |= {ClaimId(*pair) for pair in waiting.values_list("namespace", "name")}
    return tuple(sorted(_of(Claim, named(cluster, "ResourceClaim", ids)), key=lambda claim: claim.id))


def _slices_to_guess_from(evidence: Evidence, touched: Touched) -> tuple[Slice, ...]:
    """Where results without a pool name may belong; only those of drivers that have such results."""
    if not touched.guessed_drivers:
        return ()
    near = evidence.slices_near(touched.guessed_drivers, {""}, {})
    return tuple(item for each in near.values() for item in each)


def _pods(cluster: Cluster, touched: Touched, nodes: Collection[str]) -> tuple[Pod, ...]:
    """Pods that use touched claims or templates or run on *nodes*, and any one, to tell that pods are known at all."""
    entries = PodClaim.objects.filter(pod__cluster=cluster)
    ids: set[ClaimId] = set()
    for column, wanted in (("claim_name", touched.claims), ("template", touched.templates)):
        rows = entries.filter(
            pod__namespace__in={item.namespace for item in wanted}, **{f"{column}__in": {item.name for item in wanted}}
        )
        ids |= {ClaimId(*pair) for pair in rows.values_list("pod__namespace", "pod__name")} if wanted else set()
    pods = PodRow.objects.filter(cluster=cluster).order_by()
    if nodes:
        ids |= {ClaimId(*pair) for pair in pods.filter(node__in=nodes).values_list("namespace", "name")}
    ids |= {ClaimId(*pair) for pair in pods.values_list("namespace", "name")[:1]}
    return tuple(sorted(_of(Pod, named(cluster, "Pod", ids)), key=lambda pod: pod.id))


def _plugin_nodes(cluster: Cluster, names: Collection[str]) -> tuple[Node, ...]:
    """Those of the nodes on which a device plugin offers anything."""
    found = _of(Node, named(cluster, "Node", {ClaimId("", name) for name in names}))
    return tuple(
        node for node in found if any("/" in key and node.allocatable[key].nano > 0 for key in node.allocatable)
    )


def _pools_on(evidence: Evidence, nodes: Collection[Node]) -> tuple[PoolNoun, ...]:
    if not nodes:
        return ()
    names = [node.meta.name for node in nodes]
    rows = Pool.objects.filter(cluster=evidence.cluster, node__in=[*names, ""]).order_by()
    slices = evidence.slices({PoolId(*pair) for pair in rows.values_list("driver", "name")})
    return gather(item for each in slices.values() for item in each)
