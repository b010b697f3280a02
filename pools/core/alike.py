"""Nodes that are alike for a set of claims: what the allocator says of one holds for all of them, name for name."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from weakref import WeakKeyDictionary

from pools.core.allocate import Answer
from pools.core.cel_program import Facts, Read, column
from pools.core.constraints import Tie, lookup
from pools.core.node_match import SelectorError, reaches
from pools.core.nodeview import Slices
from pools.core.world import PROTOTYPE, World
from pools.domain.claim import Claim
from pools.domain.cluster import Node
from pools.domain.device import AttributeValue, Capacity, Consumption, Device
from pools.domain.ids import DeviceId, PoolId
from pools.domain.pool import Slice
from pools.domain.quantity import Quantity

Eyes = tuple[tuple[Read, ...], tuple[str, ...]]
"""What claims look at: what their selectors read of a device, and the attributes that their constraints compare."""
Print = tuple[int, tuple[Hashable, ...]]
"""The number of what a slice holds, and the values of its compared attributes in the order in which they come."""
_KEPT = 8
"""Ways of looking for which the slices' prints are kept."""


def kinds(world: World, nodes: Iterable[Node], eyes: Eyes | None) -> list[list[Node]]:
    """
    The nodes in groups that are alike to these eyes, in order of their first members.

    Two nodes are alike when they have slices of their own that hold the same devices in the same order, as far as the
    claims look at them, equally much in use, and reach the same shared slices. Where more than that could matter, a
    node is a group by itself.

    Cost: a hash of each slice for each new way of looking, then one of each node.
    """
    if eyes is None or world.rules.counter_slices_everywhere:
        return [[node] for node in nodes]
    look = _Look(world, eyes)
    groups: dict[Hashable, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[look.print(node)].append(node)
    return list(groups.values())


class Namesakes:
    """From devices of one node to those at the same places of nodes that are alike."""

    def __init__(self, world: World, like: Node) -> None:
        self.world, self.like = world, like
        self._places: dict[DeviceId, tuple[int, int]] | None = None

    def places(self) -> dict[DeviceId, tuple[int, int]]:
        """(slice, device) by number of each of the node's own devices."""
        if self._places is None:
            self._places = {
                identity: (at, index)
                for at, item in enumerate(_own(self.world, self.like))
                for index, identity in enumerate(_devices(item))
            }
        return self._places

    def on(self, node: Node, devices: Iterable[DeviceId]) -> Iterator[DeviceId]:
        """The namesakes of *devices* on another node; what both reach together stays."""
        if node.meta.name == self.like.meta.name:
            yield from devices
            return
        there = _own(self.world, node)
        for device in devices:
            place = self.places().get(device)
            if place is None:
                yield device
            else:
                item = there[place[0]]
                yield DeviceId(item.driver, item.pool, item.devices[place[1]].name)

    def answer(self, answer: Answer, node: Node) -> Answer:
        """The answer for another node: the same, with the devices at the same places."""
        if node.meta.name == self.like.meta.name:
            return answer
        picks = tuple(
            tuple(
                replace(pick, device=device)
                for pick, device in zip(each, self.on(node, [pick.device for pick in each]), strict=True)
            )
            for each in answer.picks
        )
        return replace(answer, node=node.meta.name, picks=picks)


def _devices(item: Slice) -> Iterator[DeviceId]:
    for device in item.devices:
        yield DeviceId(item.driver, item.pool, device.name)


def _own(world: World, node: Node) -> list[Slice]:
    """The slices of the node alone, in search order."""
    slices = world.slices.by_node.get(node.meta.name, ())
    return sorted(slices, key=lambda item: (item.driver, item.pool, item.generation, item.meta.name))


def eyes_of(world: World, claims: Sequence[Claim]) -> Eyes | None:
    """What claims look at in a device; None when that cannot be told."""
    seen: set[Read] = set()
    compared: set[str] = set()
    for claim in claims:
        for request in claim.requests:
            for each in request.alternatives:
                device_class = world.classes.get(each.device_class)
                forms = {claim.form, device_class.form if device_class is not None else ""}
                if PROTOTYPE in forms or each.derived:
                    return None
                for text in (*(device_class.selectors if device_class is not None else ()), *each.selectors):
                    seen.update(world.program(text).reads)
        compared.update(tie.attribute for constraint in claim.constraints if (tie := Tie.of(constraint)) is not None)
    return tuple(sorted(seen, key=str)), tuple(sorted(compared))


class Prints:
    """Numbers for what slices hold, equal numbers for equal contents; kept with the slices for one way of looking."""

    def __init__(self, eyes: Eyes, builds: Builds) -> None:
        self.nodes: dict[str, tuple[Node, int | None]] = {}
        self._builds = builds
        self._reads = eyes[0]
        self._compared = eyes[1]
        self._slices: dict[int, Print] = {}
        self._places: dict[int, dict[str, int]] = {}
        self._unique: dict[PoolId, bool] = {}
        self._numbers: dict[Hashable, int] = {}

    def slice(self, item: Slice) -> Print:
        """A slice's counters and devices, as far as they are looked at."""
        found = self._slices.get(id(item))
        if found is None:
            values: dict[Hashable, int] = {}
            counters = tuple([(each.name, _amounts(each.counters)) for each in item.counter_sets])
            devices = (self._builds.slice(item), self._read(item), self._compare(item, values))
            own = (item.reach.selector, item.reach.all_nodes, item.per_device_reach, item.scope)
            number = self.number((own, item.skip_node_operations, counters, devices))
            found = self._slices[id(item)] = (number, tuple(values))
        return found

    def places(self, item: Slice) -> dict[str, int]:
        """Where each of the slice's devices stands in it, by name."""
        found = self._places.get(id(item))
        if found is None:
            found = self._places[id(item)] = {device.name: place for place, device in enumerate(item.devices)}
        return found

    def are_unique(self, pool: PoolId, slices: Sequence[Slice]) -> bool:
        """Whether no two devices of the pool's slices share a name; names are not compared otherwise."""
        found = self._unique.get(pool)
        if found is None:
            names = [device.name for item in slices for device in item.devices]
            found = self._unique[pool] = len(set(names)) == len(names)
        return found

    def number(self, content: Hashable) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    def _read(self, item: Slice) -> Hashable:
        """What the selectors read, value by value for all devices."""
        return tuple([column(what, item.driver, item.devices) for what in self._reads])

    def _compare(self, item: Slice, values: dict[Hashable, int]) -> Hashable:
        """What the constraints compare, device by device."""
        if not self._compared:
            return ()
        return tuple(
            [
                _numbered(lookup(device, item.driver, name), name, values)
                for device in item.devices
                for name in self._compared
            ]
        )


class Builds:
    """
    Numbers for what each device of a slice draws, offers and is restricted by, whoever looks; kept with the slices.

    Decoding gives equal capacities and consumptions as one object, so that most are found by identity.
    """

    def __init__(self, *, lists: bool) -> None:
        self._lists = lists
        self._slices: dict[int, tuple[int, ...]] = {}
        self._parts: dict[tuple[int, ...], int] = {}
        self._numbers: dict[Hashable, int] = {}

    def slice(self, item: Slice) -> tuple[int, ...]:
        """The number of each device."""
        found = self._slices.get(id(item))
        if found is None:
            found = self._slices[id(item)] = tuple([self._device(item.driver, device) for device in item.devices])
        return found

    def _device(self, driver: str, device: Device) -> int:
        same = (id(device.capacity), *map(id, device.consumes))
        number = self._parts.get(same)
        if number is None:
            offered = tuple([(name, _capacity(each)) for name, each in device.capacity.items()])
            number = self._number((offered, tuple([_consumption(entry) for entry in device.consumes])))
            self._parts[same] = number
        fault = Facts(driver, device, self._lists).fault
        if (
            fault
            or device.taints
            or device.allow_multiple_allocations
            or device.binding_conditions
            or device.reach.is_set
        ):
            more = (device.taints, device.allow_multiple_allocations, device.binding_conditions, device.reach)
            return self._number((number, fault, more))
        return number

    def _number(self, content: Hashable) -> int:
        return self._numbers.setdefault(content, len(self._numbers))


def _numbered(attribute: AttributeValue | None, name: str, values: dict[Hashable, int]) -> Hashable:
    """An attribute that is compared with others only, each value replaced by its number among those met so far."""
    if attribute is None:
        return None
    parts = attribute.value if isinstance(attribute.value, tuple) else (attribute.value,)
    kind = attribute.kind.removesuffix("s")
    numbers = tuple([values.setdefault((name, kind, each), len(values)) for each in parts])
    return attribute.kind, numbers


def _amounts(amounts: Mapping[str, Quantity]) -> Hashable:
    return tuple([(name, amount.nano) for name, amount in amounts.items()])


def _consumption(entry: Consumption) -> Hashable:
    return entry.counter_set, entry.compatibility_groups, _amounts(entry.counters)


def _capacity(capacity: Capacity) -> Hashable:
    """The amounts with their texts, by which the scheduler tells equal ones apart."""
    policy, value = capacity.policy, capacity.value
    if policy is None:
        return value.nano, value.text
    bounds = (policy.default, policy.range_min, policy.range_max, policy.range_step, *policy.valid_values)
    return value.nano, value.text, tuple([each and (each.nano, each.text) for each in bounds])


_PRINTS: WeakKeyDictionary[Slices, dict[Eyes, Prints]] = WeakKeyDictionary()
_BUILDS: WeakKeyDictionary[Slices, Builds] = WeakKeyDictionary()


class _Look:
    """The nodes of a world, seen in one way."""

    def __init__(self, world: World, eyes: Eyes) -> None:
        self.world = world
        kept = _PRINTS.setdefault(world.slices, {})
        if eyes not in kept and len(kept) >= _KEPT:
            kept.clear()
        lists = world.rules.list_attributes or world.rules.since_1_37
        builds = _BUILDS.setdefault(world.slices, Builds(lists=lists))
        self.prints = kept.setdefault(eyes, Prints(eyes, builds))
        self.in_use: dict[PoolId, list[str]] = defaultdict(list)
        for identity in {*world.in_use.whole, *world.in_use.shared}:
            self.in_use[identity.pool_id].append(identity.name)

    def print(self, node: Node) -> Hashable:
        """Equal for nodes that are alike; the node's name where it cannot be compared."""
        known = self.prints.nodes.get(node.meta.name)
        if known is None or known[0] is not node:
            known = self.prints.nodes[node.meta.name] = (node, self._published(node))
        if known[1] is None:
            return node.meta.name
        return known[1], *[self._state(item) for item in _own(self.world, node)]

    def _published(self, node: Node) -> int | None:
        """A number for what is published for the node; None where it cannot be compared."""
        by_pool = self.world.slices.by_pool
        try:
            shared = [found for item in self.world.slices.shared if (found := self._shared(item, node))]
        except SelectorError:
            return None
        order = sorted({item.pool_id for item, _ in shared})
        parts: list[Hashable] = [tuple([(id(item), *places) for item, places in shared]), node.declared_features]
        values: dict[Hashable, int] = {}
        for pool, group in groupby(_own(self.world, node), key=_pool_of):
            slices = list(group)
            if len(by_pool[pool]) != len(slices) or not self.prints.are_unique(pool, slices):
                return None
            parts.append((pool.driver, bisect(order, pool)))
            for item in slices:
                number, compared = self.prints.slice(item)
                parts.append((slices[-1].generation - item.generation, item.slice_count, item.device_count, number))
                parts.append(compared if shared else tuple([values.setdefault(each, len(values)) for each in compared]))
        return self.prints.number(tuple(parts))

    def _shared(self, item: Slice, node: Node) -> tuple[Slice, list[int]] | None:
        """A shared slice if the node sees it, with the places of the devices that it reaches; else nothing."""
        if item.reach.is_set:
            return (item, []) if reaches(item.reach, node) else None
        places = [place for place, device in enumerate(item.devices) if reaches(device.reach, node)]
        return (item, places) if item.per_device_reach and places else None

    def _state(self, item: Slice) -> Hashable:
        """Which of the slice's devices are in use, how much of them, and which taint rules are on them, by place."""
        pool = item.pool_id
        names = self.in_use.get(pool)
        used = tuple(sorted(self._uses(item, names))) if names else ()
        rules = [
            (number, rule.device and self.prints.places(item).get(rule.device))
            for number, rule in enumerate(self.world.taint_rules)
            if rule.driver in (None, pool.driver) and rule.pool in (None, pool.name)
        ]
        return used, tuple(rules)

    def _uses(self, item: Slice, names: Iterable[str]) -> Iterator[tuple[Hashable, ...]]:
        in_use, places = self.world.in_use, self.prints.places(item)
        for name in names:
            place = places.get(name)
            if place is not None:
                each = DeviceId(item.driver, item.pool, name)
                charged = in_use.capacity.get(each)
                yield (
                    place,
                    each in in_use.whole,
                    each in in_use.shared,
                    tuple(sorted(charged.items()) if charged else ()),
                )


def _pool_of(item: Slice) -> PoolId:
    return item.pool_id
