"""The scheduler's allocator: on one node, for several claims together, the first full solution of its search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pools.core.attempt import Attempt
from pools.core.constraints import Tie
from pools.core.foresight import Hopeless, OutOfSteps
from pools.core.node_match import SelectorError
from pools.core.nodeview import Seat
from pools.core.ways import Candidate, Way, ways_of
from pools.core.world import Fatal, Unsupported, World
from pools.domain.claim import Claim, DeviceClass, DeviceRequest, Toleration
from pools.domain.cluster import Node
from pools.domain.ids import DeviceId
from pools.domain.pool import Meta
from pools.domain.quantity import Quantity

BUDGET = 200_000
"""Candidates that a search looks at before it gives up."""
INVALID_POOLS = "invalid resource pools were encountered"

Verdict = Literal["allocatable", "impossible", "error", "undecided"]


@dataclass(frozen=True, slots=True)
class Pick:
    """One device of the solution; `consumed` is filled for a share of a device."""

    request: str
    device: DeviceId
    admin: bool = False
    shared: bool = False
    consumed: Mapping[str, Quantity] = field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What the scheduler would say on one node.

    `picks` has one tuple a claim, in the claims' order, when allocatable. `message` is the scheduler's error, or why
    nothing could be decided. `node_only` is an error that leaves other nodes their chance; others end the attempt.
    `steps` counts the candidates looked at.
    """

    node: str
    verdict: Verdict
    picks: tuple[tuple[Pick, ...], ...] = ()
    message: str = ""
    node_only: bool = False
    steps: int = 0


def allocate(world: World, node: Node, claims: Sequence[Claim], *, budget: int = BUDGET) -> Answer:
    """
    Search as the scheduler does and return its first solution, its error, or that there is none.

    Claims are allocated together, in the order given. Running out of steps is an answer of its own, never a guess.

    Source: Allocate of k8s.io/dynamic-resource-allocation/structured, dra-api.md 3.4-3.12.
    """
    name = node.meta.name
    steps = 0
    try:
        pools = world.pools(node)
        ways = [ways_of(world, node, pools, claim) for claim in claims]
        attempt = Attempt(world, node, claims, pools, ways, [_ties(claim) for claim in claims], budget)
        try:
            done = attempt.request(0, 0)
        except Hopeless:
            done = False
        finally:
            steps = attempt.steps
    except SelectorError as error:
        return Answer(name, "error", message=f"gather pool information: {error}")
    except Fatal as error:
        return Answer(name, "error", message=str(error), steps=steps)
    except Unsupported as error:
        return Answer(name, "undecided", message=str(error), steps=steps)
    except (OutOfSteps, RecursionError):
        return Answer(name, "undecided", message=f"undecided after {steps} steps", steps=steps)
    if done is True:
        fault = _selector_fault(claims, attempt.chosen)
        if fault:
            return Answer(name, "error", message=fault, steps=steps)
        return Answer(name, "allocatable", tuple(_picks(chosen) for chosen in attempt.chosen), steps=steps)
    if any(pool.state == "invalid" for pool in pools):
        return Answer(name, "error", message=INVALID_POOLS, node_only=True, steps=steps)
    return Answer(name, "impossible", steps=steps)


def _selector_fault(claims: Sequence[Claim], chosen: Sequence[Sequence[tuple[Way, Candidate]]]) -> str:
    """Why no node selector can be written into an allocation, empty when one can (createNodeSelector)."""
    for claim, picked in zip(claims, chosen, strict=True):
        for _, candidate in picked:
            terms = _selector_terms(candidate.seat)
            if terms is None:
                break
            if terms > 1:
                return f"create NodeSelector for claim {claim.meta.name}: unsupported NodeSelector with {terms} terms"
    return ""


def _selector_terms(seat: Seat) -> int | None:
    """How many terms the device's node selector has; None when it is bound to one node."""
    reach = seat.device.reach if seat.slice.per_device_reach else seat.slice.reach
    return None if reach.node_name or seat.device.binds_to_node else len(reach.selector or ())


def _picks(chosen: Iterable[tuple[Way, Candidate]]) -> tuple[Pick, ...]:
    return tuple(
        Pick(
            request=way.name,
            device=candidate.seat.id,
            admin=way.request.admin_access,
            shared=candidate.charge is not None,
            consumed=candidate.charge or {},
            tolerations=way.request.tolerations,
        )
        for way, candidate in chosen
    )


def _ties(claim: Claim) -> list[Tie]:
    ties = []
    for index, constraint in enumerate(claim.constraints):
        tie = Tie.of(constraint)
        if tie is None:
            raise Fatal(f"claim {claim.id}, constraint #{index}: empty constraint (unsupported constraint type?)")
        ties.append(tie)
    return ties


def free_devices(world: World, node: Node, *, tolerate: bool) -> tuple[DeviceId, ...]:
    """
    The devices that a claim for just one of them could get on a node now: no selectors, no capacity asked for.

    Args:
        tolerate: as if the claim tolerated every taint.

    Raises:
        SelectorError: a node selector cannot be parsed.
    """
    attempt = Attempt(world, node, (_PROBE,), (), (), ((),), BUDGET)
    way = Way(_PROBE, "probe", "probe", DeviceRequest("", ""), DeviceClass(Meta(""), ""), 1)
    found: dict[DeviceId, None] = {}
    for pool in world.pools(node):
        for seat in pool.seats:
            if (tolerate or not world.taints(seat)) and _obtainable(attempt, way, world, node, seat):
                found[seat.id] = None
    return tuple(found)


_PROBE = Claim(Meta("probe"), "", ())


def _obtainable(attempt: Attempt, way: Way, world: World, node: Node, seat: Seat) -> bool:
    if seat.id in world.in_use.whole or not world.operable(node, seat) or (_selector_terms(seat) or 0) > 1:
        return False
    try:
        candidate = way.candidate(world, seat) if way.selects(world, node, seat) else None
    except Fatal:
        return False
    if candidate is None or not attempt.take(way, 0, candidate):
        return False
    attempt.release(0, candidate)
    return True
