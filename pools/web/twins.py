"""The JSON twin of each page: the address in the API where a program finds the same."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from pools import models
from pools.queries.scope import Scope


def _list(route: str, **filters: str) -> str:
    query = urlencode({name: value for name, value in filters.items() if value})
    return f"{reverse(f'api:{route}')}?{query}" if query else reverse(f"api:{route}")


def fleet(scope: Scope) -> str:
    """The cards of the scope, with what still fits on each."""
    return _list(
        "cards", cluster=scope.cluster, driver=scope.driver, node=scope.node, model=scope.model, state=scope.state
    )


def pools(scope: Scope, *, state: str, contains: str) -> str:
    """Pools of the scope."""
    return _list(
        "pools",
        cluster=scope.cluster,
        driver=scope.driver,
        node=scope.node,
        model=scope.model,
        has=scope.state,
        state=state,
        contains=contains,
    )


def pool(row: models.Pool) -> str:
    """The pool."""
    return reverse("api:pool", args=[row.cluster.name, row.driver, row.name])


def cards_of(row: models.Pool) -> str:
    """The pool's cards."""
    return _list("cards", cluster=row.cluster.name, driver=row.driver, pool=row.name)


def card(row: models.Pool, key: str) -> str:
    """The card."""
    return reverse("api:card", args=[row.cluster.name, row.driver, row.name, key])


def devices(**filters: str) -> str:
    """Devices."""
    return _list("devices", **filters)


def device(row: models.Pool, name: str) -> str:
    """The device."""
    return reverse("api:device", args=[row.cluster.name, row.driver, row.name, name])


def claims(**filters: str) -> str:
    """Claims."""
    return _list("claims", **filters)


def claim(cluster: str, namespace: str, name: str) -> str:
    """The claim."""
    return reverse("api:claim", args=[cluster, namespace, name])


def nodes(**filters: str) -> str:
    """Nodes."""
    return _list("nodes", **filters)


def node(cluster: str, name: str) -> str:
    """The node."""
    return reverse("api:node", args=[cluster, name])


def findings(**filters: str) -> str:
    """Findings."""
    return _list("findings", **filters)


def query(**values: str) -> str:
    """A query string."""
    return urlencode(values)


def what_if(question: str) -> str:
    """The same what-if."""
    return f"{reverse('api:what-if')}?{question}"


def pending() -> str:
    """Claims that wait."""
    return _list("claims", state="pending")


def fragmentation(scope: Scope) -> str:
    """What the scope's allocations waste."""
    return _list("fragmentation", cluster=scope.cluster, driver=scope.driver, node=scope.node, model=scope.model)


def csv(address: str) -> str:
    """The same as a table for a spreadsheet."""
    return f"{address}{'&' if '?' in address else '?'}format=csv"
