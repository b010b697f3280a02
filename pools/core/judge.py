"""All that can be said of one pool now: counters, devices, cards, what still fits, findings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from pools.core.cards import Card, card_labels, cards_of
from pools.core.counters import Ledger, by_device, ledger
from pools.core.fits import Room, type_fits
from pools.core.lint import lint_pool
from pools.core.shape import Shape, shape_of
from pools.core.slots import measures_of, slot_maps
from pools.core.states import device_reports
from pools.core.types import model_of, type_labels
from pools.domain.pool import Pool
from pools.domain.state import CardReport, DeviceReport, PoolReport, Surroundings

T = TypeVar("T")


def judge(pool: Pool, around: Surroundings) -> PoolReport:
    """
    Judge one pool against claims, taint rules and nodes, as the scheduler would for one request more.

    Cost: a few milliseconds for 208 devices and 120 counters; what depends on the pool's form alone is computed once
    for all pools of that form.
    """
    shape = shape_of(pool)
    cards = cards_of(shape)
    labels = card_labels(pool, shape, cards)
    size = len(pool.devices)
    holders = by_device(pool, around.holds)
    books = ledger(pool, shape, holders)
    whole = _spread(cards, [card.whole for card in cards], size, False)
    types = type_labels(
        pool,
        whole,
        _spread(cards, [[label] * len(card.devices) for label, card in zip(labels, cards, strict=True)], size, ""),
    )
    keys = _spread(cards, [[card.key] * len(card.devices) for card in cards], size, "")
    reports = device_reports(pool, books, holders, around, types, keys)
    room = Room(shape, cards, books, reports)
    return PoolReport(
        pool=pool,
        counters=books.uses,
        devices=reports,
        cards=tuple(
            _card_report(pool, shape, card, label, books, reports, room)
            for card, label in zip(cards, labels, strict=True)
        ),
        findings=lint_pool(pool, shape, cards, books, reports),
        types=type_fits(room, range(size)),
        loose_devices=tuple(item.name for item, draws in zip(pool.devices, shape.consuming, strict=True) if not draws),
    )


def _spread(cards: Sequence[Card], values: Sequence[Sequence[T]], size: int, default: T) -> list[T]:
    """Values per card and device of it, as values per device of the pool."""
    spread = [default] * size
    for card, each in zip(cards, values, strict=True):
        for row, value in zip(card.devices, each, strict=True):
            spread[row] = value
    return spread


def _card_report(
    pool: Pool,
    shape: Shape,
    card: Card,
    label: str,
    books: Ledger,
    reports: Sequence[DeviceReport],
    room: Room,
) -> CardReport:
    return CardReport(
        key=card.key,
        label=label,
        model=model_of([pool.devices[row].device for row in card.devices]),
        counters=tuple(shape.counters[position] for position in card.counters),
        devices=tuple(pool.devices[row].name for row in card.devices),
        use=_use(shape, card, books),
        largest=_largest(card, room.sizes, reports),
        types=type_fits(room, card.devices),
        slots=slot_maps(shape, card, reports),
    )


def _use(shape: Shape, card: Card, books: Ledger) -> Fraction:
    """
    The highest consumed/capacity over what is measured on the card (see `slots.measures_of`).

    What has no capacity and is drawn on counts as full.
    """
    most = Fraction()
    for positions in measures_of(shape, card):
        capacity = sum(max(0, books.uses[position].capacity.nano) for position in positions)
        consumed = sum(books.uses[position].consumed_nano for position in positions)
        most = max(most, Fraction(consumed, capacity) if capacity else Fraction(consumed > 0))
    return most


def _largest(card: Card, ranks: Sequence[int], reports: Sequence[DeviceReport]) -> str:
    fitting = [(ranks[row], -row) for row in card.devices if reports[row].state == "available"]
    return reports[-max(fitting)[1]].type if fitting else ""
