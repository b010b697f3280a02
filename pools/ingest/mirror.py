"""The only writer of mirrored rows: stored objects, and everything derived from what they touch, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.utils import timezone

from pools.domain.claim import Claim, TaintRule
from pools.domain.cluster import DomainObject, Node, Pod
from pools.domain.ids import ClaimId, PoolId
from pools.domain.pool import Slice
from pools.ingest.changes import Change, Touched
from pools.ingest.derive import clip
from pools.ingest.history import record, sources
from pools.ingest.intake import Candidate
from pools.ingest.sync import BATCH, discard, update
from pools.ingest.write_claims import guess_pools, write_claims, write_pods
from pools.ingest.write_findings import write_findings
from pools.ingest.write_nodes import drop_unnamed, name_nodes, write_nodes
from pools.ingest.write_pools import write_pools
from pools.models import Cluster, Device, Finding, Pool, StoredObject
from pools.stored import Evidence, nouns

N = TypeVar("N", Claim, Pod, Node, TaintRule)
POOLS_AT_ONCE = 25
_COLUMNS = ("uid", "resource_version", "version", "form", "driver", "pool", "digest", "body", "received_at")


def locked(name: str) -> Cluster:
    """
    The cluster's row, made if it is new, locked until the transaction ends: writers of one cluster take turns.

    SQLite has no row locks; there the transaction itself is the lock (it begins IMMEDIATE).
    """
    Cluster.objects.get_or_create(name=name)
    return Cluster.objects.select_for_update().get(name=name)


def current_revision(name: str) -> int:
    """The cluster's revision, 0 when there is no such cluster."""
    return Cluster.objects.filter(name=name).values_list("revision", flat=True).first() or 0


class Mirror:
    """
    Writes to one cluster, whose row must be `locked`.

    Cost: follows the pools, claims and pods that the changes touch, however large the cluster is.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.now = timezone.now()
        self.touched = Touched()

    def apply(self, changes: Sequence[Change]) -> None:
        """Store or delete these objects (each key at most once), and derive anew what they touch."""
        self._touch_pools(changes)
        self._touch_names(changes)
        self._store(changes)
        self.advance()
        write_nodes(self.cluster, _items(changes, Node), {name for _, name in _gone(changes, "Node")}, self.touched)
        write_claims(self.cluster, _items(changes, Claim), _gone(changes, "ResourceClaim"), self.touched)
        write_pods(self.cluster, _items(changes, Pod), _gone(changes, "Pod"), self.touched)
        self.derive()

    def derive(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Derive what is noted as touched; *progress* is told pools done and pools in all."""
        evidence = Evidence(self.cluster)
        guess_pools(evidence, self.touched)
        pools = sorted(self.touched.pools)
        leaving: set[str] = set()
        for start in range(0, len(pools), POOLS_AT_ONCE):
            part = pools[start : start + POOLS_AT_ONCE]
            reports = evidence.reports(part)
            leaving |= write_pools(self.cluster, set(part), reports, self.now)
            slices = [item for each in reports.values() for item in each.pool.slices]
            self.touched.plugin_nodes |= name_nodes(self.cluster, slices)
            if progress is not None:
                progress(min(start + POOLS_AT_ONCE, len(pools)), len(pools))
        drop_unnamed(self.cluster, leaving | self.touched.nodes)
        self.touched.plugin_nodes |= leaving
        write_findings(evidence, self.touched)

    def advance(self) -> None:
        """Count the change: the cluster gets the next revision, as of now."""
        self.cluster.revision += 1
        self.cluster.as_of = self.now
        self.cluster.save(update_fields=["revision", "as_of", "version"])

    def _store(self, changes: Sequence[Change]) -> None:
        before = sources(changes)
        first = self.cluster.version + 1
        self.cluster.version += len(changes)
        rows = [
            self._row(change, change.new, version)
            for version, change in enumerate(changes, start=first)
            if change.new is not None
        ]
        StoredObject.objects.bulk_create([row for row in rows if row.pk is None], batch_size=BATCH)
        update(StoredObject, [row for row in rows if row.pk is not None], _COLUMNS)
        record(self.cluster, first, changes, {(row.kind, row.namespace, row.name): row for row in rows}, before)
        gone = [change.old.pk for change in changes if change.new is None and change.old and change.old.pk]
        discard(StoredObject, StoredObject.objects.filter(pk__in=gone).only("pk"))

    def _row(self, change: Change, new: Candidate, version: int) -> StoredObject:
        kind, namespace, name = change.key
        return StoredObject(
            pk=change.old.pk if change.old else None,
            cluster=self.cluster,
            kind=kind,
            namespace=namespace,
            name=name,
            version=version,
            received_at=self.now,
            **stored_fields(new.item(), new.digest, new.body),
        )

    def _touch_names(self, changes: Sequence[Change]) -> None:
        """Note classes and templates that came or went: claims and pods may have waited for them, or will."""
        for change in changes:
            moved = change.old is None or change.new is None
            kind, namespace, name = change.key
            if moved and kind == "ResourceClaimTemplate":
                self.touched.templates.add(ClaimId(namespace, name))
            elif moved and kind == "DeviceClass":
                missing = Finding.objects.filter(cluster=self.cluster, code="device-class-missing")
                self.touched.classes |= {name, *missing.values_list("object", flat=True)}

    def _touch_pools(self, changes: Sequence[Change]) -> None:
        """Note the pools that slices belong or belonged to, and those that taint rules match or matched."""
        for change in changes:
            if change.key[0] == "DeviceTaintRule":
                self.touched.rules.add(change.key[2])
            if change.old is not None and change.old.pool_id is not None:
                self.touched.pools.add(change.old.pool_id)
            if isinstance(change.item, Slice):
                self.touched.pools.add(change.item.pool_id)
        ids = [
            change.old.pk for change in changes if change.key[0] == "DeviceTaintRule" and change.old and change.old.pk
        ]
        rules = [*nouns(StoredObject.objects.filter(pk__in=ids)), *_items(changes, TaintRule)]
        for rule in rules:
            if isinstance(rule, TaintRule):
                self.touched.pools.update(self._ruled(rule))

    def _ruled(self, rule: TaintRule) -> Iterator[PoolId]:
        """Pools with devices that the rule may match."""
        if not rule.has_selector:
            return
        rows = Pool.objects.filter(cluster=self.cluster)
        for column, value in (("driver", rule.driver), ("name", rule.pool)):
            rows = rows.filter(**{column: value}) if value is not None else rows
        if rule.device is not None:
            rows = rows.filter(pk__in=Device.objects.filter(name=rule.device).values("pool"))
        yield from (PoolId(*pair) for pair in rows.order_by().values_list("driver", "name"))


def stored_fields(item: DomainObject | None, digest: bytes, body: bytes) -> dict[str, Any]:
    """The columns that say what is stored."""
    if item is None:
        raise ValueError("only decoded objects are stored")
    driver, pool = item.pool_id if isinstance(item, Slice) else ("", "")
    return {
        "uid": item.meta.uid,
        "resource_version": item.meta.resource_version,
        "form": clip(getattr(item, "form", "v1"), 32),
        "driver": driver,
        "pool": pool,
        "digest": digest,
        "body": body,
    }


def _items(changes: Iterable[Change], kind: type[N]) -> list[N]:
    """The new or changed objects of one kind."""
    return [item for change in changes if isinstance(item := change.item, kind)]


def _gone(changes: Iterable[Change], kind: str) -> set[ClaimId]:
    """Namespace and name of the deleted objects of one kind."""
    return {ClaimId(*change.key[1:]) for change in changes if change.new is None and change.key[0] == kind}
