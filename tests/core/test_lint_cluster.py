"""Findings about what surrounds the pools."""

from __future__ import annotations

from pools.core.gather import gather
from pools.core.lint import lint_cluster
from pools.domain.claim import Claim, ClaimTemplate, DeviceClass, TaintRule
from pools.domain.cluster import Node, Pod, PodClaim, Snapshot
from pools.domain.device import NodeReach, Taint
from pools.domain.pool import Meta
from tests.core.builders import claim, device, quantities, result, slice_

CLASS = DeviceClass(Meta("gpu"), "v1")


def found(**parts):
    snapshot = Snapshot(classes=parts.pop("classes", (CLASS,)), **parts)
    return {(each.code, each.object): each for each in lint_cluster(snapshot, gather(snapshot.slices))}


def pod(name, *entries, **more):
    return Pod(Meta(name, "ml"), claims=entries, **more)


def test_claims_whose_pool_is_gone_are_told_by_pool():
    claims = (claim("a", result("d", "gone"), reserved=["p"]), claim("b", result("e", "gone"), reserved=["p"]))
    message = found(claims=claims)["allocated-pool-not-published", "gpu.example.com/gone"].message
    assert "d for ml/a" in message
    assert "e for ml/b" in message


def test_an_observer_of_a_lost_pool_is_no_loss():
    claims = (claim("a", result("d", "gone", admin_access=True), reserved=["p"]),)
    assert found(claims=claims) == {}


def test_an_allocated_claim_that_nobody_reserved_is_told():
    slices = (slice_("s", [device("d")]),)
    assert set(found(slices=slices, claims=(claim("a", result("d")),))) == {("allocated-not-reserved", "ml/a")}


def test_claims_that_contradict_themselves_are_errors():
    slices = (slice_("s", [device("d")]),)
    reserved = claim("a", reserved=["p"])
    wrong = claim("b", type(result("d"))("other/sub", "gpu.example.com", "n1", "d"), reserved=["p"])
    large = claim("c", *[result("d")] * 33, reserved=["p"])
    answers = found(slices=slices, claims=(reserved, wrong, large))
    for code, name in (
        ("reserved-not-allocated", "ml/a"),
        ("allocation-request-unknown", "ml/b"),
        ("claim-too-large", "ml/c"),
    ):
        assert answers[code, name].severity == "error"


def test_a_claim_in_deletion_that_still_holds_devices_is_told():
    item = claim("a", result("d"), reserved=["p"])
    gone = Claim(
        Meta("a", "ml", deleted="2026-01-01T00:00:00Z"),
        "v1",
        item.requests,
        allocation=item.allocation,
        reserved_for=item.reserved_for,
    )
    assert ("deleting-still-allocated", "ml/a") in found(slices=(slice_("s", [device("d")]),), claims=(gone,))


def test_pending_claims_without_a_pod_are_told_only_where_pods_are_known():
    claims = (claim("used"), claim("alone"), claim("left"))
    pods = (
        pod("p", PodClaim("x", claim="used")),
        pod("over", PodClaim("x", claim="left"), phase="Failed"),
    )
    assert found(claims=claims) == {}
    assert set(found(claims=claims, pods=pods)) == {("claim-without-pod", "ml/alone"), ("claim-without-pod", "ml/left")}


def test_a_missing_template_matters_only_until_the_claim_is_made():
    entry = PodClaim("gpu", template="t")
    made = pod("made", entry, claim_statuses={"gpu": "made-claim"})
    none_needed = pod("skipped", entry, claim_statuses={"gpu": None})
    waiting = pod("waiting", entry)
    claims = (claim("made-claim", result("d"), reserved=["made"]),)
    slices = (slice_("s", [device("d")]),)
    answers = found(pods=(made, none_needed, waiting), claims=claims, slices=slices)
    assert set(answers) == {("claim-template-missing", "ml/t")}
    assert "ml/waiting" in answers["claim-template-missing", "ml/t"].message
    template = ClaimTemplate(Meta("t", "ml"), "v1", ())
    assert found(pods=(waiting,), templates=(template,)) == {}


def test_a_pod_whose_claim_does_not_exist_is_told():
    assert set(found(pods=(pod("p", PodClaim("x", claim="none")),))) == {("claim-missing", "ml/none")}


def test_a_missing_class_names_those_that_exist_and_the_claims():
    answer = found(claims=(claim("a"),), classes=(DeviceClass(Meta("cd"), "v1"),))["device-class-missing", "gpu"]
    assert "cd" in answer.message
    assert "ml/a" in answer.message


def test_a_rule_without_selector_is_told_by_its_name():
    rules = [TaintRule(Meta(f"r{flag}"), "v1", Taint("k", effect="NoSchedule"), flag) for flag in (True, False)]
    assert set(found(taint_rules=tuple(rules))) == {("taint-rule-without-selector", "rFalse")}


def node(**amounts):
    return Node(
        Meta("n1"), quantities({key.replace("__", "/").replace("_", "."): value for key, value in amounts.items()})
    )


def test_a_device_plugin_of_the_driver_s_domain_on_the_same_node_is_told_with_its_users():
    slices = (slice_("s", [device("d")], driver="gpu.nvidia.com"),)
    users = (
        Pod(Meta("user", "old"), node_name="n1", phase="Running", extended_requests=quantities({"nvidia.com/gpu": 1})),
    )
    answers = found(slices=slices, nodes=(node(nvidia_com__gpu=2, cpu=64),), pods=users)
    assert "nvidia.com/gpu" in answers["device-plugin-on-dra-node", "n1"].message
    assert "old/user" in answers["device-plugin-on-dra-node", "n1"].message


def test_a_plugin_that_offers_a_class_s_extended_resource_is_told_whatever_its_domain():
    slices = (slice_("s", [device("d")], driver="dra.example.org"),)
    classes = (DeviceClass(Meta("gpu"), "v1", extended_resource="nvidia.com/gpu"),)
    nodes = (node(nvidia_com__gpu=2),)
    assert set(found(slices=slices, nodes=nodes, classes=classes)) == {("device-plugin-on-dra-node", "n1")}
    assert found(slices=slices, nodes=nodes) == {}


def test_other_resources_other_nodes_and_used_up_plugins_are_no_concern():
    slices = (slice_("s", [device("d")], driver="gpu.nvidia.com"),)
    elsewhere = (slice_("s", [device("d")], driver="gpu.nvidia.com", reach=NodeReach(node_name="n2")),)
    assert found(slices=slices, nodes=(node(amd_com__gpu=2, cpu=64),)) == {}
    assert found(slices=slices, nodes=(node(nvidia_com__gpu=0),)) == {}
    assert found(slices=elsewhere, nodes=(node(nvidia_com__gpu=2),)) == {}
    assert found(slices=slices, nodes=(node(evilnvidia_com__gpu=2),)) == {}


def test_an_object_given_twice_is_told():
    assert set(found(slices=(slice_("s"), slice_("s")))) == {("object-repeated", "gpu.example.com/n1")}
