"""Room that allocations waste: of one card from the core, of the fleet from rows that are ready."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, F, Min, QuerySet, Sum, When
from django.db.models.functions import Coalesce

from pools.access import User
from pools.core.repack import Fragmentation, Plans, cheapest_moves, fragmentation
from pools.domain.quantity import format_nano, parse_quantity
from pools.domain.state import PoolReport
from pools.models import Card, TypeCount
from pools.queries.scope import Scope, cards_in, pools_in

CARDS = 50
TYPES = 40
PLANS = 12


@dataclass(frozen=True, slots=True)
class CardRoom:
    """A card's fragmentation, and for types of which more would fit the cheapest moves that win one."""

    room: Fragmentation
    plans: tuple[Plans, ...]


@dataclass(frozen=True, slots=True)
class TypeRoomSum:
    """
    One type over all cards of a scope: how many more fit now, and with the same allocations packed best on their cards.

    Rows are alternatives: they are never summed. `cards` counts those on which any more would fit after moving.
    """

    driver: str
    type: str
    label: str
    total: int
    allocated: int
    now: int
    repacked: int
    exact: bool
    cards: int

    @property
    def lost(self) -> int:
        return self.repacked - self.now


@dataclass(slots=True)
class StrandedSum:
    """What is free of one amount over all cards of a driver, and the part that nothing can use; in billionths."""

    driver: str
    name: str
    like: str
    free_nano: int = 0
    stranded_nano: int = 0
    cards: int = 0

    @property
    def free(self) -> str:
        return format_nano(self.free_nano, self.like)

    @property
    def stranded(self) -> str:
        return format_nano(self.stranded_nano, self.like)

    @property
    def share(self) -> float:
        """The stranded part of what is free, for bars."""
        return self.stranded_nano / self.free_nano if self.free_nano else 0.0


@dataclass(frozen=True, slots=True)
class FleetRoom:
    """
    The fleet's fragmentation. `cards` are those that lose most, of `cards_losing` that lose anything; `underived` rows
    were stored by an older version and say nothing until `manage.py rebuild`.
    """

    types: tuple[TypeRoomSum, ...]
    stranded: tuple[StrandedSum, ...]
    cards: tuple[Card, ...]
    cards_total: int
    cards_losing: int
    underived: int
    lost_types: dict[int, list[TypeCount]] = field(default_factory=dict)
    """By card, the types of which more would fit."""


def card_room(report: PoolReport, card_key: str) -> CardRoom:
    """
    One card's fragmentation with plans.

    Raises:
        KeyError: the pool has no such card.
    """
    room = fragmentation(report, card_key)
    return CardRoom(room, tuple(cheapest_moves(report, card_key, each.type, most=2) for each in room.lost[:PLANS]))


def fleet_room(user: User, scope: Scope) -> FleetRoom:
    """The fleet's fragmentation. Seven queries, whatever its size."""
    cards = cards_in(user, scope).order_by()
    counts = TypeCount.objects.filter(pool__in=pools_in(user, scope).order_by(), card__isnull=False)
    if scope.by_card:
        counts = counts.filter(card__in=cards)
    losing = cards.filter(types_lost__gt=0)
    worst = tuple(losing.order_by("-types_lost", "-stranded_share", "pool__driver", "pool__name", "position")[:CARDS])
    lost = counts.filter(card__in=[card.pk for card in worst], repacked__gt=F("max_more")).order_by("pk")
    by_card: dict[int, list[TypeCount]] = defaultdict(list)
    for row in lost:
        by_card[row.card_id or 0].append(row)
    return FleetRoom(
        types=_types(counts),
        stranded=_stranded(cards),
        cards=worst,
        cards_total=cards.count(),
        cards_losing=losing.count(),
        underived=counts.filter(repacked=None).count(),
        lost_types=dict(by_card),
    )


def _types(counts: QuerySet[TypeCount]) -> tuple[TypeRoomSum, ...]:
    sums = (
        counts.values("type", driver=F("pool__driver"))
        .annotate(
            all=Sum("total"),
            taken=Sum("allocated"),
            now=Sum("max_more"),
            best=Sum(Coalesce("repacked", "max_more")),
            sure=Min(Case(When(exact=True, repacked_exact=True, then=1), default=0)),
            losing=Count(Case(When(repacked__gt=F("max_more"), then=1))),
        )
        .order_by("driver", "type")
    )
    rows = list(sums)
    drivers: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        drivers[row["type"]].add(row["driver"])
    found = [_type(row, alone=len(drivers[row["type"]]) == 1) for row in rows]
    return tuple(sorted(found, key=lambda row: (-row.lost, row.driver, row.type))[:TYPES])


def _type(row: Any, *, alone: bool) -> TypeRoomSum:
    name = row["type"] or "without a type"
    return TypeRoomSum(
        driver=row["driver"],
        type=row["type"],
        label=name if alone else f"{name} ({row['driver']})",
        total=row["all"],
        allocated=row["taken"],
        now=row["now"],
        repacked=row["best"],
        exact=bool(row["sure"]),
        cards=row["losing"],
    )


def _stranded(cards: QuerySet[Card]) -> tuple[StrandedSum, ...]:
    """Cards with equal amounts come as one row with a count, so that a large fleet costs no more than its variety."""
    sums: dict[tuple[str, str], StrandedSum] = {}
    for driver, amounts, number in cards.values_list("pool__driver", "stranded").annotate(Count("pk")):
        for each in amounts:
            key = (driver, each["name"])
            found = sums.setdefault(key, StrandedSum(driver, each["name"], each["free"]))
            free, stranded = parse_quantity(each["free"]).nano, parse_quantity(each["stranded"]).nano
            found.free_nano += free * number
            found.stranded_nano += stranded * number
            found.cards += number if stranded else 0
    return tuple(sorted(sums.values(), key=lambda row: (-row.share, row.driver, row.name)))
