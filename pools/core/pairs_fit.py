"""How many aligned pairs devices make: the smaller side where any goes with any, else a matching over values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pools.core.cards import cards_of
from pools.core.fits import Room, regions_of
from pools.core.packing import fit
from pools.core.shape import shape_of
from pools.domain.state import DeviceReport, PoolReport

Keys = frozenset[Hashable]


class Stock:
    """A judged pool, with what is needed to say how many of its devices fit together."""

    def __init__(self, report: PoolReport) -> None:
        self.report = report

    @cached_property
    def _room(self) -> Room:
        return Room.of(self.report)

    def together(self, rows: Sequence[int], free: bool) -> tuple[int, bool]:
        """
        How many of these devices can be in use at the same time, and whether that is exact.

        Args:
            free: on top of what is allocated now, instead of on an empty pool.
        """
        shape = shape_of(self.report.pool)
        drawing = sorted(row for row in rows if shape.draws[row])
        loose = len(rows) - len(drawing)
        if not drawing:
            return loose, True
        if free:
            found = self._room.fit(drawing)
            return loose + found.most, found.exact
        most, exact = loose, True
        for region in regions_of(shape, cards_of(shape)):
            places = [region.place[row] for row in drawing if row in region.place]
            capacity = tuple(max(0, int(shape.capacity[position])) for position in region.counters)
            fits = [place for place in places if all(map(_fits, region.table.rows[place], capacity))]
            one = fit(region.table, fits, capacity, (-1,) * len(shape.grouped_sets))
            most, exact = most + one.most, exact and one.exact
        return most, exact


def _fits(need: int, have: int) -> bool:
    return need <= have


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """One device of a pool; `row` is its position there."""

    stock: Stock
    row: int

    @property
    def report(self) -> DeviceReport:
        return self.stock.report.devices[self.row]

    @property
    def free(self) -> bool:
        """Whether a claim could get it, or another share of it, now."""
        return self.report.state == "available" or self.report.accepts_more

    @property
    def sound(self) -> bool:
        """Whether it is free or in use, and not out of order or out of reach."""
        return self.free or self.report.state in ("allocated", "blocked")


@dataclass(frozen=True, slots=True)
class Size:
    """How many pairs, and how many devices of each side, fit together; bounds from below when not `exact`."""

    pairs: int
    first: int
    second: int
    exact: bool = True


Placed = Sequence[tuple[Device, Keys]]
"""Devices with the values that they can be aligned by."""


def aligned(first: Placed, second: Placed, counts: tuple[int, int], *, free: bool) -> Size:
    """
    How many pairs can be made of the devices of one group.

    Devices with one value in common: whole pairs in the smaller side. Devices with several values: a maximum matching
    for one of each side; for larger pairs a bound from below, value by value.

    Args:
        counts: how many devices of each side make a pair.
        free: see `Stock.together`.
    """
    one, other = _together(first, free), _together(second, free)
    exact = one[1] and other[1]
    if len({keys for _, keys in (*first, *second)}) <= 1:
        return Size(min(one[0] // counts[0], other[0] // counts[1]), one[0], other[0], exact)
    if counts == (1, 1):
        plain = one[0] == len(first) and other[0] == len(second)
        matched = _matching([keys for _, keys in first], [keys for _, keys in second])
        return Size(min(matched, one[0], other[0]), one[0], other[0], exact and plain)
    return Size(_by_value(first, second, counts, free), one[0], other[0], False)


def _together(devices: Placed, free: bool) -> tuple[int, bool]:
    rows: dict[Stock, list[int]] = defaultdict(list)
    for device, _ in devices:
        rows[device.stock].append(device.row)
    found = [stock.together(each, free) for stock, each in rows.items()]
    return sum(most for most, _ in found), all(exact for _, exact in found)


def _matching(first: Sequence[Keys], second: Sequence[Keys]) -> int:
    """The size of a maximum matching between devices with a value in common (augmenting paths)."""
    partner: dict[int, int] = {}
    for index in range(len(first)):
        _augment(first, second, partner, index)
    return len(partner)


@dataclass(slots=True)
class _Step:
    """A device of the first side on the way to a free partner, and the partners that it still has to try."""

    index: int
    left: list[int]
    tried: int = field(default=-1)


def _augment(first: Sequence[Keys], second: Sequence[Keys], partner: dict[int, int], start: int) -> None:
    """Give *start* a partner, moving others to partners of theirs if need be."""

    def step(index: int) -> _Step:
        return _Step(index, [other for other, keys in enumerate(second) if keys & first[index]])

    seen: set[int] = set()
    path = [step(start)]
    while path:
        at = path[-1]
        if not at.left:
            path.pop()
            continue
        at.tried = at.left.pop()
        if at.tried in seen:
            continue
        seen.add(at.tried)
        if at.tried not in partner:
            for each in path:
                partner[each.tried] = each.index
            return
        path.append(step(partner[at.tried]))


def _by_value(first: Placed, second: Placed, counts: tuple[int, int], free: bool) -> int:
    """Pairs made value by value, of devices with few values first; a device serves once."""
    made = 0
    left = [sorted(side, key=lambda entry: len(entry[1])) for side in (first, second)]
    for value in sorted({value for side in left for _, keys in side for value in keys}, key=str):
        sides = [[entry for entry in side if value in entry[1]] for side in left]
        sizes = [_together(side, free)[0] // count for side, count in zip(sides, counts, strict=True)]
        if min(sizes):
            made += min(sizes)
            used = {
                id(entry[0]) for side, count in zip(sides, counts, strict=True) for entry in side[: min(sizes) * count]
            }
            left = [[entry for entry in side if id(entry[0]) not in used] for side in left]
    return made
