"""What a claim's page says about why it waits and what would help, made from the core's answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.dateparse import parse_datetime

from pools.core.amounts import compared
from pools.core.funnel import Short
from pools.core.remedy import Remedies, Remedy
from pools.core.trial import Placed
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.state import Holder
from pools.models import Claim, Pod
from pools.queries.why import CardPlan, ClaimHelp, ClaimWhy, Drop, Example, Kind, claim_help, claim_why
from pools.web import addresses

KINDS = 8
"""Kinds of nodes that are listed one by one."""
NAMES = 6
ONE = {"are": "is", "make": "makes", "meet": "meets", "cannot": "cannot", "do": "does", "have": "has"}
"""How a verb reads of one device."""


@dataclass(frozen=True, slots=True)
class Link:
    """A name and where it leads; '' leads nowhere."""

    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class HolderView:
    """A claim that stands in the way."""

    claim: Link
    pods: tuple[str, ...]
    since: datetime | None


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A device that drops out: what it is short of as (name, need, left), or the detail; and the holders."""

    device: Link
    pool: str
    short: tuple[tuple[str, str, str], ...]
    detail: str
    holders: tuple[HolderView, ...]
    more: int


@dataclass(frozen=True, slots=True)
class DropView:
    """Devices that drop out at one stage; a selector with what it read as (name, value, devices)."""

    count: int
    words: str
    selector: str
    read: tuple[tuple[str, str | None, int], ...]
    examples: tuple[ExampleView, ...]


@dataclass(frozen=True, slots=True)
class FunnelView:
    """One request on one kind of node; the last of `steps` is where it ends."""

    name: str
    wanted: str
    steps: tuple[tuple[str, int], ...]
    enough: bool
    drops: tuple[DropView, ...]


@dataclass(frozen=True, slots=True)
class KindView:
    """Nodes on which the claim fares alike."""

    nodes: tuple[Link, ...]
    more: int
    count: int
    fits: bool
    message: str
    requests: tuple[FunnelView, ...]


@dataclass(frozen=True, slots=True)
class RemedyView:
    """Claims that would have to go, or, with `moves`, to move: (claim, node, devices)."""

    claims: tuple[HolderView, ...]
    node: Link
    gets: tuple[Link, ...]
    moves: tuple[tuple[str, str, tuple[str, ...]], ...]
    what_if: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """Moves on one card: (from, to, claims)."""

    card: Link
    type: str
    moves: tuple[tuple[str, str, str], ...]
    gained: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HelpView:
    """What would help; `lead` says how many, and how sure that is."""

    lead: str
    remedies: tuple[RemedyView, ...]
    plans: tuple[PlanView, ...]


@dataclass(frozen=True, slots=True)
class WhyView:
    """
    Why a claim waits. `pods` are those that use other claims as well, with what they wait for; `held_up` when the claim
    fits by itself and one of them does not. `others` are nodes without any device that would do.
    """

    state: str
    held_up: bool
    pods: tuple[tuple[str, str], ...]
    sentence: str
    notes: tuple[str, ...]
    says: tuple[tuple[str, str], ...]
    kinds: tuple[KindView, ...]
    others: tuple[str, ...]
    help: HelpView | None
    what_if: str


def why_view(row: Claim, pods: Sequence[Pod]) -> WhyView | None:
    """The panels of a claim that waits; None for a claim that is allocated, or has just gone."""
    identity = ClaimId(row.namespace, row.name)
    found = claim_why(row.cluster, identity)
    if found is None or found.explanation.state == "allocated":
        return None
    helps = claim_help(row.cluster, identity) if found.explanation.state == "infeasible" else None
    name = row.cluster.name
    telling = [kind for kind in found.kinds if kind.matched] or list(found.kinds[:1])
    rest = [kind for kind in found.kinds if kind not in telling] + telling[KINDS:]
    together = [each for each in found.pods if len(each.pod.claims) + bool(each.pod.extended_claim) > 1]
    return WhyView(
        state=found.explanation.state,
        held_up=found.explanation.state == "feasible"
        and any(each.answer.state != "pending-feasible" for each in together),
        pods=tuple((str(each.pod.id), each.sentence) for each in together),
        sentence=found.explanation.sentence,
        notes=found.explanation.notes,
        says=tuple((str(pod), pod.unschedulable) for pod in pods if pod.unschedulable),
        kinds=tuple(_kind(name, kind) for kind in telling[:KINDS]),
        others=tuple(sorted(node for kind in rest for node in kind.group.nodes)),
        help=_help(row, found, helps) if helps is not None else None,
        what_if=addresses.what_if(name, claim=[str(identity)]),
    )


