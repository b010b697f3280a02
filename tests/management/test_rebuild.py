"""`manage.py rebuild`: rows are derived from stored objects alone."""

import json

import pytest
from django.core.management import CommandError

from pools.ingest.publish import publish
from pools.models import (
    Allocation,
    Card,
    Claim,
    Cluster,
    Counter,
    Device,
    Finding,
    Node,
    Pod,
    Pool,
    StoredObject,
    TypeCount,
)
from pools.stored import pack
from tests.conftest import shared_path
from tests.manifests import DRIVER, claim, gpu_pool, node, pod

DERIVED = (Pool, Card, Counter, Device, TypeCount, Claim, Allocation, Pod, Node, Finding)


def rows():
    """Everything derived, without keys, times and revisions."""
    hidden = {"id", "as_of", "revision", "pool_id", "card_id", "counter_set_id", "claim_id", "device_id", "cluster_id"}
    return {
        model.__name__: sorted(
            json.dumps({k: v for k, v in row.items() if k not in hidden}, default=str, sort_keys=True)
            for row in model.objects.values()
        )
        for model in DERIVED
    }


def fill():
    objects = [*gpu_pool(), claim("train", holds=[(DRIVER, "node-1", "half-0")], pods=("p",)), pod("p", ("train",))]
    publish(json.dumps([*objects, node("node-1"), node("node-2")]).encode())


def test_rows_that_were_lost_or_altered_are_made_anew(manage):
    fill()
    before = rows()
    Pool.objects.all().delete()
    Claim.objects.all().delete()
    Node.objects.filter(name="node-1").update(labels={"wrong": "yes"})
    Node.objects.create(cluster=Cluster.objects.get(), name="ghost", observed=True)
    Pod.objects.create(cluster=Cluster.objects.get(), namespace="ml", name="ghost")
    Finding.objects.create(cluster=Cluster.objects.get(), code="old", object="x", severity="info", rank=2, message="")

    status, out, err = manage("rebuild")

    assert (status, err) == (0, "")
    assert "default: 6 of 6 objects" in out
    assert "default: rebuilt, now at revision 2" in out
    assert rows() == before


@pytest.mark.slow
def test_every_case_of_the_public_record_is_rebuilt_to_what_it_was(manage):
    for path in sorted(shared_path("cases").glob("*/input.yaml")):
        publish(path.read_bytes(), cluster=path.parent.name)
    before = rows()

    manage("rebuild")

    assert rows() == before


def test_an_object_that_can_no_longer_be_read_is_named_and_stays_stored(manage):
    fill()
    body, digest = pack({"kind": "Node", "metadata": {"name": "node-2"}, "apiVersion": "v9"})
    StoredObject.objects.filter(name="node-2").update(body=body, digest=digest)

    status, _, err = manage("rebuild")

    assert status == 1
    assert "cannot be read: Node node-2: v9 Node is not accepted" in err
    assert StoredObject.objects.filter(name="node-2").exists()
    assert not Node.objects.filter(name="node-2", observed=True).exists()


def test_only_the_cluster_asked_for_is_rebuilt(manage):
    fill()
    Cluster.objects.create(name="other", revision=7)

    manage("rebuild", cluster="default")

    assert dict(Cluster.objects.values_list("name", "revision")) == {"default": 2, "other": 7}
    with pytest.raises(CommandError, match="there is no cluster 'nowhere'"):
        manage("rebuild", cluster="nowhere")
