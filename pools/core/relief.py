"""Relief: the smallest sets of claims whose release would let pending claims be allocated on a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pools.core.allocate import Pick, allocate
from pools.core.holds import holds
from pools.core.nodeview import NodePool, Seat
from pools.core.world import World, draws
from pools.domain.claim import Claim
from pools.domain.cluster import Node, Snapshot
from pools.domain.ids import ClaimId, CounterId, DeviceId, PoolId
from pools.domain.state import Holder

MOST_TRIES = 3_000
"""Sets of claims that are tried on one node."""
MOST_SETS = 20

Region = tuple[PoolId, object]


@dataclass(frozen=True, slots=True)
class Release:
    """
    Claims to release, and what would then be allocated.

    `pods` are those that use them; `share` is how much of its pools' counters they hold, as a sum over counters of the
    part of the capacity, for comparing only; `since` the allocation times, youngest first.
    """

    claims: tuple[ClaimId, ...]
    pods: tuple[str, ...]
    devices: tuple[DeviceId, ...]
    share: float
    since: tuple[str, ...]
    picks: tuple[tuple[Pick, ...], ...]


@dataclass(frozen=True, slots=True)
class Relief:
    """
    The smallest sets on one node, cheapest first: fewest pods, then least held, then youngest.

    `exact` means that no smaller set would do and all of this size were looked at. No `sets` with `exact`: releasing
    claims does not help here at all.
    """

    node: str
    sets: tuple[Release, ...]
    exact: bool
    tried: int


def relief(
    world: World,
    snapshot: Snapshot,
    node: Node,
    pending: Sequence[Claim],
    *,
    tries: int = MOST_TRIES,
    held: Sequence[Holder] | None = None,
) -> Relief:
    """
    Find what has to go so that *pending* can be allocated together on *node*.

    Each answer is checked by the allocator against the cluster without those claims. A request for one device is served
    by one card, so for such claims only sets on one card are tried; others try sets over the whole node.

    Args:
        snapshot: what *world* was made from; its allocated claims are the ones that may go.
        tries: how many sets may be tried.
        held: the holds of the snapshot's claims, where they are known already.
    """
    if held is None:
        held = holds(snapshot.claims, snapshot.slices, snapshot.pods)
    return _Hunt(world, snapshot, node, pending, tries, held).run()


class _Hunt:
    """One search for relief."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        node: Node,
        pending: Sequence[Claim],
        tries: int,
        holders: Sequence[Holder],
    ) -> None:
        self.world, self.snapshot, self.node, self.pending = world, snapshot, node, pending
        self.tries = tries
        self.tried = 0
        self.pools = world.pools(node)
        self.held: dict[ClaimId, list[Holder]] = defaultdict(list)
        reachable = {pool.id for pool in self.pools}
        for hold in holders:
            if not hold.admin and hold.device.pool_id in reachable:
                self.held[hold.claim].append(hold)
        self.near = [claim for claim in snapshot.claims if claim.id in self.held]

    def run(self) -> Relief:
        names = sorted(self.held)
        if not names or self._picks(names) is None:
            return Relief(self.node.meta.name, (), exact=True, tried=self.tried)
        groups = self._groups(names)
        for size in range(1, len(names) + 1):
            found: list[Release] = []
            for chosen in _subsets(groups, size):
                if self.tried >= self.tries:
                    return self._answer(found or self._shrunk(names), exact=False)
                picks = self._picks(chosen)
                if picks is not None:
                    found.append(self._release(chosen, picks))
            if found:
                return self._answer(found, exact=True)
        return self._answer(self._shrunk(names), exact=False)

    def _answer(self, found: Iterable[Release], *, exact: bool) -> Relief:
        best = sorted(found, key=_price)[:MOST_SETS]
        return Relief(self.node.meta.name, tuple(best), exact, self.tried)

    def _picks(self, gone: Iterable[ClaimId]) -> tuple[tuple[Pick, ...], ...] | None:
        """What would be allocated without these claims; None when it would not."""
        self.tried += 1
        without = set(gone)
        left = [claim for claim in self.near if claim.id not in without]  # others hold nothing that this node sees
        answer = allocate(self.world.without(left, self.snapshot), self.node, self.pending)
        return answer.picks if answer.verdict == "allocatable" else None

    def _shrunk(self, names: Sequence[ClaimId]) -> list[Release]:
        """All claims of the node, less those that can stay: a set that works, though perhaps not the smallest."""
        chosen = sorted(names, key=lambda name: _price(self._release([name], ())), reverse=True)
        for name in list(chosen):
            fewer = [each for each in chosen if each != name]
            if fewer and self._picks(fewer) is not None:
                chosen = fewer
        picks = self._picks(chosen)
        return [self._release(sorted(chosen), picks)] if picks is not None else []

    def _groups(self, names: Sequence[ClaimId]) -> list[tuple[ClaimId, ...]]:
        """Sets of claims within which the answer must lie: those on one card, or all of them."""
        if not self._one_device():
            return [tuple(names)]
        regions: dict[Region, set[ClaimId]] = defaultdict(set)
        region_of = _regions(self.world, self.pools)
        for name in names:
            for hold in self.held[name]:
                regions[region_of(hold.device)].add(name)
        return sorted({tuple(sorted(each)) for each in regions.values()})

    def _one_device(self) -> bool:
        """Whether every pending claim could be served by a single device, and there is but one claim."""
        return len(self.pending) == 1 and all(
            len(self.pending[0].requests) == 1 and each.mode == "ExactCount" and each.count == 1
            for request in self.pending[0].requests
            for each in request.alternatives
        )

    def _release(self, chosen: Sequence[ClaimId], picks: tuple[tuple[Pick, ...], ...]) -> Release:
        held = [hold for name in chosen for hold in self.held[name]]
        devices = tuple(dict.fromkeys(hold.device for hold in held))
        return Release(
            claims=tuple(chosen),
            pods=tuple(dict.fromkeys(pod for hold in held for pod in hold.pods)),
            devices=devices,
            share=sum(_share(self.pools, device) for device in devices),
            since=tuple(sorted((hold.since for hold in held), reverse=True)),
            picks=picks,
        )