def _kind(cluster: str, kind: Kind) -> KindView:
    names = kind.group.nodes
    return KindView(
        nodes=tuple(Link(node, addresses.node(cluster, node)) for node in names[:NAMES]),
        more=max(0, len(names) - NAMES),
        count=len(names),
        fits=kind.group.answer.verdict == "allocatable",
        message=kind.group.answer.message,
        requests=tuple(
            FunnelView(
                request.name,
                f"{request.wanted}" if request.wanted else "all of them",
                request.steps,
                request.left >= max(1, request.wanted),
                tuple(_drop(cluster, drop) for drop in request.drops if drop.stage not in ("fits", "class")),
            )
            for request in kind.requests
        ),
    )


def _drop(cluster: str, drop: Drop) -> DropView:
    by_selector = drop.stage == "selector"
    return DropView(
        count=drop.count,
        words=_of_one(drop.words) if drop.count == 1 else drop.words,
        selector=drop.examples[0].stop.detail if by_selector and drop.examples else "",
        read=tuple((each.name, each.value, each.count) for each in drop.readings),
        examples=() if by_selector else tuple(_example(cluster, each) for each in drop.examples),
    )


def _of_one(words: str) -> str:
    """The same said of one device."""
    verb, _, rest = words.partition(" ")
    return f"{ONE.get(verb, verb)} {rest}".replace("that they draw on", "that it draws on")


def _example(cluster: str, example: Example) -> ExampleView:
    stop = example.stop
    detail = f"{stop.detail} (by rule {stop.rule})" if stop.rule else stop.detail
    if stop.stage == "in-use":
        detail = "in use"
    return ExampleView(
        device=Link(stop.device.name, addresses.device_of(cluster, stop.device)),
        pool=stop.device.pool,
        short=tuple(map(_short, stop.short)),
        detail="" if stop.short else detail,
        holders=tuple(_holder(cluster, holder) for holder in example.holders),
        more=example.holders_more,
    )


def _short(short: Short) -> tuple[str, str, str]:
    need, left = compared(short.need, short.left, short.text)
    return short.name, need, left


def _holder(cluster: str, holder: Holder) -> HolderView:
    return _of_claim(cluster, holder.claim, holder.pods, holder.since)


def _of_claim(cluster: str, claim: ClaimId, pods: Iterable[str], since: str) -> HolderView:
    moment = parse_datetime(since) if since else None
    return HolderView(Link(str(claim), addresses.claim(cluster, claim)), tuple(pods), moment)


def _help(row: Claim, why: ClaimWhy, found: ClaimHelp) -> HelpView:
    claim = str(ClaimId(row.namespace, row.name))
    cluster = row.cluster.name
    return HelpView(
        lead=_lead(found.remedies),
        remedies=tuple(_remedy(cluster, claim, each, found) for each in found.remedies.sets),
        plans=tuple(_plan(cluster, each) for each in found.plans),
    )


def _lead(found: Remedies) -> str:
    looked = (
        f"All {found.nodes} nodes were looked at"
        if found.looked == found.nodes
        else f"{found.looked} of {found.nodes} nodes were looked at"
    )
    if not found.sets and found.exact:
        return "Releasing claims does not help: it would fit nowhere even if every other claim were gone."
    if not found.sets:
        return f"Nothing was found within the bound. {looked}."
    size, order = len(found.sets[0].release.claims), ", the cheapest first"
    what = "Any one of these claims would do" if size == 1 else f"Any one of these sets of {size} claims would do"
    if len(found.sets) == 1:
        what = "This claim would do" if size == 1 else f"These {size} claims together would do"
        order = ""
    sure = "no smaller set helps" if found.exact else "the search was cut short, so a smaller set may help as well"
    return f"{what}{order}. {looked}; {sure}."


def _remedy(cluster: str, claim: str, remedy: Remedy, found: ClaimHelp) -> RemedyView:
    release = remedy.release
    return RemedyView(
        claims=tuple(_of_claim(cluster, name, *found.users.get(name, ((), ""))) for name in release.claims),
        node=Link(remedy.node, addresses.node(cluster, remedy.node)),
        gets=tuple(_device(cluster, pick.device) for picks in release.picks for pick in picks),
        moves=tuple(_move(placed) for placed in remedy.moves),
        what_if=addresses.what_if(cluster, claim=[claim], release=[str(name) for name in release.claims]),
    )


def _device(cluster: str, device: DeviceId) -> Link:
    return Link(device.name, addresses.device_of(cluster, device))


def _move(placed: Placed) -> tuple[str, str, tuple[str, ...]]:
    chosen = placed.chosen
    devices = tuple(pick.device.name for picks in chosen.picks for pick in picks) if chosen is not None else ()
    return str(placed.question.claims[0].id), chosen.node if chosen is not None else "", devices


def _plan(cluster: str, found: CardPlan) -> PlanView:
    return PlanView(
        card=Link(f"{found.label} of {found.pool.name}", addresses.card_of(cluster, found.pool, found.card)),
        type=found.plan.type,
        moves=tuple(
            (move.source, move.target, ", ".join(dict.fromkeys(str(hold.claim) for hold in move.holders)))
            for move in found.plan.moves
        ),
        gained=found.plan.gained,
    )
