"""Trials: claims placed one after another on a staged cluster, as the scheduler would, and what is left afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from pools.core.allocate import Answer, Pick
from pools.core.answers import Answers, State
from pools.core.node_match import selected
from pools.core.release import Release
from pools.core.whatif import Stage
from pools.domain.claim import Allocation, AllocationResult, Claim
from pools.domain.cluster import Node, Snapshot
from pools.domain.device import NodeRequirement, NodeSelectorTerm

MOST_COPIES = 200
MOST_STEPS = 400_000
"""Candidates that counting copies may look at, over all nodes."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    Claims that have to be allocated together, on one node, as those of one pod.

    `held` are claims of the same pod that are allocated already, and `node` where it has to run, if that is settled.
    On the nodes `elsewhere` the claims are not made, so that these do not come into question; `note` says why.
    `about` says what is asked, for people.
    """

    about: str
    claims: tuple[Claim, ...]
    held: tuple[Claim, ...] = ()
    node: str = ""
    elsewhere: frozenset[str] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """
    What became of one question. `answers` are the scheduler's on each node that came into question; `chosen` is the one
    that was taken: of those that fit the one whose alternatives are preferred most, then the first by name.
    """

    question: Question
    answers: tuple[Answer, ...]
    chosen: Answer | None

    @property
    def state(self) -> State:
        if self.chosen is not None:
            return "feasible"
        return "undecided" if any(answer.verdict == "undecided" for answer in self.answers) else "infeasible"

    @property
    def nodes(self) -> tuple[str, ...]:
        """Where it fits."""
        return tuple(answer.node for answer in self.answers if answer.verdict == "allocatable")


@dataclass(frozen=True, slots=True)
class Copies:
    """
    How many copies fit on top of what is there, placed one after another as the scheduler would place them.

    `nodes` has (node, number) of those with any. `exact` is False when a bound was met: there may be more.
    """

    count: int
    nodes: tuple[tuple[str, int], ...]
    exact: bool


class Trial:
    """A staged cluster to which claims are allocated; placing gives another trial and leaves this one as it is."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    @classmethod
    def of(cls, stage: Stage, rules: Release | None = None) -> Trial:
        """The stage, ready to be asked."""
        answers = Answers(stage.snapshot, rules)
        answers.nodes = stage.nodes
        return cls(answers)

    @property
    def snapshot(self) -> Snapshot:
        return self.answers.snapshot

    def on(self, stage: Stage) -> Trial:
        """The same cluster as a scenario makes it; what was learnt of devices is shared where these are the same."""
        old, new = self.snapshot, stage.snapshot
        kept = new.slices is old.slices and new.classes is old.classes and new.taint_rules is old.taint_rules
        if not kept:
            return Trial.of(stage, self.answers.rules)
        other = self.with_claims(new.claims)
        other.answers.snapshot, other.answers.nodes = new, stage.nodes
        return other

    def nodes_for(self, question: Question) -> tuple[Node, ...]:
        """The nodes that come into question."""
        return tuple(
            node
            for node in self.answers.nodes
            if question.node in ("", node.meta.name)
            and node.meta.name not in question.elsewhere
            and all(_usable_from(claim, node) for claim in question.held)
        )

    def ask(self, question: Question) -> Placed:
        """Where the claims would fit, without placing them."""
        answers = self.answers.try_on(question.claims, self.nodes_for(question)) if question.claims else ()
        return Placed(question, answers, preferred(question.claims, answers))

    def place(self, question: Question, answer: Answer) -> Trial:
        """The same cluster with the claims allocated as *answer* says."""
        number = len(self.snapshot.claims)
        made = {
            claim.id: allocated(claim, picks, answer.node, f"what-if-{number + index}")
            for index, (claim, picks) in enumerate(zip(question.claims, answer.picks, strict=True))
        }
        stay = [made.pop(claim.id, claim) for claim in self.snapshot.claims]
        return self.with_claims((*stay, *made.values()))

    def with_claims(self, claims: tuple[Claim, ...]) -> Trial:
        """The same cluster with other claims; what was learnt of slices and devices is shared."""
        other = copy(self.answers)
        other.snapshot = replace(self.snapshot, claims=claims)
        other.world = self.answers.world.without(claims, other.snapshot)
        other.claims = {claim.id: claim for claim in claims}
        return Trial(other)

    def play(self, questions: Iterable[Question]) -> tuple[tuple[Placed, ...], Trial]:
        """Place one question after another; what fits nowhere takes nothing, and the others have their turn."""
        trial, found = self, []
        for question in questions:
            placed = trial.ask(question)
            if placed.chosen is not None:
                trial = trial.place(question, placed.chosen)
            found.append(placed)
        return tuple(found), trial

    def copies(self, question: Question, *, most: int = MOST_COPIES, steps: int = MOST_STEPS) -> Copies:
        """
        Count copies, node after node, each filled until no more fits.

        Args:
            most: counting stops there.
            steps: as does it after looking at so many candidates.
        """
        trial, counts = self, []
        first = self.ask(question)
        exact = first.state != "undecided"
        for name in first.nodes:
            here = replace(question, node=name)
            number = 0
            while most > 0 and steps > 0:
                placed = trial.ask(here)
                steps -= sum(answer.steps for answer in placed.answers)
                if placed.chosen is None:
                    exact = exact and placed.state != "undecided"
                    break
                trial = trial.place(_copy(here, len(trial.snapshot.claims)), placed.chosen)
                number, most = number + 1, most - 1
            counts.append((name, number))
        bounded = bool(first.nodes) and (most <= 0 or steps <= 0)
        counted = tuple(pair for pair in counts if pair[1])
        return Copies(sum(number for _, number in counted), counted, exact and not bounded)


