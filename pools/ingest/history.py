"""What changed, in order: the events that watchers of the Kubernetes surface read, as many as the settings keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from pools.ingest.changes import CHUNK, Change
from pools.ingest.intake import Key
from pools.ingest.sync import BATCH
from pools.models import Cluster, ObjectEvent, StoredObject
from pools.stored import pack, unpack


def outline(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What label and field selectors can see of an object, in the object's own shape."""
    metadata, spec = _mapping(raw.get("metadata")), _mapping(raw.get("spec"))
    labels = _mapping(metadata.get("labels"))
    seen = {key: spec[key] for key in ("driver", "nodeName") if isinstance(spec.get(key), str)}
    pool = _mapping(spec.get("pool")).get("name")
    return {"metadata": {"labels": dict(labels)}, "spec": {**seen, **({"pool": {"name": pool}} if pool else {})}}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def sources(changes: Sequence[Change]) -> dict[int, StoredObject]:
    """The stored objects that these changes replace or delete, by primary key; read before anything is written."""
    wanted = [change.old.pk for change in changes[-settings.WATCH_HISTORY :] if change.old and change.old.pk]
    found: dict[int, StoredObject] = {}
    for start in range(0, len(wanted), CHUNK):
        found |= {row.pk: row for row in StoredObject.objects.filter(pk__in=wanted[start : start + CHUNK])}
    return found


def record(
    cluster: Cluster,
    first: int,
    changes: Sequence[Change],
    rows: Mapping[Key, StoredObject],
    before: Mapping[int, StoredObject],
) -> None:
    """
    Write an event for each change, and drop those beyond the history that is kept.

    Args:
        first: the version of the first change; each further one has the next.
        rows: what is stored now, by key.
        before: what was stored before, by primary key.
    """
    kept = settings.WATCH_HISTORY
    numbered = list(enumerate(changes, start=first))[-kept:]
    events = [_event(cluster, version, change, rows, before) for version, change in numbered]
    ObjectEvent.objects.bulk_create(events, batch_size=BATCH)
    ObjectEvent.objects.filter(cluster=cluster, version__lte=cluster.version - kept).delete()


def _event(
    cluster: Cluster,
    version: int,
    change: Change,
    rows: Mapping[Key, StoredObject],
    before: Mapping[int, StoredObject],
) -> ObjectEvent:
    old = before.get(change.old.pk) if change.old is not None and change.old.pk else None
    row = rows[change.key] if change.new is not None else old
    if row is None or row.pk is None:
        raise ValueError(f"{change.key} changes without anything stored before or after")
    verb = ObjectEvent.Verb.ADDED if old is None else ObjectEvent.Verb.MODIFIED
    return ObjectEvent(
        cluster=cluster,
        version=version,
        verb=ObjectEvent.Verb.DELETED if change.new is None else verb,
        kind=row.kind,
        namespace=row.namespace,
        name=row.name,
        form=row.form,
        row=row.pk,
        row_since=row.received_at,
        body=row.body,
        before=pack(outline(unpack(bytes(old.body))))[0] if old is not None else b"",
    )
