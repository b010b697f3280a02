"""What the pool page shows beside its rows, made from the core's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from pools import models
from pools.domain.ids import ClaimId
from pools.domain.state import CardReport, CounterUse, PoolReport
from pools.figures.consumption import CounterBar, consumption
from pools.figures.palette import ClaimStyle
from pools.figures.slotmap_svg import Links, slotmap_svg
from pools.figures.types_remaining import types_remaining
from pools.queries.pages import PoolPage
from pools.web import addresses
from pools.web.cardview import CounterRow, LegendEntry, counter_row, labels, legend, remaining, styles_of

DEVICES = 60
RACK = 64
BARS = 160
FEW = 24
"""Up to this many counters are drawn all together unless one name is asked for."""
ALL = "*"


@dataclass(frozen=True, slots=True)
class RackEntry:
    """One card in the rack; `strip` are its slots, empty for a card without."""

    card: CardReport
    url: str
    use: float
    strip: SafeString


@dataclass(frozen=True, slots=True)
class PoolView:
    """The computed parts of the pool page. `counter` is the name shown, `names` are those to choose from."""

    report: PoolReport
    rack: tuple[RackEntry, ...]
    rack_more: int
    legend: tuple[LegendEntry, ...]
    names: tuple[str, ...]
    counter: str
    consumption: Any
    bars_more: int
    counters: tuple[CounterRow, ...]
    types_figure: Any


def pool_view(page: PoolPage, report: PoolReport, *, counter: str) -> PoolView:
    """
    Gather the pool page.

    Args:
        counter: the name of the counters to draw, `*` for all; an unknown or empty one gives all if they are
            few, else the most telling.
    """
    styles = styles_of(report.devices)
    names = tuple(dict.fromkeys(use.id.counter for use in report.counters))
    slots = {cell for card in report.cards for item in card.slots for cell in item.cells}
    plain = tuple(dict.fromkeys(use.id.counter for use in report.counters if use.id not in slots))
    few = len(report.counters) <= FEW
    chosen = (
        counter
        if counter in names or counter == ALL
        else ALL
        if few
        else _most_telling(report.counters, plain or names)
    )
    uses = [use for use in report.counters if chosen in (ALL, use.id.counter)]
    bars = [CounterBar(label, use) for label, use in zip(_bar_labels(report, uses, chosen), uses, strict=True)]
    return PoolView(
        report=report,
        rack=tuple(_entry(page.pool, card, styles, index) for index, card in enumerate(report.cards[:RACK])),
        rack_more=max(0, len(report.cards) - RACK),
        legend=legend(page.pool, report.devices, styles),
        names=plain or names,
        counter=chosen,
        consumption=consumption(bars[:BARS], styles=styles),
        bars_more=max(0, len(bars) - BARS),
        counters=tuple(counter_row(bar.use, bar.label) for bar in bars[:BARS]),
        types_figure=types_remaining([remaining(fit) for fit in report.types]),
    )


def _most_telling(uses: tuple[CounterUse, ...], names: tuple[str, ...]) -> str:
    """The name whose counters are used most; among equals the one published first."""
    highest = dict.fromkeys(names, -1.0)
    for use in uses:
        if use.id.counter in highest and use.ratio is not None:
            highest[use.id.counter] = max(highest[use.id.counter], float(use.ratio))
    return max(highest, key=lambda name: highest[name]) if highest else ""


def _bar_labels(report: PoolReport, uses: list[CounterUse], chosen: str) -> list[str]:
    """Bars of one counter are called after their cards, as long as each card has one; else by counter."""
    cards = {counter: card.label for card in report.cards for counter in card.counters}
    names = [cards.get(use.id, use.id.counter_set) for use in uses]
    return labels(uses) if chosen == ALL or len(set(names)) < len(names) else names


def _entry(pool: models.Pool, card: CardReport, styles: dict[ClaimId, ClaimStyle], index: int) -> RackEntry:
    url = addresses.card(pool, card.key)
    strip = ""
    if card.slots:
        title = f"Slots of {card.label}"
        links = Links()
        strip = slotmap_svg(
            card.slots, title=title, styles=styles, links=links, standalone=False, lanes=False, prefix=f"rack-{index}"
        )
    return RackEntry(card, url, float(card.use), mark_safe(strip))  # noqa: S308 - escaped inside
