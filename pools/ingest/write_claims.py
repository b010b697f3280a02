"""Rows of claims and pods; called by the mirror alone, inside its transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from django.db import models

from pools.core.holds import holds
from pools.domain.claim import Claim as ClaimNoun
from pools.domain.cluster import Pod as PodNoun
from pools.domain.ids import ClaimId, PoolId
from pools.ingest.changes import CHUNK, Touched
from pools.ingest.derive import PODS_OVER, Fields, allocation_fields, claim_fields, pod_claims, pod_fields
from pools.ingest.sync import BATCH, discard, sync, update
from pools.models import Allocation, Claim, Cluster, Finding, Pod, PodClaim
from pools.stored import Evidence, named

M = TypeVar("M", Claim, Pod)
_RESULT = ("request", "driver", "device_name", "admin", "share_id", "consumed", "guessed")


def write_claims(cluster: Cluster, items: Sequence[ClaimNoun], gone: Collection[ClaimId], touched: Touched) -> None:
    """Write these claims with their allocations, delete those that are *gone*, and note the pools of both."""
    if not items and not gone:
        return
    existing = rows_of(Claim, cluster, [*(item.id for item in items), *gone])
    touched.classes.update(_classes(existing, items))
    touched.claims.update(item.id for item in items)
    touched.claims.update(gone)
    touched.pools.update(pools_of(existing))
    touched.guessed_drivers.update(_guessed_drivers(existing))
    discard(Claim, [row for row in existing if ClaimId(row.namespace, row.name) in gone])
    wanted = {
        item.id: {"cluster_id": cluster.pk, **item.id._asdict(), **claim_fields(item)}
        for item in items
        if item.id not in gone
    }
    kept = [row for row in existing if ClaimId(row.namespace, row.name) in wanted]
    rows, _ = sync(Claim, kept, wanted, lambda row: ClaimId(row.namespace, row.name))
    _write_results([(rows[item.id], item) for item in items if item.id in rows])
    touched.pools.update(
        PoolId(result.driver, result.pool)
        for item in items
        for result in (item.allocation.results if item.allocation else ())
        if result.pool
    )


def _classes(rows: Iterable[Claim], items: Iterable[ClaimNoun]) -> set[str]:
    """Classes that these claims asked for and ask for; none for those that stay allocated, for which they are past."""
    before = {
        each["class"] for row in rows if not row.allocated for ask in row.requests for each in ask["alternatives"]
    }
    waiting = [item for item in items if item.allocation is None]
    after = {each.device_class for item in waiting for ask in item.requests for each in ask.alternatives}
    return (before | after) - {""}


def _guessed_drivers(claims: Iterable[Claim]) -> set[str]:
    rows = Allocation.objects.filter(claim__in=[claim.pk for claim in claims], guessed=True)
    return set(rows.order_by().values_list("driver", flat=True).distinct())


def pools_of(claims: Iterable[Claim]) -> set[PoolId]:
    """The pools in which these claims hold devices, as their rows say."""
    rows = Allocation.objects.filter(claim__in=[claim.pk for claim in claims]).exclude(pool_name="")
    return {PoolId(*pair) for pair in rows.order_by().values_list("driver", "pool_name").distinct()}


def _write_results(pairs: Sequence[tuple[Claim, ClaimNoun]]) -> None:
    """Results never change while a claim is allocated: a claim whose results differ gets new rows."""
    stored: dict[int, list[Allocation]] = defaultdict(list)
    for row in Allocation.objects.filter(claim__in=[claim.pk for claim, _ in pairs]).order_by("id"):
        stored[row.claim_id].append(row)
    fresh: list[Allocation] = []
    stale: list[Allocation] = []
    for claim, item in pairs:
        wanted = [_marked(fields) for fields in allocation_fields(item)]
        rows = stored[claim.pk]
        if [_told(row) for row in rows] != [{name: fields[name] for name in _RESULT} for fields in wanted]:
            stale += rows
            fresh += [Allocation(claim=claim, **fields) for fields in wanted]
    discard(Allocation, stale)
    Allocation.objects.bulk_create(fresh, batch_size=BATCH)


def _marked(fields: Fields) -> Fields:
    return {**fields, "guessed": not fields["pool_name"]}


def _told(row: Allocation) -> Fields:
    return {name: getattr(row, name) for name in _RESULT}


def guess_pools(evidence: Evidence, touched: Touched) -> None:
    """
    Find the pools of results that name none (2024 prototype), as far as the touched pools and claims can change them.

    Notes the pools that gained or lost a hold by it.
    """
    drivers = {pool.driver for pool in touched.pools}
    rows = Allocation.objects.filter(claim__cluster=evidence.cluster, guessed=True).select_related("claim")
    moved = rows.filter(driver__in=drivers) | rows.filter(claim__in=_own(evidence.cluster, touched.claims))
    found = list(moved.order_by("claim", "id").distinct())
    if not found:
        return
    touched.guessed_drivers.update(row.driver for row in found)
    fresh = evidence.slices({pool for pool in touched.pools if pool.driver in {row.driver for row in found}})
    near = evidence.slices_near({row.driver for row in found}, {row.claim.node for row in found}, fresh)
    ids = {ClaimId(row.claim.namespace, row.claim.name) for row in found}
    claims = [item for item in named(evidence.cluster, "ResourceClaim", ids) if isinstance(item, ClaimNoun)]
    guesses: dict[tuple[ClaimId, str, str, str], str] = {
        (hold.claim, hold.request, hold.device.driver, hold.device.name): hold.device.pool
        for hold in holds(claims, [item for each in near.values() for item in each])
    }
    changed = []
    for row in found:
        key = (ClaimId(row.claim.namespace, row.claim.name), row.request, row.driver, row.device_name)
        guess = guesses.get(key, "")
        if guess != row.pool_name:
            touched.pools.update(PoolId(row.driver, name) for name in (guess, row.pool_name) if name)
            row.pool_name = guess
            changed.append(row)
    update(Allocation, changed, ["pool_name"])


def _own(cluster: Cluster, ids: Collection[ClaimId]) -> list[int]:
    return [row.pk for row in rows_of(Claim, cluster, ids)]


def write_pods(cluster: Cluster, items: Sequence[PodNoun], gone: Collection[ClaimId], touched: Touched) -> None:
    """
    Write these pods with their entries, and delete those that are *gone*.

    Notes the claims that they began or ceased to use, and the pools of these; a pod whose status alone changed touches
    nothing else.
    """
    if not items and not gone:
        return
    existing = rows_of(Pod, cluster, [*(item.id for item in items), *gone])
    before = _uses(existing)
    had_pods = Pod.objects.filter(cluster=cluster).exists()
    _touch_around(cluster, existing, items, touched)
    touched.pods.update(item.id for item in items)
    touched.pods.update(gone)
    discard(Pod, [row for row in existing if ClaimId(row.namespace, row.name) in gone])
    wanted = {
        item.id: {"cluster_id": cluster.pk, **item.id._asdict(), **pod_fields(item)}
        for item in items
        if item.id not in gone
    }
    kept = [row for row in existing if ClaimId(row.namespace, row.name) in wanted]
    rows, _ = sync(Pod, kept, wanted, lambda row: ClaimId(row.namespace, row.name))
    _write_entries([(rows[item.id], item) for item in items if item.id in rows])
    if had_pods != Pod.objects.filter(cluster=cluster).exists():  # only now are claims without a pod told from others
        waiting = Claim.objects.filter(cluster=cluster, allocated=False).values_list("namespace", "name")
        touched.claims.update(ClaimId(*pair) for pair in waiting)
    claims = before.symmetric_difference(_uses(rows.values()))
    used = {ClaimId(namespace, claim) for _, namespace, claim in claims}
    touched.claims.update(used)
    touched.pools.update(pools_of(rows_of(Claim, cluster, used)))


def _touch_around(cluster: Cluster, rows: Collection[Pod], items: Iterable[PodNoun], touched: Touched) -> None:
    """Note the templates that pods name or named, and nodes where pods use a device plugin's resources."""
    entries = PodClaim.objects.filter(pod__in=[row.pk for row in rows]).exclude(template="")
    touched.templates.update(ClaimId(*pair) for pair in entries.values_list("pod__namespace", "template"))
    for item in items:
        touched.templates.update(ClaimId(item.meta.namespace, each.template) for each in item.claims if each.template)
    nodes = {row.node for row in rows} | {item.node_name for item in items}
    found = Finding.objects.filter(cluster=cluster, code="device-plugin-on-dra-node", object__in=nodes)
    touched.plugin_nodes.update(found.values_list("object", flat=True))


