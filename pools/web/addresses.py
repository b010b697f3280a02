"""Where the page of each thing is: one function a kind, for rows and for the core's identities alike."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse

from pools import models
from pools.domain.ids import ClaimId, DeviceId, PoolId


def pool(row: models.Pool) -> str:
    """The pool's page."""
    return reverse("web:pool", args=[row.cluster.name, row.driver, row.name])


def card(pool_row: models.Pool, key: str) -> str:
    """The page of a card of the pool."""
    return reverse("web:card", args=[pool_row.cluster.name, pool_row.driver, pool_row.name, key])


def slots(pool_row: models.Pool, key: str) -> str:
    """The card's picture as a file."""
    return reverse("web:slots", args=[pool_row.cluster.name, pool_row.driver, pool_row.name, key])


def device(pool_row: models.Pool, name: str) -> str:
    """The page of a device of the pool."""
    return reverse("web:device", args=[pool_row.cluster.name, pool_row.driver, pool_row.name, name])


def device_of(cluster: str, identity: DeviceId) -> str:
    """The page of a device by its identity."""
    return reverse("web:device", args=[cluster, identity.driver, identity.pool, identity.name])


def card_of(cluster: str, identity: PoolId, key: str) -> str:
    """The page of a card by its identity."""
    return reverse("web:card", args=[cluster, identity.driver, identity.name, key])


def what_if(cluster: str, **parts: Sequence[str]) -> str:
    """The what-if page with a question about a cluster; see `queries.inquiry` for the parts."""
    values = [("cluster", cluster), *((name, text) for name, texts in parts.items() for text in texts)]
    return f"{reverse('web:what-if')}?{urlencode(values)}"


def claim(cluster: str, identity: ClaimId) -> str:
    """The claim's page."""
    return reverse("web:claim", args=[cluster, identity.namespace, identity.name])


def node(cluster: str, name: str) -> str:
    """The node's page."""
    return reverse("web:node", args=[cluster, name])


def of(row: object) -> str:
    """The page of a row of any kind that has one; a pod's is its first claim's. Empty when there is none."""
    match row:
        case models.Pool():
            return pool(row)
        case models.Card():
            return card(row.pool, row.key)
        case models.Device():
            return device(row.pool, row.name)
        case models.Claim():
            return claim(row.cluster.name, ClaimId(row.namespace, row.name))
        case models.Node():
            return node(row.cluster.name, row.name)
        case models.Cluster():
            return f"{reverse('web:fleet')}?{urlencode({'cluster': row.name})}"
        case models.Pod():
            names = [entry.claim_name for entry in row.claims.all() if entry.claim_name]
            return claim(row.cluster.name, ClaimId(row.namespace, names[0])) if names else ""
        case models.Counter():
            parent = row.counter_set.pool
            return card(parent, row.card.key) if row.card else pool(parent)
        case _:
            return ""
