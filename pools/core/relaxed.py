"""The same world with one obstacle taken away, to find out which one keeps a claim from being allocated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pools.core.node_match import reaches
from pools.core.nodeview import NodePool, Seat, Slices
from pools.core.world import InUse, World, draws
from pools.domain.claim import Claim, DeviceRequest, Request, Toleration
from pools.domain.cluster import Node
from pools.domain.device import Device, NodeReach
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import Slice

ENOUGH = 1 << 200
"""More than any counter can hold or any set of devices can draw, in billionths."""


class _FullCounters(World):
    """A world in which no counter is ever short."""

    def left(self, pool: NodePool) -> dict[CounterId, int]:
        return dict.fromkeys(pool.counters, ENOUGH)


class _EveryGroup(World):
    """A world in which compatibility groups keep nothing apart."""

    def groups(self, pool: NodePool) -> dict[str, frozenset[str] | None]:
        return {}


class _Lenient(Slices):
    """Slices of which incomplete or invalid pools are used like others."""

    def __init__(self, slices: Iterable[Slice], like: Slices, states: frozenset[str]) -> None:
        super().__init__(slices, like.rules)
        self.states = states

    def _pool(self, key: PoolId, relevant: list[Slice]) -> NodePool | None:
        pool = super()._pool(key, relevant)
        if pool is None or pool.state == "usable" or pool.state not in self.states:
            return pool
        return _forced(key, relevant)


def _forced(key: PoolId, slices: Iterable[Slice]) -> NodePool:
    """A usable pool of whatever devices there are, each name once."""
    pool = NodePool(key, "usable")
    names: set[str] = set()
    for item in sorted(slices, key=lambda item: item.meta.name):
        for device in item.devices:
            if device.name not in names:
                names.add(device.name)
                pool.seats.append(Seat(DeviceId(key.driver, key.name, device.name), device, item, pool))
                pool.counters.update(dict.fromkeys((counter for counter, _ in draws(device)), ENOUGH))
    return pool


def with_full_counters(world: World) -> World:
    """Counters that never run short; devices in use stay in use."""
    return _FullCounters(world.slices, world.classes.values(), world.in_use, world.taint_rules)


def with_every_group(world: World) -> World:
    """Compatibility groups keep nothing apart: devices in use count as of no set."""
    return _EveryGroup(world.slices, world.classes.values(), world.in_use, world.taint_rules)


def with_nothing_in_use(world: World) -> World:
    """No claim allocated: all devices free, all counters full."""
    return World(world.slices, world.classes.values(), InUse(), world.taint_rules)


def with_full_capacity(world: World) -> World:
    """Shares in use consume nothing of their devices' capacity; their counters stay charged."""
    in_use = InUse(set(world.in_use.whole), set(world.in_use.shared), {})
    return World(world.slices, world.classes.values(), in_use, world.taint_rules)


def with_pools_in_state(world: World, slices: Iterable[Slice], state: str) -> World:
    """Pools that are `incomplete` or `invalid` are used, with counters that never run short."""
    lenient = _Lenient(slices, world.slices, frozenset((state,)))
    return _FullCounters(lenient, world.classes.values(), world.in_use, world.taint_rules)


def with_one_node(world: World, slices: Iterable[Slice], nodes: Sequence[Node]) -> World:
    """Every device that one of the nodes reaches, reached from every node; counters as they are."""
    everywhere = NodeReach(all_nodes=True)
    names = {node.meta.name for node in nodes}
    given = list(slices)
    near = {item.pool_id for item in given if item.reach.node_name in names or not item.reach.node_name}
    moved = [
        replace(item, reach=everywhere, per_device_reach=False, devices=_reached(item, names, nodes))
        for item in given
        if item.pool_id in near
    ]
    return World(Slices(moved, world.rules), world.classes.values(), world.in_use, world.taint_rules)


def _reached(item: Slice, names: set[str], nodes: Sequence[Node]) -> tuple[Device, ...]:
    """The devices of a slice that one of the nodes reaches."""
    if not item.per_device_reach:
        own = item.reach
        seen = own.node_name in names if own.node_name else any(reaches(own, node) for node in nodes)
        return item.devices if seen else ()
    return tuple(device for device in item.devices if any(reaches(device.reach, node) for node in nodes))


def tolerating(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with every taint tolerated."""
    return _changed(claims, lambda each: replace(each, tolerations=(Toleration(operator="Exists"),)))


def untied(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without their constraints."""
    return [replace(claim, constraints=()) for claim in claims]


def asking_no_capacity(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without their capacity requests."""
    return _changed(claims, lambda each: replace(each, capacity={}))


def _changed(claims: Sequence[Claim], change: Callable[[DeviceRequest], DeviceRequest]) -> list[Claim]:
    return [
        replace(
            claim,
            requests=tuple(
                Request(request.name, tuple(map(change, request.alternatives)), request.prioritized)
                for request in claim.requests
            ),
        )
        for claim in claims
    ]
