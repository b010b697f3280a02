"""Writers of one cluster take turns: whatever they do at once, nothing is lost."""

import json
import threading

import pytest
from django.db import connection, connections

from pools.ingest.publish import publish, remove
from pools.models import Allocation, Cluster, Counter, Device, Pool, StoredObject
from tests.manifests import DRIVER, claim, gpu_pool, partition, resource_slice

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS, EACH = 4, 8


@pytest.fixture
def at_once(transactional_db):
    """Run calls at the same moment, each with a connection of its own; re-raise what they raise."""
    assert not (connection.vendor == "sqlite" and connection.is_in_memory_db()), "that would be one connection for all"

    def run(*calls):
        gate, errors = threading.Barrier(len(calls)), []

        def work(call):
            try:
                gate.wait(30)
                call()
            except BaseException as error:
                errors.append(error)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=work, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads)
        if errors:
            raise errors[0]

    return run


def send(*objects, **options):
    return publish(json.dumps(list(objects)).encode(), **options)


def test_claims_of_one_pool_published_at_once_are_all_counted(at_once):
    devices = [partition(f"part-{index}", memory="1Gi") for index in range(WRITERS * EACH)]
    sets = [{"name": "gpu-0", "counters": {"memory": {"value": "64Gi"}}}]
    send(resource_slice("a", sets=sets, count=2), resource_slice("b", devices=devices, count=2))

    def writer(number):
        def work():
            for index in range(number * EACH, (number + 1) * EACH):
                report = send(claim(f"claim-{index}", holds=[(DRIVER, "node-1", f"part-{index}")]))
                assert report.summary["created"] == 1

        return work

    at_once(*(writer(number) for number in range(WRITERS)))

    assert Counter.objects.get().consumed == f"{WRITERS * EACH}Gi"
    assert Device.objects.filter(state="allocated").count() == WRITERS * EACH
    assert Allocation.objects.exclude(device=None).count() == WRITERS * EACH
    assert Cluster.objects.get().revision == 1 + WRITERS * EACH


def test_a_new_cluster_named_by_two_writers_at_once_is_one_cluster(at_once):
    at_once(*(lambda pool=f"node-{number}": send(*gpu_pool(pool), cluster="fresh") for number in range(WRITERS)))

    assert Cluster.objects.get().revision == WRITERS
    assert Pool.objects.count() == WRITERS


def test_the_newest_version_wins_in_whatever_order_versions_arrive(at_once):
    def writer(number):
        def work():
            for version in range(1 + number, 33, WRITERS):
                send(resource_slice(devices=[{"name": f"v{version}"}], uid="u", version=str(version)))

        return work

    at_once(*(writer(number) for number in reversed(range(WRITERS))))

    assert StoredObject.objects.get().resource_version == "32"
    assert Device.objects.get().name == "v32"


def test_replacing_a_pool_and_claiming_from_it_at_once_end_in_agreement(at_once):
    send(*gpu_pool())

    def replacer():
        for index in range(EACH):
            send(*gpu_pool(parts=2 + index % 2))

    def claimer():
        for _ in range(EACH):
            send(claim("c", holds=[(DRIVER, "node-1", "half-0")]))
            remove(cluster="default", kind="ResourceClaim", namespace="ml", name="c")

    at_once(replacer, claimer)
    send(claim("c", holds=[(DRIVER, "node-1", "half-1")]))

    assert Counter.objects.get().consumed == "20Gi"
    assert list(Device.objects.filter(state="allocated").values_list("name", flat=True)) == ["half-1"]
    assert Allocation.objects.get().device.name == "half-1"


def test_writers_of_different_clusters_do_not_disturb_one_another(at_once):
    def writer(name):
        def work():
            for index in range(EACH):
                send(*gpu_pool(f"node-{index}"), cluster=name)

        return work

    at_once(writer("east"), writer("west"))

    assert dict(Cluster.objects.values_list("name", "revision")) == {"east": EACH, "west": EACH}
    assert Pool.objects.count() == 2 * EACH
