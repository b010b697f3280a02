"""Which part of the fleet a page is about, and the rows in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from pools.access import User, visible
from pools.models import Card, Claim, Cluster, Device, Finding, Node, Pool, PoolNode

R = TypeVar("R", Pool, Card)
DEVICE_STATES = ("allocated", "available", "blocked", "tainted", "unavailable")


@dataclass(frozen=True, slots=True)
class Scope:
    """
    A choice of pools and cards, each exact; an empty text restricts nothing. `node` chooses pools that name it, `state`
    pools and cards that have at least one device in that state.
    """

    cluster: str = ""
    driver: str = ""
    node: str = ""
    model: str = ""
    state: str = ""

    @property
    def is_all(self) -> bool:
        return self == Scope()

    @property
    def by_card(self) -> bool:
        """Whether cards are chosen by more than their pool."""
        return bool(self.model or self.state)


def clusters_in(user: User, scope: Scope) -> QuerySet[Cluster]:
    """The clusters of the scope."""
    rows = visible(user, Cluster.objects.all())
    return rows.filter(name=scope.cluster) if scope.cluster else rows


def pools_in(user: User, scope: Scope) -> QuerySet[Pool]:
    """Pools of the scope; by model: those with a card of it; by state: those with a device in it."""
    rows = visible(user, Pool.objects.select_related("cluster")).filter(_pool_filter(scope))
    if scope.model:
        rows = rows.filter(pk__in=Card.objects.filter(model=scope.model).values("pool"))
    return _with_state(rows, scope.state)


def cards_in(user: User, scope: Scope) -> QuerySet[Card]:
    """Cards of the scope."""
    rows = visible(user, Card.objects.select_related("pool__cluster")).filter(_pool_filter(scope, "pool__"))
    if scope.model:
        rows = rows.filter(model=scope.model)
    return _with_state(rows, scope.state)


def devices_in(user: User, scope: Scope) -> QuerySet[Device]:
    """Devices of the scope, each in the state asked for."""
    rows = visible(user, Device.objects.select_related("pool__cluster", "card")).filter(_pool_filter(scope, "pool__"))
    if scope.model:
        rows = rows.filter(card__model=scope.model)
    return rows.filter(state=scope.state) if scope.state else rows


def nodes_in(user: User, scope: Scope) -> QuerySet[Node]:
    """Nodes of the scope; by driver, model or state: those that such a pool names."""
    rows = visible(user, Node.objects.select_related("cluster"))
    if scope.cluster:
        rows = rows.filter(cluster__name=scope.cluster)
    if scope.node:
        rows = rows.filter(name=scope.node)
    if scope.driver or scope.by_card:
        pools = pools_in(user, scope)
        named = PoolNode.objects.filter(
            pool__in=pools.order_by(), pool__cluster=OuterRef("cluster"), name=OuterRef("name")
        )
        rows = rows.filter(Exists(named))
    return rows


def claims_in(user: User, scope: Scope) -> QuerySet[Claim]:
    """Claims of the scope's cluster: a pending claim belongs to no driver and no node yet."""
    rows = visible(user, Claim.objects.select_related("cluster"))
    return rows.filter(cluster__name=scope.cluster) if scope.cluster else rows


def findings_in(user: User, scope: Scope) -> QuerySet[Finding]:
    """Findings of the scope: of its pools, and of everything else in the cluster unless pools are chosen."""
    rows = visible(user, Finding.objects.select_related("cluster", "pool__cluster", "claim__cluster"))
    if scope.cluster:
        rows = rows.filter(cluster__name=scope.cluster)
    if scope.driver or scope.node or scope.by_card:
        rows = rows.filter(pool__in=pools_in(user, scope))
    return rows


def _pool_filter(scope: Scope, prefix: str = "") -> Q:
    wanted = {"cluster__name": scope.cluster, "driver": scope.driver, "nodes__name": scope.node}
    return Q(**{f"{prefix}{field}": value for field, value in wanted.items() if value})


def _with_state(rows: QuerySet[R], state: str) -> QuerySet[R]:
    return rows.filter(**{f"devices_{state}__gt": 0}) if state in DEVICE_STATES else rows
