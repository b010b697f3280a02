"""How far each device of a node gets with a request: class, selectors, node, taints, use, capacity, counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pools.core.consumable import CapacityError, allowed, charges
from pools.core.node_match import reaches
from pools.core.nodeview import NodePool, Seat
from pools.core.obtainable import groups_allow
from pools.core.reasons import seats_of
from pools.core.world import Fatal, Selector, Unsupported, World, all_match, draws, selectors, tolerated
from pools.domain.claim import Claim, DeviceRequest, Request
from pools.domain.cluster import Node
from pools.domain.ids import CounterId, DeviceId
from pools.domain.quantity import Quantity

Stage = Literal[
    "pool-incomplete",
    "pool-invalid",
    "class",
    "selector",
    "selector-fails",
    "unsupported",
    "node",
    "tainted",
    "in-use",
    "capacity-missing",
    "capacity",
    "counter-short",
    "counter-negative",
    "compatibility",
    "fits",
]
STAGES: tuple[Stage, ...] = Stage.__args__  # type: ignore[attr-defined]
MATCHED = STAGES.index("tainted")
"""From here on a device is one that the request is meant for."""


@dataclass(frozen=True, slots=True)
class Short:
    """A counter or capacity that does not suffice, in billionths; `text` is an amount as published, for its unit."""

    name: str
    need: int
    left: int
    text: str = ""
    counter: CounterId | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """
    Where one device drops out, and why.

    `detail` is the taint, the selector or the error; `rule` the taint rule that set it; `short` what is missing.
    """

    device: DeviceId
    stage: Stage
    detail: str = ""
    rule: str = ""
    short: tuple[Short, ...] = ()


@dataclass(frozen=True, slots=True)
class Funnel:
    """
    All devices that a node sees, against one way to satisfy a request (`name` is `request` or `request/alternative`).

    `wanted` is how many it needs, 0 for all that match.
    """

    name: str
    wanted: int
    stops: tuple[Stop, ...]

    def at(self, *stages: Stage) -> tuple[Stop, ...]:
        """The devices that stop at these stages."""
        return tuple(stop for stop in self.stops if stop.stage in stages)

    @property
    def matched(self) -> int:
        """Devices that class, selectors and node let through, in pools that can be used."""
        return sum(STAGES.index(stop.stage) >= MATCHED for stop in self.stops)

    def counts(self) -> Mapping[Stage, int]:
        """How many devices stop at each stage, in the order of the stages."""
        found = dict.fromkeys(STAGES, 0)
        for stop in self.stops:
            found[stop.stage] += 1
        return {stage: count for stage, count in found.items() if count}


def funnels(world: World, node: Node, claim: Claim) -> tuple[Funnel, ...]:
    """A funnel for each request of a claim, and for each of its alternatives, on one node."""
    return tuple(
        Funnel(
            f"{request.name}/{each.name}" if request.prioritized else request.name,
            0 if each.mode == "All" else each.count,
            tuple(_stops(world, node, claim, request, each)),
        )
        for request in claim.requests
        for each in request.alternatives
    )


def _stops(world: World, node: Node, claim: Claim, request: Request, asked: DeviceRequest) -> Iterator[Stop]:
    for pool in world.pools(node):
        if pool.state == "usable":
            for seat in pool.seats:
                yield _stop(world, node, claim, asked, seat)
        else:
            yield from _unusable(world, claim, asked, pool)


def _unusable(world: World, claim: Claim, asked: DeviceRequest, pool: NodePool) -> Iterator[Stop]:
    """Devices of a pool that cannot be used: only those that would match are its loss."""
    stage: Stage = "pool-incomplete" if pool.state == "incomplete" else "pool-invalid"
    for seat in seats_of(world, pool):
        stop = _refused(world, claim, asked, seat)
        yield stop if stop is not None else Stop(seat.id, stage, pool.reason)


def _refused(world: World, claim: Claim, asked: DeviceRequest, seat: Seat) -> Stop | None:
    """What class or selectors have against the device."""
    device_class = world.classes.get(asked.device_class)
    if device_class is None and asked.device_class:
        return Stop(seat.id, "class", f"class {asked.device_class} does not exist")
    asking: Sequence[tuple[Stage, Sequence[Selector]]] = (
        ("class", selectors(world, device_class.selectors, f"class {asked.device_class}", device_class.form))
        if device_class is not None
        else ("class", ()),
        ("selector", selectors(world, asked.selectors, f"claim {claim.id}", claim.form)),
    )
    for stage, parts in asking:
        for part in parts:
            try:
                if not all_match(world, seat, (part,)):
                    return Stop(seat.id, stage, part[0].text)
            except Fatal as error:
                return Stop(seat.id, "selector-fails", str(error))
            except Unsupported as error:
                return Stop(seat.id, "unsupported", str(error))
    return None


def _stop(world: World, node: Node, claim: Claim, asked: DeviceRequest, seat: Seat) -> Stop:
    stop = _refused(world, claim, asked, seat)
    if stop is not None:
        return stop
    if seat.slice.per_device_reach and not reaches(seat.device.reach, node):
        return Stop(seat.id, "node")
    for taint, rule in world.taints(seat):
        if not tolerated(taint, asked.tolerations):
            return Stop(seat.id, "tainted", str(taint), rule)
    if not asked.admin_access and seat.id in world.in_use.whole:
        return Stop(seat.id, "in-use")
    return _capacity_stop(world, asked, seat) or _counter_stop(world, seat) or Stop(seat.id, "fits")


def _capacity_stop(world: World, asked: DeviceRequest, seat: Seat) -> Stop | None:
    if not world.rules.consumable:
        return None
    capacity = seat.device.capacity
    try:
        amounts = charges(asked.capacity, capacity, world.rules)
    except CapacityError as error:
        return Stop(seat.id, "capacity", str(error))
    if amounts is None:
        missing = ", ".join(sorted(set(asked.capacity) - set(capacity)))
        return Stop(seat.id, "capacity-missing", missing)
    used = world.in_use.capacity.get(seat.id, {})
    short = tuple(_short_capacities(amounts, {name: each.value for name, each in capacity.items()}, used))
    if short:
        return Stop(seat.id, "capacity", short=short)
    if not allowed(amounts, capacity, world.rules):
        return Stop(seat.id, "capacity", "its request policy does not allow the amount")
    return None


def _short_capacities(
    amounts: Mapping[str, Quantity], capacity: Mapping[str, Quantity], used: Mapping[str, int]
) -> Iterator[Short]:
    for name, amount in amounts.items():
        left = capacity[name].nano - used.get(name, 0)
        if amount.nano > left:
            yield Short(name, amount.nano, left, capacity[name].text)


def _counter_stop(world: World, seat: Seat) -> Stop | None:
    if not seat.device.consumes:
        return None
    if not world.rules.partitionable:
        return Stop(seat.id, "counter-short", "the cluster's scheduler knows no counters")
    if seat.device.allow_multiple_allocations and world.rules.consumable and world.in_use.shares(seat.id):
        return None
    if world.rules.compatibility_groups and not groups_allow(world, seat):
        return Stop(seat.id, "compatibility")
    left = world.left(seat.pool)
    need: dict[CounterId, int] = {}
    for counter, nano in draws(seat.device):
        need[counter] = need.get(counter, 0) + nano
    texts = _texts(seat)
    short = [
        Short(str(counter), nano, left[counter], texts.get(counter, ""), counter)
        for counter, nano in need.items()
        if left[counter] < nano
    ]
    if short:
        return Stop(seat.id, "counter-short", short=tuple(short))
    negative = [Short(str(counter), 0, nano, "", counter) for counter, nano in left.items() if nano < 0]
    return Stop(seat.id, "counter-negative", short=tuple(negative)) if negative else None


def _texts(seat: Seat) -> dict[CounterId, str]:
    return {
        CounterId(entry.counter_set, name): amount.text
        for entry in seat.device.consumes
        for name, amount in entry.counters.items()
    }
