"""Publishing is apply: idempotent, object by object, all in one transaction."""

import copy

import pytest

from pools.domain.errors import Undecodable
from pools.domain.ids import PoolId
from pools.ingest.publish import publish, remove
from pools.models import Allocation, Claim, Cluster, Counter, Device, Pool, PublishToken, StoredObject
from pools.stored import unpack
from tests.ingest.conftest import verdicts
from tests.manifests import (
    DRIVER,
    claim,
    device,
    device_class,
    gpu_pool,
    node,
    partition,
    pod,
    resource_slice,
)


def test_a_published_pool_has_counters_devices_and_a_card(send):
    report = send(*gpu_pool())

    assert verdicts(report) == ["created", "created"]
    assert report.revision == 1
    pool = Pool.objects.get()
    assert (pool.state, pool.node, pool.devices_total, pool.devices_available) == ("complete", "node-1", 3, 3)
    counter = Counter.objects.get()
    assert (counter.capacity, counter.consumed, counter.available) == ("40Gi", "0", "40Gi")
    assert [row.name for row in pool.devices.order_by("position")] == ["half-0", "half-1", "whole"]
    assert pool.cards.get().key == "gpu-0"


def test_the_same_payload_again_changes_nothing_not_even_the_revision(send):
    send(*gpu_pool())
    before = list(Cluster.objects.values())

    report = send(*gpu_pool())

    assert verdicts(report) == ["unchanged", "unchanged"]
    assert list(Cluster.objects.values()) == before


def test_the_order_of_keys_and_the_format_do_not_make_another_object(send):
    item = resource_slice(devices=[device("gpu-0")])
    send(item)

    report = send(dict(reversed(item.items())))

    assert verdicts(report) == ["unchanged"]


def test_a_claim_takes_what_its_device_consumes_and_gives_it_back(send):
    send(*gpu_pool())

    send(claim("train", holds=[(DRIVER, "node-1", "half-0")], pods=("train-0",)))

    counter = Counter.objects.get()
    assert (counter.consumed, counter.available) == ("20Gi", "20Gi")
    assert counter.holds == [
        {
            "device": "half-0",
            "amount": "20Gi",
            "claims": [{"namespace": "ml", "name": "train", "request": "r0", "pods": ["ml/train-0"]}],
        }
    ]
    states = dict(Device.objects.values_list("name", "state"))
    assert states == {"half-0": "allocated", "half-1": "available", "whole": "blocked"}
    held = Allocation.objects.get()
    assert held.device.name == "half-0"
    assert held.pool == Pool.objects.get()

    send(claim("train"))

    assert Counter.objects.get().consumed == "0"
    assert not Allocation.objects.exists()
    assert Claim.objects.get().state == "pending"


def test_a_claim_event_rewrites_only_the_devices_that_it_changes(send, django_assert_max_num_queries):
    devices = [partition(f"part-{index:03}", memory="1Gi", counter_set=f"gpu-{index // 26}") for index in range(208)]
    sets = [{"name": f"gpu-{index}", "counters": {"memory": {"value": "26Gi"}}} for index in range(8)]
    send(resource_slice("a", sets=sets, count=2), resource_slice("b", devices=devices, count=2))
    ids = dict(Device.objects.values_list("name", "pk"))

    with django_assert_max_num_queries(60):
        send(claim("train", holds=[(DRIVER, "node-1", "part-000")]))

    assert dict(Device.objects.values_list("name", "pk")) == ids
    assert list(Device.objects.filter(state="allocated").values_list("name", flat=True)) == ["part-000"]


def test_one_bad_object_does_not_lose_the_others(send):
    bad = resource_slice("bad", devices=[{"name": "x", "capacity": {"memory": {"value": "much"}}}])

    report = send(bad, node("node-1"))

    assert verdicts(report) == ["refused", "created"]
    refused = report.objects[0]
    assert (refused.kind, refused.name, refused.where) == ("ResourceSlice", "bad", "[0]")
    assert refused.path == "spec.devices[0].capacity.memory.value"
    assert "much" in refused.reason


def test_atomic_refuses_everything_when_anything_is_refused(send):
    report = send(node("node-1"), {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}, atomic=True)

    assert verdicts(report) == ["refused", "refused"]
    assert "not applied because [1] was refused" in report.objects[0].reason
    assert "Service" in report.objects[1].reason
    assert not Cluster.objects.exists()


def test_a_call_in_which_everything_is_refused_makes_no_cluster(send):
    report = send({"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"}}, cluster="typo")

    assert report.all_refused
    assert report.revision == 0
    assert not Cluster.objects.exists()


