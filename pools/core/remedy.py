"""What would help: which claims would have to go or to move so that pending ones fit, over a whole cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pools.core.holds import holds
from pools.core.relief import Release, relief
from pools.core.trial import Placed, Question, Trial
from pools.domain.claim import Claim
from pools.domain.cluster import Node
from pools.domain.ids import ClaimId

MOST_TRIES = 150
"""Sets of claims that are tried over all nodes."""
TRIES_A_NODE = 100
MOST_NODES = 64
MOST_SETS = 12


@dataclass(frozen=True, slots=True)
class Remedy:
    """
    One set of claims whose release lets the pending ones fit on a node.

    `moves` says, for each of them, where it would find room again beside the pending ones: then nobody has to go for
    good. It is empty when one of them would find none.
    """

    node: str
    release: Release
    moves: tuple[Placed, ...] = ()

    @property
    def is_move(self) -> bool:
        return bool(self.moves)


@dataclass(frozen=True, slots=True)
class Remedies:
    """
    The smallest sets found, the cheapest first: fewest claims, fewest pods, then least held, then youngest.

    `looked` of `nodes` nodes were looked at. `exact`: all were, and each search was complete, so no smaller set would
    do; without `sets` releasing claims does not help at all.
    """

    sets: tuple[Remedy, ...]
    looked: int
    nodes: int
    exact: bool
    tried: int


def remedies(trial: Trial, question: Question, *, order: Sequence[str] = (), tries: int = MOST_TRIES) -> Remedies:
    """
    Find what has to go, node by node, within a bound over all of them.

    Args:
        question: claims that fit nowhere.
        order: names of nodes to look at first, the most promising first.
        tries: sets of claims that may be tried over all nodes.
    """
    snapshot = trial.snapshot
    held = holds(snapshot.claims, snapshot.slices, snapshot.pods)
    nodes = _ordered(trial.nodes_for(question), order)
    found: list[Remedy] = []
    looked, tried, exact = 0, 0, True
    for node in nodes[:MOST_NODES]:
        if tried >= tries:
            break
        allowed = min(TRIES_A_NODE, tries - tried)
        answer = relief(trial.answers.world, snapshot, node, question.claims, tries=allowed, held=held)
        looked, tried, exact = looked + 1, tried + answer.tried, exact and answer.exact
        found += [Remedy(node.meta.name, release) for release in answer.sets]
    best = sorted(_smallest(found), key=_price)[:MOST_SETS]
    moved = tuple(replace(each, moves=tuple(_moves(trial, question, each))) for each in best)
    return Remedies(moved, looked, len(nodes), exact and looked == len(nodes), tried)


def _ordered(nodes: Sequence[Node], order: Sequence[str]) -> list[Node]:
    rank = {name: index for index, name in enumerate(order)}
    return sorted(nodes, key=lambda node: rank.get(node.meta.name, len(rank)))


def _smallest(found: Sequence[Remedy]) -> Iterator[Remedy]:
    """The sets of the smallest size, each once; on other nodes the same set is no other help."""
    least = min((len(each.release.claims) for each in found), default=0)
    seen: set[tuple[ClaimId, ...]] = set()
    for each in found:
        if len(each.release.claims) == least and each.release.claims not in seen:
            seen.add(each.release.claims)
            yield each


def _price(remedy: Remedy) -> tuple[int, float, tuple[str, ...], tuple[ClaimId, ...]]:
    release = remedy.release
    backwards = tuple("".join(chr(0x10FFFF - ord(letter)) for letter in text) for text in release.since)
    return len(release.pods), release.share, backwards, release.claims


def _moves(trial: Trial, question: Question, remedy: Remedy) -> Iterator[Placed]:
    """Where the released claims find room again, on the same node if they can; nothing when not all do."""
    gone = set(remedy.release.claims)
    released = [claim for claim in trial.snapshot.claims if claim.id in gone]
    after = trial.with_claims(tuple(claim for claim in trial.snapshot.claims if claim.id not in gone))
    here = after.ask(replace(question, node=remedy.node))
    if here.chosen is None:
        return
    after = after.place(question, here.chosen)
    placed: list[Placed] = []
    for claim in released:
        if not claim.requests:
            return  # nobody knows what it would ask for
        again = _again(claim)
        at_home = after.ask(replace(again, node=remedy.node))
        each = at_home if at_home.chosen is not None else after.ask(again)
        if each.chosen is None:
            return
        after = after.place(again, each.chosen)
        placed.append(each)
    yield from placed


def _again(claim: Claim) -> Question:
    bare = replace(claim, allocation=None, reserved_for=(), device_status=())
    return Question(f"claim {claim.id}", (bare,))
