"""The main reason why claims fit nowhere, found by taking one obstacle away at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pools.core import relaxed
from pools.core.allocate import BUDGET, Answer, allocate
from pools.core.nodeview import NodePool, Seat
from pools.core.world import Fatal, Unsupported, World, all_match, selectors
from pools.domain.claim import Claim, DeviceRequest
from pools.domain.cluster import Node
from pools.domain.ids import DeviceId, PoolId

if TYPE_CHECKING:
    from pools.core.answers import Answers

Code = Literal[
    "no-pools",
    "no-device-published",
    "no-matching-device",
    "all-matching-allocated",
    "counters-insufficient",
    "capacity-insufficient",
    "compatibility",
    "tainted",
    "constraint",
    "pool-incomplete",
    "pool-invalid",
    "cel-error",
    "device-class-missing",
    "too-many-devices",
    "not-enough-on-one-node",
    "node-pinned-by-claim",
    "refused",
    "several",
]


@dataclass(frozen=True, slots=True)
class Why:
    """
    The main reason: without this one obstacle the claims would fit. `several` when no single one is to blame.

    `detail` is the scheduler's own message where it has one. `request` names the request at fault, where it is one.
    """

    code: Code
    detail: str = ""
    request: str = ""


def why(
    answers: Answers,
    claims: Sequence[Claim],
    nodes: Sequence[Node],
    given: Sequence[Answer],
    *,
    pinned_by: Sequence[Claim] = (),
) -> Why:
    """
    Why claims that fit on none of the nodes do not.

    Args:
        given: the scheduler's answers on these nodes, none of them allocatable.
        pinned_by: allocated claims that leave only these nodes.
    """
    fatal = next((each for each in given if each.verdict == "error" and not each.node_only), None)
    if fatal is not None:
        return _of_message(fatal.message)
    if not answers.snapshot.slices:
        return Why("no-pools")
    everywhere = [group[0] for group in answers.kinds(claims)]
    here = [group[0] for group in answers.kinds(claims, nodes)]
    missing = _unmatched(answers, claims, everywhere)
    if missing is not None:
        return missing
    if pinned_by and len(nodes) < len(answers.nodes) and _fits(answers.world, claims, everywhere):
        return Why("node-pinned-by-claim", ", ".join(str(claim.id) for claim in pinned_by))
    for code, world, asked in _relaxations(answers, claims):
        if _fits(world, asked, here):
            return Why(code)
    return Why("several")


_MERGED = 33
"""Nodes of a kind that are taken together: as many as a claim may hold devices, and one more."""


def _relaxations(answers: Answers, claims: Sequence[Claim]) -> Iterator[tuple[Code, World, Sequence[Claim]]]:
    """(what is to blame if this fits, the world, the claims), the likelier first."""
    world, slices = answers.world, answers.snapshot.slices
    yield "tainted", world, relaxed.tolerating(claims)
    yield "constraint", world, relaxed.untied(claims)
    yield "counters-insufficient", relaxed.with_full_counters(world), claims
    yield "compatibility", relaxed.with_every_group(world), claims
    yield "capacity-insufficient", relaxed.with_full_capacity(world), relaxed.asking_no_capacity(claims)
    merged = relaxed.with_one_node(world, slices, [node for group in answers.kinds(claims) for node in group[:_MERGED]])
    yield "not-enough-on-one-node", merged, claims
    yield "all-matching-allocated", relaxed.with_nothing_in_use(world), claims
    yield "pool-incomplete", relaxed.with_pools_in_state(world, slices, "incomplete"), claims
    yield "pool-invalid", relaxed.with_pools_in_state(world, slices, "invalid"), claims


def _fits(world: World, claims: Sequence[Claim], nodes: Sequence[Node]) -> bool:
    return any(allocate(world, node, claims, budget=BUDGET).verdict == "allocatable" for node in nodes)


_MARKS: tuple[tuple[str, Code], ...] = (
    ("CEL ", "cel-error"),
    ("could not retrieve device class", "device-class-missing"),
    ("exceeds the claim limit", "too-many-devices"),
    ("is currently being updated", "pool-incomplete"),
    ("is currently invalid", "pool-invalid"),
    ("claim constraint would not be satisfied", "constraint"),
)
_OF_THE_NODE = ("pool-incomplete", "pool-invalid", "constraint")


def _of_message(message: str) -> Why:
    """The reason behind an error that ends the attempt, by the scheduler's words."""
    return Why(next((code for mark, code in _MARKS if mark in message), "refused"), message)


def is_about_claims(answer: Answer) -> bool:
    """Whether the answer is an error that would be the same on every node that the scheduler could look at."""
    return answer.verdict == "error" and not answer.node_only and _of_message(answer.message).code not in _OF_THE_NODE


def _unmatched(answers: Answers, claims: Sequence[Claim], nodes: Sequence[Node]) -> Why | None:
    """The first request whose selectors take no device that a node sees, or only devices of unusable pools."""
    world = answers.world
    for claim in claims:
        for request in claim.requests:
            states: set[str] = set()
            seen = False
            for seat in seats_on(world, nodes):
                seen = True
                if any(_selects(world, seat, claim, each) for each in request.alternatives):
                    states.add(seat.pool.state)
                    if seat.pool.state == "usable":
                        break
            if "usable" in states:
                continue
            for state, code in _UNUSABLE:
                if state in states:
                    return Why(code, request=request.name)
            elsewhere = any(
                _selects(world, seat, claim, each) for seat in all_seats(world) for each in request.alternatives
            )
            return Why("no-matching-device" if seen and not elsewhere else "no-device-published", request=request.name)
    return None


_UNUSABLE: tuple[tuple[str, Code], ...] = (("incomplete", "pool-incomplete"), ("invalid", "pool-invalid"))


def seats_on(world: World, nodes: Iterable[Node]) -> Iterator[Seat]:
    """Every device that one of the nodes sees, those of incomplete and invalid pools included; each once."""
    pools: set[tuple[PoolId, str]] = set()
    for node in nodes:
        for pool in world.pools(node):
            if pool.state == "usable":
                yield from pool.seats
            elif (pool.id, pool.state) not in pools:
                pools.add((pool.id, pool.state))
                yield from seats_of(world, pool)


def all_seats(world: World) -> Iterator[Seat]:
    """Every device of every pool's newest generation, whether a node sees it or not."""
    for key in world.slices.by_pool:
        yield from seats_of(world, NodePool(key, "incomplete"))


def seats_of(world: World, pool: NodePool) -> Iterator[Seat]:
    """The devices published for a pool in its newest generation."""
    slices = world.slices.by_pool[pool.id]
    newest = max((item.generation for item in slices), default=0)
    for item in slices:
        if item.generation == newest:
            for device in item.devices:
                yield Seat(DeviceId(pool.id.driver, pool.id.name, device.name), device, item, pool)


def _selects(world: World, seat: Seat, claim: Claim, request: DeviceRequest) -> bool:
    """Whether class and request take the device; a selector that fails is no reason to call it unmatched."""
    device_class = world.classes.get(request.device_class)
    if device_class is None and request.device_class:
        return True
    asked = selectors(world, request.selectors, "", claim.form)
    if device_class is not None:
        asked = [*selectors(world, device_class.selectors, "", device_class.form), *asked]
    try:
        return all_match(world, seat, asked)
    except (Fatal, Unsupported):
        return True