def test_an_object_that_became_unreadable_keeps_its_last_good_version(send):
    item = resource_slice(devices=[device("gpu-0")])
    send(item)
    worse = copy.deepcopy(item)
    worse["spec"]["pool"]["generation"] = -1

    report = send(worse)

    assert verdicts(report) == ["refused"]
    assert report.objects[0].path == "spec.pool.generation"
    assert Device.objects.get().name == "gpu-0"


def test_an_older_resource_version_of_the_same_object_changes_nothing(send):
    send(resource_slice(devices=[device("new")], uid="u1", version="10"))

    report = send(resource_slice(devices=[device("old")], uid="u1", version="9"))

    assert verdicts(report) == ["unchanged"]
    assert report.objects[0].reason == "stale: resourceVersion 9 is older than the stored 10"
    assert Device.objects.get().name == "new"
    assert Cluster.objects.get().revision == 1


@pytest.mark.parametrize(
    ("uid", "version"),
    [("u1", "11"), ("u1", "10"), ("u2", "9"), ("", "9"), ("u1", ""), ("u1", "v9")],
    ids=["newer", "same version, other content", "made anew", "no uid", "no version", "no number"],
)
def test_any_other_version_is_taken(send, uid, version):
    send(resource_slice(devices=[device("first")], uid="u1", version="10"))

    report = send(resource_slice(devices=[device("second")], uid=uid, version=version))

    assert verdicts(report) == ["changed"]
    assert Device.objects.get().name == "second"


def test_resource_versions_are_compared_as_numbers(send):
    send(resource_slice(devices=[device("first")], uid="u1", version="9"))

    assert verdicts(send(resource_slice(devices=[device("second")], uid="u1", version="10"))) == ["changed"]


def test_the_same_object_twice_in_a_payload_is_taken_in_order(send):
    report = send(
        resource_slice(devices=[device("first")]),
        resource_slice(devices=[device("second")]),
        resource_slice(devices=[device("second")]),
    )

    assert verdicts(report) == ["created", "changed", "unchanged"]
    assert StoredObject.objects.count() == 1
    assert Device.objects.get().name == "second"


def test_late_news_within_one_payload_is_late_too(send):
    report = send(
        resource_slice(devices=[device("new")], uid="u", version="5"),
        resource_slice(devices=[device("old")], uid="u", version="4"),
    )

    assert verdicts(report) == ["created", "unchanged"]
    assert Device.objects.get().name == "new"


def test_what_was_received_is_stored_as_it_was(send):
    item = resource_slice(devices=[device("gpu-0", futureField={"b": [1, None, "ä"], "a": 1.5})])
    send(item)

    assert unpack(StoredObject.objects.get().body) == item


def test_clusters_do_not_see_one_another(send):
    send(*gpu_pool(), cluster="east")
    send(*gpu_pool(), cluster="west")
    send(claim("train", holds=[(DRIVER, "node-1", "half-0")]), cluster="west")

    consumed = dict(Counter.objects.values_list("counter_set__pool__cluster__name", "consumed"))
    assert consumed == {"east": "0", "west": "20Gi"}


def test_a_slice_that_moves_to_another_pool_leaves_the_old_one(send):
    send(resource_slice("s", pool="first", devices=[device("gpu-0")]))

    send(resource_slice("s", pool="second", devices=[device("gpu-0")]))

    assert [pool.name for pool in Pool.objects.all()] == ["second"]


def test_a_pool_whose_last_slice_goes_disappears_and_its_allocations_keep_their_names(send):
    first, second = gpu_pool()
    send(first, second, claim("train", holds=[(DRIVER, "node-1", "half-0")]))

    for item in (first, second):
        remove(cluster="default", kind="ResourceSlice", namespace="", name=item["metadata"]["name"])

    assert not Pool.objects.exists()
    held = Allocation.objects.get()
    assert (held.driver, held.pool_name, held.device_name) == (DRIVER, "node-1", "half-0")
    assert held.pool is None
    findings = Cluster.objects.get().findings.values_list("code", "object")
    assert ("allocated-pool-not-published", f"{DRIVER}/node-1") in findings


def test_deleting_what_is_not_there_changes_nothing(send):
    send(node("node-1"))

    assert remove(cluster="default", kind="Node", namespace="", name="node-2") is None
    assert remove(cluster="elsewhere", kind="Node", namespace="", name="node-1") is None
    assert Cluster.objects.get().revision == 1


