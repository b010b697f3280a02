"""The scheduler's allocator: on one node, for several claims together, the first full solution of its search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from pools.core.constraints import Tie, Values, lookup, values_of
from pools.core.consumable import fits
from pools.core.node_match import SelectorError
from pools.core.nodeview import NodePool, Seat
from pools.core.ways import MOST_RESULTS, Candidate, Way, ways_of
from pools.core.world import Fatal, Unsupported, World, admits, fold
from pools.domain.claim import Claim, DeviceClass, DeviceRequest, Toleration
from pools.domain.cluster import Node
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import Meta
from pools.domain.quantity import Quantity

BUDGET = 200_000
"""Candidates that a search looks at before it gives up."""
INVALID_POOLS = "invalid resource pools were encountered"

Verdict = Literal["allocatable", "impossible", "error", "undecided"]


@dataclass(frozen=True, slots=True)
class Pick:
    """One device of the solution; `consumed` is filled for a share of a device."""

    request: str
    device: DeviceId
    admin: bool = False
    shared: bool = False
    consumed: Mapping[str, Quantity] = field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What the scheduler would say on one node.

    `picks` has one tuple a claim, in the claims' order, when allocatable. `message` is the scheduler's error, or why
    nothing could be decided. `node_only` is an error that leaves other nodes their chance; others end the attempt.
    `steps` counts the candidates looked at.
    """

    node: str
    verdict: Verdict
    picks: tuple[tuple[Pick, ...], ...] = ()
    message: str = ""
    node_only: bool = False
    steps: int = 0


class _OutOfSteps(Exception):
    """The budget is used up."""


class _TooMany:
    """More results than a claim may hold: a reason to try other alternatives, not other devices."""


_TOO_MANY = _TooMany()
_Result = bool | _TooMany


def allocate(world: World, node: Node, claims: Sequence[Claim], *, budget: int = BUDGET) -> Answer:
    """
    Search as the scheduler does and return its first solution, its error, or that there is none.

    Claims are allocated together, in the order given. Running out of steps is an answer of its own, never a guess.

    Source: Allocate of k8s.io/dynamic-resource-allocation/structured, dra-api.md 3.4-3.12.
    """
    search = _Search(world, node, claims, budget)
    try:
        search.pools = world.pools(node)
        search.ways = [ways_of(world, node, search.pools, claim) for claim in claims]
        search.ties = [_ties(claim) for claim in claims]
        done = search.request(0, 0)
    except SelectorError as error:
        return Answer(node.meta.name, "error", message=f"gather pool information: {error}")
    except Fatal as error:
        return Answer(node.meta.name, "error", message=str(error), steps=search.steps)
    except Unsupported as error:
        return Answer(node.meta.name, "undecided", message=str(error), steps=search.steps)
    except (_OutOfSteps, RecursionError):
        message = f"undecided after {search.steps} steps"
        return Answer(node.meta.name, "undecided", message=message, steps=search.steps)
    if done is True:
        return Answer(node.meta.name, "allocatable", tuple(map(tuple, search.picks)), steps=search.steps)
    if any(pool.state == "invalid" for pool in search.pools):
        return Answer(node.meta.name, "error", message=INVALID_POOLS, node_only=True, steps=search.steps)
    return Answer(node.meta.name, "impossible", steps=search.steps)


def _ties(claim: Claim) -> list[Tie]:
    ties = []
    for index, constraint in enumerate(claim.constraints):
        tie = Tie.of(constraint)
        if tie is None:
            raise Fatal(f"claim {claim.id}, constraint #{index}: empty constraint (unsupported constraint type?)")
        ties.append(tie)
    return ties


class Book:
    """A pool's counters during a search: what is left, and how many are below zero."""

    __slots__ = ("below", "left")

    def __init__(self, left: Mapping[CounterId, int]) -> None:
        self.left = dict(left)
        self.below = sum(nano < 0 for nano in self.left.values())

    def take(self, draws: Sequence[tuple[CounterId, int]]) -> bool:
        """Charge a device; False, and nothing charged, when any counter of the pool is then below zero."""
        for counter, nano in draws:
            before = self.left[counter]
            after = self.left[counter] = before - nano
            self.below += (after < 0) - (before < 0)
        if self.below:
            self.give(draws)
            return False
        return True

    def give(self, draws: Sequence[tuple[CounterId, int]]) -> None:
        """Undo a charge."""
        for counter, nano in draws:
            before = self.left[counter]
            after = self.left[counter] = before + nano
            self.below += (after < 0) - (before < 0)


class _Undo:
    """What taking a candidate changed, so that it can be undone."""

    __slots__ = ("charged", "groups", "ties")

    def __init__(self) -> None:
        self.charged = False
        self.groups: dict[str, frozenset[str] | None] | None = None
        self.ties: list[Tie] = []


