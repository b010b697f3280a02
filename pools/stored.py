"""Stored objects as nouns again: bodies decoded once, pools gathered and judged from what the database holds."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from pools.core.gather import gather
from pools.core.holds import holds
from pools.core.judge import judge
from pools.core.reach import only_nodes
from pools.domain.claim import Claim, TaintRule
from pools.domain.cluster import DomainObject, Pod
from pools.domain.errors import Undecodable
from pools.domain.ids import ClaimId, PoolId
from pools.domain.pool import Slice
from pools.domain.state import Holder, PoolReport, Surroundings
from pools.models import Allocation, Cluster, Node, PodClaim, StoredObject
from pools.wire.registry import decode

CACHE_BYTES = 16 * 2**20
CHUNK = 500


def pack(raw: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """
    An object as stored.

    Returns:
        Its JSON, compressed, and the SHA-256 of its JSON with sorted keys.

    Raises:
        Undecodable: it holds something that JSON has no form for.
    """
    try:
        body = msgspec.json.encode(raw)
        canonical = msgspec.json.encode(raw, order="sorted")
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Undecodable(f"cannot be written as JSON: {error}") from None
    return zlib.compress(body), hashlib.sha256(canonical).digest()


def unpack(body: bytes) -> dict[str, Any]:
    """The object's JSON as received."""
    raw: dict[str, Any] = msgspec.json.decode(zlib.decompress(body))
    return raw


class _Decoded:
    """Objects decoded lately, by digest; bounded by the size of their compressed bodies. Safe between threads."""

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self._kept: OrderedDict[bytes, tuple[DomainObject, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: bytes, body: bytes) -> DomainObject:
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest][0]
        item = decode(unpack(body))
        self.put(digest, item, len(body))
        return item

    def put(self, digest: bytes, item: DomainObject, size: int) -> None:
        with self._lock:
            if digest not in self._kept:
                self._kept[digest] = item, size
                self._size += size
            while self._size > self._limit:
                self._size -= self._kept.popitem(last=False)[1][1]


DECODED = _Decoded(CACHE_BYTES)


def nouns(rows: Iterable[StoredObject]) -> list[DomainObject]:
    """The objects of *rows*, in their order; one that this version can no longer read is left out."""
    found = []
    for row in rows:
        try:
            found.append(DECODED.get(bytes(row.digest), bytes(row.body)))
        except Undecodable:
            continue  # `manage.py rebuild` names it
    return found


def named(cluster: Cluster, kind: str, ids: Collection[ClaimId]) -> list[DomainObject]:
    """The objects of one kind with these namespaces and names, in no particular order."""
    wanted, found = sorted(ids), []
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        rows = StoredObject.objects.filter(
            cluster=cluster, kind=kind, namespace__in={i.namespace for i in part}, name__in={i.name for i in part}
        )
        chosen = set(part)
        found += nouns(row for row in rows if ClaimId(row.namespace, row.name) in chosen)
    return found


