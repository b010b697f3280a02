"""However the objects of a case arrive, the rows say what `inspect` says of all of them at once."""

import json
import random

import pytest

from pools.ingest.publish import publish
from pools.models import Cluster, Counter, Device, Finding, Pool
from pools.queries.inspection import inspect, load
from pools.wire.documents import Document, read
from tests.conftest import shared_path

CASES = sorted(path.parent.name for path in shared_path("cases").glob("*/input.yaml"))


def case_objects(name):
    data = shared_path("cases", name, "input.yaml").read_bytes()
    kept = {}
    for document in read(data):
        if isinstance(document, Document):
            metadata = document.raw["metadata"]
            kept[document.raw["kind"], metadata.get("namespace"), metadata["name"]] = document.raw
    return list(kept.values())


def told(cluster):
    """What the rows say, in the words of inspect."""
    pools = Pool.objects.filter(cluster__name=cluster)
    devices = Device.objects.filter(pool__in=pools)
    counters = Counter.objects.filter(counter_set__pool__in=pools)
    return {
        "pools": {(row.driver, row.name): (row.state, row.generation) for row in pools},
        "devices": sorted((str(row.pool), row.name, row.state) for row in devices.select_related("pool")),
        "counters": sorted(
            (str(row.counter_set.pool), row.counter_set.name, row.name, row.consumed, row.available)
            for row in counters.select_related("counter_set__pool")
        ),
        "findings": sorted(
            (row.code, row.object, row.severity) for row in Finding.objects.filter(cluster__name=cluster)
        ),
    }


def wanted(objects):
    """What inspect says of the same objects."""
    snapshot, faults = load(json.dumps(objects).encode())
    assert not faults
    answer = inspect(snapshot)
    return sorted(
        (found["code"], found["object"], found["severity"])
        for found in {json.dumps(found): found for found in answer["findings"]}.values()
    )


def publish_each(objects, cluster):
    for item in objects:
        assert publish(json.dumps(item).encode(), cluster=cluster).summary["refused"] == 0


@pytest.mark.parametrize("name", CASES)
def test_objects_arriving_one_by_one_in_any_order_end_in_the_same_rows_as_all_at_once(name, db):
    objects = case_objects(name)
    shuffled = objects[:]
    random.Random(name).shuffle(shuffled)

    publish(json.dumps(objects).encode(), cluster="at-once")
    publish_each(shuffled, "one-by-one")

    assert told("one-by-one") == told("at-once")
    assert told("at-once")["findings"] == wanted(objects)


@pytest.mark.parametrize("name", CASES)
def test_what_came_and_went_leaves_no_trace(name, db):
    from pools.ingest.publish import remove
    from pools.wire.registry import identify

    objects = case_objects(name)
    mixed = objects[:]
    random.Random(name).shuffle(mixed)
    leaving, staying = mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]

    publish(json.dumps(objects).encode(), cluster="whole")
    for item in leaving:
        kind, namespace, own_name = identify(item)
        remove(cluster="whole", kind=kind, namespace=namespace, name=own_name)
    if staying:
        publish(json.dumps(staying).encode(), cluster="part")

    assert Cluster.objects.get(name="whole").revision == 1 + len(leaving)
    assert told("whole") == told("part")
