"""One look at objects without a database: pools, counters, devices, what still fits, claims, findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pools.core.gather import gather
from pools.core.holds import holds
from pools.core.judge import judge
from pools.core.lint import lint_cluster
from pools.domain.cluster import DomainObject, Snapshot
from pools.domain.errors import Finding, Undecodable
from pools.domain.ids import PoolId
from pools.domain.state import Holder, Surroundings
from pools.queries.inspection_claims import claims_section
from pools.queries.inspection_pools import pool_section
from pools.wire.documents import Limits, read
from pools.wire.registry import decode


def load(data: bytes, *, source: str = "", limits: Limits | None = None) -> tuple[Snapshot, tuple[Undecodable, ...]]:
    """
    Read a payload (JSON or YAML, one object or many) into a snapshot.

    Returns:
        What could be read, and a fault for each object that could not, or one for the whole payload.
    """
    faults: list[Undecodable] = []
    objects: list[DomainObject] = []
    try:
        documents = read(data, source=source, limits=limits)
    except Undecodable as fault:
        return Snapshot(), (fault,)
    for document in documents:
        if isinstance(document, Undecodable):
            faults.append(document)
            continue
        try:
            objects.append(decode(document.raw))
        except Undecodable as fault:
            faults.append(Undecodable(fault.reason, fault.path, fault.object, document.where))
    return Snapshot.of(objects), tuple(faults)


def inspect(snapshot: Snapshot, faults: Iterable[Undecodable] = ()) -> dict[str, Any]:
    """
    All that can be said of one set of objects, in the form of `manage.py inspect --format json`.

    Quantities are exact texts; device states, `max_more` and reasons are as of the claims in the snapshot. Without Node
    objects every node that is named is taken to exist.

    Args:
        faults: what could not be read; each becomes a finding `undecodable`.
    """
    pools = gather(snapshot.slices)
    nodes = frozenset(node.meta.name for node in snapshot.nodes) if snapshot.nodes else None
    held: dict[PoolId, list[Holder]] = defaultdict(list)
    for hold in holds(snapshot.claims, snapshot.slices, snapshot.pods):
        held[hold.device.pool_id].append(hold)
    reports = tuple(judge(pool, Surroundings(tuple(held[pool.id]), snapshot.taint_rules, nodes)) for pool in pools)
    found = [finding for report in reports for finding in report.findings]
    return {
        "pools": [pool_section(report) for report in reports],
        **claims_section(snapshot, reports),
        "findings": _findings([*map(undecodable, faults), *found, *lint_cluster(snapshot, pools)]),
    }


def undecodable(fault: Undecodable) -> Finding:
    """The finding for something that could not be read."""
    return Finding("undecodable", fault.object or fault.where or "input", "error", str(fault))


def has_errors(answer: dict[str, Any]) -> bool:
    """Whether any finding is an error."""
    return any(finding["severity"] == "error" for finding in answer["findings"])


def _findings(found: Sequence[Finding]) -> list[dict[str, str]]:
    order = {"error": 0, "warning": 1, "info": 2}
    return [
        {"code": each.code, "object": each.object, "severity": each.severity, "message": each.message}
        for each in sorted(found, key=lambda each: order[each.severity])
    ]