def _price(release: Release) -> tuple[int, float, tuple[str, ...], tuple[ClaimId, ...]]:
    backwards = tuple("".join(chr(0x10FFFF - ord(letter)) for letter in text) for text in release.since)
    return len(release.pods), release.share, backwards, release.claims


def _subsets(groups: Sequence[Sequence[ClaimId]], size: int) -> Iterator[tuple[ClaimId, ...]]:
    """Every set of this size within one of the groups, once."""
    seen: set[tuple[ClaimId, ...]] = set()
    for group in groups:
        for chosen in combinations(group, size):
            if chosen not in seen:
                seen.add(chosen)
                yield chosen


def _regions(world: World, pools: Sequence[NodePool]) -> Callable[[DeviceId], Region]:
    """
    Which part of a pool a device belongs to: devices and counters that hang together, a device by itself, or the whole
    pool where something reaches further (a counter below zero, compatibility groups, a device that is gone).
    """
    found: dict[DeviceId, Region] = {}
    for pool in pools:
        blocked = any(nano < 0 for nano in world.left(pool).values())
        grouped = any(entry.compatibility_groups for seat in pool.seats for entry in seat.device.consumes)
        for identity, part in _parts(pool).items():
            found[identity] = (pool.id, "all" if blocked or grouped else part)
    return lambda device: found.get(device, (device.pool_id, "all"))


def _parts(pool: NodePool) -> dict[DeviceId, object]:
    devices = [(seat.id, draws(seat.device)) for seat in pool.seats]
    devices += [
        (DeviceId(pool.id.driver, pool.id.name, device.name), draws(device))
        for item in pool.elsewhere
        for device in item.devices
    ]
    root: dict[CounterId, CounterId] = {}

    def find(counter: CounterId) -> CounterId:
        while root.setdefault(counter, counter) != counter:
            counter = root[counter]
        return counter

    for _, cost in devices:
        used = [counter for counter, nano in cost if nano]
        for counter in used[1:]:
            root[find(counter)] = find(used[0])
    return {identity: next((find(counter) for counter, nano in cost if nano), identity) for identity, cost in devices}


def _share(pools: Sequence[NodePool], device: DeviceId) -> float:
    seat = _seat(pools, device)
    if seat is None:
        return 0.0
    capacity: Mapping[CounterId, int] = seat.pool.counters
    return sum(nano / capacity[counter] for counter, nano in draws(seat.device) if capacity.get(counter, 0) > 0)


def _seat(pools: Sequence[NodePool], device: DeviceId) -> Seat | None:
    return next((seat for pool in pools if pool.id == device.pool_id for seat in pool.seats if seat.id == device), None)
