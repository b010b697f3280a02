"""What becomes of each pending claim and pod of a cluster: where it fits, by which devices, and why it does not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pools.core.alike import Eyes, Namesakes, eyes_of, kinds
from pools.core.allocate import Answer, allocate, free_devices
from pools.core.cluster_nodes import nodes_of
from pools.core.constraints import lookup
from pools.core.node_match import SelectorError, selected
from pools.core.obtainable import obtainable, would_charge
from pools.core.reasons import Why, is_about_claims, why
from pools.core.release import Release, release
from pools.core.world import World
from pools.domain.claim import Claim, Constraint, Request
from pools.domain.cluster import Node, Pod, Snapshot
from pools.domain.device import AttributeValue
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.quantity import Quantity

State = Literal["allocated", "feasible", "infeasible", "undecided"]
PodState = Literal[
    "running",
    "over",
    "scheduled-not-running",
    "waiting-for-binding-conditions",
    "pending-claim-not-created",
    "pending-claim-missing",
    "pending-feasible",
    "pending-infeasible",
    "pending-undecided",
    "not-scheduled-claims-unallocated",
]
MOST_ALTERNATIVES = 8
MOST_VALUES = 64
"""Values of a matching attribute that are tried one by one."""


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """
    One claim now.

    `nodes` are those where it could be allocated; `answers` what the scheduler would say on each node. `would_choose`
    is the alternative it would get for each prioritised request, on the node that offers the best; `chosen` is what it
    got. `why` is set for a claim that fits nowhere.
    """

    claim: Claim
    state: State
    nodes: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    would_choose: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class PodAnswer:
    """One pod now; `why` and `nodes` speak of its unallocated claims together, on the nodes its other claims leave."""

    pod: Pod
    state: PodState
    nodes: tuple[str, ...] = ()
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class MatchValues:
    """Values of an attribute that must match, with and without a solution; `cut` when there are more of them."""

    attribute: str
    feasible: tuple[str, ...]
    infeasible: tuple[str, ...]
    cut: bool = False


class Answers:
    """Answers about one snapshot; what is learnt of slices and devices is shared by all questions."""

    def __init__(self, snapshot: Snapshot, rules: Release | None = None) -> None:
        self.snapshot = snapshot
        self.rules = rules or replace(release(), mixed_slices=True)
        self.nodes = nodes_of(snapshot)
        self.world = World.of(snapshot, self.rules)
        self.claims: dict[ClaimId, Claim] = {claim.id: claim for claim in snapshot.claims}
        self._kinds: dict[Eyes | None, tuple[World, Sequence[Node], list[list[Node]]]] = {}
        self._reserving = {
            ClaimId(claim.meta.namespace, consumer.name)
            for claim in snapshot.claims
            for consumer in claim.reserved_for
            if consumer.resource == "pods"
        }

    def claim(self, claim: Claim) -> ClaimAnswer:
        """Where a claim by itself could be allocated now, or how it was."""
        if claim.allocation is not None:
            return ClaimAnswer(claim, "allocated", chosen=dict(_chosen(claim)))
        answers = self.try_on([claim], self.nodes)
        best = max(answers, key=lambda answer: _score(claim, answer), default=None)
        state = _state(answers)
        return ClaimAnswer(
            claim,
            state,
            tuple(answer.node for answer in answers if answer.verdict == "allocatable"),
            answers,
            would_choose=dict(_alternatives(claim, best)) if best is not None else {},
            why=why(self, [claim], self.nodes, answers) if state == "infeasible" else None,
        )

    def try_on(self, claims: Sequence[Claim], nodes: Iterable[Node]) -> tuple[Answer, ...]:
        """
        The scheduler's answers on these nodes.

        An error about the claims themselves, such as a selector that fails on a device, keeps them from being allocated
        anywhere, so it is the answer on every node. An error about the pools or devices that one node sees is that
        node's; it ends the scheduler's attempt as well, but passes with the state of the pools.
        """
        found: dict[str, Answer] = {}
        order = nodes if isinstance(nodes, Sequence) else tuple(nodes)
        for group in self.kinds(claims, order):
            answer = allocate(self.world, group[0], claims)
            if is_about_claims(answer):
                return tuple(replace(answer, node=node.meta.name) for node in order)
            namesakes = Namesakes(self.world, group[0])
            for node in group:
                alone = answer.verdict == "error" and node is not group[0]  # its message names devices
                found[node.meta.name] = allocate(self.world, node, claims) if alone else namesakes.answer(answer, node)
        return tuple(found[node.meta.name] for node in order)

    def would_charge(self, claim: Claim) -> Mapping[str, Quantity]:
        """What a share for the claim's one request would take, whether it fits or not; empty for whole devices."""
        for node in (group[0] for group in self.kinds([claim])):
            charge = would_charge(self.world, node, claim)
            if charge:
                return charge
        return {}

    def match_values(self, claim: Claim) -> tuple[MatchValues, ...]:
        """For each attribute that must match: its values with and without a solution."""
        return tuple(
            self._match_values(claim, constraint) for constraint in claim.constraints if constraint.match_attribute
        )

    def _match_values(self, claim: Claim, constraint: Constraint) -> MatchValues:
        attribute = constraint.match_attribute
        seats = (seat for node in self.nodes for pool in self.world.pools(node) for seat in pool.seats)
        values = {lookup(seat.device, seat.id.driver, attribute) for seat in seats}
        known = [value for value in values if value is not None and not isinstance(value.value, tuple)]
        fits: dict[bool, list[str]] = {True: [], False: []}
        for value in sorted(known, key=lambda value: str(value.value))[:MOST_VALUES]:
            restricted = only_with(claim, constraint, value)
            if restricted is not None:
                answers = self.try_on([restricted], self.nodes)
                fits[any(each.verdict == "allocatable" for each in answers)].append(str(value.value))
        return MatchValues(attribute, tuple(fits[True]), tuple(fits[False]), len(known) > MOST_VALUES)

    def candidates(self, claim: Claim) -> tuple[DeviceId, ...]:
        """Every device that could serve the claim's one request now, on some node, by any of its alternatives."""
        found: set[DeviceId] = set()
        for group in self.kinds([claim]):
            devices = obtainable(self.world, group[0], claim)
            namesakes = Namesakes(self.world, group[0])
            for node in group if devices else ():
                found.update(namesakes.on(node, devices))
        return tuple(sorted(found))

    def free_devices(self) -> Mapping[str, tuple[DeviceId, ...]]:
        """
        By node, the devices that a claim for just one of them could get there now: the feasible set of the fleet.

        No taint is tolerated. A node on which no claim could be allocated at all, its slices' selectors being wrong,
        has none.

        Cost: one search for each device of each kind of node, then one name for each device.
        """
        found: dict[str, tuple[DeviceId, ...]] = {}
        for group in kinds(self.world, self.nodes, ((), ())):
            try:
                devices = free_devices(self.world, group[0], tolerate=False)
            except SelectorError:
                devices = ()
            namesakes = Namesakes(self.world, group[0])
            found.update((node.meta.name, tuple(namesakes.on(node, devices))) for node in group)
        return {node.meta.name: found[node.meta.name] for node in self.nodes}

    def kinds(self, claims: Sequence[Claim], nodes: Sequence[Node] | None = None) -> list[list[Node]]:
        """The nodes, or some of them, in groups that are alike for these claims; those of all nodes are kept."""
        eyes = eyes_of(self.world, claims)
        if nodes is not None and nodes is not self.nodes:
            return kinds(self.world, nodes, eyes)
        world, of, found = self._kinds.get(eyes, (None, None, []))
        if world is not self.world or of is not self.nodes:
            found = kinds(self.world, self.nodes, eyes)
            self._kinds = {eyes: (self.world, self.nodes, found)}
        return found

    def pod(self, pod: Pod) -> PodAnswer:
        """What a pod waits for, as far as its claims tell."""
        settled = self._settled(pod)
        if settled is not None:
            return PodAnswer(pod, settled)
        names = pod.claim_names()
        claims = [self.claims.get(ClaimId(pod.meta.namespace, name)) for name in names]
        if any(claim is None for claim in claims):
            return PodAnswer(pod, "pending-claim-missing")
        pending = [claim for claim in claims if claim is not None and claim.allocation is None]
        held = [claim for claim in claims if claim is not None and claim.allocation is not None]
        if not pending:
            return PodAnswer(pod, "waiting-for-binding-conditions" if _binding(held) else "scheduled-not-running")
        nodes = [node for node in self.nodes if all(_usable_from(claim, node) for claim in held)]
        answers = self.try_on(pending, nodes)
        state = _state(answers)
        if state == "infeasible":
            reason = why(self, pending, nodes, answers, pinned_by=held)
            return PodAnswer(pod, "pending-infeasible", why=reason)
        fitting = tuple(answer.node for answer in answers if answer.verdict == "allocatable")
        return PodAnswer(pod, "pending-feasible" if state == "feasible" else "pending-undecided", fitting)

    def _settled(self, pod: Pod) -> PodState | None:
        """The state of a pod that waits for no allocation."""
        if pod.phase in ("Succeeded", "Failed"):
            return "over"
        waits = any(not entry.claim and entry.name not in pod.claim_statuses for entry in pod.claims)
        if waits and pod.id not in self._reserving:  # the prototype's pods do not tell their claims
            return "pending-claim-not-created"
        if pod.phase == "Running":
            return "running"
        if not pod.node_name:
            return None
        ids = [ClaimId(pod.meta.namespace, name) for name in pod.claim_names()]
        known = [self.claims[each] for each in ids if each in self.claims]
        if all(claim.allocation is not None for claim in known) and len(known) == len(ids):
            return "scheduled-not-running"
        return "not-scheduled-claims-unallocated"


