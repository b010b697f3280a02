"""Identities, as tuples: pool names may hold `/` and `.`, so no joined text is ever a key."""

from __future__ import annotations

from typing import NamedTuple


class PoolId(NamedTuple):
    """A pool: two drivers may use one pool name, so neither part identifies it alone."""

    driver: str
    name: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class DeviceId(NamedTuple):
    """A device as an allocation result names it; the pool's generation is not part of it."""

    driver: str
    pool: str
    name: str

    @property
    def pool_id(self) -> PoolId:
        return PoolId(self.driver, self.pool)

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.name}"


class ClaimId(NamedTuple):
    """A claim, template or pod within its namespace."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class CounterId(NamedTuple):
    """A counter within its pool. `counter_set` is the name of the set, unique in the pool."""

    counter_set: str
    counter: str

    def __str__(self) -> str:
        return f"{self.counter_set}/{self.counter}"
