"""Layouts: can so many devices of each type stand on one card together, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pools.core.packing import Table
from pools.core.search import compatible

BUDGET = 100_000
"""Looks at single devices before a search gives up."""

Want = tuple[int, tuple[int, ...]]
"""How many, out of which rows of the table (ascending)."""


@dataclass(frozen=True, slots=True)
class Layout:
    """
    The answer to one question about a card.

    `rows` are, per want, the rows chosen; None when nothing fits or, when not `decided`, when the budget ran out.
    """

    rows: tuple[tuple[int, ...], ...] | None
    decided: bool = True


@dataclass(frozen=True, slots=True)
class _State:
    """Where a search stands: the want, how many of it are left, the next row to look at, and what is free."""

    want: int
    left: int
    start: int
    free: tuple[int, ...]
    common: tuple[int, ...]


@lru_cache(maxsize=16384)
def layout(table: Table, wants: tuple[Want, ...], free: tuple[int, ...], common: tuple[int, ...]) -> Layout:
    """
    Place all wants on a card, exactly.

    Args:
        table: the card's devices; negative costs count as nothing.
        wants: each a number of devices and the rows they may come from; the rows of two wants should not overlap.
        free: what each counter has left before anything is placed.
        common: one bit mask per set with compatibility groups.

    Cost: remembered for equal cards in equal states; bounded by BUDGET.
    """
    order = sorted(range(len(wants)), key=lambda index: -_weight(table, wants[index], free))
    ordered = [wants[index] for index in order]
    found = _search(table, ordered, free, common)
    if found.rows is None:
        return found
    back = dict(zip(order, found.rows, strict=True))
    return Layout(tuple(back[index] for index in range(len(wants))))


def _weight(table: Table, want: Want, free: Sequence[int]) -> float:
    return max((sum(cost / max(1, have) for cost, have in zip(table.rows[row], free, strict=True)) for row in want[1]),
               default=0.0)  # fmt: skip


def _search(table: Table, wants: Sequence[Want], free: tuple[int, ...], common: tuple[int, ...]) -> Layout:
    """Depth first, heaviest want first; a state seen before leads nowhere new."""
    budget = BUDGET
    seen: set[_State] = set()
    first = _State(0, wants[0][0] if wants else 0, 0, free, common)
    stack: list[tuple[_State, tuple[tuple[int, ...], ...]]] = [(first, ((),))]
    while stack:
        state, chosen = stack.pop()
        while state.want < len(wants) and state.left == 0:
            state, chosen = _next(state, wants), (*chosen, ())
        if state.want == len(wants):
            return Layout(chosen[: len(wants)])
        if state in seen:
            continue
        seen.add(state)
        rows = wants[state.want][1]
        for index in range(len(rows) - state.left, state.start - 1, -1):
            budget -= 1
            row = rows[index]
            if _fits(table, row, state):
                taken = (*chosen[:-1], (*chosen[-1], row))
                stack.append((_taken(table, row, state, index + 1), taken))
        if budget <= 0:
            return Layout(None, decided=False)
    return Layout(None)


def _next(state: _State, wants: Sequence[Want]) -> _State:
    following = state.want + 1
    left = wants[following][0] if following < len(wants) else 0
    return _State(following, left, 0, state.free, state.common)


def _fits(table: Table, row: int, state: _State) -> bool:
    return all(cost <= have for cost, have in zip(table.rows[row], state.free, strict=True)) and all(
        map(compatible, table.groups[row], state.common)
    )


def _taken(table: Table, row: int, state: _State, start: int) -> _State:
    free = tuple(have - max(0, cost) for have, cost in zip(state.free, table.rows[row], strict=True))
    common = tuple(one & other for one, other in zip(state.common, table.groups[row], strict=True))
    return _State(state.want, state.left - 1, start, free, common)
