"""How many more devices fit together: exact where a bounded search can tell, else a bound that is certainly reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pools.core.search import Problem, compatible, search
from pools.core.shape import Numbers

BUDGET = 200_000
"""Work units of one search; a unit is one look at one device."""


@dataclass(frozen=True, slots=True)
class Table:
    """
    What devices of one card cost, in a form that is equal for equal cards.

    `rows` holds a tuple of costs per device, `groups` its masks of compatibility groups (see `shape.Shape`).
    """

    rows: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    mark: int

    @classmethod
    def of(cls, cost: Numbers, groups: tuple[tuple[int, ...], ...]) -> Table:
        """The table of a cost matrix (d, c)."""
        return _table(tuple(tuple(row) for row in cost.tolist()), groups)

    def __hash__(self) -> int:
        return self.mark


@lru_cache(maxsize=4096)
def _table(rows: tuple[tuple[int, ...], ...], groups: tuple[tuple[int, ...], ...]) -> Table:
    return Table(rows, groups, hash((rows, groups)))


@dataclass(frozen=True, slots=True)
class Fit:
    """How many devices fit together at most, whether that is exact, and how many first come, first served places."""

    most: int
    exact: bool
    first_fit: int


NOTHING = Fit(0, True, 0)


def fit(table: Table, wanted: Sequence[int], free: tuple[int, ...], common: tuple[int, ...]) -> Fit:
    """
    How many of some devices can be allocated together on top of what is allocated now.

    Each device counts once, shareable or not: this is about devices, not shares, and one in use is not wanted again.
    Cost: remembered by (table, wanted, free, common), so equal cards in equal states cost one search.

    Args:
        wanted: rows of the table, ascending; only devices that are available by themselves.
        free: what is left of each counter of the table.
        common: per grouped set, the groups shared by all devices in use.
    """
    return _fit(table, tuple(wanted), free, common) if wanted else NOTHING


@lru_cache(maxsize=65536)
def _fit(table: Table, wanted: tuple[int, ...], free: tuple[int, ...], common: tuple[int, ...]) -> Fit:
    rows = [table.rows[row] for row in wanted]
    groups = [table.groups[row] for row in wanted]
    gives_back = any(amount < 0 for row in rows for amount in row)
    if gives_back:  # a negative cost would make the order matter: count it as nothing, which is on the safe side
        rows = [tuple(max(0, amount) for amount in row) for row in rows]
    most, exact = search(Problem.of(rows, groups, free, common), BUDGET)
    greedy = _first_fit([table.rows[row] for row in wanted], groups, free, common)
    return Fit(max(most, greedy, 1), exact and not gives_back, greedy)


def _first_fit(
    rows: Sequence[tuple[int, ...]],
    groups: Sequence[tuple[int, ...]],
    free: tuple[int, ...],
    common: tuple[int, ...],
) -> int:
    """How many are placed when each device that fits is taken in turn."""
    left, shared, placed = list(free), list(common), 0
    for row, masks in zip(rows, groups, strict=True):
        if all(have >= need for have, need in zip(left, row, strict=True)) and all(
            compatible(mask, common) for mask, common in zip(masks, shared, strict=True)
        ):
            left = [have - need for have, need in zip(left, row, strict=True)]
            shared = [one & other for one, other in zip(shared, masks, strict=True)]
            placed += 1
    return placed
