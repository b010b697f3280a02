"""What the card page shows, made from the core's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from django.utils.safestring import SafeString, mark_safe

from pools import models
from pools.domain.ids import ClaimId
from pools.domain.quantity import format_nano, human
from pools.domain.state import CardReport, CounterUse, DeviceReport, Mixes, PoolReport, Reason, TypeFit
from pools.figures.bars_svg import bars_svg
from pools.figures.consumption import CounterBar, consumption
from pools.figures.palette import ClaimStyle, Theme, claim_styles
from pools.figures.slotmap_svg import Links, slotmap_svg
from pools.figures.svg import swatch
from pools.figures.types_remaining import Remaining, types_remaining
from pools.queries.fleet import TypeSum
from pools.queries.mixes import card_mixes
from pools.queries.scope import DEVICE_STATES
from pools.web import addresses

MIX_ROWS = 40
MIX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A claim that holds something here: how it is drawn, and which devices it holds."""

    claim: ClaimId
    url: str
    swatch: SafeString
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A row of the partition table; `draws` are its counters in words."""

    report: DeviceReport
    url: str
    draws: tuple[tuple[str, str, str], ...]
    """(counter, human amount, published amount), zero draws left out."""
    holders: tuple[tuple[str, str, bool], ...]
    """(claim, address, whether it only observes by admin access) of each."""
    shared_out: tuple[tuple[str, str, str], ...]
    """(capacity, used amount, whole amount) of a shareable device in use."""
    reasons: tuple[Reason, ...]
    """Those that the holders do not say already."""


@dataclass(frozen=True, slots=True)
class CounterRow:
    """A counter in words: human and published texts side by side."""

    use: CounterUse
    label: str
    capacity: str
    consumed: str
    available: str
    consumed_text: str
    available_text: str
    overcommitted: str
    ratio: float | None


@dataclass(frozen=True, slots=True)
class MixGroup:
    """Maximal mixes that have the same number of each type, with a few of them as examples."""

    types: tuple[tuple[str, int], ...]
    count: int
    examples: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CardView:
    """Everything on the card page."""

    card: CardReport
    use: float
    picture: SafeString
    bars: SafeString
    legend: tuple[LegendEntry, ...]
    consumption: Any
    types_figure: Any
    counters: tuple[CounterRow, ...]
    devices: tuple[DeviceRow, ...]
    states: tuple[tuple[str, int], ...]
    mixes: Mixes
    mix_groups: tuple[MixGroup, ...]
    mix_groups_more: int


def card_view(pool: models.Pool, report: PoolReport, card: CardReport, state: str) -> CardView:
    """
    Gather the card page.

    Args:
        state: which devices to list; empty for all.
    """
    devices = devices_of(report, card)
    counters = counters_of(report, card)
    styles = styles_of(devices)
    mixes = card_mixes(report, card.key)
    groups = mix_groups(mixes)
    counted: Counter[str] = Counter(device.state for device in devices)
    one_set = len({use.id.counter_set for use in counters}) == 1
    title = f"Counters of {card.label}"
    return CardView(
        card=card,
        use=float(card.use),
        picture=mark_safe(picture(pool, report, card, theme="light", standalone=False)),  # noqa: S308 - escaped inside
        bars=mark_safe(bars_svg(counters, title=title, styles=styles, standalone=False)),  # noqa: S308 - escaped inside
        legend=legend(pool, devices, styles),
        consumption=consumption([CounterBar(_label(use, one_set), use) for use in counters], styles=styles),
        types_figure=types_remaining([remaining(fit) for fit in card.types]),
        counters=tuple(counter_row(use, _label(use, one_set)) for use in counters),
        devices=tuple(device_row(pool, device) for device in devices if state in ("", device.state)),
        states=tuple((name, counted[name]) for name in DEVICE_STATES if counted[name]),
        mixes=mixes,
        mix_groups=groups[:MIX_ROWS],
        mix_groups_more=len(groups) - len(groups[:MIX_ROWS]),
    )


def picture(
    pool: models.Pool, report: PoolReport, card: CardReport, *, theme: Theme, standalone: bool, root: str = ""
) -> str:
    """
    The card as SVG: its slot maps, or its counters when it has none.

    Args:
        standalone: a file of its own; its links are then absolute, below *root*.
    """
    devices = devices_of(report, card)
    styles = styles_of(devices)
    title = f"{card.label} in pool {pool.name}"
    if not card.slots:
        uses = counters_of(report, card)
        return bars_svg(uses, title=title, styles=styles, theme=theme, standalone=standalone)
    urls = {device.id.name: urljoin(root, addresses.device(pool, device.id.name)) for device in devices}
    return slotmap_svg(card.slots, title=title, styles=styles, links=Links(urls), theme=theme, standalone=standalone)


def devices_of(report: PoolReport, card: CardReport) -> list[DeviceReport]:
    """The card's devices in publication order."""
    return [device for device in report.devices if device.card == card.key]


