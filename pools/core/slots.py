"""Slot maps: unit counters that are numbered alike, such as memory-slice-0 … 7, found from their names' common stem."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pools.core.cards import Card
from pools.core.counters import consuming
from pools.core.shape import Shape
from pools.domain.ids import CounterId
from pools.domain.pool import Pool
from pools.domain.quantity import NANO
from pools.domain.state import DeviceReport, SlotMap, SlotSpan

_NUMBER = re.compile(r"\d+")


def slot_maps(pool: Pool, shape: Shape, card: Card, reports: Sequence[DeviceReport]) -> tuple[SlotMap, ...]:
    """
    The slot maps of one card: counters of capacity 1 in one set whose names differ in one number, at least two of them.

    The last number of a name goes first (memory-slice-3 before the 0 of gpu_0_memory_slice_3); one in the middle will
    do (host-2-slot). Each counter is a cell of one map at most.

    Args:
        reports: the pool's device reports, those of current devices first and in their order.
    """
    amounts = [amount.nano for item in pool.counter_sets for amount in item.counters.values()]
    units = [position for position in card.counters if amounts[position] == NANO]
    if len(units) < 2:
        return ()
    drawers: dict[int, list[int]] = defaultdict(list)
    for row in card.devices:
        for position, _ in shape.draws[row]:
            drawers[position].append(row)
    return tuple(
        SlotMap(stem, tuple(shape.counters[position] for position in cells), _spans(cells, drawers, reports))
        for stem, cells in _rows([(position, shape.counters[position]) for position in units])
    )


def _rows(counters: Sequence[tuple[int, CounterId]]) -> Iterator[tuple[str, list[int]]]:
    """(stem, positions in index order) of each strip."""
    left = dict(counters)
    for place in range(max(len(_NUMBER.findall(counter.counter)) for counter in left.values())):
        strips: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
        for position, counter in left.items():
            numbers = list(_NUMBER.finditer(counter.counter))
            if place < len(numbers):
                number = numbers[-1 - place]
                around = (counter.counter_set, counter.counter[: number.start()], counter.counter[number.end() :])
                strips[around].append((int(number[0]), position))
        for (_, before, after), cells in strips.items():
            if len({index for index, _ in cells}) == len(cells) > 1:
                for _, position in cells:
                    del left[position]
                yield _stem(before, after), [position for _, position in sorted(cells)]


def _stem(before: str, after: str) -> str:
    return "-".join(part for part in (before.strip("-_.:"), after.strip("-_.:")) if part) or "slot"


def _spans(
    cells: Sequence[int], drawers: Mapping[int, Sequence[int]], reports: Sequence[DeviceReport]
) -> tuple[SlotSpan, ...]:
    occupied: dict[int, list[int]] = defaultdict(list)
    for cell, position in enumerate(cells):
        for row in drawers.get(position, ()):
            occupied[row].append(cell)
    return tuple(
        SlotSpan(
            reports[row].id.name, reports[row].type, reports[row].state, tuple(taken), consuming(reports[row].holders)
        )
        for row, taken in sorted(occupied.items())
    )
