"""The whole fleet in one screen: totals, heat map, what still fits, what waits, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Case, Count, F, Max, Min, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Concat

from pools.access import User
from pools.models import Card, Claim, Finding, Pool, TypeCount
from pools.queries.findings import by_severity, severities
from pools.queries.scope import (
    DEVICE_STATES,
    Scope,
    cards_in,
    claims_in,
    clusters_in,
    findings_in,
    nodes_in,
    pools_in,
)

R = TypeVar("R")
ROWS_PER_PAGE = 40
TYPES = 200
"""Most types that are listed; the page says when there are more."""
LISTED = 6
OFFERED = 300


@dataclass(frozen=True, slots=True)
class Totals:
    """How many of everything; `devices` by state; `full` cards take no further device, `over` are overcommitted."""

    clusters: int
    nodes: int
    pools: int
    pools_incomplete: int
    pools_invalid: int
    cards: int
    cards_full: int
    cards_over: int
    cards_idle: int
    devices: dict[str, int]
    as_of: datetime | None

    @property
    def devices_total(self) -> int:
        return sum(self.devices.values())

    @property
    def pools_broken(self) -> int:
        return self.pools_incomplete + self.pools_invalid


@dataclass(frozen=True, slots=True)
class HeatLine:
    """A line of the heat map: a node, or a pool that several nodes reach; pools without cards stand for themselves."""

    cluster: str
    label: str
    is_node: bool
    cards: tuple[Card | Pool, ...]


@dataclass(frozen=True, slots=True)
class TypeSum:
    """One type over all cards of the scope. Rows are alternatives: they are not summed. `label` is for people."""

    driver: str
    type: str
    label: str
    total: int
    allocated: int
    max_more: int
    first_fit: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Listed(Generic[R]):
    """The first few rows of something, and how many there are."""

    rows: tuple[R, ...]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.rows)


def totals(user: User, scope: Scope) -> Totals:
    """Count everything in the scope. Four queries."""
    pools, cards = pools_in(user, scope).order_by(), cards_in(user, scope).order_by()
    clusters = clusters_in(user, scope).aggregate(count=Count("pk"), as_of=Max("as_of"))
    sums = {state: Sum(f"devices_{state}", default=0) for state in DEVICE_STATES}
    of_pools = pools.aggregate(
        pools=Count("pk"),
        incomplete=Count("pk", filter=Q(state="incomplete")),
        invalid=Count("pk", filter=Q(state="invalid")),
        **sums,
    )
    of_cards = cards.aggregate(
        cards=Count("pk"),
        full=Count("pk", filter=Q(largest="")),
        over=Count("pk", filter=Q(use__gt=1)),
        idle=Count("pk", filter=Q(devices_allocated=0, use=0)),
        **sums,
    )
    devices = of_cards if scope.model else of_pools
    wanted = (scope.state,) if scope.state in DEVICE_STATES else DEVICE_STATES
    return Totals(
        clusters=clusters["count"],
        nodes=nodes_in(user, scope).count(),
        pools=of_pools["pools"],
        pools_incomplete=of_pools["incomplete"],
        pools_invalid=of_pools["invalid"],
        cards=of_cards["cards"],
        cards_full=of_cards["full"],
        cards_over=of_cards["over"],
        cards_idle=of_cards["idle"],
        devices={state: devices[state] for state in wanted},
        as_of=clusters["as_of"],
    )


def heat_lines(user: User, scope: Scope, page: int) -> Page[HeatLine]:
    """
    One page of nodes with their cards, by cluster and name. Four queries, whatever the fleet's size.

    Args:
        page: from 1; beyond the end gives the last page.
    """
    pools = pools_in(user, scope).annotate(line=_line(), bound=_bound())
    keys = pools.values_list("cluster__name", "line", "bound").distinct().order_by("cluster__name", "-bound", "line")
    paginator = Paginator(keys, ROWS_PER_PAGE)
    result = paginator.get_page(page)
    chosen = list(result.object_list)
    found: dict[tuple[str, str, bool], list[Card | Pool]] = {key: [] for key in chosen}
    wanted = Q(line__in={line for _, line, _ in chosen})
    names = {cluster for cluster, _, _ in chosen}
    for row in _heat_rows(user, scope, names, wanted):
        key = (_pool_of(row).cluster.name, row.line, row.bound)  # type: ignore[union-attr]
        if key in found:
            found[key].append(row)
    lines = [
        HeatLine(cluster, label, bool(bound), tuple(found[cluster, label, bound])) for cluster, label, bound in chosen
    ]
    result.object_list = lines  # type: ignore[assignment]
    return result  # type: ignore[return-value]


def type_sums(user: User, scope: Scope) -> tuple[TypeSum, ...]:
    """
    The types in pools that can be used, rarest per card first: the biggest partition of a card is its rarest.

    One query; at most TYPES of them.
    """
    rows = TypeCount.objects.filter(pool__in=pools_in(user, scope).filter(state="complete").order_by())
    if scope.by_card:
        rows = rows.filter(card__in=cards_in(user, scope).order_by())
    sums = (
        rows.values("type", driver=F("pool__driver"))
        .annotate(
            all=Sum("total"),
            taken=Sum("allocated"),
            more=Sum("max_more"),
            first=Sum("first_fit"),
            sure=Min(Case(When(exact=True, then=1), default=0)),
            each=Avg("total"),
        )
        .order_by("driver", "each", "-type")[:TYPES]
    )
    drivers: dict[str, set[str]] = {}
    for row in sums:
        drivers.setdefault(row["type"], set()).add(row["driver"])
    return tuple(_type_sum(row, alone=len(drivers[row["type"]]) == 1) for row in sums)


def _type_sum(row: Any, *, alone: bool) -> TypeSum:
    name = row["type"] or "without a type"
    label = name if alone else f"{name} ({row['driver']})"
    return TypeSum(
        row["driver"], row["type"], label, row["all"], row["taken"], row["more"], row["first"], bool(row["sure"])
    )


def pending_claims(user: User, scope: Scope) -> Listed[Claim]:
    """Claims without an allocation, longest waiting first. Two queries."""
    rows = claims_in(user, scope).filter(allocated=False)
    return _listed(rows.order_by(F("created_at").asc(nulls_last=True), "namespace", "name"))


def worst_findings(user: User, scope: Scope) -> tuple[Listed[Finding], dict[str, int]]:
    """The most severe findings, and how many there are of each severity. Two queries."""
    rows = findings_in(user, scope)
    counts = severities(rows)
    return Listed(tuple(by_severity(rows)[:LISTED]), sum(counts.values())), counts


def choices(user: User) -> dict[str, Sequence[str]]:
    """What the filters offer; of nodes only the first few hundred. Four queries."""
    everywhere = Scope()
    return {
        "cluster": list(clusters_in(user, everywhere).values_list("name", flat=True)),
        "driver": list(pools_in(user, everywhere).order_by("driver").values_list("driver", flat=True).distinct()),
        "node": list(nodes_in(user, everywhere).order_by("name").values_list("name", flat=True).distinct()[:OFFERED]),
        "model": list(
            cards_in(user, everywhere).exclude(model="").order_by("model").values_list("model", flat=True).distinct()
        ),
        "state": DEVICE_STATES,
    }


def _line(prefix: str = "") -> Case:
    """Name of a pool's line in the heat map."""
    name = Concat(F(f"{prefix}driver"), Value("/"), F(f"{prefix}name"))
    return Case(When(**{f"{prefix}node": ""}, then=name), default=F(f"{prefix}node"))


def _bound(prefix: str = "") -> Case:
    return Case(When(**{f"{prefix}node": ""}, then=Value(False)), default=Value(True))


def _heat_rows(user: User, scope: Scope, clusters: set[str], wanted: Q) -> list[Card | Pool]:
    cards = cards_in(user, scope).annotate(line=_line("pool__"), bound=_bound("pool__"))
    cards = cards.filter(wanted, pool__cluster__name__in=clusters)
    rows: list[Card | Pool] = list(cards.order_by("pool__driver", "pool__name", "position"))
    if not scope.by_card:
        bare = (
            pools_in(user, scope)
            .annotate(line=_line(), bound=_bound())
            .filter(wanted, cards=None, cluster__name__in=clusters)
        )
        rows += bare.order_by("driver", "name")
    return rows


def _pool_of(row: Card | Pool) -> Pool:
    return row if isinstance(row, Pool) else row.pool


def _listed(rows: QuerySet[Claim]) -> Listed[Claim]:
    first = tuple(rows[:LISTED])
    return Listed(first, rows.count() if len(first) == LISTED else len(first))