class TestReplace:
    pool = PoolId(DRIVER, "node-1")

    def test_slices_that_are_not_in_the_payload_go(self, send):
        send(*gpu_pool())

        report = send(resource_slice("fresh", devices=[device("gpu-0")]), replace=self.pool)

        assert report.summary == {"created": 1, "changed": 0, "unchanged": 0, "refused": 0, "deleted": 2}
        assert report.revision == 2
        assert [row.name for row in StoredObject.objects.all()] == ["fresh"]
        assert Device.objects.get().name == "gpu-0"

    def test_an_unchanged_payload_changes_nothing(self, send):
        send(*gpu_pool(), replace=self.pool)

        report = send(*gpu_pool(), replace=self.pool)

        assert verdicts(report) == ["unchanged", "unchanged"]
        assert report.revision == 1

    def test_other_pools_are_left_alone_and_refused(self, send):
        send(*gpu_pool(), *gpu_pool("node-2"))

        report = send(*gpu_pool(), resource_slice("stray", pool="node-2"), claim("c"), replace=self.pool)

        assert verdicts(report) == ["unchanged", "unchanged", "refused", "refused"]
        assert "does not belong to the pool gpu.example.com/node-1" in report.objects[2].reason
        assert Pool.objects.count() == 2

    def test_an_empty_payload_empties_the_pool(self, send):
        send(*gpu_pool())

        report = publish(b"[]", replace=self.pool)

        assert verdicts(report) == ["deleted", "deleted"]
        assert not Pool.objects.exists()

    def test_a_refused_slice_keeps_its_last_good_version(self, send):
        first, second = gpu_pool()
        send(first, second)
        worse = copy.deepcopy(second)
        worse["spec"]["devices"][0]["name"] = ""

        report = send(first, worse, replace=self.pool)

        assert verdicts(report) == ["unchanged", "refused"]
        assert Device.objects.count() == 3

    def test_nothing_is_deleted_while_an_object_cannot_be_identified(self, send):
        send(*gpu_pool())

        report = send({"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1"}, replace=self.pool)

        assert verdicts(report) == ["refused"]
        assert "No slice was deleted" in report.note
        assert Pool.objects.get().devices_total == 3

    def test_atomic_deletes_nothing_when_anything_is_refused(self, send):
        send(*gpu_pool())

        send(resource_slice("fresh"), claim("c"), replace=self.pool, atomic=True)

        assert StoredObject.objects.count() == 2

    def test_a_pool_name_may_hold_slashes_and_dots(self, send):
        pool = PoolId(DRIVER, "rack/1.gpus")
        send(resource_slice("old", pool=pool.name, devices=[device("a")]))

        send(resource_slice("new", pool=pool.name, devices=[device("b")]), replace=pool)

        assert Device.objects.get().name == "b"

    def test_a_slice_that_leaves_for_another_pool_is_not_taken(self, send):
        send(resource_slice("s", pool="node-2", devices=[device("gpu-0")]))

        report = send(resource_slice("s", devices=[device("gpu-0")]), replace=self.pool)

        assert verdicts(report) == ["changed"]
        assert [pool.name for pool in Pool.objects.all()] == ["node-1"]


class TestTokens:
    def token(self, **bounds):
        return PublishToken.issue("test", **bounds)[0]

    def test_a_drivers_token_publishes_its_slices_and_nothing_else(self, send):
        report = send(
            resource_slice("mine", devices=[device("gpu-0")]),
            resource_slice("theirs", driver="nic.example.com", pool="nics"),
            claim("c"),
            node("node-1"),
            device_class(),
            pod("p"),
            token=self.token(driver=DRIVER),
        )

        assert verdicts(report) == ["created", *["refused"] * 5]
        assert "bound to the driver gpu.example.com" in report.objects[1].reason

    def test_a_drivers_token_does_not_take_over_a_slice_of_another_driver(self, send):
        send(resource_slice("s", driver="nic.example.com", pool="nics", devices=[device("nic-0")]))

        report = send(resource_slice("s", devices=[device("gpu-0")]), token=self.token(driver=DRIVER))

        assert verdicts(report) == ["refused"]
        assert "an object of nic.example.com has this name" in report.objects[0].reason
        assert Pool.objects.get().driver == "nic.example.com"

    def test_a_drivers_token_is_not_told_that_a_foreign_object_is_unchanged(self, send):
        foreign = resource_slice("s", driver="nic.example.com", pool="nics")
        send(foreign)

        assert verdicts(send(foreign, token=self.token(driver=DRIVER))) == ["refused"]

    def test_a_clusters_token_is_refused_elsewhere(self, send):
        report = send(node("node-1"), cluster="west", token=self.token(cluster="east"))

        assert verdicts(report) == ["refused"]
        assert "bound to the cluster east" in report.objects[0].reason

    def test_a_drivers_token_deletes_its_slices_only(self, send):
        token = self.token(driver=DRIVER)
        send(resource_slice("mine"), node("node-1"))

        gone = remove(cluster="default", kind="ResourceSlice", namespace="", name="mine", token=token)
        kept = remove(cluster="default", kind="Node", namespace="", name="node-1", token=token)

        assert verdicts(gone) == ["deleted"]
        assert verdicts(kept) == ["refused"]
        assert [row.kind for row in StoredObject.objects.all()] == ["Node"]


