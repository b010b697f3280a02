"""Findings about pools, devices and slices."""

from __future__ import annotations

import pytest

from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.device import AttributeValue, Device, NodeReach, Taint
from pools.domain.pool import CounterSet
from pools.domain.quantity import UNKNOWN
from pools.domain.state import Surroundings
from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of, slice_

NAME = "gpu.example.com/n1"


def findings(*slices, holds=(), **around):
    (pool,) = gather(slices)
    report = judge(pool, Surroundings(tuple(holds), **around))
    return {(each.code, each.object): each for each in report.findings}


def severities(found):
    return {code: each.severity for (code, _), each in found.items()}


def test_a_sound_pool_has_no_findings():
    small, large = (consumption("g", {"m": amount}) for amount in (1, 2))
    sets = [counter_set("g", {"m": 2})]
    assert report_of(pool_of([device("a", small), device("b", small), device("c", large)], sets)).findings == ()


@pytest.mark.parametrize(
    ("slices", "code", "subject"),
    [
        ([slice_("a", [device("d")], count=2), slice_("b", [device("d")], count=2)], "device-name-repeated", "/d"),
        (
            [
                slice_("a", sets=[counter_set("g", {"m": 1})], count=2),
                slice_("b", sets=[counter_set("g", {"m": 1})], count=2),
            ],
            "counter-set-repeated",
            "/g",
        ),
        ([slice_("a", [device("d", consumption("g", {"m": 1}))])], "counter-set-missing", "/g"),
        (
            [
                slice_("a", sets=[counter_set("g", {"m": 1})], count=2),
                slice_("b", [device("d", consumption("g", {"n": 1}))], count=2),
            ],
            "counter-missing",
            "/g/n",
        ),
        ([slice_("a", count=1), slice_("b", count=2)], "inconsistent-slice-count", ""),
    ],
)
def test_what_makes_a_pool_invalid_is_an_error_with_a_place(slices, code, subject):
    found = findings(*slices)
    assert severities(found)[code] == "error"
    assert (code, NAME + subject) in found
    assert ("pool-invalid", NAME) in found


def test_all_faults_are_told_not_only_the_first():
    found = findings(slice_("a", [device("d", consumption("g", {"m": 1}), consumption("h", {"m": 1}))]))
    assert {("counter-set-missing", f"{NAME}/g"), ("counter-set-missing", f"{NAME}/h")} <= set(found)


def test_waiting_for_slices_is_a_warning_but_having_too_many_is_an_error():
    assert severities(findings(slice_("a", count=2))) == {"pool-incomplete": "warning"}
    assert severities(findings(slice_("a"), slice_("b"))) == {"pool-incomplete": "error"}


def test_left_overs_of_older_generations_are_named():
    found = findings(slice_("old", generation=1), slice_("new", generation=2))
    assert "old" in found["stale-slices", NAME].message


def test_one_name_on_two_nodes_of_a_pool_is_a_warning():
    slices = [slice_(node, [device("d")], count=2, reach=NodeReach(node_name=node)) for node in ("n1", "n2")]
    assert findings(*slices)["device-name-shared-by-nodes", f"{NAME}/d"].severity == "warning"


def test_a_missing_node_is_told_for_the_pool():
    found = findings(slice_("a", [device("d")], reach=NodeReach(node_name="old-node")), node_names=frozenset(("n1",)))
    assert "old-node" in found["node-missing", NAME].message


def test_a_held_device_that_nobody_lists_is_told_with_its_claim():
    found = findings(slice_("a", [device("d")]), holds=[held("lost", "who")])
    assert "ml/who" in found["allocated-device-not-published", f"{NAME}/lost"].message


def test_claims_that_contradict_each_other_are_errors():
    found = findings(slice_("a", [device("d")]), holds=[held("d", "one"), held("d", "two")])
    assert found["device-allocated-twice", f"{NAME}/d"].severity == "error"
    shared = device("d", capacity={"memory": 8}, shared=True)
    shares = [held("d", name, share=name, consumed={"memory": 5}) for name in "ab"]
    found = findings(slice_("a", [shared]), holds=shares)
    assert "10 of 8" in found["capacity-overcommitted", f"{NAME}/d"].message
    found = findings(slice_("a", [shared]), holds=[held("d")])
    assert found["exclusive-hold-on-shareable", f"{NAME}/d"].severity == "warning"


def test_negative_and_over_committed_counters_are_errors():
    draws = consumption("g", {"m": 3})
    pool = pool_of([device("a", draws), device("b", draws)], [counter_set("g", {"m": 5}), counter_set("h", {"n": -1})])
    found = {each.code: each.object for each in report_of(pool, held("a"), held("b", "d")).findings}
    assert found["counter-overcommitted"] == f"{NAME}/g/m"
    assert found["counter-negative"] == f"{NAME}/h/n"


def test_a_device_that_never_fits_says_on_which_counter():
    draws = {"m": 1, "encoders": 1}
    pool = pool_of([device("d", consumption("g", draws))], [counter_set("g", {"m": 1, "encoders": 0})])
    (found,) = report_of(pool).findings
    assert (found.code, found.object, found.severity) == ("device-never-fits", f"{NAME}/d", "warning")
    assert "needs 1 of encoders, g has 0" in found.message


