"""The JSON twin of each page: the address in the API where a program finds the same."""

from __future__ import annotations

from urllib.parse import urlencode

from pools import models
from pools.queries.scope import Scope

API = "/api/v1"


def _address(path: str, **filters: str) -> str:
    query = urlencode({name: value for name, value in filters.items() if value})
    return f"{API}/{path}/?{query}" if query else f"{API}/{path}/"


def fleet(scope: Scope) -> str:
    """The cards of the scope."""
    return cards(scope)


def cards(scope: Scope) -> str:
    """Cards of the scope."""
    return _address("cards", cluster=scope.cluster, driver=scope.driver, node=scope.node, model=scope.model)


def pools(scope: Scope, state: str) -> str:
    """Pools of the scope."""
    return _address("pools", cluster=scope.cluster, driver=scope.driver, node=scope.node, state=state)


def pool(row: models.Pool) -> str:
    """The pool."""
    return _address("pools", cluster=row.cluster.name, driver=row.driver, name=row.name)


def card(row: models.Pool, key: str) -> str:
    """The card."""
    return _address("cards", cluster=row.cluster.name, driver=row.driver, pool=row.name, key=key)


def devices(**filters: str) -> str:
    """Devices."""
    return _address("devices", **filters)


def device(row: models.Pool, name: str) -> str:
    """The device."""
    return _address("devices", cluster=row.cluster.name, driver=row.driver, pool=row.name, name=name)


def claims(**filters: str) -> str:
    """Claims."""
    return _address("claims", **filters)


def nodes(**filters: str) -> str:
    """Nodes."""
    return _address("nodes", **filters)


def findings(**filters: str) -> str:
    """Findings."""
    return _address("findings", **filters)


def cards_of(row: models.Pool) -> str:
    """The pool's cards."""
    return _address("cards", cluster=row.cluster.name, driver=row.driver, pool=row.name)


def csv(address: str) -> str:
    """The same as a table for a spreadsheet."""
    return f"{address}{'&' if '?' in address else '?'}format=csv"
