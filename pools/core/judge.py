"""All that can be said of one pool now: counters, devices, cards, what still fits, findings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pools.core.cards import Card, card_labels, cards_of
from pools.core.counters import Ledger, by_device, ledger
from pools.core.fits import Room, type_fits
from pools.core.lint import lint_pool
from pools.core.shape import Shape, shape_of
from pools.core.slots import slot_maps
from pools.core.states import device_reports
from pools.core.types import model_of, type_labels
from pools.domain.pool import Pool
from pools.domain.state import CardReport, DeviceReport, PoolReport, Surroundings


def judge(pool: Pool, around: Surroundings) -> PoolReport:
    """
    Judge one pool against claims, taint rules and nodes, as the scheduler would for one request more.

    Cost: a few milliseconds for 208 devices and 120 counters; what depends on the pool's form alone is computed once
    for all pools of that form.
    """
    shape = shape_of(pool)
    cards = cards_of(shape)
    holders = by_device(pool, around.holds)
    books = ledger(pool, shape, holders)
    types = type_labels(pool, _whole(shape, cards, len(pool.devices)))
    reports = device_reports(pool, books, holders, around, types, _card_keys(cards, len(pool.devices)))
    room = Room(shape, cards, books, reports)
    return PoolReport(
        pool=pool,
        counters=books.uses,
        devices=reports,
        cards=_card_reports(pool, shape, cards, books, reports, room),
        findings=lint_pool(pool, shape, cards, books, reports),
        types=type_fits(room, types, range(len(pool.devices))),
        loose_devices=tuple(item.name for item, draws in zip(pool.devices, shape.consuming, strict=True) if not draws),
    )


def _whole(shape: Shape, cards: Sequence[Card], size: int) -> list[bool]:
    whole = [False] * size
    for card in cards:
        for row, flag in zip(card.devices, card.whole, strict=True):
            whole[row] = flag
    return whole


def _card_keys(cards: Sequence[Card], size: int) -> list[str]:
    keys = [""] * size
    for card in cards:
        for row in card.devices:
            keys[row] = card.key
    return keys


def _card_reports(
    pool: Pool, shape: Shape, cards: Sequence[Card], books: Ledger, reports: Sequence[DeviceReport], room: Room
) -> tuple[CardReport, ...]:
    labels = card_labels(pool, cards)
    return tuple(
        CardReport(
            key=card.key,
            label=label,
            model=model_of([pool.devices[row].device for row in card.devices]),
            counters=tuple(shape.counters[position] for position in card.counters),
            devices=tuple(pool.devices[row].name for row in card.devices),
            use=_use(card, books),
            largest=_largest(card, reports),
            types=type_fits(room, [report.type for report in reports], card.devices),
            slots=slot_maps(pool, shape, card, reports),
        )
        for card, label in zip(cards, labels, strict=True)
    )


def _use(card: Card, books: Ledger) -> Fraction:
    """The highest consumed/capacity; a counter of no capacity that is drawn on counts as full."""
    uses = [books.uses[position] for position in card.counters]
    ratios = [use.ratio if use.ratio is not None else Fraction(use.consumed_nano > 0) for use in uses]
    return max(ratios, default=Fraction())


def _largest(card: Card, reports: Sequence[DeviceReport]) -> str:
    sizes = zip(card.devices, card.size, strict=True)
    fitting = [(size, -row) for row, size in sizes if reports[row].state == "available"]
    return reports[-max(fitting)[1]].type if fitting else ""
