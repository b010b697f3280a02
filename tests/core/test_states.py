"""Device states and their reasons."""

from __future__ import annotations

import pytest

from pools.core.gather import gather
from pools.domain.claim import TaintRule
from pools.domain.device import NodeReach, NodeRequirement, NodeSelectorTerm, Taint
from pools.domain.ids import CounterId
from pools.domain.pool import Meta
from tests.core.builders import (
    codes,
    consumption,
    counter_set,
    device,
    held,
    of,
    pool_of,
    reason,
    report_of,
    slice_,
    states,
)

STOP = Taint("example.com/x", effect="NoSchedule")


def halves(memory: str = "40Gi", **more):
    half = consumption("g", {"memory": "20Gi"})
    devices = [device("half-0", half), device("half-1", half), device("full", consumption("g", {"memory": "40Gi"}))]
    return pool_of(devices, [counter_set("g", {"memory": memory})], **more)


def test_one_half_in_use_leaves_the_other_half_and_blocks_the_whole():
    report = report_of(halves(), held("half-0"))
    assert states(report) == {"half-0": "allocated", "half-1": "available", "full": "blocked"}


def test_a_blocked_device_names_counter_need_remainder_and_holders():
    report = report_of(halves(), held("half-0", "a"))
    found = reason(report, "full", "counter-short")
    assert found.counter == CounterId("g", "memory")
    assert (found.need_nano, found.remaining_nano) == (40 * 2**30 * 10**9, 20 * 2**30 * 10**9)
    assert [str(hold.claim) for hold in found.holders] == ["ml/a"]
    assert found.message == "memory of g: needs 40 Gi, 20 Gi left, held by ml/a."


def test_the_smallest_excess_is_shown_exactly():
    tight = device("tight", consumption("g", {"memory": 42949672961}))
    report = report_of(pool_of([tight], [counter_set("g", {"memory": "40Gi"})]))
    assert "needs 42949672961, 40Gi left" in reason(report, "tight", "counter-short").message


def test_admin_access_observes_and_consumes_nothing():
    report = report_of(halves(), held("full", "watcher", admin=True))
    assert states(report) == {"half-0": "available", "half-1": "available", "full": "available"}
    assert [hold.admin for hold in of(report, "full").holders] == [True]
    assert report.counters[0].consumed_nano == 0


def test_a_device_held_by_several_claims_is_charged_once():
    shared = device("shared", consumption("g", {"memory": "40Gi"}), capacity={"memory": "40Gi"}, shared=True)
    holds = [held("shared", name, share=name, consumed={"memory": "10Gi"}) for name in ("a", "b")]
    report = report_of(pool_of([shared], [counter_set("g", {"memory": "40Gi"})]), *holds)
    (use,) = report.counters
    assert use.available_nano == 0
    assert [len(charge.holders) for charge in use.holds] == [2]


def test_one_negative_counter_blocks_every_consumer_of_the_pool_and_nobody_else():
    devices = [
        device("other", consumption("good", {"m": 1})),
        device("names-only", consumption("good", {"m": 0})),
        device("plain"),
    ]
    pool = pool_of(devices, [counter_set("bad", {"m": -1}), counter_set("good", {"m": 5})])
    report = report_of(pool)
    assert states(report) == {"other": "blocked", "names-only": "blocked", "plain": "available"}
    assert codes(report, "other") == ["counter-negative"]
    assert reason(report, "other", "counter-negative").counter == CounterId("bad", "m")


def test_over_commitment_is_reported_and_never_shown_as_less_than_nothing():
    report = report_of(halves("30Gi"), held("half-0", "a"), held("half-1", "b"))
    (use,) = report.counters
    assert (use.available_nano, use.overcommitted_nano) == (0, 10 * 2**30 * 10**9)
    assert "counter-overcommitted" in {finding.code for finding in report.findings}


def test_taints_keep_free_devices_away_and_change_nothing_for_devices_in_use():
    devices = [
        device("stop", taints=[STOP]),
        device("evict", taints=[Taint("k", "v", "NoExecute")]),
        device("note", taints=[Taint("k", effect="None")]),
        device("odd", taints=[Taint("k", effect="FromTheFuture")]),
        device("used", taints=[STOP]),
    ]
    report = report_of(pool_of(devices), held("used"))
    assert states(report) == {
        "stop": "tainted",
        "evict": "tainted",
        "note": "available",
        "odd": "available",
        "used": "allocated",
    }
    assert codes(report, "used") == ["allocated", "tainted"]
    assert reason(report, "evict", "tainted").taint == "k=v:NoExecute"


