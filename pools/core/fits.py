"""How many more devices of each type, or of any group, fit now: per card and over the whole pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pools.core.cards import Card, cards_of
from pools.core.counters import Ledger, ledger_of
from pools.core.packing import NOTHING, Fit, Table, fit
from pools.core.shape import Shape, shape_of
from pools.core.slots import ranks_of
from pools.domain.state import DeviceReport, PoolReport, TypeFit


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Cards that must be packed together: one, or all cards of sets with compatibility groups."""

    counters: tuple[int, ...]
    table: Table
    place: dict[int, int]
    """Device's position in the pool → its row in the table."""


@lru_cache(maxsize=512)
def regions_of(shape: Shape, cards: tuple[Card, ...]) -> tuple[Region, ...]:
    """The parts of a pool whose packing is independent of each other, by card unless groups tie cards together."""
    tied = [card for card in cards if any(mask != -1 for row in card.devices for mask in shape.groups[row])]
    regions = [_region(card.counters, card.devices, card.table) for card in cards if card not in tied]
    if tied:
        counters = tuple(sorted(position for card in tied for position in card.counters))
        devices = tuple(sorted(row for card in tied for row in card.devices))
        groups = tuple(shape.groups[row] for row in devices)
        regions.append(_region(counters, devices, Table.of(shape.cost[np.ix_(devices, counters)], groups)))
    return tuple(regions)


def _region(counters: tuple[int, ...], devices: tuple[int, ...], table: Table) -> Region:
    return Region(counters, table, {row: place for place, row in enumerate(devices)})


class Room:
    """What is free in one pool at one moment."""

    @classmethod
    def of(cls, report: PoolReport) -> Room:
        """The room behind a report."""
        shape = shape_of(report.pool)
        return cls(shape, cards_of(shape), ledger_of(report, shape), report.devices)

    def __init__(self, shape: Shape, cards: tuple[Card, ...], books: Ledger, reports: Sequence[DeviceReport]) -> None:
        self.reports = reports
        self._common = books.common
        left = books.left.tolist()
        self._regions = [(region, _free(left, region.counters)) for region in regions_of(shape, cards)]
        self.sizes = ranks_of(shape)
        self._region_of = {row: index for index, (region, _) in enumerate(self._regions) for row in region.place}

    def fit(self, rows: Iterable[int]) -> Fit:
        """
        How many of these devices can be allocated together now; those that are not available by themselves cannot.

        Args:
            rows: positions in the pool, ascending.
        """
        loose = 0
        wanted: dict[int, list[int]] = defaultdict(list)
        for row in rows:
            if self.reports[row].state == "available":
                index = self._region_of.get(row)
                if index is None:
                    loose += 1
                else:
                    wanted[index].append(self._regions[index][0].place[row])
        if not wanted:
            return Fit(loose, True, loose) if loose else NOTHING
        fits = [
            fit(self._regions[index][0].table, places, self._regions[index][1], self._common)
            for index, places in wanted.items()
        ]
        return Fit(
            loose + sum(each.most for each in fits),
            all(each.exact for each in fits),
            loose + sum(each.first_fit for each in fits),
        )


def _free(left: Sequence[int], counters: Sequence[int]) -> tuple[int, ...]:
    return tuple(left[position] for position in counters)


def type_fits(room: Room, rows: Iterable[int]) -> tuple[TypeFit, ...]:
    """A row for each type among these devices, the largest first. Rows are alternatives: never add them up."""
    members: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        members[room.reports[row].type].append(row)
    order = sorted(members, key=lambda kind: max(room.sizes[row] for row in members[kind]), reverse=True)
    return tuple(_type_fit(room, kind, members[kind]) for kind in order)


def _type_fit(room: Room, kind: str, rows: Sequence[int]) -> TypeFit:
    states = [room.reports[row].state for row in rows]
    found = room.fit(rows)
    return TypeFit(
        type=kind,
        total=len(rows),
        allocated=states.count("allocated"),
        available=states.count("available"),
        max_more=found.most,
        first_fit=found.first_fit,
        exact=found.exact,
    )


def attribute_fits(report: PoolReport) -> dict[tuple[str, str], Fit]:
    """
    How many more devices fit, for each string attribute (as published) and value among counter-consuming devices.

    Groups overlap and draw on the same counters: the numbers are alternatives, never to be added up.
    """
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, item in enumerate(report.pool.devices):
        for name, value in item.device.attributes.items() if item.device.consumes else ():
            if value.kind == "string":
                members[name, str(value.value)].append(row)
    room = Room.of(report)
    return {group: room.fit(rows) for group, rows in members.items()}
