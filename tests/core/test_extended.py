"""Pods that ask for extended resources: the claim that the scheduler makes for them is asked about."""

from dataclasses import replace

import pytest

from pools.core.asking import ask_objects, ask_pod
from pools.core.extended import class_for, extended
from pools.core.release import release
from pools.core.trial import Trial
from pools.core.whatif import Scenario, stage
from pools.domain.claim import DeviceClass
from pools.domain.cluster import Node, Pod, PodClaim, Snapshot
from pools.domain.errors import ScenarioError
from pools.domain.pool import Meta
from pools.domain.quantity import parse_quantity
from pools.wire.registry import decode
from tests.core.builders import device
from tests.core.test_answers import allocated, pool

NAME = "example.com/gpu"
CLASS = DeviceClass(Meta("gpu", created="2026-01-01T00:00:00Z"), "v1", extended_resource=NAME)


def wanting(amount="2", resource=NAME, **more):
    return Pod(Meta("p", "ml"), extended_requests={resource: parse_quantity(amount)}, **more)


def cluster(*nodes, classes=(CLASS,), pods=(), claims=()):
    slices = [item for node in nodes for item in pool(node.meta.name, device("a"), device("b"), node=node.meta.name)]
    return Snapshot(tuple(slices), tuple(claims), classes=tuple(classes), nodes=nodes, pods=tuple(pods))


def node(name, offered=""):
    """A node; *offered* is what a device plugin has there."""
    amounts = {NAME: parse_quantity(offered)} if offered else {}
    return Node(Meta(name, labels={"kubernetes.io/hostname": name}), allocatable=amounts)


def places(snapshot, pod):
    return Trial.of(stage(snapshot, Scenario())).ask(ask_pod(snapshot, pod))


def test_a_pod_gets_as_many_devices_of_the_class_as_it_asks_for_of_the_resource():
    placed = places(cluster(node("n1")), wanting())

    assert placed.chosen is not None
    assert [pick.device.name for picks in placed.chosen.picks for pick in picks] == ["a", "b"]
    assert placed.question.about == f"pod ml/p (2 × {NAME} by class gpu)"


def test_a_pod_that_asks_for_more_than_a_node_has_fits_nowhere():
    assert places(cluster(node("n1"), node("n2")), wanting("3")).state == "infeasible"


def test_every_class_stands_for_a_resource_of_its_own_name():
    found = extended(cluster(node("n1")), wanting(resource="deviceclass.resource.kubernetes.io/gpu"))

    assert found is not None
    assert found.claim.requests[0].alternatives[0].device_class == "gpu"


def test_of_two_classes_for_a_resource_the_newer_stands_for_it_then_the_first_by_name():
    newer = replace(CLASS, meta=Meta("newer", created="2026-02-01T00:00:00Z"))
    twin = replace(newer, meta=replace(newer.meta, name="also-newer"))

    assert class_for([newer, CLASS], NAME) == newer
    assert class_for([newer, CLASS, twin], NAME) == twin
    assert class_for([CLASS], "example.com/other") is None


def test_on_a_node_where_a_device_plugin_offers_the_resource_no_claim_is_made_and_a_note_says_so():
    snapshot = cluster(node("n1", offered="4"), node("n2", offered="0"))

    placed = places(snapshot, wanting())

    assert placed.nodes == ("n2",)
    assert "On 1 node a device plugin offers example.com/gpu" in placed.question.note


def test_the_claim_for_resources_comes_after_the_pods_own():
    own = Snapshot.of([_claim("mine")]).claims[0]
    pod = wanting(claims=(PodClaim("a", claim="mine"),))

    question = ask_pod(cluster(node("n1"), claims=[own]), pod)

    assert [claim.meta.name for claim in question.claims] == ["mine", "p-extended-resources"]


def _claim(name):
    return decode(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name, "namespace": "ml"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
        }
    )


def test_a_pod_whose_claim_is_written_already_is_asked_about_as_another_like_it():
    held = allocated("p-extended-resources-x", "a")
    pod = wanting("1", extended_claim=held.meta.name, node_name="n1", phase="Running")

    question = ask_pod(cluster(node("n1"), claims=[held]), pod)

    assert question.about.startswith("another pod like pod ml/p")
    assert [claim.allocation for claim in question.claims] == [None]
    assert question.node == ""


def test_a_release_without_the_feature_makes_no_such_claim():
    snapshot = cluster(node("n1"))

    with pytest.raises(ScenarioError, match="asks for no device"):
        ask_pod(snapshot, wanting(), release("1.33"))
    assert ask_pod(snapshot, wanting(), release("1.34")).claims


@pytest.mark.parametrize("pod", [wanting("0"), wanting("500m"), wanting(resource="example.com/nic")])
def test_a_pod_that_asks_for_no_device_cannot_be_asked_about(pod):
    snapshot = cluster(node("n1"))

    with pytest.raises(ScenarioError, match="asks for no device"):
        ask_pod(snapshot, pod)
    assert ask_objects(snapshot, Snapshot.of([pod])) == ()
