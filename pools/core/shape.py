"""The numbers of a pool as matrices: what each counter holds and each device draws, shared by pools of equal form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pools.domain.ids import CounterId
from pools.domain.pool import Pool

Numbers = NDArray[Any]
"""int64 where every sum fits, else Python ints in an object array."""

_Entry = tuple[str, tuple[tuple[str, int], ...], tuple[str, ...]]
_Key = tuple[tuple[tuple[str, tuple[tuple[str, int], ...]], ...], tuple[tuple[_Entry, ...], ...]]

_SAFE = 2**62
UNGROUPED = 1
"""The bit that stands for "draws on the set without a compatibility group"."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """
    A pool reduced to numbers. Equal pools share one object, so what is computed from a shape is computed once.

    `capacity` (C,) and `cost` (D, C) are in units of the counter's `unit` (C entries, billionths), the greatest common
    divisor, which makes int64 do for nearly all pools. `named` tells, per device, the counters that it names, with 0 or
    not; `draws` those it draws on, with amounts in billionths. `consuming` marks devices with any consumption entry.
    `groups` has, per device, one bit mask for each set on which compatibility groups are used: all bits for a device
    that does not name the set. References to counters that do not exist are left out (the pool is then invalid).
    """

    counters: tuple[CounterId, ...]
    unit: tuple[int, ...]
    capacity: Numbers
    cost: Numbers
    named: tuple[tuple[int, ...], ...]
    draws: tuple[tuple[tuple[int, int], ...], ...]
    consuming: NDArray[np.bool_]
    groups: tuple[tuple[int, ...], ...]
    grouped_sets: tuple[str, ...]


def shape_of(pool: Pool) -> Shape:
    """
    The pool's shape. The same object for pools with equal sets and equal consumption, device by device.

    Cost: one pass over the consumption entries; the matrices only when the form was not seen lately.
    """
    sets = tuple(
        (item.name, tuple((name, amount.nano) for name, amount in item.counters.items())) for item in pool.counter_sets
    )
    devices = tuple(
        tuple(
            (
                entry.counter_set,
                tuple((name, amount.nano) for name, amount in entry.counters.items()),
                entry.compatibility_groups,
            )
            for entry in item.device.consumes
        )
        for item in pool.devices
    )
    return _shape((sets, devices))


@lru_cache(maxsize=256)
def _shape(key: _Key) -> Shape:
    sets, devices = key
    counters = tuple(CounterId(name, counter) for name, amounts in sets for counter, _ in amounts)
    amounts = [amount for _, entries in sets for _, amount in entries]
    index = {counter: position for position, counter in enumerate(counters)}
    sums = [_sums(device, index) for device in devices]
    unit = _units(amounts, sums)
    grouped = tuple(dict.fromkeys(name for device in devices for name, _, groups in device if groups))
    return Shape(
        counters=counters,
        unit=unit,
        **_matrices(amounts, sums, unit),
        named=tuple(tuple(each) for each in sums),
        draws=tuple(tuple((position, amount) for position, amount in each.items() if amount) for each in sums),
        consuming=np.array([bool(device) for device in devices], dtype=bool),
        groups=_masks(devices, grouped),
        grouped_sets=grouped,
    )


def _sums(device: tuple[_Entry, ...], index: dict[CounterId, int]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for name, amounts, _ in device:
        for counter, amount in amounts:
            position = index.get(CounterId(name, counter))
            if position is not None:
                sums[position] = sums.get(position, 0) + amount
    return sums


def _units(amounts: list[int], sums: list[dict[int, int]]) -> tuple[int, ...]:
    units = list(amounts)
    for each in sums:
        for position, amount in each.items():
            units[position] = gcd(units[position], amount)
    return tuple(abs(unit) or 1 for unit in units)


def _matrices(amounts: list[int], sums: list[dict[int, int]], unit: tuple[int, ...]) -> dict[str, Numbers]:
    capacity = [amount // divisor for amount, divisor in zip(amounts, unit, strict=True)]
    largest = max(
        [0, *map(abs, capacity)] + [abs(amount) // unit[position] for each in sums for position, amount in each.items()]
    )
    kind: Any = np.int64 if largest * (len(sums) + 1) < _SAFE else object
    cost = np.zeros((len(sums), len(amounts)), dtype=kind)
    for row, each in enumerate(sums):
        for position, amount in each.items():
            cost[row, position] = amount // unit[position]
    return {"capacity": np.array(capacity, dtype=kind), "cost": cost}


def _masks(devices: tuple[tuple[_Entry, ...], ...], grouped: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    bits: dict[tuple[str, str], int] = {}
    for device in devices:
        for name, _, groups in device:
            for group in groups:
                bits.setdefault((name, group), 2 << len(bits))
    return tuple(tuple(_mask(device, name, bits) for name in grouped) for device in devices)


def _mask(device: tuple[_Entry, ...], name: str, bits: dict[tuple[str, str], int]) -> int:
    entries = [groups for entry, _, groups in device if entry == name]
    if not entries:
        return -1
    return sum(bits[name, group] for group in {group for groups in entries for group in groups}) or UNGROUPED
