"""What a transaction changes: objects before and after, and which pools, claims, pods and nodes that touches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import QuerySet

from pools.domain.cluster import DomainObject
from pools.domain.ids import ClaimId, PoolId
from pools.ingest.intake import Candidate, Key
from pools.models import Cluster, StoredObject

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored under a key, as far as deciding needs it. `pk` is None for what this call is about to store."""

    pk: int | None
    uid: str
    resource_version: str
    digest: bytes
    driver: str
    pool: str

    @property
    def pool_id(self) -> PoolId | None:
        return PoolId(self.driver, self.pool) if self.driver else None


@dataclass(frozen=True, slots=True)
class Change:
    """One object that is to be stored (`new`) or deleted (`new` is None). `old` is what was stored before."""

    key: Key
    old: Known | None
    new: Candidate | None

    @property
    def item(self) -> DomainObject | None:
        return self.new.item() if self.new is not None else None


@dataclass(slots=True)
class Touched:
    """
    What has to be derived anew.

    `classes` are those that touched claims ask for, too. `guessed_drivers` have results without a pool name that
    changed or may mean another pool now. `plugin_nodes` are those on which a device plugin may stand in a driver's way.
    `nodes` came or went.
    """

    pools: set[PoolId] = field(default_factory=set)
    claims: set[ClaimId] = field(default_factory=set)
    pods: set[ClaimId] = field(default_factory=set)
    templates: set[ClaimId] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    plugin_nodes: set[str] = field(default_factory=set)
    guessed_drivers: set[str] = field(default_factory=set)


def known(cluster: Cluster, keys: Collection[Key]) -> dict[Key, Known]:
    """What is stored under these keys."""
    found: dict[Key, Known] = {}
    wanted = sorted(set(keys))
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        rows = StoredObject.objects.filter(
            cluster=cluster,
            kind__in={kind for kind, _, _ in part},
            namespace__in={namespace for _, namespace, _ in part},
            name__in={name for _, _, name in part},
        )
        found |= _by_key(rows)
    return {key: found[key] for key in wanted if key in found}


def known_of_pool(cluster: Cluster, pool: PoolId) -> dict[Key, Known]:
    """What is stored of one pool."""
    return _by_key(StoredObject.objects.filter(cluster=cluster, driver=pool.driver, pool=pool.name))


def _by_key(rows: QuerySet[StoredObject]) -> dict[Key, Known]:
    columns = ("kind", "namespace", "name", "pk", "uid", "resource_version", "digest", "driver", "pool")
    return {
        (kind, namespace, name): Known(pk, uid, version, bytes(digest), driver, pool)
        for kind, namespace, name, pk, uid, version, digest, driver, pool in rows.values_list(*columns)
    }