@pytest.mark.parametrize(
    ("selector", "tainted"),
    [
        ({"driver": "gpu.example.com", "pool": "n1"}, {"a", "b"}),
        ({"device": "a"}, {"a"}),
        ({}, {"a", "b"}),
        ({"pool": "elsewhere"}, set()),
        ({"driver": "other.example", "device": "a"}, set()),
    ],
)
def test_a_rule_taints_what_all_its_fields_match_and_is_named(selector, tainted):
    rule = TaintRule(Meta("the-rule"), "v1", STOP, has_selector=True, **selector)
    report = report_of(pool_of([device("a"), device("b")]), taint_rules=(rule,))
    assert {name for name, state in states(report).items() if state == "tainted"} == tainted
    for name in tainted:
        assert reason(report, name, "tainted").rule == "the-rule"


def test_a_rule_without_selector_taints_nothing():
    rule = TaintRule(Meta("r"), "v1", STOP, has_selector=False)
    assert states(report_of(pool_of([device("a")]), taint_rules=(rule,))) == {"a": "available"}


def test_blocked_goes_before_tainted_and_both_are_told():
    big = device("big", consumption("g", {"m": 2}), taints=[STOP])
    report = report_of(pool_of([big], [counter_set("g", {"m": 1})]))
    assert states(report) == {"big": "blocked"}
    assert codes(report, "big") == ["counter-short", "tainted"]


def test_in_a_broken_pool_free_devices_are_unavailable_and_used_ones_stay_allocated():
    (incomplete,) = gather([slice_("a", [device("free"), device("used")], count=2)])
    (invalid,) = gather([slice_("a", [device("free"), device("used", consumption("nowhere", {"m": 1}))])])
    for pool, code in ((incomplete, "pool-incomplete"), (invalid, "pool-invalid")):
        report = report_of(pool, held("used"))
        assert states(report) == {"free": "unavailable", "used": "allocated"}
        assert codes(report, "free") == [code]
        assert codes(report, "used") == [code, "allocated"]


def test_a_device_that_only_an_older_generation_lists_is_unavailable_and_stale():
    (pool,) = gather([slice_("a", [device("old")], generation=1), slice_("b", [device("new")], generation=2)])
    report = report_of(pool)
    assert states(report) == {"new": "available", "old": "unavailable"}
    assert codes(report, "old") == ["stale"]


def test_a_held_device_that_nobody_lists_is_shown_charges_nothing_and_leaves_counters_uncertain():
    report = report_of(halves(), held("lost"))
    lost = of(report, "lost")
    assert (lost.state, lost.published, lost.pooled) == ("allocated", False, None)
    assert codes(report, "lost") == ["allocated", "not-published"]
    assert all(use.uncertain and use.consumed_nano == 0 for use in report.counters)


def test_where_an_older_slice_tells_what_a_lost_device_draws_on_only_that_is_uncertain():
    sets = [counter_set("g", {"m": 1}), counter_set("h", {"m": 1})]
    (pool,) = gather(
        [
            slice_("old", [device("lost", consumption("h", {"m": 1}))], generation=1),
            slice_("new", sets=sets, generation=2),
        ]
    )
    uses = report_of(pool, held("lost")).counters
    assert {use.id.counter_set: use.uncertain for use in uses} == {"g": False, "h": True}


def test_nodes_that_do_not_exist_are_told_only_where_nodes_are_known():
    pool = halves(reach=NodeReach(node_name="old-node"))
    assert states(report_of(pool))["half-0"] == "available"
    report = report_of(pool, node_names=frozenset(("n1",)))
    assert states(report)["half-0"] == "unavailable"
    assert codes(report, "half-0") == ["node-missing"]
    assert "old-node" in reason(report, "half-0", "node-missing").message


def test_a_selector_by_labels_cannot_be_judged_without_labels_but_one_by_name_can():
    by_label = NodeSelectorTerm(expressions=(NodeRequirement("zone", "In", ("a",)),))
    by_name = NodeSelectorTerm(fields=(NodeRequirement("metadata.name", "In", ("gone",)),))
    nothing = NodeSelectorTerm()
    expected = {(by_label,): "available", (by_name,): "unavailable", (by_name, by_label): "available"}
    expected |= {(nothing,): "unavailable", (): "unavailable"}
    for terms, state in expected.items():
        pool = pool_of([device("d")], reach=NodeReach(selector=terms))
        assert states(report_of(pool, node_names=frozenset(("n1",)))) == {"d": state}


