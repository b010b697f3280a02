"""What the what-if page shows of a whole layout on one card: where each entry would stand, in words and drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString, mark_safe

from pools.core.card_layout import CardLayout, Entry
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.state import Holder, SlotMap
from pools.figures.palette import ClaimStyle, claim_styles
from pools.figures.slotmap_svg import slotmap_svg
from pools.figures.svg import swatch
from pools.queries.whatif import LayoutAnswer
from pools.web.places import Places
from pools.web.whyview import Link

Placed = tuple[SafeString, Link]
"""A device with the swatch of its colour in the picture, which is empty where nothing is drawn."""


@dataclass(frozen=True, slots=True)
class LayoutView:
    """The layout's answer; `entries` has each entry with its devices, none where the layout does not fit."""

    asked: str
    emptied: bool
    answer: CardLayout
    card: Link
    picture: SafeString
    entries: tuple[tuple[Entry, tuple[Placed, ...]], ...]


def layout_view(places: Places, laid: LayoutAnswer) -> LayoutView:
    """Gather what is shown."""
    card = next(each for each in laid.report.cards if each.key == laid.asked.card)
    drawn = bool(card.slots and laid.answer.devices)
    kinds = _kinds(laid)
    maps = [_with_layout(each, kinds) for each in card.slots]
    styles = claim_styles(_holders(maps)) if drawn else {}
    picture = SafeString("")
    if drawn:
        title = f"The layout on {card.label}"
        drawing = slotmap_svg(maps, title=title, styles=styles, standalone=False, lanes=False, prefix="layout")
        picture = mark_safe(drawing)  # noqa: S308 - escaped inside
    return LayoutView(
        asked=" + ".join(f"{count} × {kind}" for kind, count in laid.asked.wanted),
        emptied=laid.asked.emptied,
        answer=laid.answer,
        card=Link(f"{card.label} of {laid.asked.pool.name}", places.card(laid.asked.pool, laid.asked.card)),
        picture=picture,
        entries=tuple(_entries(places, laid, styles)),
    )


def _devices(laid: LayoutAnswer) -> Sequence[tuple[str, ...]]:
    return laid.answer.devices or ((),) * len(laid.answer.entries)


def _kinds(laid: LayoutAnswer) -> dict[DeviceId, str]:
    """The layout's devices with their types."""
    return {
        DeviceId(laid.asked.pool.driver, laid.asked.pool.name, name): entry.type
        for entry, names in zip(laid.answer.entries, _devices(laid), strict=True)
        for name in names
    }


def _holder(device: DeviceId, kind: str) -> ClaimId:
    """Stands for whoever would hold a device of the layout: each has a colour of its own."""
    return ClaimId(kind, device.name)


def _entries(
    places: Places, laid: LayoutAnswer, styles: dict[ClaimId, ClaimStyle]
) -> Iterator[tuple[Entry, tuple[Placed, ...]]]:
    kinds = _kinds(laid)
    number = 0
    for entry, names in zip(laid.answer.entries, _devices(laid), strict=True):
        placed: list[Placed] = []
        for device in (DeviceId(laid.asked.pool.driver, laid.asked.pool.name, name) for name in names):
            number += 1
            style = styles.get(_holder(device, kinds[device]))
            key = swatch(style, prefix=f"layout-key-{number}") if style is not None else ""
            link = Link(device.name, places.device(device))
            placed.append((mark_safe(key), link))  # noqa: S308 - made of constants
        yield entry, tuple(placed)


def _holders(maps: Iterable[SlotMap]) -> set[ClaimId]:
    return {holder.claim for each in maps for span in each.spans for holder in span.holders if not holder.admin}


def _with_layout(item: SlotMap, kinds: dict[DeviceId, str]) -> SlotMap:
    names = {device.name: device for device in kinds}
    spans = (
        replace(
            span,
            state="allocated",
            holders=(Holder(_holder(names[span.device], kinds[names[span.device]]), names[span.device], "layout"),),
        )
        if span.device in names
        else span
        for span in item.spans
    )
    return replace(item, spans=tuple(spans))
