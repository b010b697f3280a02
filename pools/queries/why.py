"""Why a claim waits and what would help: the core's explanation and relief of one claim, kept while nothing changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pools.core.aftermath import pool_reports
from pools.core.asking import ask_claim
from pools.core.explain import Explainer, Explanation, NodeGroup, PodExplanation, funnel_rows
from pools.core.funnel import Funnel, Stage, Stop
from pools.core.headline import Scene
from pools.core.holds import holds
from pools.core.readings import Reading, readings
from pools.core.remedy import Remedies, remedies
from pools.core.repack import Plan, cheapest_moves
from pools.domain.claim import Claim
from pools.domain.cluster import Snapshot
from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.domain.state import Holder, PoolReport
from pools.models import Cluster
from pools.queries.snapshot import Held, held

EXAMPLES = 3
HOLDERS = 4
CARDS = 12
READINGS = 6
NOTHING = Remedies((), 0, 0, exact=True, tried=0)
WORDS: dict[Stage, str] = {
    "pool-incomplete": "are in a pool of which not all slices are there",
    "pool-invalid": "are in a pool that is invalid",
    "class": "are not of the class",
    "selector": "are refused by a selector",
    "selector-fails": "make a selector fail, which ends the whole attempt",
    "unsupported": "meet a selector that cannot be evaluated here",
    "node": "cannot be reached from the node",
    "tainted": "are tainted, which the claim does not tolerate",
    "in-use": "are in use",
    "capacity-missing": "do not have the capacity that is asked for",
    "capacity": "have too little capacity left",
    "counter-short": "are free, but a counter that they draw on is short",
    "counter-negative": "are free, but a counter of their pool is overdrawn",
    "compatibility": "do not go together with what is in use",
    "fits": "would do",
}
_ORDER = {stage: index for index, stage in enumerate(WORDS)}


@dataclass(frozen=True, slots=True)
class Example:
    """A device that drops out, with the claims that stand in its way."""

    stop: Stop
    holders: tuple[Holder, ...]
    holders_more: int


@dataclass(frozen=True, slots=True)
class Drop:
    """
    Devices that drop out at one stage: how many, and the nearest of them.

    Those that a selector refuses are told selector by selector, with `readings`, what it read on them; of more than a
    few values the most frequent.
    """

    stage: Stage
    words: str
    count: int
    examples: tuple[Example, ...]
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestFunnel:
    """
    One way to satisfy a request on one kind of node. `steps` are (what, devices left), those left out at which nothing
    drops out; `drops` where the others went, the last step first.
    """

    name: str
    wanted: int
    steps: tuple[tuple[str, int], ...]
    drops: tuple[Drop, ...]

    @property
    def left(self) -> int:
        return self.steps[-1][1]


@dataclass(frozen=True, slots=True)
class Kind:
    """Nodes on which the claim fares alike."""

    group: NodeGroup
    requests: tuple[RequestFunnel, ...]

    @property
    def matched(self) -> bool:
        """Whether the nodes have any device that a request is meant for."""
        return any(funnel.matched for funnel in self.group.funnels)


@dataclass(frozen=True, slots=True)
class CardPlan:
    """Moves on one card after which one more device of a type fits."""

    pool: PoolId
    card: str
    label: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class ClaimWhy:
    """Everything about why one claim waits. `pods` are those that use it; `held` tells the revision."""

    explanation: Explanation
    kinds: tuple[Kind, ...]
    pods: tuple[PodExplanation, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class ClaimHelp:
    """
    What would help one claim. `plans` are moves on a card that the remedies do not have already. `users` has, for each
    claim in a remedy, its pods and since when it is allocated (RFC 3339).
    """

    state: str
    remedies: Remedies
    plans: tuple[CardPlan, ...]
    revision: int
    users: Mapping[ClaimId, tuple[tuple[str, ...], str]] = field(default_factory=dict)


def claim_why(cluster: Cluster, identity: ClaimId) -> ClaimWhy | None:
    """Explain one claim; None when the cluster has no such claim any more."""
    with held(cluster) as whole:
        claim = _claim(whole, identity)
        return None if claim is None else whole.remember(("why", identity), lambda: _why(whole, claim))


def claim_help(cluster: Cluster, identity: ClaimId) -> ClaimHelp | None:
    """What would help one claim; None when the cluster has no such claim any more."""
    with held(cluster) as whole:
        claim = _claim(whole, identity)
        if claim is None:
            return None
        why: ClaimWhy = whole.remember(("why", identity), lambda: _why(whole, claim))
        return whole.remember(("help", identity), lambda: _help(whole, claim, why))


def _claim(whole: Held, identity: ClaimId) -> Claim | None:
    return whole.trial.answers.claims.get(identity)


def _why(whole: Held, claim: Claim) -> ClaimWhy:
    explainer = Explainer(whole.trial.answers)
    found = explainer.claim(claim)
    scene = Scene(whole.trial.answers, explainer.holders, [(each.nodes, each.funnels) for each in found.groups])
    kinds = tuple(
        Kind(group, tuple(_request(scene, funnel, claim.form) for funnel in group.funnels)) for group in found.groups
    )
    pods = tuple(explainer.pod(pod) for pod in explainer.users.get(claim.id, ()))
    return ClaimWhy(found, kinds, pods, whole.revision)


def _request(scene: Scene, funnel: Funnel, form: str) -> RequestFunnel:
    steps: list[tuple[str, int]] = []
    for what, left in funnel_rows(funnel):
        if not steps or left != steps[-1][1]:
            steps.append((what, left))
    return RequestFunnel(funnel.name, funnel.wanted, tuple(steps), tuple(_drops(scene, funnel, form)))


def _drops(scene: Scene, funnel: Funnel, form: str) -> Iterator[Drop]:
    by_stage: dict[tuple[Stage, str], list[Stop]] = defaultdict(list)
    for stop in funnel.stops:
        by_stage[stop.stage, stop.detail if stop.stage == "selector" else ""].append(stop)
    for (stage, selector), stops in sorted(by_stage.items(), key=lambda each: -_ORDER[each[0][0]]):
        if stage != "class":
            nearest = sorted(stops, key=_distance)[:EXAMPLES]
            devices = [stop.device for stop in stops]
            read = readings(scene.answers.world, selector, form, devices) if selector else ()
            yield Drop(
                stage, WORDS[stage], len(stops), tuple(_example(scene, each) for each in nearest), read[:READINGS]
            )


def _distance(stop: Stop) -> tuple[int, int]:
    """How far a device is from fitting."""
    return len(stop.short), sum(each.need - each.left for each in stop.short)


def _example(scene: Scene, stop: Stop) -> Example:
    devices = [stop.device]
    for short in stop.short:
        if short.counter is not None:
            devices += scene.users_of(short.counter, stop.device.pool_id)
    holders = {hold.claim: hold for device in devices for hold in scene.holders.get(device, ())}
    return Example(stop, tuple(holders.values())[:HOLDERS], max(0, len(holders) - HOLDERS))


def _help(whole: Held, claim: Claim, why: ClaimWhy) -> ClaimHelp:
    state = why.explanation.state
    if state != "infeasible":
        return ClaimHelp(state, NOTHING, (), whole.revision)
    order = [name for row in zip_longest(*(kind.group.nodes for kind in why.kinds)) for name in row if name is not None]
    found = remedies(whole.trial, ask_claim(claim), order=order)
    plans = tuple(_plans(whole.snapshot, claim, why, found))
    gone = {name for each in found.sets for name in each.release.claims}
    held = [each for each in whole.snapshot.claims if each.id in gone]
    users = {hold.claim: (hold.pods, hold.since) for hold in holds(held, whole.snapshot.slices, whole.snapshot.pods)}
    return ClaimHelp(state, found, plans, whole.revision, users)


def _plans(snapshot: Snapshot, claim: Claim, why: ClaimWhy, known: Remedies) -> Iterator[CardPlan]:
    """Moves on single cards, for a claim of one device, that are no news to the remedies."""
    alternatives = [each for request in claim.requests for each in request.alternatives]
    if len(claim.requests) != 1 or any(each.count != 1 or each.mode != "ExactCount" for each in alternatives):
        return
    moving = {frozenset(each.release.claims) for each in known.sets}
    for report, card, kind in _targets(snapshot, why):
        plans = cheapest_moves(report, card, kind, most=2)
        label = next(each.label for each in report.cards if each.key == card)
        for plan in plans.plans[:1]:
            if frozenset(hold.claim for move in plan.moves for hold in move.holders) not in moving:
                yield CardPlan(report.pool.id, card, label, plan)


def _targets(snapshot: Snapshot, why: ClaimWhy) -> Iterator[tuple[PoolReport, str, str]]:
    """(report, card, type) of free devices that match and are short of counters, on the most promising nodes."""
    devices = list(_short_devices(why.kinds))
    pools = dict.fromkeys(device.pool_id for device in devices)
    reports = pool_reports(snapshot, list(pools)[:CARDS])
    seen: set[tuple[PoolId, str, str]] = set()
    for device in devices:
        report = reports.get(device.pool_id)
        row = next((each for each in report.devices if each.id == device), None) if report is not None else None
        if report is None or row is None or not row.card or (report.pool.id, row.card, row.type) in seen:
            continue
        seen.add((report.pool.id, row.card, row.type))
        if len(seen) > CARDS:
            return
        yield report, row.card, row.type


def _short_devices(kinds: Sequence[Kind]) -> Iterator[DeviceId]:
    for kind in kinds:
        for funnel in kind.group.funnels:
            for stop in funnel.at("counter-short"):
                yield stop.device