def test_a_slice_without_any_known_node_selection_is_left_out():
    report = report_of(pool_of([device("d")], reach=NodeReach()))
    assert codes(report, "d") == ["unknown-selection"]
    assert states(report) == {"d": "unavailable"}


def shareable(**more):
    return device("g", capacity={"memory": "80Gi"}, default="8Gi", shared=True, **more)


def test_a_shared_device_is_allocated_and_says_whether_it_takes_more():
    pool = pool_of([shareable()])
    some = of(report_of(pool, held("g", share="1", consumed={"memory": "40Gi"})), "g")
    full = of(report_of(pool, held("g", share="1", consumed={"memory": "76Gi"})), "g")
    assert (some.state, some.shares, some.accepts_more, some.reasons) == ("allocated", 1, True, ())
    assert (full.state, full.accepts_more) == ("allocated", False)
    assert [each.code for each in full.reasons] == ["capacity-exhausted"]
    assert some.capacity["memory"].available_nano == 40 * 2**30 * 10**9


def test_without_a_default_a_share_takes_all_there_is():
    pool = pool_of([device("g", capacity={"memory": "80Gi"}, shared=True)])
    assert states(report_of(pool)) == {"g": "available"}
    assert not of(report_of(pool, held("g", share="1", consumed={"memory": "1Gi"})), "g").accepts_more


def test_a_shareable_device_without_capacity_takes_shares_without_end():
    report = report_of(pool_of([device("g", shared=True)]), *[held("g", f"c{n}", share=str(n)) for n in range(9)])
    assert (of(report, "g").shares, of(report, "g").accepts_more) == (9, True)


def test_a_share_of_a_device_in_use_needs_no_counters_but_the_first_one_does():
    shared = shareable()
    draws = consumption("g", {"memory": "80Gi"})
    shared = device("g", draws, capacity={"memory": "80Gi"}, default="8Gi", shared=True)
    pool = pool_of(
        [shared, device("part", consumption("g", {"memory": "1Gi"}))], [counter_set("g", {"memory": "80Gi"})]
    )
    assert of(report_of(pool, held("g", share="1", consumed={"memory": "8Gi"})), "g").accepts_more
    assert states(report_of(pool, held("part")))["g"] == "blocked"


def test_an_exclusive_hold_on_a_shareable_device_leaves_no_share():
    report = report_of(pool_of([shareable()]), held("g"))
    assert (of(report, "g").state, of(report, "g").accepts_more, of(report, "g").shares) == ("allocated", False, 0)
    assert of(report, "g").capacity["memory"].available_nano == 0
    assert codes(report, "g") == ["allocated"]


def test_shares_of_a_device_that_is_shareable_no_more_keep_it_allocated():
    report = report_of(pool_of([device("g", capacity={"m": 4})]), held("g", share="1", consumed={"m": 1}))
    assert (of(report, "g").state, of(report, "g").accepts_more) == ("allocated", False)


def test_a_taint_closes_a_shared_device_to_further_shares():
    report = report_of(pool_of([shareable(taints=[STOP])]), held("g", share="1", consumed={"memory": "8Gi"}))
    assert (of(report, "g").state, of(report, "g").accepts_more) == ("allocated", False)


def test_groups_must_have_one_in_common_on_each_set():
    def on(name, groups):
        return device(name, consumption("g", {"m": 1}, groups))

    devices = [on("ab", "ab"), on("a", "a"), on("b", "b"), on("none", ""), device("apart")]
    pool = pool_of(devices, [counter_set("g", {"m": 9})])
    assert set(states(report_of(pool)).values()) == {"available"}
    assert states(report_of(pool, held("a"))) == {
        "ab": "available",
        "a": "allocated",
        "b": "blocked",
        "none": "blocked",
        "apart": "available",
    }
    assert states(report_of(pool, held("none")))["ab"] == "blocked"
    assert codes(report_of(pool, held("a")), "b") == ["compatibility"]
    assert [str(hold.claim) for hold in reason(report_of(pool, held("a")), "b", "compatibility").holders] == ["ml/c"]


def test_amounts_beyond_64_bits_are_exact():
    pool = pool_of(
        [device("a", consumption("g", {"m": "8E", "n": 3})), device("b", consumption("g", {"m": 2**63 + 1, "n": 7}))],
        [counter_set("g", {"m": str(2**63 + 8 * 10**18), "n": 10**30})],
    )
    report = report_of(pool, held("a"))
    assert states(report)["b"] == "blocked"
    assert report.counters[0].remaining_nano == 2**63 * 10**9
