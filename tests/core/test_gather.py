"""Pools from slices: newest generation, exact count, faults in the scheduler's words."""

from __future__ import annotations

from itertools import permutations

from pools.core.gather import gather
from pools.domain.device import NodeReach
from pools.domain.ids import PoolId
from tests.core.builders import consumption, counter_set, device, slice_


def one(*slices):
    (pool,) = gather(slices)
    return pool


def test_a_pool_is_known_by_driver_and_name_together():
    slices = [slice_(driver=driver, pool=name) for driver in ("b.example", "a.example") for name in ("x/y", "x")]
    assert [pool.id for pool in gather(slices)] == [
        PoolId("a.example", "x"),
        PoolId("a.example", "x/y"),
        PoolId("b.example", "x"),
        PoolId("b.example", "x/y"),
    ]


def test_devices_come_by_slice_name_then_list_order_whatever_the_order_of_arrival():
    slices = [
        slice_("s-2", [device("z"), device("a")], count=3),
        slice_("s-10", [device("m")], count=3),
        slice_("s-0", sets=[counter_set("g", {"m": 1})], count=3),
    ]
    for order in permutations(slices):
        pool = one(*order)
        assert pool.state == "complete"
        assert [item.name for item in pool.devices] == ["m", "z", "a"]
        assert [item.slice_name for item in pool.devices] == ["s-10", "s-2", "s-2"]


def test_fewer_and_more_slices_than_announced_are_both_incomplete():
    fewer = one(slice_("a", count=2))
    more = one(slice_("a", count=1), slice_("b", count=1))
    assert (fewer.state, fewer.slices_seen, fewer.slices_expected) == ("incomplete", 1, 2)
    assert (more.state, more.slices_seen, more.slices_expected) == ("incomplete", 2, 1)
    assert fewer.reason == "1 of 2 slices seen"


def test_an_incomplete_pool_is_not_validated_and_has_no_counters():
    pool = one(slice_("a", [device("d", consumption("nowhere", {"m": 1}))], [counter_set("g", {"m": 1})], count=2))
    assert pool.state == "incomplete"
    assert pool.counter_sets == ()
    assert [item.name for item in pool.devices] == ["d"]


def test_only_the_newest_generation_counts_and_the_rest_is_stale():
    pool = one(
        slice_("old", [device("gone"), device("kept")], generation=1),
        slice_("new", [device("kept")], generation=2),
    )
    assert (pool.state, pool.generation, pool.slices_seen) == ("complete", 2, 1)
    assert [item.name for item in pool.devices] == ["kept"]
    assert pool.stale == ("gone",)
    assert pool.stale_slices == ("old",)
    assert [item.meta.name for item in pool.slices] == ["new", "old"]


def test_slices_that_announce_different_counts_make_the_pool_invalid():
    pool = one(slice_("a", count=1), slice_("b", count=2))
    assert pool.state == "invalid"
    assert pool.reason == "ResourceSlices in the pool generation declare inconsistent resourceSliceCount"


def test_a_disagreement_with_an_older_generation_is_none():
    assert one(slice_("a", count=3, generation=1), slice_("b", count=1, generation=2)).state == "complete"


def test_faults_are_told_in_the_scheduler_s_words():
    counters = counter_set("g", {"m": 1})
    cases = {
        "duplicate device name d": [slice_("a", [device("d")], count=2), slice_("b", [device("d")], count=2)],
        "duplicate counter set name g": [slice_("a", sets=[counters], count=2), slice_("b", sets=[counters], count=2)],
        "counter set h not found": [slice_("a", [device("d", consumption("h", {"m": 1}))])],
        "counter n not found in counter set g": [
            slice_("a", [device("d", consumption("g", {"m": 1, "n": 1}))], count=2),
            slice_("b", sets=[counters], count=2),
        ],
    }
    for reason, slices in cases.items():
        pool = one(*slices)
        assert (pool.state, pool.reason) == ("invalid", reason)


def test_a_repeated_name_is_no_fault_where_no_node_reaches_both_devices():
    def of(node):
        return NodeReach(node_name=node)

    apart = one(
        slice_("a", [device("d")], count=2, reach=of("n1")), slice_("b", [device("d")], count=2, reach=of("n2"))
    )
    together = one(
        slice_("a", [device("d")], count=2, reach=of("n1")),
        slice_("b", [device("d")], count=2, reach=NodeReach(all_nodes=True)),
    )
    assert apart.state == "complete"
    assert together.state == "invalid"


def test_counters_of_slice_scope_serve_their_own_slice_only():
    def mixed(name, needs):
        return slice_(
            name,
            [device(f"d-{name}", consumption("g", {needs: 1}))],
            [counter_set("g", {"m": 2})],
            count=2,
            scope="slice",
        )

    pool = one(mixed("a", "m"), mixed("b", "m"))
    assert pool.state == "complete"
    assert [item.name for item in pool.counter_sets] == ["g", "b/g"]
    assert [item.device.consumes[0].counter_set for item in pool.devices] == ["g", "b/g"]

    dangling = one(mixed("a", "m"), slice_("b", [device("d", consumption("g", {"m": 1}))], count=2, scope="slice"))
    assert dangling.reason == "counter set g not found"


def test_completeness_by_device_count_is_that_of_the_2024_text():
    def of(name, devices, count):
        return slice_(name, [device(each) for each in devices], count=0, device_count=count, scope="slice", form="f0")

    assert one(of("a", "xy", 3), of("b", "z", 3)).state == "complete"
    short = one(of("a", "xy", 3))
    assert (short.state, short.reason) == ("incomplete", "2 of 3 devices seen")
    assert one(of("a", "xy", 3), of("b", "z", 4)).state == "invalid"


def test_of_an_object_given_twice_the_newer_stands():
    old = slice_("a", [device("old")], created="2026-01-01T00:00:00Z")
    new = slice_("a", [device("new")], created="2026-01-02T00:00:00Z")
    for order in ((old, new), (new, old)):
        pool = one(*order)
        assert (pool.state, [item.name for item in pool.devices]) == ("complete", ["new"])


def test_slices_without_a_name_yet_are_all_kept():
    assert one(slice_("", [device("a")], count=2), slice_("", [device("b")], count=2)).state == "complete"


def test_a_device_is_reached_by_its_own_selection_only_where_the_slice_says_so():
    own = NodeReach(node_name="n2")
    per_device = one(slice_("a", [device("d", reach=own)], per_device_reach=True, reach=NodeReach()))
    by_slice = one(slice_("a", [device("d", reach=own)]))
    assert per_device.devices[0].reach == own
    assert by_slice.devices[0].reach.node_name == "n1"