class _Search:
    """One attempt: depth first over claims, requests, alternatives and devices."""

    def __init__(self, world: World, node: Node, claims: Sequence[Claim], budget: int) -> None:
        self.world, self.node, self.claims, self.budget = world, node, claims, budget
        self.pools: list[NodePool] = []
        self.ways: list[list[list[Way]]] = []
        self.ties: list[list[Tie]] = []
        self.picks: list[list[Pick]] = [[] for _ in claims]
        self.steps = 0
        self._taken: dict[DeviceId, list[int]] = {}
        self._shares: dict[DeviceId, list[dict[str, int]]] = {}
        self._books: dict[PoolId, Book] = {}
        self._groups: dict[PoolId, dict[str, frozenset[str] | None]] = {}

    def request(self, claim: int, request: int) -> _Result:
        """Satisfy a request and all that follow, with the first alternative that leads to a solution."""
        if claim == len(self.claims):
            return True
        if request == len(self.ways[claim]):
            return self.request(claim + 1, 0) is True  # the limit of a later claim is no error of this one
        ways = self.ways[claim][request]
        if not self.claims[claim].requests[request].prioritized:
            return self.devices(ways[0], claim, request, 0, 0)
        result: _Result = _TOO_MANY
        for way in ways:
            found = self.devices(way, claim, request, 0, 0)
            if found is True:
                return True
            if found is not _TOO_MANY:
                result = False
        return result

    def devices(self, way: Way, claim: int, request: int, index: int, start: int) -> _Result:
        """
        Pick the devices of one way from number *index* on, then go on with the next request.

        Args:
            start: the first candidate to look at; combinations are tried, not permutations.
        """
        if way.everything is not None and not way.everything:
            return False
        if index >= way.count:
            return self.request(claim, request + 1)
        if way.count - index > MOST_RESULTS - len(self.picks[claim]):
            return _TOO_MANY
        if way.everything is not None:
            return self._one_of_all(way, claim, request, index)
        for position, candidate in islice(enumerate(way.candidates(self.world, self.node, self.pools)), start, None):
            undo = self._try(way, claim, candidate)
            if undo is None:
                continue
            found = self.devices(way, claim, request, index + 1, position + 1)
            if found is True:
                return True
            self._release(claim, candidate, undo)
            if found is _TOO_MANY:
                return found
        return False

    def _try(self, way: Way, claim: int, candidate: Candidate) -> _Undo | None:
        """Look at a candidate of a counted request: busy, faulty, or taken if it can be."""
        if self._busy(way, claim, candidate):
            return None
        self._step()
        if candidate.error is not None:
            raise candidate.error
        return self._take(way, claim, candidate)

    def _one_of_all(self, way: Way, claim: int, request: int, index: int) -> _Result:
        candidate = (way.everything or [])[index]
        self._step()
        if self._busy(way, claim, candidate) or not way.open(self.world, candidate.seat):
            return False
        if not way.request.admin_access and candidate.seat.id in self.world.in_use.whole:
            return False
        undo = self._take(way, claim, candidate, must=True)
        if undo is None:
            return False
        found = self.devices(way, claim, request, index + 1, 0)
        if found is not True:
            self._release(claim, candidate, undo)
        return found

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.budget:
            raise _OutOfSteps

    def _busy(self, way: Way, claim: int, candidate: Candidate) -> bool:
        """Whether what was chosen so far rules the device out: by any claim, or for admin access by the same one."""
        holders = self._taken.get(candidate.seat.id)
        return bool(holders) and (not way.request.admin_access or claim in holders)  # type: ignore[operator]

    def _take(self, way: Way, claim: int, candidate: Candidate, *, must: bool = False) -> _Undo | None:
        """Choose a device if counters, groups, constraints and capacity let it; None, and nothing changed, if not."""
        seat, undo = candidate.seat, _Undo()
        if not self._has_room(candidate):
            return None
        charged_before = candidate.charge is not None and self._is_shared(seat.id)
        if seat.device.consumes and not charged_before and not self._charge(candidate, undo):
            return None
        if not self._tie(way, claim, seat, undo):
            self._undo(candidate, undo)
            if must:
                raise Fatal(
                    f"claim {way.claim.id}, request {way.request.name or way.name}: cannot add device {seat.id} "
                    "because a claim constraint would not be satisfied"
                )
            return None
        if candidate.charge is None:
            self._taken.setdefault(seat.id, []).append(claim)
        else:
            self._shares.setdefault(seat.id, []).append({name: each.nano for name, each in candidate.charge.items()})
        self.picks[claim].append(
            Pick(
                request=way.name,
                device=seat.id,
                admin=way.request.admin_access,
                shared=candidate.charge is not None,
                consumed=candidate.charge or {},
                tolerations=way.request.tolerations,
            )
        )
        return undo

    def _has_room(self, candidate: Candidate) -> bool:
        """For a shareable device: whether the share fits beside those in use and those chosen."""
        if candidate.charge is None:
            return True
        identity = candidate.seat.id
        used = dict(self.world.in_use.capacity.get(identity, {}))
        for share in self._shares.get(identity, ()):
            for name, nano in share.items():
                used[name] = used.get(name, 0) + nano
        return fits(candidate.charge, candidate.seat.device.capacity, used)

    def _is_shared(self, identity: DeviceId) -> bool:
        """Whether shares of it are in use or chosen, so that its counters are charged already."""
        return self.world.in_use.shares(identity) or bool(self._shares.get(identity))

    def _charge(self, candidate: Candidate, undo: _Undo) -> bool:
        pool = candidate.seat.pool
        if self.world.rules.compatibility_groups and not self._join(candidate.seat, undo):
            return False
        book = self._books.get(pool.id)
        if book is None:
            book = self._books[pool.id] = Book(self.world.left(pool))
        undo.charged = book.take(candidate.draws)
        if not undo.charged and undo.groups is not None:
            self._groups[pool.id] = undo.groups
        return undo.charged

    def _join(self, seat: Seat, undo: _Undo) -> bool:
        """Compatibility groups: whether the device goes with all others on its counter sets."""
        state = self._groups.get(seat.pool.id)
        if state is None:
            state = self._groups[seat.pool.id] = dict(self.world.groups(seat.pool))
        entries = [(entry.counter_set, frozenset(entry.compatibility_groups)) for entry in seat.device.consumes]
        after = dict(state)
        for counter_set, groups in entries:
            if not admits(after, counter_set, groups):
                return False
            fold(after, counter_set, groups)
        undo.groups, self._groups[seat.pool.id] = state, after
        return True

    def _tie(self, way: Way, claim: int, seat: Seat, undo: _Undo) -> bool:
        for tie in self.ties[claim]:
            if tie.concerns(way.parent, way.name):
                values = tie.admits(self._values(way, seat, tie.attribute))
                if values is None:
                    return False
                tie.push(values)
                undo.ties.append(tie)
        return True

    def _values(self, way: Way, seat: Seat, attribute: str) -> Values | None:
        if any(name == attribute for name, _ in way.request.derived):
            raise Unsupported(
                f"claim {way.claim.id}, request {way.name}: derived attribute {attribute} cannot be evaluated here"
            )
        return values_of(lookup(seat.device, seat.id.driver, attribute))

    def _release(self, claim: int, candidate: Candidate, undo: _Undo) -> None:
        """Undo the last choice of a claim."""
        self.picks[claim].pop()
        (self._taken if candidate.charge is None else self._shares)[candidate.seat.id].pop()
        self._undo(candidate, undo)

    def _undo(self, candidate: Candidate, undo: _Undo) -> None:
        for tie in reversed(undo.ties):
            tie.pop()
        pool = candidate.seat.pool.id
        if undo.groups is not None:
            self._groups[pool] = undo.groups
        if undo.charged:
            self._books[pool].give(candidate.draws)


