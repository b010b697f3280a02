"""Why a claim is pending, node by node and request by request, with one sentence on top for whoever is on call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pools.core.allocate import Answer
from pools.core.amounts import listed
from pools.core.answers import Answers, ClaimAnswer, PodAnswer, State
from pools.core.funnel import Funnel, Stage, funnels
from pools.core.headline import Scene, headline
from pools.core.holds import holds
from pools.core.reasons import Why
from pools.domain.claim import Claim
from pools.domain.cluster import Pod
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.state import Holder

_OVER = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes on which the claim fares alike; `answer` and `funnels` are those of the first of them."""

    nodes: tuple[str, ...]
    answer: Answer
    funnels: tuple[Funnel, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """
    What to tell about one claim.

    `state` is the allocator's verdict and nothing else. `sentence` is the one thing to read; `groups` the funnel for
    each kind of node, the most promising first; `notes` what lies outside allocation, a sentence each.
    """

    claim: Claim
    state: State
    sentence: str
    why: Why | None
    groups: tuple[NodeGroup, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PodExplanation:
    """What to tell about one pod: its state as far as its claims tell, and a sentence."""

    pod: Pod
    answer: PodAnswer
    sentence: str


class Explainer:
    """Explains claims of one snapshot."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        snapshot = answers.snapshot
        self.holders: dict[DeviceId, list[Holder]] = defaultdict(list)
        for hold in holds(snapshot.claims, snapshot.slices, snapshot.pods):
            if not hold.admin:
                self.holders[hold.device].append(hold)
        self.users: dict[ClaimId, list[Pod]] = defaultdict(list)
        for pod in snapshot.pods:
            if pod.phase not in _OVER:
                for name in pod.claim_names():
                    self.users[ClaimId(pod.meta.namespace, name)].append(pod)

    def claim(self, claim: Claim) -> Explanation:
        """Explain one claim; its verdict is the allocator's."""
        answer = self.answers.claim(claim)
        groups = self._groups(claim, answer) if answer.state != "allocated" else ()
        scene = Scene(self.answers, self.holders, [(group.nodes, group.funnels) for group in groups])
        return Explanation(
            claim,
            answer.state,
            headline(scene, answer),
            answer.why,
            groups,
            tuple(self._notes(claim, answer)),
        )

    def pod(self, pod: Pod) -> PodExplanation:
        """Explain what a pod waits for, as far as its claims tell."""
        answer = self.answers.pod(pod)
        return PodExplanation(pod, answer, self._pod_sentence(pod, answer))

    def _pod_sentence(self, pod: Pod, answer: PodAnswer) -> str:
        match answer.state:
            case "pending-claim-not-created":
                return self._not_created(pod)
            case "pending-claim-missing":
                names = [ClaimId(pod.meta.namespace, name) for name in pod.claim_names()]
                gone = [str(name) for name in names if name not in self.answers.claims]
                return f"It waits for claims that do not exist: {listed(gone)}."
            case "waiting-for-binding-conditions":
                return "Its devices are allocated, but the driver has not attached them yet."
            case "not-scheduled-claims-unallocated":
                return (
                    f"It is bound to node {pod.node_name} already, past the scheduler, so its claims will never be "
                    "allocated."
                )
            case "pending-feasible":
                return f"Its claims fit together now on {listed(list(answer.nodes))}."
            case "pending-infeasible":
                return self._unfit(pod, answer)
        return _PODS.get(answer.state, "Its claims could not be decided here.")

    def _not_created(self, pod: Pod) -> str:
        entry = next(each for each in pod.claims if not each.claim and each.name not in pod.claim_statuses)
        template = ClaimId(pod.meta.namespace, entry.template)
        known = any(each.id == template for each in self.answers.snapshot.templates)
        state = "has not been made yet" if known else "cannot be made: that template does not exist"
        return f"The claim for its entry {entry.name}, from template {template}, {state}."

    def _unfit(self, pod: Pod, answer: PodAnswer) -> str:
        ids = [ClaimId(pod.meta.namespace, name) for name in pod.claim_names()]
        claims = [self.answers.claims[each] for each in ids if each in self.answers.claims]
        if answer.why is not None and answer.why.code == "node-pinned-by-claim":
            return f"Claim {answer.why.detail} ties it to nodes where its other claims do not fit."
        pending = [claim for claim in claims if claim.allocation is None]
        unfit = [found for found in map(self.claim, pending) if found.state == "infeasible"]
        if unfit:
            return f"{unfit[0].claim.id}: {unfit[0].sentence}"
        return (
            f"Each of its claims fits by itself, but not all on one node: {listed([str(each.id) for each in pending])}."
        )

    def _groups(self, claim: Claim, answer: ClaimAnswer) -> tuple[NodeGroup, ...]:
        looks: dict[object, tuple[list[str], Answer, tuple[Funnel, ...]]] = {}
        by_name = {each.node: each for each in answer.answers}
        for group in self.answers.kinds([claim]):
            own = by_name[group[0].meta.name]
            found = funnels(self.answers.world, group[0], claim)
            look = looks.setdefault((own.verdict, own.message, tuple(map(_kind, found))), ([], own, found))
            look[0].extend(node.meta.name for node in group)
        groups = [NodeGroup(tuple(sorted(nodes)), own, found) for nodes, own, found in looks.values()]
        return tuple(sorted(groups, key=lambda group: (*_promise(group), group.nodes)))

    def _notes(self, claim: Claim, answer: ClaimAnswer) -> Iterator[str]:
        """What stands in the way, or is worth knowing, outside of allocation."""
        if claim.meta.deleted:
            yield "The claim is being deleted, so it will not be allocated any more."
        pods = self.users.get(claim.id, [])
        if answer.state == "feasible" and not pods and self.answers.snapshot.pods:
            yield "No pod uses it: nothing will allocate it until one does."
        for pod in pods:
            if pod.node_name and answer.state != "allocated":
                yield (
                    f"Pod {pod.id} is bound to node {pod.node_name} already, past the scheduler: "
                    "its claims will never be allocated."
                )
            elif pod.scheduling_gates:
                yield f"Pod {pod.id} is held back by scheduling gates: {', '.join(pod.scheduling_gates)}."
        yield from self._lost(claim)
        ending = next((each for each in answer.answers if each.verdict == "error" and not each.node_only), None)
        if answer.state == "feasible" and ending is not None:
            yield f"On node {ending.node} the scheduler meets an error that ends its whole attempt: {ending.message}."

    def _lost(self, claim: Claim) -> Iterator[str]:
        published = self.answers.world.slices.by_pool
        for result in claim.allocation.results if claim.allocation is not None else ():
            names = {
                device.name
                for pool, slices in published.items()
                if pool.driver == result.driver and result.pool in (None, pool.name)
                for item in slices
                for device in item.devices
            }
            if result.device not in names:
                yield f"Its device {result.driver}/{result.pool or '?'}/{result.device} is no longer published."


_PODS = {
    "running": "It runs.",
    "over": "It is over.",
    "scheduled-not-running": "Its devices are allocated and it has a node; it is not allocation that it waits for.",
}


def _kind(funnel: Funnel) -> tuple[object, ...]:
    """What makes two nodes' funnels the same to a reader."""
    details = {
        (stop.stage, stop.detail.replace(str(stop.device), ""), tuple((each.need, each.left) for each in stop.short))
        for stop in funnel.stops
    }
    return funnel.name, funnel.wanted, tuple(funnel.counts().items()), frozenset(details)


def _promise(group: NodeGroup) -> tuple[bool, int, int]:
    """Sorts the most promising first: nodes where it fits, then those with the most devices that match."""
    fits = sum(len(funnel.at("fits")) for funnel in group.funnels)
    return group.answer.verdict != "allocatable", -fits, -sum(funnel.matched for funnel in group.funnels)


def funnel_rows(funnel: Funnel) -> Sequence[tuple[str, int]]:
    """(what, devices left) step by step, from all that the node sees to those that fit."""
    counts = funnel.counts()
    left = len(funnel.stops)
    rows = [("seen", left)]
    for stage, label in _STEPS:
        left -= sum(counts.get(each, 0) for each in stage)
        rows.append((label, left))
    return rows


_STEPS: tuple[tuple[tuple[Stage, ...], str], ...] = (
    (("class",), "of the class"),
    (("selector", "selector-fails", "unsupported"), "selected by the request"),
    (("pool-incomplete", "pool-invalid"), "in a usable pool"),
    (("node",), "reached from the node"),
    (("tainted",), "not tainted, or tolerated"),
    (("in-use",), "not in use"),
    (("capacity-missing", "capacity"), "with capacity left"),
    (("counter-short", "counter-negative"), "with counters left"),
    (("compatibility",), "compatible with what is in use"),
)
