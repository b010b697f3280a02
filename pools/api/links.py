"""Addresses of single resources, as rows give them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from pools import models


def cluster_url(row: models.Cluster) -> str:
    """The cluster."""
    return _address("cluster", cluster=row.name)


def pool_url(row: models.Pool) -> str:
    """The pool."""
    return _address("pool", cluster=row.cluster.name, driver=row.driver, pool=row.name)


def card_url(row: models.Card) -> str:
    """The card."""
    pool = row.pool
    return _address("card", cluster=pool.cluster.name, driver=pool.driver, pool=pool.name, card=row.key)


def device_url(row: models.Device) -> str:
    """The device; of several of one name in an invalid pool, the first."""
    pool = row.pool
    return _address("device", cluster=pool.cluster.name, driver=pool.driver, pool=pool.name, device=row.name)


def claim_url(row: models.Claim) -> str:
    """The claim."""
    return _address("claim", cluster=row.cluster.name, namespace=row.namespace, name=row.name)


def node_url(row: models.Node) -> str:
    """The node."""
    return _address("node", cluster=row.cluster.name, name=row.name)


def object_url(row: models.StoredObject) -> str:
    """The object's JSON as received; a dash stands for no namespace."""
    return _address("object", cluster=row.cluster.name, kind=row.kind, namespace=row.namespace or "-", name=row.name)


def _address(route: str, **keys: str) -> str:
    return reverse(f"api:{route}", kwargs=keys)


@extend_schema_field({"type": "string", "format": "uri-reference"})
class Link(serializers.Field[Any, Any, str, Any]):
    """A row's own address, made by one of the functions above."""

    def __init__(self, address: Any) -> None:
        super().__init__(read_only=True, source="*", help_text="This resource's address on the server.")
        self.address = address

    def __deepcopy__(self, memo: dict[int, Any]) -> Link:
        return Link(self.address)

    def to_representation(self, value: Any) -> str:
        return str(self.address(value))
