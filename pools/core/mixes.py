"""Mixes: which sets of devices fit on a card together, on top of what is allocated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pools.core.cards import Card, cards_of
from pools.core.counters import by_device, ledger
from pools.core.shape import Numbers, Shape, shape_of
from pools.domain.state import Mix, Mixes, PoolReport

STEPS = 40
"""How many sets are looked at for each mix that may be returned."""


def mixes(report: PoolReport, card_key: str, *, limit: int = 5000) -> Mixes:
    """
    All maximal mixes of a card's available devices, largest devices first, and how many non-empty sets fit at all.

    Cost: one step for each set that fits (2,319 for an empty A100-40GB); cut after 40 · limit steps or *limit* mixes.
    Devices that give back what they draw (negative consumption) are counted as drawing nothing, and the answer is
    called cut, since the order of allocation would matter.

    Raises:
        KeyError: the pool has no such card.
    """
    pool = report.pool
    shape = shape_of(pool)
    card = next((each for each in cards_of(shape) if each.key == card_key), None)
    if card is None:
        raise KeyError(card_key)
    holders = [hold for device in report.devices for hold in device.holders]
    books = ledger(pool, shape, by_device(pool, holders))
    free = books.left[list(card.counters)]
    rows = [
        (size, -row)
        for row, size in zip(card.devices, card.size, strict=True)
        if report.devices[row].state == "available"
    ]
    order = [-place for _, place in sorted(rows, reverse=True)]
    walk = _Walk(shape, card, order, limit)
    walk.run(free, books.common)
    found = sorted(walk.maximal, key=lambda places: (len(places), places))
    return Mixes(
        maximal=tuple(_mix(report, [order[place] for place in places]) for places in found),
        feasible=walk.feasible,
        cut=walk.cut,
    )


def _mix(report: PoolReport, rows: Sequence[int]) -> Mix:
    devices = [report.devices[row] for row in rows]
    return Mix(
        devices=tuple(device.id.name for device in devices),
        types=tuple(Counter(device.type for device in devices).items()),
    )


class _Walk:
    """Visits each set that fits once, adding devices in order; a set to which nothing can be added is maximal."""

    def __init__(self, shape: Shape, card: Card, order: Sequence[int], limit: int) -> None:
        cost: Numbers = shape.cost[np.ix_(order, card.counters)]
        self._cost = np.maximum(cost, 0)
        self._groups = [shape.groups[row] for row in order]
        self._limit = limit
        self._steps = limit * STEPS
        self.maximal: list[tuple[int, ...]] = []
        self.feasible = 0
        self.cut = bool((cost < 0).any())

    def run(self, free: Numbers, common: tuple[int, ...]) -> None:
        """Walk depth first; the stack holds sets yet to be extended."""
        stack: list[tuple[tuple[int, ...], Numbers, tuple[int, ...]]] = [((), free, common)]
        while stack:
            if self.feasible >= self._steps or len(self.maximal) >= self._limit:
                self.cut = True
                return
            taken, left, shared = stack.pop()
            self.feasible += bool(taken)
            fitting = self._fitting(taken, left, shared)
            if taken and not fitting.any():
                self.maximal.append(taken)
            last = taken[-1] if taken else -1
            for place in np.flatnonzero(fitting[last + 1 :])[::-1].tolist():
                chosen = last + 1 + place
                masks = tuple(one & other for one, other in zip(shared, self._groups[chosen], strict=True))
                stack.append(((*taken, chosen), left - self._cost[chosen], masks))

    def _fitting(self, taken: tuple[int, ...], left: Numbers, shared: tuple[int, ...]) -> NDArray[np.bool_]:
        fitting: NDArray[np.bool_] = np.all(self._cost <= left, axis=1)
        fitting[list(taken)] = False
        for place in np.flatnonzero(fitting).tolist() if shared else ():
            if not all(one & other for one, other in zip(shared, self._groups[place], strict=True)):
                fitting[place] = False
        return fitting
