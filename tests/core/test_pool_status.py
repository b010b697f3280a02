"""Upstream's summary, by the vectors of KEP-5677 and by what it cannot answer."""

import pytest

from pools.core.pool_status import pool_status
from pools.domain.claim import TaintRule
from pools.domain.device import AttributeValue, Capacity, Consumption, Device, NodeReach, Taint
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import parse_quantity as q
from pools.domain.state import Holder

DRIVER, TYPE = "gpu.example.com", "gpu.example.com/type"


def partition(name, type_, memory, counter="memory", counter_set="gpu"):
    return Device(
        name,
        attributes={TYPE: AttributeValue("string", type_)},
        consumes=(Consumption(counter_set, {counter: q(memory)}),),
    )


def pool(*devices, memory="80Gi", count=2, attribute=TYPE):
    counters = CounterSet("gpu", {"memory": q(memory), "slot-0": q("1"), "slot-1": q("1")})
    base = {"form": "v1", "driver": DRIVER, "pool": "n1", "generation": 1, "slice_count": count}
    return [
        Slice(Meta("n1-a"), reach=NodeReach("n1"), counter_sets=(counters,), **base),
        Slice(Meta("n1-b"), reach=NodeReach("n1"), devices=devices, partition_type_attribute=attribute, **base),
    ]


def hold(device, share="", admin=False, claim="c", **consumed):
    amounts = {name: q(text) for name, text in consumed.items()}
    identity = DeviceId(DRIVER, "n1", device)
    return Holder(ClaimId("ml", claim), identity, "r", share_id=share, admin=admin, consumed=amounts)


HALVES = (partition("full", "Full", "80Gi"), partition("half-0", "Half", "40Gi"), partition("half-1", "Half", "40Gi"))


@pytest.mark.parametrize(
    ("memory", "used", "full", "half"),
    [("80Gi", [], 1, 2), ("80Gi", ["half-0"], 0, 1), ("80Gi", ["full"], 0, 0), ("800Gi", [], 1, 2)],
)
def test_the_vectors_of_the_kep(memory, used, full, half):
    status = pool_status(pool(*HALVES, memory=memory), [hold(name) for name in used], ())

    assert [(row.type, row.total, row.allocatable) for row in status.partitions] == [
        ("Full", 1, full),
        ("Half", 2, half),
    ]


def test_available_devices_ignores_counters():
    status = pool_status(pool(*HALVES), [hold("half-0")], ())

    assert (status.total, status.allocated, status.available) == (3, 1, 2)


def test_three_shares_of_one_device_are_one_allocated_device_and_are_charged_once():
    shares = [hold("half-0", share=str(i), claim=f"c{i}") for i in range(3)]

    status = pool_status(pool(*HALVES), shares, ())

    assert status.allocated == 1
    assert [row.allocatable for row in status.partitions] == [0, 1]


def test_admin_holds_count_nowhere():
    status = pool_status(pool(*HALVES), [hold("full", admin=True)], ())

    assert (status.allocated, status.partitions[0].allocatable) == (0, 1)


def test_a_device_both_allocated_and_tainted_is_subtracted_twice():
    rule = TaintRule(Meta("r"), "v1", Taint("k", effect="NoExecute"), True, device="full")

    status = pool_status(pool(*HALVES), [hold("full")], [rule])

    assert (status.unavailable, status.available) == (1, 1)


def test_placements_of_one_type_end_in_a_cost_mismatch_and_the_counts_stay():
    placed = [partition(f"p{i}", "1g", "1", counter=f"slot-{i}") for i in range(2)]

    status = pool_status(pool(*placed), (), ())

    assert status.validation_error.startswith("PartitionCostMismatch: ")
    assert status.partitions is None
    assert status.total == 2


def test_a_missing_slice_leaves_no_numbers():
    status = pool_status(pool(*HALVES, count=3), (), ())

    assert status.validation_error == "PoolIncomplete: 2 of 3 slices"
    assert status.total is None


def test_without_a_type_attribute_there_is_no_summary_and_no_error():
    status = pool_status(pool(*HALVES, attribute=""), (), ())

    assert (status.partitions, status.validation_error) == (None, "")


def test_the_default_attribute_stands_in_when_no_slice_declares_one():
    status = pool_status(pool(*HALVES, attribute=""), (), (), default_attribute=TYPE)

    assert [row.allocatable for row in status.partitions] == [1, 2]


def test_a_counter_consumer_without_its_type_is_an_error():
    untyped = Device("x", consumes=(Consumption("gpu", {"memory": q("1Gi")}),))

    status = pool_status(pool(*HALVES, untyped), (), ())

    assert status.validation_error.startswith("PartitionTypeMissing: device x")


def test_the_shareable_vector_of_the_kep():
    nics = [Device(f"nic-{i}", capacity={"bw": Capacity(q("10Gi"))}, allow_multiple_allocations=True) for i in range(3)]
    used = [
        hold("nic-0", share="a", claim="a", bw="3Gi"),
        hold("nic-0", share="b", claim="b", bw="4Gi"),
        hold("nic-1", share="c", claim="c", bw="2Gi"),
    ]

    summary = pool_status(pool(*nics, attribute=""), used, ()).shareable

    assert (summary.fully_available, summary.partially_available) == (1, 2)
    row = summary.capacity[0]
    assert (row.total_nano, row.consumed_nano, row.available_nano) == (q("30Gi").nano, q("9Gi").nano, q("21Gi").nano)