def waiting_claims(snapshot: Snapshot) -> list[Claim]:
    """Claims that nothing is allocated to, the longest waiting first; those being deleted wait for nothing."""
    found = [claim for claim in snapshot.claims if claim.allocation is None and not claim.meta.deleted]
    return sorted(found, key=lambda claim: (not claim.meta.created, claim.meta.created, claim.id))


def preferred(claims: Sequence[Claim], answers: Iterable[Answer]) -> Answer | None:
    """Of the answers that fit the one that the scheduler's plugin scores highest, the first among equals; else None."""
    fitting = [answer for answer in answers if answer.verdict == "allocatable"]
    return min(fitting, key=lambda answer: sum(_ranks(claims, answer)), default=None)


def _ranks(claims: Sequence[Claim], answer: Answer) -> Iterator[int]:
    """For each prioritised request the place of the alternative that it would get (dra-api.md 3.9)."""
    for claim, picks in zip(claims, answer.picks, strict=True):
        taken = dict.fromkeys(pick.request.partition("/")[::2] for pick in picks)
        for request in claim.requests:
            if request.prioritized:
                yield from (i for i, each in enumerate(request.alternatives) if (request.name, each.name) in taken)


def allocated(claim: Claim, picks: Iterable[Pick], node: str, share_id: str) -> Claim:
    """The claim as if these devices had been allocated to it on a node."""
    results = tuple(
        AllocationResult(
            request=pick.request,
            driver=pick.device.driver,
            pool=pick.device.pool,
            device=pick.device.name,
            admin_access=pick.admin,
            share_id=share_id if pick.shared else "",
            consumed_capacity=pick.consumed if pick.shared else {},
            tolerations=pick.tolerations,
        )
        for pick in picks
    )
    nodes = (NodeSelectorTerm(fields=(NodeRequirement("metadata.name", "In", (node,)),)),)
    return replace(claim, allocation=Allocation(results, nodes))


def _copy(question: Question, number: int) -> Question:
    """The same question about claims of other names."""
    claims = tuple(
        replace(claim, meta=replace(claim.meta, name=f"{claim.meta.name}\0{number + index}"))
        for index, claim in enumerate(question.claims)
    )
    return replace(question, claims=claims)


def _usable_from(claim: Claim, node: Node) -> bool:
    terms = claim.allocation.nodes if claim.allocation is not None else None
    return terms is None or selected(terms, node)
