"""What allocations leave: for each device, what can still be had after it, and in how many states a pool can be."""

from __future__ import annotations

from dataclasses import dataclass

from pools.core.cards import cards_of
from pools.core.counters import ledger_of
from pools.core.mixes import mixes
from pools.core.search import compatible
from pools.core.shape import shape_of
from pools.domain.state import PoolReport


@dataclass(frozen=True, slots=True)
class Leaves:
    """After one more allocation: the devices it would block, and how many of the pool could still be allocated."""

    device: str
    blocks: tuple[str, ...]
    remaining: int


@dataclass(frozen=True, slots=True)
class Combinations:
    """
    In how many states a pool can be: `states` counts the sets of devices that fit together on top of what is
    allocated, none included; `maximal` those to which none can be added. Both are lower bounds when not `exact`.
    """

    states: int
    maximal: int
    exact: bool


def leaves(report: PoolReport) -> tuple[Leaves, ...]:
    """
    For each device that could be allocated now, what its allocation would leave of the others that could be, too.

    Only counters and compatibility groups tie devices together, so only devices of its card are looked at.
    """
    shape = shape_of(report.pool)
    books = ledger_of(report, shape)
    free = {row for row, each in enumerate(report.devices) if each.state == "available" and each.pooled is not None}
    blocked: dict[int, list[int]] = {row: [] for row in free}
    for card in cards_of(shape):
        rows = [row for row in card.devices if row in free]
        for taken in rows:
            short = shape.cost[rows] > books.left - shape.cost[taken]
            for row, lacks in zip(rows, short.any(axis=1).tolist(), strict=True):
                if row != taken and (lacks or not _together(shape.groups[taken], shape.groups[row], books.common)):
                    blocked[taken].append(row)
    names = [each.id.name for each in report.devices]
    return tuple(
        Leaves(names[row], tuple(names[other] for other in blocked[row]), len(free) - 1 - len(blocked[row]))
        for row in sorted(free)
    )


def _together(one: tuple[int, ...], other: tuple[int, ...], common: tuple[int, ...]) -> bool:
    return all(compatible(second, first & shared) for first, second, shared in zip(one, other, common, strict=True))


def combinations(report: PoolReport, *, limit: int = 5000) -> Combinations:
    """
    Count the states of a pool: card by card, for cards do not depend on each other, and multiplied.

    Devices without counters are in no card and not counted.
    """
    states, maximal, exact = 1, 1, True
    for card in report.cards:
        found = mixes(report, card.key, limit=limit)
        states *= found.feasible + 1
        maximal *= max(1, len(found.maximal))
        exact &= not found.cut
    return Combinations(states, maximal, exact)
