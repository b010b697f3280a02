"""Claims and pods get the answers that the recorded cases name."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pools.core.answers import Answers
from pools.domain.claim import Allocation, AllocationResult, Claim, Constraint, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Node, Pod, PodClaim, Snapshot
from pools.domain.device import NodeReach, Taint
from pools.domain.pool import CounterSet, Meta, Slice
from pools.queries.inspection import inspect, load
from tests.conftest import shared_path
from tests.core.builders import consumption, device, quantities

KEYS = (
    "claims",
    "candidates",
    "feasible_nodes",
    "match_values",
    "would_choose",
    "chosen",
    "would_consume",
    "reasons",
    "pods",
)
CASES = sorted(path.parent for path in shared_path("cases").glob("*/expected.json"))


def amounts(value):
    """Quantities by value, so that 40Gi is 40960Mi."""
    if isinstance(value, dict):
        return {key: amounts(each) for key, each in value.items()}
    if isinstance(value, list):
        return sorted(map(str, value))
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_what_a_case_says_of_claims_and_pods_is_answered(case):
    expected = json.loads((case / "expected.json").read_text())
    got = inspect(*load((case / "input.yaml").read_bytes()))
    for key in KEYS:
        for name, wanted in (expected.get(key) or {}).items():
            assert amounts(got[key].get(name)) == amounts(wanted), f"{key} of {name}"


CLASS = DeviceClass(Meta("any"), "v1")
DRIVER = "gpu.example.com"


def pool(name, *devices, node="n1", count=1, sets=(), state=None):
    own = Slice(
        Meta(f"{name}-devices"), "v1", DRIVER, name, 1, count + bool(sets), NodeReach(node_name=node), tuple(devices)
    )
    if not sets:
        return (own,)
    counters = tuple(CounterSet(key, quantities(values)) for key, values in sets)
    return own, replace(own, meta=Meta(f"{name}-counters"), devices=(), counter_sets=counters)


def claim(name="c", count=1, constraints=(), **options):
    request = Request("r", (DeviceRequest("", "any", count=count, **options),))
    return Claim(Meta(name, "ml"), "v1", (request,), constraints)


def allocated(name, *devices, pool="n1"):
    results = tuple(AllocationResult("r", DRIVER, pool, each) for each in devices)
    return replace(claim(name), allocation=Allocation(results))


def answer(pending, *claims, slices=(), pods=(), nodes=()):
    snapshot = Snapshot(tuple(slices), (*claims, pending), classes=(CLASS,), pods=tuple(pods), nodes=tuple(nodes))
    return Answers(snapshot).claim(pending)


def test_claims_and_classes_of_the_prototype_are_answered_in_their_own_dialect():
    old = DeviceClass(Meta("old"), "prototype", (f"device.driverName == '{DRIVER}'",))
    asked = DeviceRequest("", "old", selectors=(f"device.stringAttributes['{DRIVER}/model'] == 'x'",))
    pending = Claim(Meta("c", "ml"), "prototype", (Request("r", (asked,)),))
    devices = [device("a", model="y"), device("b", model="x")]
    snapshot = Snapshot(pool("n1", *devices), (pending,), classes=(old,))
    assert [str(each) for each in Answers(snapshot).candidates(pending)] == [f"{DRIVER}/n1/b"]


def test_a_claim_for_more_devices_than_one_node_has_is_told_so():
    slices = [*pool("n1", device("a")), *pool("n2", device("b"), node="n2")]
    given = answer(claim(count=2), slices=slices)
    assert given.why.code == "not-enough-on-one-node"


def test_a_claim_whose_devices_are_all_taken_is_told_so():
    given = answer(claim(), allocated("held", "a"), slices=pool("n1", device("a")))
    assert given.why.code == "all-matching-allocated"


def test_a_short_counter_is_to_blame_even_when_the_sum_over_nodes_would_do():
    sets = [("gpu", {"memory": 10})]
    devices = [device(name, consumption("gpu", {"memory": 6})) for name in ("a", "b")]
    given = answer(claim(), allocated("held", "a"), slices=pool("n1", *devices, sets=sets))
    assert given.why.code == "counters-insufficient"


def test_a_constraint_that_cannot_be_met_is_to_blame():
    devices = [device("a", model="x"), device("b", model="y")]
    tie = Constraint(match_attribute=f"{DRIVER}/model")
    given = answer(claim(count=2, constraints=(tie,)), slices=pool("n1", *devices))
    assert given.why.code == "constraint"


def test_taints_are_to_blame_when_only_they_keep_the_claim_out():
    given = answer(claim(), slices=pool("n1", device("a", taints=[Taint("broken", effect="NoSchedule")])))
    assert given.why.code == "tainted"


def test_devices_of_a_node_that_does_not_exist_do_not_count_as_published():
    given = answer(claim(), slices=pool("n1", device("a")), nodes=[Node(Meta("other"))])
    assert given.why.code == "no-device-published"


def test_two_obstacles_at_once_are_called_several():
    devices = [device("a", taints=[Taint("broken", effect="NoSchedule")])]
    given = answer(claim(), allocated("held", "a"), slices=pool("n1", *devices))
    assert given.why.code == "several"


def test_a_pod_whose_claim_does_not_exist_waits_for_it():
    pod = Pod(Meta("p", "ml"), phase="Pending", claims=(PodClaim("g", claim="gone"),))
    snapshot = Snapshot(pool("n1", device("a")), classes=(CLASS,), pods=(pod,))
    assert Answers(snapshot).pod(pod).state == "pending-claim-missing"


def test_a_pod_bound_by_hand_to_a_node_never_gets_its_claims_allocated():
    pending = claim()
    pod = Pod(Meta("p", "ml"), node_name="n1", phase="Pending", claims=(PodClaim("g", claim="c"),))
    snapshot = Snapshot(pool("n1", device("a")), (pending,), classes=(CLASS,), pods=(pod,))
    assert Answers(snapshot).pod(pod).state == "not-scheduled-claims-unallocated"


def test_claims_of_one_pod_are_allocated_together():
    claims = (claim("c1"), claim("c2"))
    pod = Pod(Meta("p", "ml"), phase="Pending", claims=(PodClaim("a", claim="c1"), PodClaim("b", claim="c2")))
    answers = Answers(Snapshot(pool("n1", device("a")), claims, classes=(CLASS,), pods=(pod,)))
    assert [answers.claim(each).state for each in claims] == ["feasible", "feasible"]
    assert answers.pod(pod).state == "pending-infeasible"
