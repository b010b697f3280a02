"""Holds from claims."""

from __future__ import annotations

from pools.core.holds import holds
from pools.domain.claim import Consumer
from pools.domain.cluster import Pod, PodClaim
from pools.domain.device import NodeReach
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import Meta
from tests.core.builders import DRIVER, claim, device, quantities, result, slice_


def test_an_allocated_claim_holds_its_devices_whoever_has_reserved_it():
    found = holds([claim("free", result("a"), result("b")), claim("pending")], [])
    assert [(hold.claim, hold.device) for hold in found] == [
        (ClaimId("ml", "free"), DeviceId(DRIVER, "n1", "a")),
        (ClaimId("ml", "free"), DeviceId(DRIVER, "n1", "b")),
    ]
    assert found[0].pods == ()


def test_a_hold_knows_its_share_what_it_consumes_and_whether_it_only_observes():
    share, admin = holds(
        [
            claim("s", result("a", share_id="u-1", consumed_capacity=quantities({"memory": "1Gi"}))),
            claim("o", result("a", admin_access=True)),
        ],
        [],
    )
    assert (share.share_id, share.consumed["memory"].text, share.admin) == ("u-1", "1Gi", False)
    assert admin.admin


def test_pods_are_those_that_reserved_the_claim_then_those_that_refer_to_it():
    pods = [
        Pod(Meta("waiting", "ml"), claims=(PodClaim("x", claim="c"),)),
        Pod(Meta("done", "ml"), claims=(PodClaim("x", claim="c"),), phase="Succeeded"),
        Pod(Meta("elsewhere", "other"), claims=(PodClaim("x", claim="c"),)),
        Pod(Meta("made", "ml"), claims=(PodClaim("x", template="t"),), claim_statuses={"x": "c"}),
        Pod(Meta("legacy", "ml"), extended_claim="c"),
    ]
    (hold,) = holds([claim("c", result("a"), reserved=["first"])], [], pods)
    assert hold.pods == ("ml/first", "ml/waiting", "ml/made", "ml/legacy")


def test_other_consumers_than_pods_are_not_called_pods():
    item = claim("c", result("a"), reserved=["p"])
    item = type(item)(item.meta, item.form, item.requests, (), item.allocation, (Consumer("podgroups", "g"),))
    assert holds([item], [])[0].pods == ()


def test_a_result_without_pool_belongs_to_the_pool_that_lists_the_device_for_its_node():
    slices = [
        slice_("a", [device("gpu-0")], pool="n1-pool", reach=NodeReach(node_name="n1")),
        slice_("b", [device("gpu-0")], pool="n2-pool", reach=NodeReach(node_name="n2")),
        slice_("c", [device("gpu-0")], pool="other", driver="other.example", reach=NodeReach(node_name="n2")),
    ]
    (hold,) = holds([claim("c", result("gpu-0", None), node="n2")], slices)
    assert hold.device == DeviceId(DRIVER, "n2-pool", "gpu-0")


def test_of_several_prototype_pools_with_the_device_the_newest_has_it():
    slices = [
        slice_("a", [device("d")], pool="a-new", created="2024-06-02T00:00:00Z"),
        slice_("b", [device("d")], pool="b-old", created="2024-06-01T00:00:00Z"),
    ]
    (hold,) = holds([claim("c", result("d", None), node="n1")], slices)
    assert hold.device.pool == "a-new"


def test_a_result_without_pool_that_nobody_lists_keeps_an_empty_pool_name():
    (hold,) = holds([claim("c", result("d", None), node="n1")], [slice_("a", [device("e")])])
    assert hold.device == DeviceId(DRIVER, "", "d")


def test_per_device_selection_is_looked_at_when_the_pool_is_searched():
    devices = [device("d", reach=NodeReach(node_name="n9"))]
    slices = [slice_("a", devices, pool="p", per_device_reach=True, reach=NodeReach())]
    assert holds([claim("c", result("d", None), node="n9")], slices)[0].device.pool == "p"
    assert holds([claim("c", result("d", None), node="n8")], slices)[0].device.pool == ""
