"""The answer to a what-if: what fits where, what fitted before, how often it fits, and whom it would cost what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pools.core.aftermath import Aftermath, aftermath
from pools.core.amounts import listed
from pools.core.answers import State
from pools.core.asking import ask_claim, ask_evicted
from pools.core.explain import Explainer
from pools.core.reasons import Why, why
from pools.core.trial import Copies, Placed, Question, Trial, waiting_claims
from pools.core.whatif import Stage

MOST_WAITING = 40
"""Pending claims that are asked about when a scenario names none."""


@dataclass(frozen=True, slots=True)
class Line:
    """
    One question and its answer. `before` says whether it fitted without the scenario's changes, None when there are
    none or it is only asked because of them. `why` is set for what fits nowhere; `sentence` says the same, or why
    nothing could be decided, to a person, and is empty for what fits.
    """

    placed: Placed
    before: State | None
    why: Why | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    Everything about one what-if.

    `lines` are the questions in order, each asked with all before it placed; `evicted` those that have to leave, placed
    after them. `after` is the cluster with all that fits allocated. `aftermath` tells what the placed claims take from
    others, None when none is placed. `waiting` is true when nothing was asked: the lines are then the cluster's pending
    claims, each asked by itself and not placed; `cut` when there are more of them.
    """

    stage: Stage
    lines: tuple[Line, ...]
    evicted: tuple[Line, ...]
    copies: Copies | None
    aftermath: Aftermath | None
    after: Trial
    waiting: bool = False
    cut: bool = False

    @property
    def state(self) -> State:
        """Whether everything fits that was asked for or evicted; and that no pending claim loses its place."""
        asked = [line for line in self.lines if not self.waiting or line.before == "feasible"]
        states = [line.placed.state for line in (*asked, *self.evicted)]
        if "infeasible" in states:
            return "infeasible"
        return "undecided" if "undecided" in states else "feasible"


def outcome(
    base: Trial, staged: Stage, questions: Sequence[Question], *, changed: bool, copies: bool = False
) -> Outcome:
    """
    Play a what-if through.

    Args:
        base: the cluster as it is.
        staged: the same with the scenario's changes.
        questions: what is asked, in order; none asks about the cluster's own pending claims, the longest waiting first.
        changed: whether the scenario changes anything.
        copies: also count how many of the first question's claims fit in all.
    """
    trial = base.on(staged) if changed else base
    waiting = not questions
    claims = [each for each in waiting_claims(staged.snapshot) if each.id not in staged.evicted] if waiting else []
    asked = list(questions) or [ask_claim(claim) for claim in claims[:MOST_WAITING]]
    placed, after = (tuple(map(trial.ask, asked)), trial) if waiting else trial.play(asked)
    lines = tuple(_lines(trial, placed, base if changed else None, placing=not waiting))
    moved, last = after.play(ask_evicted(after.snapshot, staged.evicted))
    return Outcome(
        stage=staged,
        lines=lines,
        evicted=tuple(_lines(after, moved, None, placing=True)),
        copies=trial.copies(asked[0]) if copies and asked and asked[0].claims else None,
        aftermath=None if waiting else _cost(trial, after, placed),
        after=last,
        waiting=waiting,
        cut=len(claims) > MOST_WAITING,
    )


def _lines(trial: Trial, placed: Sequence[Placed], base: Trial | None, *, placing: bool) -> list[Line]:
    """The answers with what they were before, and why not; *trial* is the cluster before any of them was placed."""
    lines = []
    for each in placed:
        before = base.ask(each.question).state if base is not None else None
        lines.append(Line(each, before, *_why_not(trial, each)))
        if placing and each.chosen is not None:
            trial = trial.place(each.question, each.chosen)
    return lines


def _why_not(trial: Trial, placed: Placed) -> tuple[Why | None, str]:
    """The main reason why something does not fit, and a sentence."""
    question = placed.question
    if placed.state == "feasible":
        return None, ""
    nodes = trial.nodes_for(question)
    if not nodes:
        return None, "No node comes into question."
    if placed.state == "undecided":
        message = next(each.message for each in placed.answers if each.verdict == "undecided")
        return None, f"Could not be decided here: {message}."
    reason = why(trial.answers, question.claims, nodes, placed.answers, pinned_by=question.held)
    return reason, _sentence(trial, question, reason)


def _sentence(trial: Trial, question: Question, reason: Why) -> str:
    if reason.code == "node-pinned-by-claim":
        return f"Claim {reason.detail} ties it to nodes where its other claims do not fit."
    explainer = Explainer(trial.answers)
    found = [each for each in map(explainer.claim, question.claims) if each.state == "infeasible"]
    if not found:
        names = listed([str(claim.id) for claim in question.claims])
        return f"Each of its claims fits by itself, but not all on one node: {names}."
    return found[0].sentence if len(question.claims) == 1 else f"{found[0].claim.id}: {found[0].sentence}"


def _cost(before: Trial, after: Trial, placed: Sequence[Placed]) -> Aftermath | None:
    pools = {pick.device.pool_id for each in placed if each.chosen for picks in each.chosen.picks for pick in picks}
    asked = {claim.id for each in placed for claim in each.question.claims}
    return aftermath(before, after, pools, asked) if pools else None
