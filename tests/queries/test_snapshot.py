"""A whole cluster, decoded once and kept while it stays as it is."""

import threading

import pytest

from pools.domain.ids import ClaimId
from pools.ingest.publish import remove
from pools.models import Cluster, StoredObject
from pools.queries import snapshot as module
from pools.queries.snapshot import held, snapshot
from pools.stored import pack
from tests.web import objects

pytestmark = pytest.mark.django_db


def of(name="default"):
    return snapshot(Cluster.objects.get(name=name))


def test_everything_that_was_published_is_in_it():
    objects.fleet(2)

    found = of()

    assert {node.meta.name for node in found.nodes} == {"node-0", "node-1"}
    assert {claim.id for claim in found.claims} == {
        ClaimId("ml", f"{name}-{index}") for name in ("train", "waiting") for index in (0, 1)
    }
    assert {item.pool for item in found.slices} == {"node-0", "node-1"}
    assert len(found.pods) == 4


def test_an_unchanged_cluster_costs_one_query_and_is_the_same_object(django_assert_num_queries):
    objects.fleet(1)
    cluster = Cluster.objects.get()
    first = snapshot(cluster)

    with django_assert_num_queries(1):
        assert snapshot(cluster) is first


def test_only_what_changed_is_decoded_again(django_assert_num_queries):
    objects.fleet(3)
    cluster = Cluster.objects.get()
    before = snapshot(cluster)
    objects.put(objects.claim("late"))

    with django_assert_num_queries(4):
        after = snapshot(cluster)

    assert {id(item) for item in before.slices} == {id(item) for item in after.slices}
    assert ClaimId("ml", "late") in {claim.id for claim in after.claims}


def test_what_is_deleted_is_gone():
    objects.fleet(1)
    of()
    remove(cluster="default", kind="ResourceClaim", namespace="ml", name="train-0", token=None)

    assert ClaimId("ml", "train-0") not in {claim.id for claim in of().claims}


def test_clusters_are_kept_apart():
    objects.fleet(1)
    objects.put(objects.claim("elsewhere"), cluster="edge")

    assert {claim.meta.name for claim in of("edge").claims} == {"elsewhere"}
    assert "elsewhere" not in {claim.meta.name for claim in of().claims}


def test_an_object_that_can_no_longer_be_read_is_left_out():
    objects.fleet(1)
    row = StoredObject.objects.filter(kind="Node").get()
    row.digest, row.body = b"\x01" * 32, pack({"kind": "Node"})[0]
    row.save()

    assert of().nodes == ()


def test_only_so_many_clusters_are_kept():
    for index in range(module.KEPT_CLUSTERS + 2):
        objects.put(objects.claim("c"), cluster=f"c{index}")
        of(f"c{index}")

    assert len(module._kept) == module.KEPT_CLUSTERS


def test_a_change_while_reading_is_noticed(monkeypatch):
    objects.fleet(1)
    cluster = Cluster.objects.get()
    original, written = module._decoded, []

    def decoded(keys):
        if not written:
            written.append(objects.put(objects.claim("meanwhile")))
        return original(keys)

    monkeypatch.setattr(module, "_decoded", decoded)

    with held(cluster) as found:
        assert ClaimId("ml", "meanwhile") in {claim.id for claim in found.snapshot.claims}
        assert found.revision == Cluster.objects.get().revision


def test_a_cluster_is_asked_by_one_thread_at_a_time():
    objects.fleet(1)
    cluster = Cluster.objects.get()
    inside, others = threading.Event(), []

    with held(cluster) as mine:
        other = threading.Thread(target=lambda: (mine.lock.acquire(), inside.set(), mine.lock.release()))
        other.start()
        others.append(inside.wait(0.2))
    other.join(5)

    assert others == [False]
    assert inside.is_set()
