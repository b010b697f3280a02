"""One attempt of the scheduler's search: depth first over claims, requests, alternatives and devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pools.core.constraints import Tie, Values, values_of
from pools.core.consumable import fits
from pools.core.foresight import Foresight, OutOfSteps
from pools.core.nodeview import NodePool, Seat
from pools.core.ways import MOST_RESULTS, Candidate, Way
from pools.core.world import Fatal, Unsupported, World, admits, fold
from pools.domain.claim import Claim
from pools.domain.cluster import Node
from pools.domain.ids import CounterId, DeviceId, PoolId

LOOK_AHEAD_AFTER = 200
"""Candidates after which a search starts to look ahead; most end long before."""


class TooMany:
    """More results than a claim may hold: a reason to try other alternatives, not other devices."""


TOO_MANY = TooMany()
Result = bool | TooMany
Taps = tuple[tuple[int, int], ...]
"""(place of a counter in its pool's book, billionths) of what a device draws; each counter once."""


class Book:
    """A pool's counters during a search: what is left, and how many are below zero."""

    __slots__ = ("below", "left", "odd", "places")

    def __init__(self, left: Mapping[CounterId, int]) -> None:
        self.places = {counter: place for place, counter in enumerate(left)}
        self.left = list(left.values())
        self.below = sum(nano < 0 for nano in self.left)
        self.odd = bool(self.below)

    def taps(self, draws: Sequence[tuple[CounterId, int]]) -> Taps:
        """A device's draws by place; one that gives instead of taking makes every check look at the whole book."""
        sums: dict[int, int] = {}
        for counter, nano in draws:
            place = self.places[counter]
            sums[place] = sums.get(place, 0) + nano
        self.odd = self.odd or any(nano < 0 for nano in sums.values())
        return tuple(sums.items())

    def has(self, taps: Taps) -> bool:
        """Whether no counter of the pool would be below zero after the draw."""
        if self.odd:
            if not self.take(taps):
                return False
            self.give(taps)
            return True
        left = self.left
        for place, nano in taps:  # noqa: SIM110 - the innermost loop of every search
            if left[place] < nano:
                return False
        return True

    def take(self, taps: Taps) -> bool:
        """Charge a device; False, and nothing charged, when any counter of the pool is then below zero."""
        left = self.left
        if not self.odd:
            for place, nano in taps:
                if left[place] < nano:
                    return False
            for place, nano in taps:
                left[place] -= nano
            return True
        self._add(taps, -1)
        if self.below:
            self._add(taps, 1)
            return False
        return True

    def give(self, taps: Taps) -> None:
        """Undo a charge."""
        self._add(taps, 1)

    def _add(self, taps: Taps, sign: int) -> None:
        for place, nano in taps:
            before = self.left[place]
            after = self.left[place] = before + sign * nano
            self.below += (after < 0) - (before < 0)


class Attempt:
    """
    The state of one search.

    Args:
        ways: for each claim and request the ways to satisfy it.
        ties: the constraints of each claim.
    """

    def __init__(
        self,
        world: World,
        node: Node,
        claims: Sequence[Claim],
        pools: Sequence[NodePool],
        ways: Sequence[Sequence[Sequence[Way]]],
        ties: Sequence[Sequence[Tie]],
        budget: int,
    ) -> None:
        self.world, self.node, self.claims, self.pools = world, node, claims, pools
        self.ways, self.ties, self.budget = ways, ties, budget
        self.chosen: list[list[tuple[Way, Candidate]]] = [[] for _ in claims]
        self.steps = 0
        self.foresight: Foresight | None = None
        self.looks_ahead = True
        self.taken: dict[Seat, list[int]] = {}
        self.shares: dict[DeviceId, list[dict[str, int]]] = {}
        self._books: dict[PoolId, Book] = {}
        self._groups: dict[PoolId, dict[str, frozenset[str] | None]] = {}
        self._undo: list[tuple[bool, dict[str, frozenset[str] | None] | None]] = []

    def request(self, claim: int, request: int) -> Result:
        """Satisfy a request and all that follow, with the first alternative that leads to a solution."""
        if claim == len(self.claims):
            return True
        if request == len(self.ways[claim]):
            return self.request(claim + 1, 0) is True  # the limit of a later claim is no error of this one
        ways = self.ways[claim][request]
        if not self.claims[claim].requests[request].prioritized:
            return self.devices(ways[0], claim, request, 0, 0)
        result: Result = TOO_MANY
        for way in ways:
            found = self.devices(way, claim, request, 0, 0)
            if found is True:
                return True
            if found is not TOO_MANY:
                result = False
        return result

    def devices(self, way: Way, claim: int, request: int, index: int, start: int) -> Result:
        """
        Pick the devices of one way from number *index* on, then go on with the next request.

        Args:
            start: the first candidate to look at; combinations are tried, not permutations.
        """
        if way.everything is not None and not way.everything:
            return False
        if index >= way.count:
            return self.request(claim, request + 1)
        if way.count - index > MOST_RESULTS - len(self.chosen[claim]):
            return TOO_MANY
        if way.everything is not None:
            return self._one_of_all(way, claim, request, index)
        return self._counted(way, claim, request, index, start)

    def _counted(self, way: Way, claim: int, request: int, index: int, start: int) -> Result:
        choices = way.choices(self.world, self.node, self.pools)
        admin, taken = way.request.admin_access, self.taken
        position = start - 1
        while (candidate := choices.at(position := position + 1)) is not None:
            holders = taken.get(candidate.seat)
            if holders and (not admin or claim in holders):
                continue
            self._step()
            if candidate.error is not None:
                raise candidate.error
            if not self.take(way, claim, candidate):
                continue
            found: Result = False
            if self.foresight is None or self.foresight.hopeful(self, way, claim, request, index + 1, position + 1):
                found = self.devices(way, claim, request, index + 1, position + 1)
            if found is True:
                return True
            self.release(claim, candidate)
            if found is TOO_MANY:
                return found
        return False

    def _one_of_all(self, way: Way, claim: int, request: int, index: int) -> Result:
        candidate = (way.everything or [])[index]
        self._step()
        if self.busy(way, claim, candidate) or not way.open(self.world, self.node, candidate.seat):
            return False
        if not way.request.admin_access and candidate.seat.id in self.world.in_use.whole:
            return False
        if not self.take(way, claim, candidate, must=True):
            return False
        found = self.devices(way, claim, request, index + 1, 0)
        if found is not True:
            self.release(claim, candidate)
        return found

    def candidates(self, way: Way) -> list[Candidate]:
        """The candidates of a way, in search order."""
        return way.candidates(self.world, self.node, self.pools)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.budget:
            raise OutOfSteps
        if self.steps == LOOK_AHEAD_AFTER and self.looks_ahead:
            self.foresight = Foresight.of(self)

    def busy(self, way: Way, claim: int, candidate: Candidate) -> bool:
        """Whether what was chosen so far rules the device out: by any claim, or for admin access by the same one."""
        holders = self.taken.get(candidate.seat)
        return bool(holders) and (not way.request.admin_access or claim in holders)  # type: ignore[operator]

    def take(self, way: Way, claim: int, candidate: Candidate, *, must: bool = False) -> bool:
        """
        Choose a device if counters, groups, constraints and capacity let it; if not, nothing is changed.

        Args:
            must: mode All: a constraint that does not let it ends the attempt, and capacity is looked at last.
        """
        seat, charge = candidate.seat, candidate.charge
        if charge is not None and not must and not self._has_room(candidate):
            return False
        charged, groups = False, None
        if candidate.draws and not (charge is not None and self._is_shared(seat.id)):
            if self.world.rules.compatibility_groups:
                groups = self._join(seat)
                if groups is None:
                    return False
            charged = self.book(seat.pool).take(self._taps(candidate))
            if not charged:
                self._leave(seat, groups)
                return False
        if self.ties[claim] and not self._tie(way, claim, candidate):
            self._uncharge(candidate, charged, groups)
            if must:
                raise Fatal(
                    f"claim {way.claim.id}, request {way.request.name or way.name}: cannot add device {seat.id} "
                    "because a claim constraint would not be satisfied"
                )
            return False
        if must and charge is not None and not self._has_room(candidate):
            self._untie(way, claim, candidate)
            self._uncharge(candidate, charged, groups)
            return False
        if charge is None:
            self.taken.setdefault(seat, []).append(claim)
        else:
            self.shares.setdefault(seat.id, []).append({name: each.nano for name, each in charge.items()})
        self.chosen[claim].append((way, candidate))
        self._undo.append((charged, groups))
        return True

    def release(self, claim: int, candidate: Candidate) -> None:
        """Undo the last choice."""
        way, _ = self.chosen[claim].pop()
        if candidate.charge is None:
            self.taken[candidate.seat].pop()
        else:
            self.shares[candidate.seat.id].pop()
        charged, groups = self._undo.pop()
        self._untie(way, claim, candidate)
        self._uncharge(candidate, charged, groups)

    def _uncharge(self, candidate: Candidate, charged: bool, groups: dict[str, frozenset[str] | None] | None) -> None:
        if charged:
            self.book(candidate.seat.pool).give(self._taps(candidate))
        self._leave(candidate.seat, groups)

    def book(self, pool: NodePool) -> Book:
        """The pool's counters, as of now."""
        found = self._books.get(pool.id)
        if found is None:
            found = self._books[pool.id] = Book(self.world.left(pool))
        return found

    def _taps(self, candidate: Candidate) -> Taps:
        if candidate.taps is None:
            candidate.taps = self.book(candidate.seat.pool).taps(candidate.draws)
        return candidate.taps

    def counters_allow(self, candidate: Candidate) -> bool:
        """Whether the counters would let the device be taken now; shares are not looked at."""
        return (
            not candidate.draws
            or candidate.charge is not None
            or self.book(candidate.seat.pool).has(self._taps(candidate))
        )

    def _has_room(self, candidate: Candidate) -> bool:
        """For a shareable device: whether the share fits beside those in use and those chosen."""
        identity = candidate.seat.id
        used = dict(self.world.in_use.capacity.get(identity, {}))
        for share in self.shares.get(identity, ()):
            for name, nano in share.items():
                used[name] = used.get(name, 0) + nano
        return fits(candidate.charge or {}, candidate.seat.device.capacity, used)

    def _is_shared(self, identity: DeviceId) -> bool:
        """Whether shares of it are in use or chosen, so that its counters are charged already."""
        return self.world.in_use.shares(identity) or bool(self.shares.get(identity))

    def _join(self, seat: Seat) -> dict[str, frozenset[str] | None] | None:
        """
        Compatibility groups: let the device in and return the state before; None when it does not go with all others
        on its counter sets.
        """
        state = self._groups.get(seat.pool.id)
        if state is None:
            state = self._groups[seat.pool.id] = dict(self.world.groups(seat.pool))
        after = dict(state)
        for entry in seat.device.consumes:
            groups = frozenset(entry.compatibility_groups)
            if not admits(after, entry.counter_set, groups):
                return None
            fold(after, entry.counter_set, groups)
        self._groups[seat.pool.id] = after
        return state

    def _leave(self, seat: Seat, before: dict[str, frozenset[str] | None] | None) -> None:
        if before is not None:
            self._groups[seat.pool.id] = before

    def tied(self, way: Way, claim: int, candidate: Candidate) -> list[tuple[Tie, Values | Exception | None]]:
        """The constraints that concern the way, each with what it compares on this device, or why that is not known."""
        ties = self.ties[claim]
        if candidate.tied is None:
            candidate.tied = [
                (place, self._values(way, candidate.seat, tie.attribute))
                for place, tie in enumerate(ties)
                if tie.concerns(way.parent, way.name)
            ]
        return [(ties[place], values) for place, values in candidate.tied]

    def _tie(self, way: Way, claim: int, candidate: Candidate) -> bool:
        pushed: list[Tie] = []
        for tie, own in self.tied(way, claim, candidate):
            if isinstance(own, Exception):
                raise own
            values = tie.admits(own)
            if values is None:
                for before in pushed:
                    before.pop()
                return False
            tie.push(values)
            pushed.append(tie)
        return True

    def _untie(self, way: Way, claim: int, candidate: Candidate) -> None:
        if self.ties[claim]:
            for tie, _ in self.tied(way, claim, candidate):
                tie.pop()

    def trial(self) -> Attempt:
        """The same search with nothing chosen yet, and no looking ahead."""
        ties = [[tie.fresh() for tie in each] for each in self.ties]
        fresh = Attempt(self.world, self.node, self.claims, self.pools, self.ways, ties, self.budget)
        fresh.looks_ahead = False
        return fresh

    def _values(self, way: Way, seat: Seat, attribute: str) -> Values | Exception | None:
        try:
            return values_of(way.attribute(self.world, seat, attribute), self.world.rules.list_attributes)
        except (Fatal, Unsupported) as error:
            return error