@pytest.mark.parametrize("name", ["", "-x", "x-", "a b", "x" * 64, "a\nb", "ü" * 64, "x\x00"])
def test_a_cluster_needs_a_name_that_can_be_one(db, name):
    with pytest.raises(ValueError, match="cluster's name"):
        publish(b"[]", cluster=name)


@pytest.mark.parametrize("name", ["default", "kind-kind", "gke_p_z_c", "arn:aws:eks:eu:1:cluster/x", "admin@host", "7"])
def test_names_that_contexts_have_are_taken(send, name):
    assert send(node("n"), cluster=name).cluster == name


@pytest.mark.parametrize(
    ("payload", "limit"),
    [
        (b"[" * 200 + b"]" * 200, "deeper than 64 levels"),
        (b"a: " * 3 + b"b", ""),
        (
            b"["
            + b",".join(b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}' for _ in range(20_001))
            + b"]",
            "more than 20000 objects",
        ),
        (b"x: &a [1]\ny: [" + b",".join([b"*a"] * 101) + b"]", "alias"),
    ],
    ids=["depth", "syntax", "objects", "aliases"],
)
def test_a_payload_beyond_a_limit_is_refused_whole_with_a_reason(db, payload, limit):
    with pytest.raises(Undecodable) as excinfo:
        publish(payload)

    assert limit in excinfo.value.reason
    assert not StoredObject.objects.exists()


def test_20000_objects_are_within_the_limit(db, settings):
    settings.MAX_OBJECTS = 20
    good = (
        b"[" + b",".join(b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n%d"}}' % i for i in range(20)) + b"]"
    )

    assert publish(good).summary["created"] == 20


@pytest.mark.parametrize(
    "item",
    [
        resource_slice("x" * 254),
        resource_slice(pool="x" * 254),
        resource_slice(driver="x" * 254),
        resource_slice(devices=[device("x" * 254)]),
        resource_slice("a\tb"),
        resource_slice(uid="u" * 65),
        resource_slice(version="1" * 65),
        resource_slice(generation=2**63),
        resource_slice(count=2**63),
        claim(namespace="n" * 64),
        claim(holds=[(DRIVER, "p" * 254, "d")]),
        pod("p", ("c" * 254,)),
    ],
    ids=lambda item: item["kind"],
)
def test_names_and_numbers_that_fit_no_row_are_refused(send, item):
    report = send(item)

    assert verdicts(report) == ["refused"]
    assert report.objects[0].reason
    assert report.objects[0].path


def test_a_quantity_may_be_as_long_as_it_gets(send):
    huge = "9" * 60 + "e3"
    send(
        resource_slice("a", sets=[{"name": "gpu-0", "counters": {"memory": {"value": "1"}}}], count=2),
        resource_slice("b", devices=[partition("big", memory=huge)], count=2),
        claim("c", holds=[(DRIVER, "node-1", "big")]),
    )

    counter = Counter.objects.get()
    assert counter.consumed == "9" * 60 + "k"
    assert counter.overcommitted == str(10**60 * 1000 - 1000 - 1)
    assert Pool.objects.get().cards.get().use > 1e62


@pytest.mark.parametrize(
    "name", ['"><script>alert(1)</script>', "=cmd|' /C calc'!A0", "日本-🎉", "a/b/../c", "..", "%00%2f"]
)
def test_hostile_names_are_names(send, name):
    report = send(
        resource_slice(name, pool=name, driver=name, node=name, devices=[device(name)]),
        claim(name, holds=[(name, name, name)], pods=(name,)),
        pod(name, (name,), node=name),
        node(name),
    )

    assert verdicts(report) == ["created"] * 4
    assert Device.objects.get().state == "allocated"
    assert Allocation.objects.get().device.name == name
