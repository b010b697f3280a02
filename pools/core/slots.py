"""Slot maps: unit counters that are numbered alike, such as memory-slice-0 … 7, found from their names' common stem."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pools.core.cards import Card, cards_of
from pools.core.counters import consuming
from pools.core.shape import Shape
from pools.domain.ids import CounterId
from pools.domain.quantity import NANO
from pools.domain.state import DeviceReport, SlotMap, SlotSpan

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Strip:
    """Counters in index order, and per drawing device (position in the pool) the cells that it occupies."""

    stem: str
    cells: tuple[int, ...]
    spans: tuple[tuple[int, tuple[int, ...]], ...]


@lru_cache(maxsize=4096)
def strips_of(shape: Shape, card: Card) -> tuple[Strip, ...]:
    """
    The strips of one card: counters of capacity 1 in one set whose names differ in one number, at least two of them.

    The last number of a name goes first (memory-slice-3 before the 0 of gpu_0_memory_slice_3); one in the middle will
    do (host-2-slot). Each counter is a cell of one strip at most.
    """
    units = [position for position in card.counters if _is_unit(shape, position)]
    if len(units) < 2:
        return ()
    drawers: dict[int, list[int]] = defaultdict(list)
    for row in card.devices:
        for position, _ in shape.draws[row]:
            drawers[position].append(row)
    return tuple(
        Strip(stem, tuple(cells), _spans(cells, drawers))
        for stem, cells in _rows([(position, shape.counters[position]) for position in units])
    )


@lru_cache(maxsize=4096)
def measures_of(shape: Shape, card: Card) -> tuple[tuple[int, ...], ...]:
    """
    Which counters say, alone or together, how much of a card is used: each amount, and each strip as a whole.

    A counter of capacity 1 that stands alone is a lock and says little, so such ones are taken, together, only where
    there is nothing else.
    """
    strips = [strip.cells for strip in strips_of(shape, card)]
    amounts = [(position,) for position in card.counters if not _is_unit(shape, position)]
    return (*amounts, *strips) or (card.counters,)


@lru_cache(maxsize=512)
def ranks_of(shape: Shape) -> tuple[int, ...]:
    """
    Per device its rank by how much of its card it takes, the same for equally large ones; -1 for one without a card.

    Large is what has a large sum of shares over all that is measured on the card; ties go by the sum over all counters.
    """
    sizes = {
        row: (
            _share(shape, row, measures_of(shape, card)),
            _share(shape, row, tuple((position,) for position in card.counters)),
        )
        for card in cards_of(shape)
        for row in card.devices
    }
    order = {size: rank for rank, size in enumerate(sorted(set(sizes.values())))}
    return tuple(order[sizes[row]] if row in sizes else -1 for row in range(len(shape.draws)))


def _share(shape: Shape, row: int, measures: tuple[tuple[int, ...], ...]) -> Fraction:
    draws = dict(shape.draws[row])
    share = Fraction()
    for positions in measures:
        drawn = sum(draws.get(position, 0) for position in positions)
        capacity = sum(max(0, int(shape.capacity[position]) * shape.unit[position]) for position in positions)
        if drawn and capacity:
            share += Fraction(drawn, capacity)
    return share


def slot_maps(shape: Shape, card: Card, reports: Sequence[DeviceReport]) -> tuple[SlotMap, ...]:
    """
    The card's strips with the devices on them as they are now.

    Args:
        reports: the pool's device reports, those of current devices first and in their order.
    """
    return tuple(
        SlotMap(
            strip.stem,
            tuple(shape.counters[position] for position in strip.cells),
            tuple(_span(reports[row], cells) for row, cells in strip.spans),
        )
        for strip in strips_of(shape, card)
    )


def _span(report: DeviceReport, cells: tuple[int, ...]) -> SlotSpan:
    return SlotSpan(report.id.name, report.type, report.state, cells, consuming(report.holders))


def _is_unit(shape: Shape, position: int) -> bool:
    return int(shape.capacity[position]) * shape.unit[position] == NANO


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


def _spans(cells: Sequence[int], drawers: Mapping[int, Sequence[int]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    occupied: dict[int, list[int]] = defaultdict(list)
    for cell, position in enumerate(cells):
        for row in drawers.get(position, ()):
            occupied[row].append(cell)
    return tuple((row, tuple(taken)) for row, taken in sorted(occupied.items()))