def test_amounts_that_are_not_published_and_negative_ones_are_warnings():
    devices = [device("neg", consumption("g", {"m": -1})), Device("none", consumes=(consumption("g", {}),))]
    devices[1] = Device("none", consumes=(type(devices[1].consumes[0])("g", {"m": UNKNOWN}),))
    sets = [CounterSet("g", {**counter_set("g", {"m": 1}).counters, "n": UNKNOWN})]
    found = {each.code: each.severity for each in report_of(pool_of(devices, sets)).findings}
    assert found["consumption-negative"] == "warning"
    assert found["consumption-without-value"] == "warning"
    assert found["counter-without-value"] == "warning"


def test_what_is_merely_good_to_know_is_info():
    devices = [
        device("whole", consumption("g", {"m": 2}), consumption("h", {"m": 1})),
        device("part", consumption("g", {"m": 1}, ["x"])),
    ]
    pool = pool_of(devices, [counter_set("g", {"m": 2, "spare": 1}), counter_set("h", {"m": 1})])
    found = {each.code: each for each in report_of(pool).findings}
    assert {each.severity for each in found.values()} == {"info"}
    assert set(found) == {
        "large-before-small",
        "device-joins-counter-sets",
        "counter-unused",
        "compatibility-groups-missing",
    }
    assert found["counter-unused"].object == f"{NAME}/g/spare"


def test_types_of_unequal_cost_are_what_upstream_s_summary_drops():
    def on(name, counter_set_name, size="half"):
        return device(name, consumption(counter_set_name, {"m": 1}), size=size)

    sets = [counter_set(name, {"m": 1}) for name in "gh"]
    for devices, expected in (([on("a", "g"), on("b", "h")], {"partition-cost-mismatch"}), ([on("a", "g")], set())):
        slices = [slice_("d", devices, count=2, partition_type_attribute="size"), slice_("c", sets=sets, count=2)]
        assert {code for code, _ in findings(*slices)} - {"counter-unused"} == expected
    lacking = [slice_("d", [device("a", consumption("g", {"m": 1}))], count=2, partition_type_attribute="size")]
    assert ("partition-type-missing", f"{NAME}/a") in findings(*lacking, slice_("c", sets=sets, count=2))


def many(count, make=device):
    return [make(f"d{n}") for n in range(count)]


BROKEN = {
    "slice-too-many-devices": [
        slice_("a", many(129)),
        slice_("a", [*many(64), device("t", taints=[Taint("k", effect="None")])]),
        slice_("a", [*many(64), Device("l", {"list": AttributeValue("strings", ("x",))})]),
    ],
    "slice-too-many-counter-sets": [slice_("a", sets=[counter_set(f"g{n}", {"m": 1}) for n in range(9)])],
    "counter-set-too-large": [slice_("a", sets=[counter_set("g", {f"m{n}": 1 for n in range(33)})])],
    "counter-set-empty": [slice_("a", sets=[counter_set("g", {})])],
    "node-selection-missing": [
        slice_("a", [device("d")], reach=NodeReach()),
        slice_("a", [device("d")], reach=NodeReach(), per_device_reach=True),
    ],
    "node-selection-double": [
        slice_("a", [device("d", reach=NodeReach(all_nodes=True))], per_device_reach=True),
    ],
    "device-too-many-consumptions": [slice_("a", [device("d", *[consumption(x, {"m": 1}) for x in "abc"])])],
    "consumption-size": [
        slice_("a", [device("d", consumption("g", {}))]),
        slice_("a", [device("d", consumption("g", {f"m{n}": 1 for n in range(33)}))]),
    ],
    "consumption-repeated": [slice_("a", [device("d", *[consumption("g", {"m": 1})] * 2)])],
    "device-too-many-attributes": [
        slice_("a", [device("d", **{f"a{n}": "x" for n in range(33)})]),
        slice_("a", [Device("d", {"list": AttributeValue("ints", tuple(range(49)))})]),
    ],
    "device-too-many-taints": [slice_("a", [device("d", taints=[Taint(f"k{n}") for n in range(17)])])],
    "name-invalid": [
        slice_("a", [device("Has-Capitals")]),
        slice_("a", [device("has.dot")]),
        slice_("a", [device("d", **{"not-an-identifier": "x"})]),
        slice_("a", sets=[counter_set("Set", {"m": 1})]),
        slice_("a", sets=[counter_set("g", {"with_underscore": 1})]),
        slice_("a", driver="gpu.example.com/dra"),
        slice_("a", pool="a//b"),
    ],
    "slice-count-missing": [slice_("a", count=0)],
    "request-policy-without-sharing": [slice_("a", [device("d", capacity={"m": 1}, default=1)])],
    "binding-conditions-unpaired": [slice_("a", [Device("d", binding_conditions=("ready",))])],
}


@pytest.mark.parametrize(("code", "slice_"), [(code, each) for code, cases in BROKEN.items() for each in cases])
def test_what_the_api_server_would_refuse_is_an_error(code, slice_):
    (pool,) = gather([slice_])
    found = {each.code: each.severity for each in judge(pool, Surroundings()).findings}
    assert found[code] == "error"


def test_64_devices_with_counters_and_128_without_are_accepted():
    for devices in (many(128), many(64, lambda name: device(name, taints=[Taint("k", effect="None")]))):
        assert report_of(pool_of(devices)).findings == ()


def test_slices_with_counters_and_devices_are_told_apart_from_refused_ones():
    mixed = slice_("a", [device("d", consumption("g", {"m": 1}))], [counter_set("g", {"m": 1})], scope="slice")
    assert severities(findings(mixed)) == {"slice-mixed": "warning"}


def test_the_prototypes_are_not_measured_by_later_rules():
    old = slice_("a", [device(f"1g.5gb-{n}") for n in range(200)], form="e2", generation=0, reach=NodeReach("n1"))
    assert findings(old) == {}
