"""Nodes: what each has, and who uses it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from pools.access import User, visible
from pools.models import Allocation, Card, Claim, Node, Pod, Pool
from pools.queries.scope import DEVICE_STATES, Scope, nodes_in


@dataclass(frozen=True, slots=True)
class NodePage:
    """One node: pools that name it, their cards, what is allocated of them, and pods that run there with claims."""

    node: Node
    pools: tuple[Pool, ...]
    cards: tuple[Card, ...]
    allocations: tuple[Allocation, ...]
    pods: tuple[Pod, ...]


def node_list(user: User, scope: Scope, *, text: str = "") -> QuerySet[Node]:
    """
    Nodes with the number of cards and, by state, of devices in the pools bound to them alone.

    Args:
        text: a part of the name, empty for any.
    """
    rows = nodes_in(user, scope)
    if text:
        rows = rows.filter(name__icontains=text)
    rows = rows.annotate(
        **{f"devices_{state}": _sum(user, f"devices_{state}") for state in (*DEVICE_STATES, "total")},
        cards_total=_cards(user),
    )
    return rows.order_by("cluster__name", "name")


def find_node(user: User, cluster: str, name: str) -> NodePage | None:
    """The node with all that its page shows, or None when there is none to see. Five queries."""
    rows = visible(user, Node.objects.select_related("cluster"))
    node = rows.filter(cluster__name=cluster, name=name).first()
    if node is None:
        return None
    pools = visible(user, Pool.objects.select_related("cluster")).filter(cluster=node.cluster_id, nodes__name=name)
    cards = visible(user, Card.objects.select_related("pool__cluster")).filter(pool__in=pools.order_by())
    held = Allocation.objects.select_related("claim__cluster", "pool__cluster", "device", "device__card")
    visible_claims = visible(user, Claim.objects.filter(cluster=node.cluster_id)).order_by()
    mine = held.filter(claim__in=visible_claims, pool__in=pools.order_by())
    pods = visible(user, Pod.objects.select_related("cluster").prefetch_related("claims")).filter(
        cluster=node.cluster_id, node=name
    )
    return NodePage(
        node,
        tuple(pools.order_by("driver", "name")),
        tuple(cards.order_by("pool__driver", "pool__name", "position")),
        tuple(mine.order_by("claim__namespace", "claim__name", "pk")),
        tuple(pods.order_by("namespace", "name")),
    )


def _bound(user: User) -> QuerySet[Pool]:
    return visible(user, Pool.objects.filter(cluster=OuterRef("cluster"), node=OuterRef("name"))).order_by()


def _sum(user: User, field: str) -> Coalesce:
    total = _bound(user).values("node").annotate(sum=Sum(F(field))).values("sum")
    return Coalesce(Subquery(total, output_field=IntegerField()), 0)


def _cards(user: User) -> Coalesce:
    total = _bound(user).values("node").annotate(count=Count("cards")).values("count")
    return Coalesce(Subquery(total, output_field=IntegerField()), 0)
