"""What an allocation takes away from others: types of which fewer fit, and pending claims that no longer fit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pools.core.gather import gather
from pools.core.holds import holds
from pools.core.judge import judge
from pools.core.trial import Question, Trial, waiting_claims
from pools.domain.claim import Claim
from pools.domain.cluster import Snapshot
from pools.domain.ids import ClaimId, PoolId
from pools.domain.state import Holder, PoolReport, Surroundings, TypeFit

MOST_CLAIMS = 40
"""Pending claims that are asked whether they still fit."""


@dataclass(frozen=True, slots=True)
class TypeDrop:
    """How many more of a type fitted on a card before, and fit after. `card` is its key, '' for devices without one."""

    pool: PoolId
    card: str
    label: str
    type: str
    before: int
    after: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Aftermath:
    """
    What one trial has less of than another. Rows of `types` are alternatives: never add them up.

    `claims` are pending claims that fitted somewhere and now fit nowhere. `cut` when not all pending ones were asked.
    """

    types: tuple[TypeDrop, ...]
    claims: tuple[ClaimId, ...]
    cut: bool


def aftermath(before: Trial, after: Trial, pools: Collection[PoolId], asked: Collection[ClaimId]) -> Aftermath:
    """
    Compare two trials of one stage.

    Args:
        pools: those in which something was allocated.
        asked: claims that the second trial placed or tried to; they are no bystanders.
    """
    then, now = pool_reports(before.snapshot, pools), pool_reports(after.snapshot, pools)
    drops = tuple(drop for identity in sorted(then) for drop in _drops(then[identity], now[identity]))
    waiting = [claim for claim in waiting_claims(before.snapshot) if claim.id not in asked]
    lost = tuple(claim.id for claim in waiting[:MOST_CLAIMS] if _lost(before, after, claim))
    return Aftermath(drops, lost, cut=len(waiting) > MOST_CLAIMS)


def pool_reports(snapshot: Snapshot, wanted: Collection[PoolId]) -> dict[PoolId, PoolReport]:
    """The core's reports of some pools of a snapshot; those without slices are absent."""
    pools = gather(item for item in snapshot.slices if item.pool_id in wanted)
    held: dict[PoolId, list[Holder]] = {}
    for hold in holds(snapshot.claims, snapshot.slices, snapshot.pods):
        held.setdefault(hold.device.pool_id, []).append(hold)
    names = frozenset(node.meta.name for node in snapshot.nodes) if snapshot.nodes else None
    return {
        pool.id: judge(pool, Surroundings(tuple(held.get(pool.id, ())), snapshot.taint_rules, names)) for pool in pools
    }


def _drops(before: PoolReport, after: PoolReport) -> Iterator[TypeDrop]:
    labels = {card.key: card.label for card in before.cards}
    then, now = _fits(before), _fits(after)
    for (card, kind), fit in then.items():
        left = now.get((card, kind))
        if left is not None and left.max_more < fit.max_more:
            exact = fit.exact and left.exact
            yield TypeDrop(before.pool.id, card, labels.get(card, ""), kind, fit.max_more, left.max_more, exact)


def _fits(report: PoolReport) -> Mapping[tuple[str, str], TypeFit]:
    """By card and type; devices without counters, which compete with nobody, by type alone."""
    found = {(card.key, fit.type): fit for card in report.cards for fit in card.types}
    carded = {kind for _, kind in found}
    return found | {("", fit.type): fit for fit in report.types if fit.type not in carded}


def _lost(before: Trial, after: Trial, claim: Claim) -> bool:
    """Whether the claim fitted before and fits nowhere after; only where it fitted can it still fit."""
    question = Question(str(claim.id), (claim,))
    fitted = set(before.ask(question).nodes)
    if not fitted:
        return False
    nodes = [node for node in after.nodes_for(question) if node.meta.name in fitted]
    answers = after.answers.try_on([claim], nodes)
    return not any(answer.verdict in ("allocatable", "undecided") for answer in answers)
