"""Requests made ready for a search on one node: limits checked, classes found, candidates listed in search order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pools.core.constraints import Values, lookup
from pools.core.consumable import Amounts, CapacityError, allowed, charges, fits
from pools.core.node_match import reaches
from pools.core.nodeview import NodePool, Seat
from pools.core.world import PROTOTYPE, Fatal, Selector, World, all_match, draws, selectors, tolerated
from pools.domain.claim import Claim, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Node
from pools.domain.device import AttributeValue
from pools.domain.ids import CounterId
from pools.domain.pool import Meta

MOST_RESULTS = 32


@dataclass(slots=True, eq=False)
class Candidate:
    """
    A device that a request may get, all checks passed that do not depend on what else is chosen.

    `error` is what the scheduler would fail with on looking at it. `charge` is what a share takes, None for a device
    that is taken whole. `taps` and `tied` are what an attempt works out when it first needs them: draws by place in the
    pool's book, and what each constraint (by its number) compares.
    """

    seat: Seat
    draws: tuple[tuple[CounterId, int], ...] = ()
    charge: Amounts | None = None
    error: Exception | None = None
    taps: tuple[tuple[int, int], ...] | None = None
    tied: list[tuple[int, Values | Exception | None]] | None = None


class Choices:
    """Candidates in search order, made one by one: most searches end with the first few."""

    __slots__ = ("_made", "_rest")

    def __init__(self, rest: Iterator[Candidate]) -> None:
        self._made: list[Candidate] = []
        self._rest = rest

    def at(self, position: int) -> Candidate | None:
        """The candidate at a position, at most one further than any before; None past the last."""
        if position < len(self._made):
            return self._made[position]
        found = next(self._rest, None)
        if found is not None:
            self._made.append(found)
        return found

    def all(self) -> list[Candidate]:
        """All of them."""
        self._made.extend(self._rest)
        return self._made


@dataclass(slots=True, eq=False)
class Way:
    """
    One way to satisfy a request on one node. `name` is `request` or `request/sub`.

    `everything` are the devices that mode All must get, in order. `candidates` are those that a count is picked from.
    """

    claim: Claim
    parent: str
    name: str
    request: DeviceRequest
    device_class: DeviceClass
    count: int
    everything: list[Candidate] | None = None
    _choices: Choices | None = field(default=None, repr=False)
    _selectors: list[Selector] | None = field(default=None, repr=False)

    def choices(self, world: World, node: Node, pools: Sequence[NodePool]) -> Choices:
        """The candidates in search order, each made when first asked for."""
        if self._choices is None:
            self._choices = Choices(self._each(world, node, pools))
        return self._choices

    def candidates(self, world: World, node: Node, pools: Sequence[NodePool]) -> list[Candidate]:
        """All candidates, in search order."""
        return self.choices(world, node, pools).all()

    def _each(self, world: World, node: Node, pools: Sequence[NodePool]) -> Iterator[Candidate]:
        for pool in pools:
            if pool.state == "usable":
                for seat in pool.seats:
                    candidate = self._candidate(world, node, seat)
                    if candidate is not None:
                        yield candidate

    def _candidate(self, world: World, node: Node, seat: Seat) -> Candidate | None:
        if not self.request.admin_access and seat.id in world.in_use.whole:
            return None
        try:
            if not self.selects(world, node, seat):
                return None
            candidate = self.candidate(world, seat)
            return candidate if candidate is not None and self.open(world, node, seat) else None
        except Exception as error:
            return Candidate(seat, error=error)

    def selects(self, world: World, node: Node, seat: Seat) -> bool:
        """Class and request selectors, and the device's own node selection. Raises Fatal, Unsupported."""
        if not world.rules.binding and seat.device.binding_conditions:
            return False
        if self._selectors is None:
            claimed = f"claim {self.claim.id}"
            self._selectors = [
                *selectors(
                    world, self.device_class.selectors, f"class {self.device_class.meta.name}", self.device_class.form
                ),
                *selectors(world, self.request.selectors, claimed, self.claim.form),
            ]
        return all_match(world, seat, self._selectors) and (
            not seat.slice.per_device_reach or reaches(seat.device.reach, node)
        )

    def candidate(self, world: World, seat: Seat) -> Candidate | None:
        """
        The device as a candidate, or None when its capacity can certainly not hold the request.

        Raises:
            Fatal: the request's capacity cannot be computed with.
        """
        device, rules = seat.device, world.rules
        shared = rules.consumable and device.allow_multiple_allocations
        charge = self.charge(world, seat)
        if rules.consumable and (charge is None or not self._could_fit(world, seat, charge, whole=not shared)):
            return None
        return Candidate(seat, tuple(draws(device)), charge if shared else None)

    def charge(self, world: World, seat: Seat) -> Amounts | None:
        """What the request takes of each capacity; None when the device lacks one. Raises Fatal."""
        if not world.rules.consumable:
            return None
        try:
            return charges(self.request.capacity, seat.device.capacity, world.rules)
        except CapacityError as error:
            raise Fatal(f"claim {self.claim.id}, request {self.name}: checking capacity for device "
                        f"{seat.id}: {error}") from None  # fmt: skip

    def _could_fit(self, world: World, seat: Seat, charge: Amounts, *, whole: bool) -> bool:
        used = world.in_use.capacity.get(seat.id, {}) if whole else {}
        return allowed(charge, seat.device.capacity, world.rules) and fits(charge, seat.device.capacity, used)

    def open(self, world: World, node: Node, seat: Seat) -> bool:
        """Whether taints, and features of scheduler and node, let the device be taken."""
        return world.operable(node, seat) and all(
            tolerated(taint, self.request.tolerations) for taint, _ in world.taints(seat)
        )

    def attribute(self, world: World, seat: Seat, name: str) -> AttributeValue | None:
        """
        What a constraint compares: an attribute that the request derives, else the device's own.

        Raises:
            Fatal: the derived attribute cannot be computed.
            Unsupported: it cannot be computed here.
        """
        expression = dict(self.request.derived).get(name) if world.rules.derived_attributes else None
        if expression is not None:
            return world.derived(seat, name, expression)
        return lookup(seat.device, seat.id.driver, name)


