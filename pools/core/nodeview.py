"""The pools that one node sees, as the scheduler gathers them for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pools.core.node_match import reaches
from pools.core.release import Release
from pools.domain.cluster import Node
from pools.domain.device import Device
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import CounterSet, Slice

State = Literal["usable", "incomplete", "invalid"]
_KEPT = 64


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """A device that the node may reach, in its slice and pool."""

    id: DeviceId
    device: Device
    slice: Slice
    pool: NodePool


@dataclass(slots=True, eq=False)
class NodePool:
    """
    A pool as one node sees it. `seats` are in the scheduler's order; `elsewhere` are slices of the pool that the node
    does not reach, whose devices draw on the same counters. Both are empty unless the pool is usable.
    """

    id: PoolId
    state: State
    reason: str = ""
    seats: list[Seat] = field(default_factory=list)
    counters: dict[CounterId, int] = field(default_factory=dict)
    elsewhere: tuple[Slice, ...] = ()

    @property
    def binds(self) -> bool:
        return any(seat.device.binding_conditions for seat in self.seats)


class Slices:
    """All slices of a cluster, indexed for gathering."""

    def __init__(self, slices: Iterable[Slice], rules: Release) -> None:
        self.rules = rules
        self.by_node: dict[str, list[Slice]] = defaultdict(list)
        self.shared: list[Slice] = []
        self.by_pool: dict[PoolId, list[Slice]] = defaultdict(list)
        self._seen: dict[str, tuple[Node, list[NodePool]]] = {}
        for item in (_scoped(item, rules) for item in slices):
            everywhere = rules.counter_slices_everywhere and item.counter_sets
            bound = item.reach.node_name and not everywhere
            (self.by_node[item.reach.node_name] if bound else self.shared).append(item)
            self.by_pool[item.pool_id].append(item)

    def of(self, node: Node) -> list[NodePool]:
        """
        The pools of a node in the order in which the scheduler searches them; the last nodes asked for are kept.

        Raises:
            SelectorError: a node selector cannot be parsed; it ends the whole attempt.

        Source: GatherPools and buildPool, dra-api.md 3.1.
        """
        seen = self._seen.get(node.meta.name)
        if seen is not None and seen[0] is node:
            return seen[1]
        if len(self._seen) >= _KEPT:
            self._seen.clear()
        found = self._gather(node)
        self._seen[node.meta.name] = (node, found)
        return found

    def _gather(self, node: Node) -> list[NodePool]:
        relevant: dict[PoolId, list[Slice]] = {}
        for item in (*self.by_node.get(node.meta.name, ()), *self.shared):
            if self._ignored(item) or not self._relevant(item, node):
                continue
            known = relevant.setdefault(item.pool_id, [])
            if known and item.generation > known[0].generation:
                known.clear()
            if not known or item.generation == known[0].generation:
                known.append(item)
        pools = [pool for key in sorted(relevant) if (pool := self._pool(key, relevant[key])) is not None]
        return sorted(pools, key=lambda pool: pool.binds)  # stable: pools with binding conditions go last

    def _ignored(self, item: Slice) -> bool:
        return (not self.rules.partitionable and bool(item.per_device_reach or item.counter_sets)) or self._refused(
            item
        )

    def _refused(self, item: Slice) -> bool:
        """Whether the slice counts for nothing because it uses compatibility groups, which are off."""
        return self.rules.since_1_37 and not self.rules.compatibility_groups and _uses_groups(item)

    def _relevant(self, item: Slice, node: Node) -> bool:
        if self.rules.counter_slices_everywhere and item.counter_sets:
            return True
        if item.reach.is_set:
            return reaches(item.reach, node)
        return item.per_device_reach and any(reaches(device.reach, node) for device in item.devices)

    def _pool(self, key: PoolId, relevant: list[Slice]) -> NodePool | None:
        if _complete(relevant) or self.rules.partial_pools:
            return self._build(key, relevant, ())
        generation = relevant[0].generation
        if any(item.generation > generation for item in self.by_pool[key]):
            return None
        everything = [item for item in self.by_pool[key] if item.generation == generation and not self._refused(item)]
        if not _complete(everything, relevant[0]):
            return NodePool(key, "incomplete", "currently being updated")
        names = {item.meta.name for item in relevant}
        return self._build(key, relevant, tuple(item for item in everything if item.meta.name not in names))

    def _build(self, key: PoolId, relevant: list[Slice], others: Sequence[Slice]) -> NodePool:
        mine = sorted(relevant, key=lambda item: item.meta.name)
        partitionable = self.rules.partitionable
        devices = [item for item in mine if not (partitionable and _only_counters(item, self.rules))]
        outside = tuple(item for item in others if not _only_counters(item, self.rules))
        fault = _repeated([device.name for item in devices for device in item.devices], "device")
        sets = [each for item in (*mine, *others) for each in item.counter_sets] if partitionable else []
        if partitionable and not fault:
            checked = mine if self.rules.counter_slices_everywhere else devices
            fault = _repeated([each.name for each in sets], "counter set")
            fault = fault or _dangling((*checked, *outside), sets)
        if fault:
            return NodePool(key, "invalid", fault)
        pool = NodePool(key, "usable", elsewhere=outside)
        pool.counters = {
            CounterId(each.name, name): amount.nano for each in sets for name, amount in each.counters.items()
        }
        pool.seats = [
            Seat(DeviceId(key.driver, key.name, device.name), device, item, pool)
            for item in devices
            for device in item.devices
        ]
        return pool


def _complete(slices: Sequence[Slice], like: Slice | None = None) -> bool:
    announced = like or slices[0]
    if announced.device_count is not None:
        return sum(len(item.devices) for item in slices) == announced.device_count
    return len(slices) == announced.slice_count


def _only_counters(item: Slice, rules: Release) -> bool:
    """Whether the scheduler sees a slice as one of counters, and no devices in it."""
    own_rules = item.scope == "pool" or rules.mixed_slices or rules.counters_by_slice
    return bool(item.counter_sets) and not (item.devices and own_rules)


def _scoped(item: Slice, rules: Release) -> Slice:
    """Where counters reach their own slice only, their sets are named after it."""
    if item.scope != "slice" or not (rules.mixed_slices or rules.counters_by_slice):
        return item
    own = {each.name: f"{item.meta.name}\0{each.name}" for each in item.counter_sets}
    return replace(
        item,
        counter_sets=tuple(CounterSet(own[each.name], each.counters) for each in item.counter_sets),
        devices=tuple(_rewired(device, own) for device in item.devices),
    )


def _rewired(device: Device, names: dict[str, str]) -> Device:
    consumes = tuple(replace(entry, counter_set=names.get(entry.counter_set, entry.counter_set))
                     for entry in device.consumes)  # fmt: skip
    return replace(device, consumes=consumes) if consumes else device


def _uses_groups(item: Slice) -> bool:
    return any(entry.compatibility_groups for device in item.devices for entry in device.consumes)


def _repeated(names: Sequence[str], what: str) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return f"duplicate {what} name {name}"
        seen.add(name)
    return ""


def _dangling(slices: Iterable[Slice], sets: Sequence[CounterSet]) -> str:
    known = {each.name: each.counters for each in sets}
    for item in slices:
        for device in item.devices:
            for entry in device.consumes:
                counters = known.get(entry.counter_set)
                if counters is None:
                    return f"counter set {entry.counter_set} not found"
                for name in entry.counters:
                    if name not in counters:
                        return f"counter {name} not found in counter set {entry.counter_set}"
    return ""