class Evidence:
    """What the pools of one cluster are judged from, read in few queries however many pools are asked for."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    @cached_property
    def taint_rules(self) -> tuple[TaintRule, ...]:
        rows = StoredObject.objects.filter(cluster=self.cluster, kind="DeviceTaintRule").order_by("name")
        return tuple(item for item in nouns(rows) if isinstance(item, TaintRule))

    @cached_property
    def has_nodes(self) -> bool:
        return Node.objects.filter(cluster=self.cluster, observed=True).exists()

    @cached_property
    def _all_node_names(self) -> frozenset[str]:
        return frozenset(Node.objects.filter(cluster=self.cluster, observed=True).values_list("name", flat=True))

    def reports(self, ids: Collection[PoolId]) -> dict[PoolId, PoolReport]:
        """Reports of those of the pools that have slices. Cost: 6 queries, and the core's work for each pool."""
        slices = self.slices(ids)
        holders = self.holders(slices)
        names = self._node_names(item for each in slices.values() for item in each)
        found = {}
        for identity, own in slices.items():
            (pool,) = gather(own)
            around = Surroundings(holders[identity], self.taint_rules, names)
            found[identity] = judge(pool, around)
        return found

    def slices(self, ids: Collection[PoolId]) -> dict[PoolId, list[Slice]]:
        """The slices of these pools, by pool; pools without slices are absent."""
        found: dict[PoolId, list[Slice]] = defaultdict(list)
        wanted = set(ids)
        for start in range(0, len(wanted), CHUNK):
            part = sorted(wanted)[start : start + CHUNK]
            rows = StoredObject.objects.filter(
                cluster=self.cluster, driver__in={i.driver for i in part}, pool__in={i.name for i in part}
            ).order_by("name")
            for item in nouns(rows):
                if isinstance(item, Slice) and item.pool_id in wanted:
                    found[item.pool_id].append(item)
        return found

    def slices_near(
        self, drivers: Collection[str], nodes: Collection[str], known: Mapping[PoolId, Collection[Slice]]
    ) -> dict[PoolId, Collection[Slice]]:
        """
        Slices of these drivers in pools that one of *nodes* may reach (all of the drivers' when '' is among them), and
        the *known* ones, which are not read again.
        """
        pools = self.cluster.pools.filter(driver__in=drivers)
        if "" not in nodes:
            pools = pools.filter(node__in=[*nodes, ""])
        ids = {PoolId(*pair) for pair in pools.values_list("driver", "name")}
        return {**self.slices(ids - set(known)), **known}

    def holders(self, slices: Mapping[PoolId, Collection[Slice]]) -> dict[PoolId, tuple[Holder, ...]]:
        """Who holds devices of these pools."""
        rows = Allocation.objects.filter(
            claim__cluster=self.cluster, driver__in={i.driver for i in slices}, pool_name__in={i.name for i in slices}
        )
        claims: set[ClaimId] = set()
        guessed: set[tuple[str, str]] = set()
        for driver, pool, namespace, name, node, guess in rows.values_list(
            "driver", "pool_name", "claim__namespace", "claim__name", "claim__node", "guessed"
        ):
            if PoolId(driver, pool) in slices:
                claims.add(ClaimId(namespace, name))
                if guess:
                    guessed.add((driver, node))
        around = dict(slices)
        if guessed:
            around |= self.slices_near({driver for driver, _ in guessed}, {node for _, node in guessed}, slices)
        return self._by_pool(slices, claims, [item for each in around.values() for item in each])

    def _by_pool(
        self, ids: Iterable[PoolId], claims: Collection[ClaimId], slices: Collection[Slice]
    ) -> dict[PoolId, tuple[Holder, ...]]:
        own = [item for item in named(self.cluster, "ResourceClaim", claims) if isinstance(item, Claim)]
        own.sort(key=lambda claim: claim.id)
        found: dict[PoolId, list[Holder]] = {identity: [] for identity in ids}
        for holder in holds(own, slices, self.users(claims)):
            if holder.device.pool_id in found:
                found[holder.device.pool_id].append(holder)
        return {identity: tuple(held) for identity, held in found.items()}

    def users(self, claims: Collection[ClaimId]) -> list[Pod]:
        """Pods that refer to these claims, by namespace and name."""
        if not claims:
            return []
        rows = PodClaim.objects.filter(
            pod__cluster=self.cluster,
            pod__namespace__in={claim.namespace for claim in claims},
            claim_name__in={claim.name for claim in claims},
        ).values_list("pod__namespace", "pod__name", "claim_name")
        ids = {ClaimId(namespace, pod) for namespace, pod, name in rows if ClaimId(namespace, name) in claims}
        pods = [item for item in named(self.cluster, "Pod", ids) if isinstance(item, Pod)]
        return sorted(pods, key=lambda pod: pod.id)

    def _node_names(self, slices: Iterable[Slice]) -> frozenset[str] | None:
        """Names of existing nodes, only those that matter where each slice says which these are."""
        if not self.has_nodes:
            return None
        asked: set[str] = set()
        for item in slices:
            reaches = [device.reach for device in item.devices] if item.per_device_reach else [item.reach]
            for reach in reaches:
                names = only_nodes(reach)
                if names is None:
                    return self._all_node_names
                asked |= names
        rows = Node.objects.filter(cluster=self.cluster, observed=True, name__in=asked)
        return frozenset(rows.values_list("name", flat=True))
