"""Findings: what an operator or driver author should know about a pool, its slices, and the cluster around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pools.core.amounts import listed
from pools.core.cards import Card
from pools.core.counters import Ledger
from pools.core.faults import faults, shared_names
from pools.core.gather import INCONSISTENT
from pools.core.lint_cluster import lint_cluster
from pools.core.lint_devices import device_findings
from pools.core.lint_slices import slice_findings
from pools.core.shape import Shape
from pools.domain.errors import Finding
from pools.domain.pool import Pool
from pools.domain.state import DeviceReport

__all__ = ["lint_cluster", "lint_pool"]


def lint_pool(
    pool: Pool, shape: Shape, cards: Sequence[Card], books: Ledger, reports: Sequence[DeviceReport]
) -> tuple[Finding, ...]:
    """
    Findings about one pool, gravest first.

    `error` is kept for what makes the pool unusable, what the API server of a current Kubernetes refuses, and what
    claims contradict each other about; `warning` for what is probably not meant; `info` for what is good to know.
    """
    found = (
        *_pool_findings(pool, reports),
        *device_findings(pool, shape, cards, books, reports),
        *slice_findings(pool),
    )
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))


def _pool_findings(pool: Pool, reports: Sequence[DeviceReport]) -> Iterator[Finding]:
    name = str(pool.id)
    if pool.state == "incomplete":
        yield _incomplete(pool)
    elif pool.state == "invalid":
        yield Finding("pool-invalid", name, "error", f"The scheduler allocates nothing from this pool: {pool.reason}.")
    current = pool.slices[: pool.slices_seen]
    if pool.reason == INCONSISTENT:
        counts = sorted({item.slice_count for item in current})
        yield Finding(
            "inconsistent-slice-count",
            name,
            "error",
            f"Slices of generation {pool.generation} announce {listed([str(count) for count in counts])} slices, "
            "so the pool contradicts itself and is not used.",
        )
    for fault in faults(current) if pool.state == "invalid" else ():
        where = listed(list(fault.slices))
        text = f"{fault.reason[0].upper()}{fault.reason[1:]} (slice {where}): the whole pool is invalid."
        yield Finding(fault.code, f"{name}/{fault.subject}", "error", text)
    for shared in shared_names(current):
        text = "Several nodes have a device of this name in one pool: allocations cannot be told apart."
        yield Finding("device-name-shared-by-nodes", f"{name}/{shared}", "warning", text)
    if pool.stale_slices:
        text = f"{listed(list(pool.stale_slices))}: left over from an older generation, and ignored."
        yield Finding("stale-slices", name, "info", text)
    yield from _reach_findings(pool, reports)


def _incomplete(pool: Pool) -> Finding:
    if pool.slices_seen > pool.slices_expected:
        text = f"More slices than announced ({pool.reason}): nothing is allocated from this pool until that is mended."
        return Finding("pool-incomplete", str(pool.id), "error", text)
    text = f"The pool is being updated ({pool.reason}): nothing is allocated from it until all slices are there."
    return Finding("pool-incomplete", str(pool.id), "warning", text)


def _reach_findings(pool: Pool, reports: Sequence[DeviceReport]) -> Iterator[Finding]:
    missing = [report for report in reports if any(reason.code == "node-missing" for reason in report.reasons)]
    if missing:
        what = "none of its devices" if len(missing) == len(pool.devices) else f"{len(missing)} of its devices"
        nodes = sorted({report.pooled.reach.node_name for report in missing if report.pooled is not None} - {""})
        why = f"Node {listed(nodes)} does not exist" if nodes else "No node is selected"
        verb = "can be reached" if what.startswith("none") else "cannot be reached"
        yield Finding("node-missing", str(pool.id), "warning", f"{why}: {what} {verb} by any pod.")
