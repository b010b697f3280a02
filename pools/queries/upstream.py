"""A pool as upstream's ResourcePoolStatusRequest would sum it up, beside what is known here, and why they differ."""

from __future__ import annotations

from dataclasses import dataclass

from pools.core.pool_status import PartitionRow, PoolStatus, pool_status
from pools.domain.state import PoolReport
from pools.models import Pool
from pools.stored import Evidence

WORDS = {
    "PoolIncomplete": (
        "Upstream gives no numbers while slices of the pool are missing. Here too none of its devices counts as "
        "available until then."
    ),
    "PartitionTypeMissing": (
        "Upstream sums partitions up by the attribute that the slices name as their partition type. Here the type is "
        "found from other attributes or from what the devices draw."
    ),
    "PartitionCostMismatch": (
        "Upstream counts the partitions of a type only when every one of them draws exactly the same counters. "
        "Placements of one profile draw different memory slices, so it gives up on the whole summary. The numbers here "
        "are found by packing the placements."
    ),
    "PartitionSummaryOverCap": "Upstream gives no summary of more than 32 types.",
    "ShareableSummaryOverCap": "Upstream gives no summary of more than 32 capacities.",
}
DECLARES_NOTHING = (
    "No slice of the pool names an attribute as its partition type, so upstream has no summary by type. Here the type "
    "is found from other attributes or from what the devices draw."
)
COUNTS_BLOCKED = (
    "Upstream calls every device available that is neither allocated nor tainted, also those that cannot be allocated "
    "because a counter is short. Here these are called blocked."
)
COUNTS_TWICE = "Upstream takes a tainted device that is allocated off twice: as allocated and as unavailable."


@dataclass(frozen=True, slots=True)
class CountRow:
    """One number both ways; None where upstream gives none."""

    name: str
    upstream: int | None
    here: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type both ways: how many more fit. `upstream` is None where upstream gives no summary."""

    type: str
    total: int
    upstream: int | None
    here: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Upstream:
    """Both summaries. `word` is upstream's machine-readable refusal, `words` say in plain terms what it cannot tell."""

    status: PoolStatus
    counts: tuple[CountRow, ...]
    types: tuple[TypeRow, ...]
    word: str
    words: tuple[str, ...]


def upstream(pool: Pool, report: PoolReport) -> Upstream:
    """Sum a pool up both ways. One query, for the taint rules."""
    holds = [hold for device in report.devices for hold in device.holders]
    status = pool_status(report.pool.slices, holds, Evidence(pool.cluster).taint_rules)
    word = status.validation_error.partition(":")[0]
    return Upstream(status, _counts(report, status), _types(report, status), word, tuple(_words(report, status, word)))


def _counts(report: PoolReport, status: PoolStatus) -> tuple[CountRow, ...]:
    states = [device.state for device in report.devices if device.published]
    held = sum(any(not hold.admin for hold in device.holders) for device in report.devices)
    blocked = states.count("blocked")
    return (
        CountRow("total", status.total, len(states)),
        CountRow("allocated", status.allocated, held),
        CountRow("available", status.available, states.count("available")),
        CountRow("blocked", None, blocked, "upstream has no such number" if blocked else ""),
        CountRow("unavailable", status.unavailable, states.count("tainted") + states.count("unavailable")),
    )


def _types(report: PoolReport, status: PoolStatus) -> tuple[TypeRow, ...]:
    given: dict[str, PartitionRow] = {row.type: row for row in status.partitions or ()}
    drawing = {each.type for each in report.devices if each.card}
    return tuple(
        TypeRow(
            fit.type, fit.total, given[fit.type].allocatable if fit.type in given else None, fit.max_more, fit.exact
        )
        for fit in report.types
        if fit.type in drawing
    )


def _words(report: PoolReport, status: PoolStatus, word: str) -> list[str]:
    found = [WORDS[word]] if word in WORDS else []
    if not word and status.partitions is None and report.cards:
        found.append(DECLARES_NOTHING)
    if any(device.state == "blocked" for device in report.devices):
        found.append(COUNTS_BLOCKED)
    tainted = [device for device in report.devices if any(reason.code == "tainted" for reason in device.reasons)]
    if any(device.state == "allocated" for device in tainted):
        found.append(COUNTS_TWICE)
    return found