def free_devices(world: World, node: Node, *, tolerate: bool) -> tuple[DeviceId, ...]:
    """
    The devices that a claim for just one of them could get on a node now: no selectors, no capacity asked for.

    Args:
        tolerate: as if the claim tolerated every taint.

    Raises:
        SelectorError: a node selector cannot be parsed.
    """
    search = _Search(world, node, (_PROBE,), BUDGET)
    search.picks, search.ties = [[]], [[]]
    way = Way(_PROBE, "probe", "probe", DeviceRequest("", ""), DeviceClass(Meta(""), ""), 1)
    found: dict[DeviceId, None] = {}
    for pool in world.pools(node):
        for seat in pool.seats:
            if (tolerate or not world.taints(seat)) and _obtainable(search, way, world, node, seat):
                found[seat.id] = None
    return tuple(found)


_PROBE = Claim(Meta("probe"), "", ())


def _obtainable(search: _Search, way: Way, world: World, node: Node, seat: Seat) -> bool:
    if seat.id in world.in_use.whole or (seat.device.consumes and not world.rules.partitionable):
        return False
    try:
        candidate = way.candidate(world, seat, must=True) if way.selects(world, node, seat) else None
    except Fatal:
        return False
    undo = search._take(way, 0, candidate) if candidate is not None else None
    if candidate is None or undo is None:
        return False
    search._release(0, candidate, undo)
    return True
