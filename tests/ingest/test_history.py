"""Events: one for each object changed, in order, no more than the settings keep."""

from __future__ import annotations

import json

import pytest

from pools.ingest.publish import publish, remove
from pools.models import Cluster, ObjectEvent, StoredObject
from pools.stored import unpack

pytestmark = pytest.mark.django_db


def device_class(name: str, **labels: str) -> dict[str, object]:
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": metadata, "spec": {}}


def put(*objects: dict[str, object]) -> None:
    report = publish(json.dumps(objects).encode())
    assert not report.all_refused


def events() -> list[tuple[int, str, str]]:
    return list(ObjectEvent.objects.values_list("version", "verb", "name"))


def test_each_change_has_its_own_version():
    put(device_class("a"), device_class("b"))
    put(device_class("a"), device_class("b", tier="gold"))
    remove(cluster="default", kind="DeviceClass", namespace="", name="a")
    assert events() == [(2, "ADDED", "a"), (3, "ADDED", "b"), (4, "MODIFIED", "b"), (5, "DELETED", "a")]
    assert Cluster.objects.get().version == 5
    assert StoredObject.objects.get().version == 4


def test_an_event_knows_what_was_there_before():
    put(device_class("a", tier="gold"))
    put(device_class("a", tier="iron"))
    changed = ObjectEvent.objects.get(verb="MODIFIED")
    assert unpack(bytes(changed.before))["metadata"]["labels"] == {"tier": "gold"}
    assert unpack(bytes(changed.body))["metadata"]["labels"] == {"tier": "iron"}


def test_the_oldest_events_go(settings):
    settings.WATCH_HISTORY = 3
    put(*[device_class(f"c{number}") for number in range(5)])
    assert [version for version, _, _ in events()] == [4, 5, 6]
    put(device_class("c0", tier="gold"))
    assert [version for version, _, _ in events()] == [5, 6, 7]