def _write_entries(pairs: Sequence[tuple[Pod, PodNoun]]) -> None:
    stored: dict[int, list[PodClaim]] = defaultdict(list)
    for row in PodClaim.objects.filter(pod__in=[pod.pk for pod, _ in pairs]).order_by("id"):
        stored[row.pod_id].append(row)
    fresh: list[PodClaim] = []
    stale: list[PodClaim] = []
    for pod, item in pairs:
        wanted, rows = pod_claims(item), stored[pod.pk]
        if [{name: getattr(row, name) for name in ("entry", "claim_name", "template")} for row in rows] != wanted:
            stale += rows
            fresh += [PodClaim(pod=pod, **fields) for fields in wanted]
    discard(PodClaim, stale)
    PodClaim.objects.bulk_create(fresh, batch_size=BATCH)


def _uses(pods: Iterable[Pod]) -> set[tuple[str, str, str]]:
    """(pod, namespace, claim) of pods that are not over."""
    running = [pod.pk for pod in pods if pod.phase not in PODS_OVER]
    rows = PodClaim.objects.filter(pod__in=running).exclude(claim_name="")
    return set(rows.order_by().values_list("pod__name", "pod__namespace", "claim_name"))


def rows_of(model: type[M], cluster: Cluster, ids: Iterable[ClaimId]) -> list[M]:
    """The rows of one kind with these namespaces and names."""
    wanted = sorted(set(ids))
    manager: models.Manager[M] = model._default_manager
    found: list[M] = []
    for start in range(0, len(wanted), CHUNK):
        part = set(wanted[start : start + CHUNK])
        rows = manager.filter(
            cluster=cluster, namespace__in={i.namespace for i in part}, name__in={i.name for i in part}
        )
        found += [row for row in rows if ClaimId(row.namespace, row.name) in part]
    return found
