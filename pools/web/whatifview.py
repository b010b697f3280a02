"""What the what-if page shows: the answer in parts, made from the core's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from pools.core.aftermath import TypeDrop, pool_reports
from pools.core.outcome import Line, Outcome
from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.domain.state import CardReport, PoolReport, SlotMap
from pools.figures.palette import claim_styles
from pools.figures.slotmap_svg import Links, slotmap_svg
from pools.figures.svg import swatch
from pools.queries.inquiry import LISTS, Inquiry, as_query
from pools.queries.whatif import WhatIf
from pools.web.layoutview import LayoutView, layout_view
from pools.web.places import Places
from pools.web.whyview import Link

CARDS = 6
TYPES = 24
NODES = 12
CHANGES = {
    "release": "released",
    "drain": "drained",
    "taint": "tainted",
    "untaint": "taints removed from",
    "grow": "more nodes like",
    "swap": "slices swapped in for pool",
    "objects": "with objects that were pasted",
}
ASKED = {
    "claim": "claim",
    "pod": "pod",
    "template": "template",
    "class": "class",
    "type": "type",
    "selector": "selector",
    "count": "devices",
    "copies": "copies",
    "layout": "layout",
}
BELONGS = {"class": ("type", "selector", "count"), "layout": ("pool", "card", "emptied")}
"""Parts that mean nothing without another one."""


@dataclass(frozen=True, slots=True)
class Change:
    """One part of the question in force, and the address of the page without it."""

    words: str
    text: str
    without: str


@dataclass(frozen=True, slots=True)
class LineView:
    """One question and its answer. `picks` are (claim, request, device, pool)."""

    about: str
    state: str
    before: str
    nodes: tuple[Link, ...]
    nodes_more: int
    node: Link
    picks: tuple[tuple[str, str, Link, str], ...]
    message: str


@dataclass(frozen=True, slots=True)
class CardPicture:
    """A card after everything is placed; `legend` has (swatch, claim, whether it was placed)."""

    card: Link
    picture: SafeString
    legend: tuple[tuple[SafeString, Link, bool], ...]


@dataclass(frozen=True, slots=True)
class DropRow:
    """A type of which fewer would fit on a card."""

    card: Link
    type: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class WhatIfView:
    """
    Everything that the page says about an answer. `same` are pending claims that fare as they do now, when nothing in
    particular was asked.
    """

    found: WhatIf
    level: str
    headline: str
    lines: tuple[LineView, ...]
    same: tuple[LineView, ...]
    evicted: tuple[LineView, ...]
    pictures: tuple[CardPicture, ...]
    pictures_more: int
    drops: tuple[DropRow, ...]
    drops_more: int
    lost: tuple[Link, ...]
    layout: LayoutView | None


def what_if_view(cluster: str, found: WhatIf) -> WhatIfView:
    """Gather the answer."""
    outcome, places = found.outcome, Places.of(cluster, found)
    told = tuple(_line(places, line) for line in outcome.lines) if outcome else ()
    same = tuple(line for line in told if outcome and outcome.waiting and line.before in ("", line.state))
    lines = tuple(line for line in told if line not in same)
    moved = [_line(places, line) for line in outcome.evicted] if outcome else []
    evicted = tuple(sorted(moved, key=lambda line: line.state == "feasible"))  # what finds no place comes first
    pictures = list(_pictures(places, outcome)) if outcome else []
    cost = outcome.aftermath if outcome else None
    drops = [_drop(places, row) for row in cost.types] if cost else []
    level, headline = _headline(found)
    return WhatIfView(
        found=found,
        level=level,
        headline=headline,
        lines=lines,
        same=same,
        evicted=evicted,
        pictures=tuple(pictures[:CARDS]),
        pictures_more=max(0, len(pictures) - CARDS),
        drops=tuple(drops[:TYPES]),
        drops_more=max(0, len(drops) - TYPES),
        lost=tuple(Link(str(name), places.claim(name)) for name in (cost.claims if cost else ())),
        layout=layout_view(places, found.layout) if found.layout else None,
    )


def changes(inquiry: Inquiry, path: str) -> tuple[list[Change], list[Change]]:
    """What is asked and what is changed, part by part, each with the way back."""
    asked = [each for key, words in ASKED.items() for each in _changes(inquiry, path, key, words)]
    changed = [each for key, words in CHANGES.items() for each in _changes(inquiry, path, key, words)]
    return asked, changed


def _changes(inquiry: Inquiry, path: str, key: str, words: str) -> Iterator[Change]:
    texts = list(inquiry.values.get(key, ()))
    for index, text in enumerate(texts):
        rest = texts[:index] + texts[index + 1 :] if key in LISTS else []
        dropped = {key: rest, **{other: [] for other in BELONGS.get(key, ())}}
        query = as_query(inquiry, **dropped)
        yield Change(words, "" if key == "objects" else text, f"{path}?{query}" if query else path)


def _headline(found: WhatIf) -> tuple[str, str]:
    outcome = found.outcome
    if outcome is None:
        verdict = found.layout.answer.verdict if found.layout else "undecided"
        words = {"fits": "The layout fits", "impossible": "The layout cannot be placed", "undecided": "Not decided"}
        return {"fits": "ok", "impossible": "error"}.get(verdict, "warning"), words[verdict]
    if outcome.state == "undecided":
        return "warning", "Could not be decided within the bound"
    if outcome.waiting:
        return _of_waiting(outcome)
    asked = [line.placed.state == "feasible" for line in outcome.lines]
    if outcome.state == "feasible":
        return "ok", "It fits" if len(asked) == 1 else f"All {len(asked)} fit"
    if all(asked):
        return "error", "It fits, but claims that have to leave find no other place"
    if len(asked) == 1:
        return "error", "It does not fit"
    return "error", f"{sum(asked)} of {len(asked)} fit" if any(asked) else "None of them fits"


def _of_waiting(outcome: Outcome) -> tuple[str, str]:
    """The verdict on changes when nothing in particular was asked."""
    gained = sum(line.placed.state == "feasible" and line.before == "infeasible" for line in outcome.lines)
    lost = sum(line.placed.state == "infeasible" and line.before == "feasible" for line in outcome.lines)
    homeless = sum(line.placed.state != "feasible" for line in outcome.evicted)
    leaving = len(outcome.evicted)
    parts = []
    if leaving == 1:
        parts.append(f"the one pod or claim that has to leave finds {'no other' if homeless else 'another'} place")
    elif homeless:
        parts.append(f"{homeless} of {leaving} pods or claims that have to leave find no other place")
    elif leaving:
        parts.append(f"all {leaving} pods or claims that have to leave find another place")
    if gained:
        parts.append(
            f"{gained} pending claim{'s' if gained > 1 else ''} would fit that {'do' if gained > 1 else 'does'} not now"
        )
    if lost:
        parts.append(f"{lost} pending claim{'s' if lost > 1 else ''} would no longer fit")
    text = "; ".join(parts) or "No pending claim would fare differently"
    return ("error" if homeless or lost else "ok"), text[0].upper() + text[1:]


def _line(places: Places, line: Line) -> LineView:
    placed, chosen = line.placed, line.placed.chosen
    picks = [
        (
            str(claim.id),
            pick.request,
            Link(pick.device.name, places.device(pick.device)),
            pick.device.pool,
        )
        for claim, own in zip(placed.question.claims, chosen.picks if chosen else (), strict=False)
        for pick in own
    ]
    return LineView(
        about=placed.question.about,
        state=placed.state,
        before=line.before or "",
        nodes=tuple(Link(name, places.node(name)) for name in placed.nodes[:NODES]),
        nodes_more=max(0, len(placed.nodes) - NODES),
        node=Link(chosen.node, places.node(chosen.node)) if chosen else Link(""),
        picks=tuple(picks),
        message=line.sentence,
    )


def _drop(places: Places, row: TypeDrop) -> DropRow:
    label = f"{row.label} of {row.pool.name}" if row.label else row.pool.name
    url = places.card(row.pool, row.card)
    return DropRow(Link(label, url), row.type or "without a type", row.before, row.after)


def _pictures(places: Places, outcome: Outcome) -> Iterator[CardPicture]:
    """The cards on which something was placed, with everything as it would be."""
    placed: dict[PoolId, dict[DeviceId, ClaimId]] = {}
    for line in (*outcome.lines, *outcome.evicted) if not outcome.waiting else outcome.evicted:
        if line.placed.chosen is not None:
            for claim, picks in zip(line.placed.question.claims, line.placed.chosen.picks, strict=True):
                for pick in picks:
                    placed.setdefault(pick.device.pool_id, {})[pick.device] = claim.id
    number = 0
    for identity, report in pool_reports(outcome.after.snapshot, list(placed)[: 2 * CARDS]).items():
        mine = placed[identity]
        cards = {each.card for each in report.devices if each.id in mine}
        for card in report.cards:
            if card.key in cards and card.slots:
                number += 1
                yield _picture(places, report, card, set(mine.values()), f"after-{number}")


def _picture(places: Places, report: PoolReport, card: CardReport, placed: set[ClaimId], prefix: str) -> CardPicture:
    claims = sorted(_holders(card.slots))
    styles = claim_styles(claims)
    label = f"{card.label} of {report.pool.id.name}"
    picture = slotmap_svg(
        card.slots, title=f"Slots of {label} afterwards", styles=styles, links=Links(), standalone=False, lanes=False,
        prefix=prefix,
    )  # fmt: skip
    legend = tuple(
        (
            mark_safe(swatch(styles[claim], prefix=f"{prefix}-key-{index}")),  # noqa: S308 - made of constants
            Link(str(claim), "" if claim in placed else places.claim(claim)),
            claim in placed,
        )
        for index, claim in enumerate(claims)
    )
    link = Link(label, places.card(report.pool.id, card.key))
    return CardPicture(link, mark_safe(picture), legend)  # noqa: S308 - escaped inside


def _holders(maps: Iterable[SlotMap]) -> set[ClaimId]:
    return {holder.claim for each in maps for span in each.spans for holder in span.holders if not holder.admin}