def only_with(claim: Claim, constraint: Constraint, value: AttributeValue) -> Claim | None:
    """The claim with the requests of a constraint held to one value of its attribute; None for one CEL cannot say."""
    literal = _literal(value)
    if literal is None:
        return None
    domain, _, id = constraint.match_attribute.rpartition("/")
    where = f"device.attributes[{json.dumps(domain)}]"
    selector = f"has({where}.{id}) && {where}.{id} == {literal}"

    def held(request: Request) -> Request:
        full = {f"{request.name}/{each.name}" for each in request.alternatives}
        if constraint.requests and not {request.name, *full} & set(constraint.requests):
            return request
        return replace(
            request,
            alternatives=tuple(replace(each, selectors=(*each.selectors, selector)) for each in request.alternatives),
        )

    return replace(claim, requests=tuple(map(held, claim.requests)))


def _literal(value: AttributeValue) -> str | None:
    match value.kind:
        case "string":
            return json.dumps(value.value)
        case "version":
            return f"semver({json.dumps(value.value)})"
        case "bool":
            return "true" if value.value else "false"
        case "int":
            return str(value.value)
    return None


def _state(answers: Sequence[Answer]) -> State:
    if any(answer.verdict == "allocatable" for answer in answers):
        return "feasible"
    return "undecided" if any(answer.verdict == "undecided" for answer in answers) else "infeasible"


