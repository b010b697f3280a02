"""What-if: an inquiry answered on a cluster, from the database or from files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pools.core.aftermath import pool_reports
from pools.core.asking import ask_claim, ask_objects, ask_pod, generated, plain_claim, selector_for
from pools.core.card_layout import CardLayout, card_layout, claims_on
from pools.core.outcome import Outcome, outcome
from pools.core.trial import Question, Trial
from pools.core.whatif import Scenario, Stage, stage
from pools.domain.cluster import Snapshot
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId, PoolId
from pools.domain.state import PoolReport
from pools.models import Cluster, TypeCount
from pools.queries.following import rules
from pools.queries.inquiry import Inquiry, LayoutAsk, Plain
from pools.queries.snapshot import held

T = TypeVar("T")
MOST_POOLS = 40
"""Pools that are looked at to find out by which attribute a type can be asked for."""
PoolsOf = Callable[[str], Sequence[PoolId]]


@dataclass(frozen=True, slots=True)
class LayoutAnswer:
    """A layout's answer, with the report of the card's pool that it was given on."""

    asked: LayoutAsk
    answer: CardLayout
    report: PoolReport


@dataclass(frozen=True, slots=True)
class WhatIf:
    """An inquiry with its answer; `outcome` is None when only a layout was asked for. `revision` is the cluster's."""

    inquiry: Inquiry
    base: Trial
    outcome: Outcome | None
    layout: LayoutAnswer | None
    revision: int = 0

    @property
    def fits(self) -> bool:
        """Whether everything that was asked for certainly fits."""
        placed = self.outcome is None or self.outcome.state == "feasible"
        return placed and (self.layout is None or self.layout.answer.verdict == "fits")


def what_if(cluster: Cluster, inquiry: Inquiry) -> WhatIf:
    """
    Answer an inquiry about a mirrored cluster; nothing is written.

    Raises:
        ScenarioError: it names something that is not there, or asks for something that cannot be asked.
    """

    def pools_with(kind: str) -> list[PoolId]:
        rows = TypeCount.objects.filter(pool__cluster=cluster, type=kind).order_by("pool__driver", "pool__name")
        return [PoolId(*pair) for pair in rows.values_list("pool__driver", "pool__name").distinct()]

    with held(cluster) as whole:
        return replace(answer(whole.trial, inquiry, pools_with), revision=whole.revision)


def what_if_of(snapshot: Snapshot, inquiry: Inquiry) -> WhatIf:
    """The same about objects from files. Raises ScenarioError."""
    base = Trial.of(stage(snapshot, Scenario()), rules())
    pools = sorted({item.pool_id for item in snapshot.slices})
    return answer(base, inquiry, lambda kind: pools)


def answer(base: Trial, inquiry: Inquiry, pools_with: PoolsOf) -> WhatIf:
    """
    Answer an inquiry on a cluster that is ready to be asked.

    Args:
        pools_with: the pools that are likely to have devices of a type.
    """
    changed = not inquiry.scenario.changes_nothing
    staged = stage(base.snapshot, inquiry.scenario) if changed else Stage(base.snapshot, base.answers.nodes)
    questions = [
        each for question in _questions(base, staged, inquiry, pools_with) for each in _times(question, inquiry.copies)
    ]
    notes = dict.fromkeys(question.note for question in questions if question.note)
    staged = replace(staged, notes=(*staged.notes, *notes)) if notes else staged
    laid = _lay_out(staged.snapshot, inquiry.layout) if inquiry.layout is not None else None
    found = None
    if questions or changed or laid is None:
        found = outcome(base, staged, questions, changed=changed, copies=bool(questions))
    return WhatIf(inquiry, base, found, laid)


def _questions(base: Trial, staged: Stage, inquiry: Inquiry, pools_with: PoolsOf) -> Iterator[Question]:
    snapshot, rules = staged.snapshot, base.answers.rules
    claims = {claim.id: claim for claim in snapshot.claims}
    pods = {pod.id: pod for pod in snapshot.pods}
    templates = {template.id: template for template in snapshot.templates}
    for index, name in enumerate(inquiry.claims):
        yield ask_claim(_known(claims, name, "claim", index))
    for index, name in enumerate(inquiry.pods):
        yield ask_pod(snapshot, _known(pods, name, "pod", index), rules)
    for index, name in enumerate(inquiry.templates):
        template = _known(templates, name, "template", index)
        yield Question(f"claim from template {name}", (generated(template, f"{name.name}-claim"),))
    if inquiry.plain is not None:
        yield _plain(base.snapshot, snapshot, inquiry.plain, pools_with)
    asked = {*inquiry.claims, *inquiry.pods, *inquiry.templates}
    added = Snapshot.of([each for each in inquiry.scenario.objects if getattr(each, "id", None) not in asked])
    yield from ask_objects(snapshot, added, rules)


def _known(found: Mapping[ClaimId, T], name: ClaimId, kind: str, index: int) -> T:
    try:
        return found[name]
    except KeyError:
        raise ScenarioError(f"{kind}[{index}]", f"there is no {kind} {name}") from None


def _plain(base: Snapshot, staged: Snapshot, asked: Plain, pools_with: PoolsOf) -> Question:
    selectors = asked.selectors
    what = asked.device_class
    if asked.type:
        what = f"{asked.type} of {asked.device_class}"
        selectors = (*selectors, _selector(base, staged, asked.type, pools_with))
    claim = plain_claim(asked.device_class, count=asked.count, selectors=selectors)
    return Question(f"{asked.count} × {what}", (claim,))


def _selector(base: Snapshot, staged: Snapshot, kind: str, pools_with: PoolsOf) -> str:
    """What a claim for one type says; pools that the scenario brings are looked at first."""
    before = {id(item) for item in base.slices}
    fresh = {item.pool_id for item in staged.slices if id(item) not in before} if staged is not base else set()
    wanted = [*sorted(fresh), *(each for each in pools_with(kind) if each not in fresh)][:MOST_POOLS]
    found = selector_for(kind, pool_reports(staged, wanted).values())
    if found is None:
        known = "no device is of this type" if not _has(staged, wanted, kind) else (
            "no attribute tells its devices from others, so that no claim could ask for them; ask by class and selector"
        )  # fmt: skip
        raise ScenarioError("type", f"{kind!r} cannot be asked for: {known}")
    return found


def _has(snapshot: Snapshot, pools: Collection[PoolId], kind: str) -> bool:
    return any(each.type == kind for report in pool_reports(snapshot, pools).values() for each in report.devices)


def _times(question: Question, copies: int) -> Iterator[Question]:
    """The question so many times, each about claims of names of their own."""
    yield question
    for number in range(2, copies + 1):
        claims = tuple(
            replace(claim, meta=replace(claim.meta, name=f"{claim.meta.name}-copy-{number}"))
            for claim in question.claims
        )
        yield replace(question, about=f"copy {number} of {question.about}", claims=claims)


def _lay_out(snapshot: Snapshot, asked: LayoutAsk) -> LayoutAnswer:
    report = pool_reports(snapshot, {asked.pool}).get(asked.pool)
    if report is None:
        raise ScenarioError("pool", f"there is no pool {asked.pool}")
    try:
        if asked.emptied:
            gone = Scenario(release=claims_on(report, asked.card))
            report = pool_reports(stage(snapshot, gone).snapshot, {asked.pool})[asked.pool]
        return LayoutAnswer(asked, card_layout(report, asked.card, asked.wanted), report)
    except KeyError:
        raise ScenarioError("card", f"there is no card {asked.card!r} in pool {asked.pool}") from None
