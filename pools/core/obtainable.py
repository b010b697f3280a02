"""Which single devices could serve a request now, and what a share of one would be charged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pools.core.attempt import Book
from pools.core.constraints import Tie, values_of
from pools.core.consumable import fits
from pools.core.node_match import SelectorError
from pools.core.nodeview import Seat
from pools.core.ways import Candidate, Way, ways_of
from pools.core.world import Fatal, Unsupported, World, admits
from pools.domain.claim import Claim
from pools.domain.cluster import Node
from pools.domain.ids import DeviceId
from pools.domain.quantity import Quantity


def obtainable(world: World, node: Node, claim: Claim) -> tuple[DeviceId, ...]:
    """
    The devices by which the claim's first request could be served on a node, each looked at by itself.

    For a claim of one device these are all its choices, whichever alternative takes them. Empty where an error would
    end the attempt.
    """
    found: dict[DeviceId, None] = {}
    try:
        for way, candidate in _candidates(world, node, claim):
            if candidate.error is not None:
                return ()
            if _is_free(world, node, way, candidate):
                found[candidate.seat.id] = None
    except (SelectorError, Fatal, Unsupported):
        return ()
    return tuple(found)


def would_charge(world: World, node: Node, claim: Claim) -> Mapping[str, Quantity]:
    """What a share for the claim's first request would take of each capacity of the first shareable device selected."""
    try:
        for way in ways_of(world, node, world.pools(node), claim)[0]:
            for pool in world.pools(node):
                for seat in pool.seats:
                    if seat.device.allow_multiple_allocations and way.selects(world, node, seat):
                        charge = way.charge(world, seat)
                        if charge:
                            return charge
    except (SelectorError, Fatal, Unsupported, IndexError):
        pass
    return {}


def _candidates(world: World, node: Node, claim: Claim) -> Iterator[tuple[Way, Candidate]]:
    pools = world.pools(node)
    for way in (ways_of(world, node, pools, claim) or [[]])[0]:
        for candidate in way.candidates(world, node, pools) if way.everything is None else way.everything:
            yield way, candidate


def _is_free(world: World, node: Node, way: Way, candidate: Candidate) -> bool:
    """Whether nothing that is in use keeps the device from being taken; taints and selectors were looked at before."""
    seat = candidate.seat
    if not way.request.admin_access and seat.id in world.in_use.whole:
        return False
    if way.everything is not None and not way.open(world, node, seat):
        return False
    if candidate.charge is not None and not fits(
        candidate.charge, seat.device.capacity, world.in_use.capacity.get(seat.id, {})
    ):
        return False
    charged = candidate.charge is not None and world.in_use.shares(seat.id)
    return (charged or counters_allow(world, candidate)) and _has_attributes(world, way, seat)


def counters_allow(world: World, candidate: Candidate) -> bool:
    """Whether counters and compatibility groups let the device be taken beside those in use."""
    seat = candidate.seat
    if not seat.device.consumes:
        return True
    if world.rules.compatibility_groups and not groups_allow(world, seat):
        return False
    book = Book(world.left(seat.pool))
    return book.take(book.taps(candidate.draws))


def groups_allow(world: World, seat: Seat) -> bool:
    """Whether the device's compatibility groups go with those in use on its counter sets."""
    state = world.groups(seat.pool)
    return all(
        admits(state, entry.counter_set, frozenset(entry.compatibility_groups)) for entry in seat.device.consumes
    )


def _has_attributes(world: World, way: Way, seat: Seat) -> bool:
    """Whether the device has what the constraints on the request compare."""
    ties = [tie for constraint in way.claim.constraints if (tie := Tie.of(constraint)) is not None]
    compared = {tie.attribute for tie in ties if tie.concerns(way.parent, way.name)}
    lists = world.rules.list_attributes
    return all(values_of(way.attribute(world, seat, name), lists) is not None for name in compared)