def counters_of(report: PoolReport, card: CardReport) -> list[CounterUse]:
    """The card's counters, in the card's order."""
    by_id = {use.id: use for use in report.counters}
    return [by_id[counter] for counter in card.counters if counter in by_id]


def styles_of(devices: Iterable[DeviceReport]) -> dict[ClaimId, ClaimStyle]:
    """A style for each claim that holds one of the devices."""
    return claim_styles(holder.claim for device in devices for holder in device.holders if not holder.admin)


def legend(
    pool: models.Pool, devices: Iterable[DeviceReport], styles: Mapping[ClaimId, ClaimStyle]
) -> tuple[LegendEntry, ...]:
    """One entry a claim, in the order of their names."""
    held: dict[ClaimId, list[str]] = {}
    for device in devices:
        for claim in sorted({holder.claim for holder in device.holders if not holder.admin}):
            held.setdefault(claim, []).append(device.id.name)
    return tuple(
        LegendEntry(
            claim,
            addresses.claim(pool.cluster.name, claim),
            mark_safe(swatch(styles[claim], prefix=f"key-{index}")),  # noqa: S308 - made of constants
            tuple(held[claim]),
        )
        for index, claim in enumerate(sorted(held))
    )


def device_row(pool: models.Pool, device: DeviceReport) -> DeviceRow:
    """One row of the partition table."""
    consumes = device.pooled.device.consumes if device.pooled else ()
    draws = tuple(
        (name, human(amount.nano, amount.text), amount.text)
        for consumption in consumes
        for name, amount in consumption.counters.items()
        if amount.nano
    )
    claims = sorted({(holder.claim, holder.admin) for holder in device.holders})
    holders = tuple((str(claim), addresses.claim(pool.cluster.name, claim), admin) for claim, admin in claims)
    reasons = tuple(reason for reason in device.reasons if reason.code != "allocated" or not holders)
    shared_out = tuple(
        (key, human(use.consumed_nano, use.capacity.text), human(use.capacity.nano, use.capacity.text))
        for key, use in device.capacity.items()
        if device.shares
    )
    return DeviceRow(device, addresses.device(pool, device.id.name), draws, holders, shared_out, reasons)


def counter_row(use: CounterUse, label: str) -> CounterRow:
    """A counter in words."""
    like = use.capacity.text
    return CounterRow(
        use=use,
        label=label,
        capacity=like,
        consumed=human(use.consumed_nano, like),
        available=human(use.available_nano, like),
        consumed_text=format_nano(use.consumed_nano, like),
        available_text=format_nano(use.available_nano, like),
        overcommitted=human(use.overcommitted_nano, like) if use.overcommitted_nano else "",
        ratio=float(use.ratio) if use.ratio is not None else None,
    )


def remaining(fit: TypeFit | TypeSum) -> Remaining:
    """A type's row in the figure."""
    label = fit.label if isinstance(fit, TypeSum) else fit.type or "without a type"
    return Remaining(label, fit.total, fit.allocated, fit.max_more, fit.first_fit, fit.exact)


def mix_groups(mixes: Mixes) -> tuple[MixGroup, ...]:
    """The maximal mixes by how many of each type they have, in the order in which they were found."""
    found: dict[tuple[tuple[str, int], ...], list[tuple[str, ...]]] = {}
    for mix in mixes.maximal:
        found.setdefault(mix.types, []).append(mix.devices)
    return tuple(MixGroup(types, len(sets), tuple(sets[:MIX_EXAMPLES])) for types, sets in found.items())


def _label(use: CounterUse, one_set: bool) -> str:
    return use.id.counter if one_set else str(use.id)


def labels(uses: Sequence[CounterUse]) -> list[str]:
    """Names of counters, without the set's where all are of one."""
    one_set = len({use.id.counter_set for use in uses}) == 1
    return [_label(use, one_set) for use in uses]