def ways_of(world: World, node: Node, pools: Sequence[NodePool], claim: Claim) -> list[list[Way]]:
    """
    The ways of each request of a claim, alternatives in order.

    Raises:
        Fatal: something about the claim ends the attempt, in the scheduler's words.
        Unsupported: a selector cannot be evaluated here.

    Source: the checks at the start of Allocate and validateDeviceRequest, dra-api.md 3.16.
    """
    found: list[list[Way]] = []
    total = 0
    for request in claim.requests:
        _check_features(world, claim, request)
        ways = [_way(world, node, pools, claim, request, each) for each in request.alternatives]
        least = min((way.count for way in ways), default=0)
        if least > MOST_RESULTS - total:
            raise Fatal(
                f"claim {claim.id}, request {request.name}: number of requested devices {total + least} "
                f"exceeds the claim limit of {MOST_RESULTS}"
            )
        total += least
        found.append(ways)
    return found


def _check_features(world: World, claim: Claim, request: Request) -> None:
    where = f"claim {claim.id}, request {request.name}"
    if request.prioritized and not world.rules.prioritized_list:
        raise Fatal(f"{where}: has subrequests, but the DRAPrioritizedList feature is disabled")
    if not world.rules.consumable and any(each.capacity for each in request.alternatives):
        raise Fatal(f"{where}: has capacity requests, but the DRAConsumableCapacity feature is disabled")


def _way(
    world: World, node: Node, pools: Sequence[NodePool], claim: Claim, parent: Request, request: DeviceRequest
) -> Way:
    name = f"{parent.name}/{request.name}" if parent.prioritized else parent.name
    where = f"claim {claim.id}, request {request.name or parent.name}"
    if request.derived and world.rules.since_1_37 and not world.rules.derived_attributes:
        raise Fatal(f"{where}: cannot handle request with derived attributes, the feature is disabled")
    if (request.admin_access or request.names_admin_access) and not world.rules.admin_access:
        raise Fatal(f"{where}: admin access is requested, but the feature is disabled")
    if not request.device_class and claim.form != PROTOTYPE:
        raise Fatal(f"{where}: missing device class name (unsupported request type?)")
    device_class = world.classes.get(request.device_class)
    if device_class is None and not request.device_class:
        device_class = DeviceClass(Meta(""), PROTOTYPE)
    if device_class is None:
        raise Fatal(f"{where}: could not retrieve device class {request.device_class}: not found")
    if request.mode not in ("ExactCount", "All"):
        raise Fatal(f"{where}: unsupported count mode {request.mode}")
    way = Way(claim, parent.name, name, request, device_class, request.count)
    if request.mode == "All":
        way.everything = _everything(world, node, pools, way, where)
        way.count = len(way.everything)
    return way


def _everything(world: World, node: Node, pools: Sequence[NodePool], way: Way, where: str) -> list[Candidate]:
    found = []
    for pool in pools:
        if pool.state != "usable":
            state = "being updated" if pool.state == "incomplete" else "invalid"
            raise Fatal(f"{where}: asks for all devices, but resource pool {pool.id} is currently {state}")
        for seat in pool.seats:
            if way.selects(world, node, seat):
                each = way.candidate(world, seat)
                if each is not None and not _left_out(world, each):
                    found.append(each)
    return found


def _left_out(world: World, candidate: Candidate) -> bool:
    """Up to 1.36 a shareable device without enough free capacity is no member of "all"."""
    if not world.rules.all_by_free_capacity or candidate.charge is None:
        return False
    used = world.in_use.capacity.get(candidate.seat.id, {})
    return not fits(candidate.charge, candidate.seat.device.capacity, used)