def _chosen(claim: Claim) -> Iterator[tuple[str, str]]:
    for result in claim.allocation.results if claim.allocation is not None else ():
        request, slash, alternative = result.request.partition("/")
        if slash:
            yield request, alternative


def _alternatives(claim: Claim, answer: Answer) -> Iterator[tuple[str, str]]:
    for picks in answer.picks[:1]:
        for pick in picks:
            request, slash, alternative = pick.request.partition("/")
            if slash:
                yield request, alternative


def _score(claim: Claim, answer: Answer) -> tuple[bool, int]:
    """How the scheduler's plugin scores a node: the earlier the alternatives, the better (dra-api.md 3.9)."""
    ranks = {
        (request.name, each.name): index
        for request in claim.requests
        if request.prioritized
        for index, each in enumerate(request.alternatives)
    }
    taken = dict(_alternatives(claim, answer))
    score = sum(MOST_ALTERNATIVES - ranks[request, alternative] for request, alternative in taken.items())
    return answer.verdict == "allocatable", score


def _usable_from(claim: Claim, node: Node) -> bool:
    """Whether an allocated claim may be used on the node."""
    terms = claim.allocation.nodes if claim.allocation is not None else None
    return terms is None or selected(terms, node)


def _binding(claims: Iterable[Claim]) -> bool:
    """Whether a device of an allocated claim still has to be attached."""
    for claim in claims:
        done = {
            (status.driver, status.pool, status.device): {
                each.type for each in status.conditions if each.status == "True"
            }
            for status in claim.device_status
        }
        for result in claim.allocation.results if claim.allocation is not None else ():
            true = done.get((result.driver, result.pool or "", result.device), set())
            if set(result.binding_conditions) - true:
                return True
    return False
