"""Mixes: which sets of devices fit on a card together, on top of what is allocated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from pools.core.cards import Card, cards_of
from pools.core.counters import Ledger, ledger_of
from pools.core.packing import Table
from pools.core.search import Problem, fitting, take
from pools.core.shape import Shape, shape_of
from pools.core.slots import ranks_of
from pools.domain.state import Mix, Mixes, PoolReport

STEPS = 40
"""How many sets are looked at for each mix that may be returned."""

WORK = 100
"""How many devices are looked at for each set that may be looked at."""

_Found = tuple[tuple[tuple[int, ...], ...], int, bool]


def mixes(report: PoolReport, card_key: str, *, limit: int = 5000) -> Mixes:
    """
    All maximal mixes of a card's available devices, those of few large devices first, and how many sets fit at all.

    Cost: one step for each set that fits (2,319 for an empty A100-40GB), remembered for equal cards in equal states;
    cut after 40 · limit steps or *limit* mixes. A device that gives back what it draws (negative consumption) counts as
    drawing nothing, and the answer is called cut: the order of allocation would matter.

    Raises:
        KeyError: the pool has no such card.
    """
    shape = shape_of(report.pool)
    card = next((each for each in cards_of(shape) if each.key == card_key), None)
    if card is None:
        raise KeyError(card_key)
    maximal, feasible, cut = rows_of_mixes(report, shape, card, ledger_of(report, shape), limit)
    return Mixes(
        maximal=tuple(_mix(report, [card.devices[place] for place in places]) for places in maximal),
        feasible=feasible,
        cut=cut,
    )


def rows_of_mixes(report: PoolReport, shape: Shape, card: Card, books: Ledger, limit: int) -> _Found:
    """
    The same as rows of the card's table.

    Returns:
        The maximal sets, how many non-empty sets fit, and whether the search was cut.
    """
    wanted = [place for place, row in enumerate(card.devices) if report.devices[row].state == "available"]
    ranks = ranks_of(shape)
    wanted.sort(key=lambda place: (-ranks[card.devices[place]], place))
    free = tuple(books.left[list(card.counters)].tolist())
    return _walk(card.table, tuple(wanted), free, books.common, limit)


def _mix(report: PoolReport, rows: Sequence[int]) -> Mix:
    devices = [report.devices[row] for row in rows]
    return Mix(
        devices=tuple(device.id.name for device in devices),
        types=tuple(Counter(device.type for device in devices).items()),
    )


@lru_cache(maxsize=4096)
def _walk(table: Table, wanted: tuple[int, ...], free: tuple[int, ...], common: tuple[int, ...], limit: int) -> _Found:
    """
    Visit each set that fits once, adding devices in order; a set to which nothing can be added is maximal.

    Returns:
        The maximal sets, each as rows of the table in the order of *wanted*; how many non-empty sets fit; whether the
        walk was cut.
    """
    costs = [[max(0, amount) for amount in table.rows[row]] for row in wanted]
    cut = any(amount < 0 for row in wanted for amount in table.rows[row])
    problem = Problem.of(costs, [table.groups[row] for row in wanted], free, common)
    maximal: list[int] = []
    feasible = 0
    work = limit * STEPS * WORK
    start = fitting(problem, (1 << len(wanted)) - 1, problem.free, problem.common)
    stack = [(start, start, problem.free, problem.common, 0)]
    while stack and feasible < limit * STEPS and work > 0 and len(maximal) < limit:
        open_, later, left, shared, taken = stack.pop()
        low = later & -later
        if later ^ low:
            stack.append((open_, later ^ low, left, shared, taken))
        if not low:
            continue
        left, shared = take(problem, low.bit_length() - 1, left, shared)
        open_, taken = fitting(problem, open_ ^ low, left, shared), taken | low
        feasible += 1
        work -= len(wanted)
        if not open_:
            maximal.append(taken)
        stack.append((open_, open_ & -low, left, shared, taken))
    found = sorted(([problem.order[device] for device in _bits(each)] for each in maximal), key=_first_large)
    return tuple(tuple(wanted[place] for place in sorted(places)) for places in found), feasible, cut or bool(stack)


def _first_large(places: list[int]) -> tuple[int, list[int]]:
    return len(places), sorted(places)


def _bits(mask: int) -> list[int]:
    """The positions of the bits that are set, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
