"""Who draws what: each counter's consumption by the devices in use, and what is left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pools.core.shape import Numbers, Shape
from pools.domain.pool import Pool
from pools.domain.state import CounterHold, CounterUse, Holder, PoolReport

HoldersByName = Mapping[str, tuple[Holder, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """
    A pool's counters at one moment.

    `in_use` (D,) marks devices with at least one hold that is not for admin access; each is charged once. `left` (C,)
    is what remains, in the shape's units, negative when over-committed. `common` has, per set with compatibility
    groups, the groups (bit mask) that all devices in use on it share. `lost` are held devices that no current slice
    lists: they are charged nothing.
    """

    shape: Shape
    in_use: NDArray[np.bool_]
    left: Numbers
    common: tuple[int, ...]
    uses: tuple[CounterUse, ...]
    lost: tuple[str, ...]


def by_device(pool: Pool, holds: Sequence[Holder]) -> HoldersByName:
    """The holds on this pool's devices, admin ones included, by device name."""
    found: dict[str, list[Holder]] = defaultdict(list)
    for hold in holds:
        if hold.device.pool_id == pool.id:
            found[hold.device.name].append(hold)
    return {name: tuple(each) for name, each in found.items()}


def consuming(holders: Sequence[Holder]) -> tuple[Holder, ...]:
    """Those that use the device; admin access observes and consumes nothing."""
    return tuple(hold for hold in holders if not hold.admin)


def ledger(pool: Pool, shape: Shape, holders: HoldersByName) -> Ledger:
    """
    Charge every device in use once, at its current consumption, however many claims share it.

    Source: dra-api.md 3.3 (checkAvailableCounters); KEP-5677 for devices that left their slice.
    """
    users = {name: used for name, held in holders.items() if (used := consuming(held))}
    rows = [row for row, item in enumerate(pool.devices) if item.device.name in users]
    in_use = np.zeros(len(pool.devices), dtype=bool)
    in_use[rows] = True
    consumed = [0] * len(shape.counters)
    charges: dict[int, list[CounterHold]] = defaultdict(list)
    for row in rows:
        held = users[pool.devices[row].device.name]
        for position, nano in shape.draws[row]:
            consumed[position] += nano
            charges[position].append(CounterHold(held[0].device, nano, held))
    listed = {item.device.name for item in pool.devices}
    lost = tuple(name for name in users if name not in listed)
    uncertain = _uncertain(pool, lost)
    capacities = [amount for item in pool.counter_sets for amount in item.counters.values()]
    return Ledger(
        shape=shape,
        in_use=in_use,
        left=shape.capacity - shape.cost[in_use].sum(axis=0, dtype=shape.cost.dtype),
        common=_common(shape, rows),
        uses=tuple(
            CounterUse(
                counter, capacity, consumed[position], tuple(charges[position]), counter.counter_set in uncertain
            )
            for position, (counter, capacity) in enumerate(zip(shape.counters, capacities, strict=True))
        ),
        lost=lost,
    )


def ledger_of(report: PoolReport, shape: Shape) -> Ledger:
    """The ledger behind a report, made again from the holds that it lists."""
    return ledger(report.pool, shape, {each.id.name: each.holders for each in report.devices if each.holders})


def _common(shape: Shape, rows: Sequence[int]) -> tuple[int, ...]:
    common = [-1] * len(shape.grouped_sets)
    for row in rows:
        for position, mask in enumerate(shape.groups[row]):
            common[position] &= mask
    return tuple(common)


def _uncertain(pool: Pool, lost: Sequence[str]) -> frozenset[str]:
    """Sets that lost devices may still draw on: those that an older slice names for them, else all of the pool."""
    sets: set[str] = set()
    for name in lost:
        older = [device for item in pool.slices for device in item.devices if device.name == name]
        if older:
            sets.update(entry.counter_set for device in older for entry in device.consumes)
        else:
            sets.update(item.name for item in pool.counter_sets)
    return frozenset(sets)
