"""From nouns to fields: times, cuts, states, nodes."""

from datetime import UTC, datetime

import pytest

from pools.domain.claim import Allocation, AllocationResult, Claim, Consumer
from pools.domain.device import Device, NodeReach, NodeRequirement, NodeSelectorTerm
from pools.domain.pool import Meta, Slice
from pools.ingest.derive import allocation_fields, claim_state, clip, moment, nodes_named, pool_node


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-12-01T09:30:00Z", datetime(2026, 12, 1, 9, 30, tzinfo=UTC)),
        ("2026-12-01T09:30:00.123456789Z", datetime(2026, 12, 1, 9, 30, 0, 123456, tzinfo=UTC)),
        ("2026-12-01T10:30:00+01:00", datetime(2026, 12, 1, 9, 30, tzinfo=UTC)),
        ("", None),
        ("soon", None),
        ("2026-13-01T00:00:00Z", None),
        ("2026-12-01T09:30:00", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_a_time_is_read_or_left_out(text, wanted):
    assert moment(text) == wanted


def test_a_cut_text_shows_that_it_was_cut():
    assert clip("abc", 3) == "abc"
    assert clip("abcd", 3) == "ab…"


def claim(*, allocated=False, reserved=False, deleted=""):
    results = (AllocationResult("r", "d", None, "x"),)
    return Claim(
        Meta("c", deleted=deleted),
        "v1",
        (),
        allocation=Allocation(results) if allocated else None,
        reserved_for=(Consumer("pods", "p"),) if reserved else (),
    )


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (claim(), "pending"),
        (claim(allocated=True), "allocated"),
        (claim(allocated=True, reserved=True), "reserved"),
        (claim(allocated=True, reserved=True, deleted="2026-12-01T00:00:00Z"), "deleting"),
    ],
)
def test_a_claim_is_in_one_state(item, state):
    assert claim_state(item) == state


def test_a_result_without_a_pool_keeps_its_name_empty():
    assert allocation_fields(claim(allocated=True))[0]["pool_name"] == ""


def part(reach, *devices, per_device=False):
    return Slice(Meta("s"), "v1", "d", "p", 1, 1, reach, devices=devices, per_device_reach=per_device)


def named(*names):
    line = NodeRequirement("metadata.name", "In", names)
    return NodeReach(selector=(NodeSelectorTerm(fields=(line,)),))


def test_a_pool_is_on_a_node_when_all_its_slices_are():
    one, other = part(NodeReach("n1")), part(NodeReach("n2"))

    assert pool_node([one, one]) == "n1"
    assert pool_node([one, other]) == ""
    assert pool_node([one, part(NodeReach(all_nodes=True))]) == ""
    assert pool_node([part(NodeReach(), Device("x", reach=NodeReach("n1")), per_device=True)]) == ""


def test_nodes_are_named_by_slices_devices_and_selectors():
    slices = [
        part(NodeReach("n1")),
        part(named("n2", "n3")),
        part(NodeReach(), Device("x", reach=NodeReach("n4")), Device("y", reach=named("n5")), per_device=True),
        part(NodeReach(all_nodes=True)),
    ]

    assert nodes_named(slices) == {"n1", "n2", "n3", "n4", "n5"}
