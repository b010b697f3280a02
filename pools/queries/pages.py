"""Pools, cards and devices: lists, and what one page of each shows beside the core's report."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from pools.access import User, visible
from pools.models import Allocation, Card, Device, Finding, Pool
from pools.queries.findings import by_severity
from pools.queries.scope import DEVICE_STATES, Scope, devices_in, nodes_in, pools_in

OFFERED = 300
POOL_STATES = ("complete", "incomplete", "invalid")


@dataclass(frozen=True, slots=True)
class PoolPage:
    """One pool's rows."""

    pool: Pool
    cards: tuple[Card, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class DeviceFilter:
    """Which devices to list, beyond the scope; an empty text restricts nothing. `text` is a part of the name."""

    pool: str = ""
    card: str = ""
    type: str = ""
    text: str = ""


def pool_list(user: User, scope: Scope, *, condition: str = "", text: str = "") -> QuerySet[Pool]:
    """
    Pools with the number of their cards and findings.

    Args:
        condition: one of POOL_STATES, or empty.
        text: a part of the pool's name.
    """
    rows = pools_in(user, scope)
    if condition:
        rows = rows.filter(state=condition)
    if text:
        rows = rows.filter(name__icontains=text)
    counted = rows.annotate(cards_total=Count("cards", distinct=True), findings_total=Count("findings", distinct=True))
    return counted.order_by("cluster__name", "driver", "name")


def device_list(user: User, scope: Scope, wanted: DeviceFilter) -> QuerySet[Device]:
    """Devices in the scheduler's order within each pool."""
    rows = devices_in(user, scope)
    exact = {"pool__name": wanted.pool, "card__key": wanted.card, "type": wanted.type}
    rows = rows.filter(**{field: value for field, value in exact.items() if value})
    if wanted.text:
        rows = rows.filter(name__icontains=wanted.text)
    return rows.order_by("pool__cluster__name", "pool__driver", "pool__name", "position", "pk")


def find_pool(user: User, cluster: str, driver: str, name: str) -> PoolPage | None:
    """The pool with its cards and findings, or None when there is none to see. Three queries."""
    rows = visible(user, Pool.objects.select_related("cluster"))
    pool = rows.filter(cluster__name=cluster, driver=driver, name=name).first()
    if pool is None:
        return None
    return PoolPage(pool, tuple(pool.cards.order_by("position")), tuple(by_severity(pool.findings.all())))


def pool_devices(pool: Pool, limit: int) -> tuple[Device, ...]:
    """The first devices of a pool in the scheduler's order."""
    return tuple(pool.devices.select_related("card").order_by("position", "pk")[:limit])


def device_allocations(user: User, pool: Pool, name: str) -> tuple[Allocation, ...]:
    """Every result that names the device, shares and admin access included."""
    rows = Allocation.objects.select_related("claim__cluster").filter(
        claim__cluster=pool.cluster_id, driver=pool.driver, pool_name=pool.name, device_name=name
    )
    return tuple(rows.order_by("claim__namespace", "claim__name", "pk"))


def choices(user: User) -> dict[str, list[str]]:
    """What the filters of pools and devices offer; of nodes only the first few hundred. Three queries."""
    rows = pools_in(user, Scope())
    nodes = nodes_in(user, Scope()).order_by("name").values_list("name", flat=True).distinct()
    return {
        "cluster": list(rows.order_by("cluster__name").values_list("cluster__name", flat=True).distinct()),
        "driver": list(rows.order_by("driver").values_list("driver", flat=True).distinct()),
        "node": list(nodes[:OFFERED]),
        "state": list(DEVICE_STATES),
    }
