"""Explanations say what the allocator decides, and name what is in the way."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import islice

import pytest

from pools.core.allocate import allocate
from pools.core.answers import Answers
from pools.core.explain import Explainer, funnel_rows
from pools.core.readings import readings
from pools.core.release import release
from pools.domain.claim import ClaimTemplate, DeviceRequest
from pools.domain.cluster import Pod, PodClaim, Snapshot
from pools.domain.device import Taint
from pools.domain.ids import DeviceId
from pools.domain.pool import Meta
from pools.queries.inspection import load
from pools.wire.registry import decode
from tests.conftest import shared_path
from tests.core.builders import consumption, device
from tests.core.test_answers import CLASS, allocated, claim, pool

WORDS = {
    "counters-insufficient": ("counter", "left"),
    "capacity-insufficient": ("capacity",),
    "tainted": ("Taints", "tolerate"),
    "all-matching-allocated": ("in use",),
    "no-matching-device": ("No device matches",),
    "no-pools": ("no ResourceSlice",),
    "pool-incomplete": ("incomplete", "slices are there"),
    "pool-invalid": ("invalid",),
    "cel-error": ("selector fails",),
    "device-class-missing": ("does not exist",),
    "too-many-devices": ("32",),
}


def explain(pending, *claims, slices=(), pods=(), **rest):
    snapshot = Snapshot(tuple(slices), (*claims, pending), classes=(CLASS,), pods=tuple(pods), **rest)
    return Explainer(Answers(snapshot)).claim(pending)


def test_the_sentence_of_every_case_speaks_of_its_recorded_reason():
    seen = set()
    for path in sorted(shared_path("cases").glob("*/expected.json")):
        reasons = json.loads(path.read_text()).get("reasons", {})
        snapshot, _ = load((path.parent / "input.yaml").read_bytes())
        explainer = Explainer(Answers(snapshot))
        for one in snapshot.claims:
            code = reasons.get(str(one.id))
            if code in WORDS:
                sentence = explainer.claim(one).sentence
                if "fit one by one" not in sentence:
                    assert all(word in sentence for word in WORDS[code]), (path.parent.name, sentence)
                seen.add(code)
    assert seen == set(WORDS)


def test_a_short_counter_is_named_with_need_rest_and_holder():
    sets = [("gpu-0", {"memory": 10})]
    devices = [device(name, consumption("gpu-0", {"memory": 6})) for name in ("a", "b")]
    found = explain(claim(), allocated("held", "a"), slices=pool("n1", *devices, sets=sets))
    assert found.sentence == (
        "1 matching device is free but short of counters: b of pool n1 needs 6 of gpu-0/memory, of which 4 are left; "
        "held by ml/held."
    )


def test_a_taint_rule_is_named():
    found = explain(claim(), slices=pool("n1", device("a", taints=[Taint("broken", "yes", "NoExecute")])))
    assert "a of pool n1 by broken=yes:NoExecute" in found.sentence


def test_equal_nodes_make_one_group():
    slices = [each for node in ("n1", "n2", "n3") for each in pool(node, device("a", device_model="x"), node=node)]
    found = explain(claim(count=2), slices=slices)
    assert [group.nodes for group in found.groups] == [("n1", "n2", "n3")]


def test_the_funnel_counts_down_from_all_devices_to_those_that_fit():
    own = device("own")
    tainted = device("tainted", taints=[Taint("broken", effect="NoSchedule")])
    found = explain(claim(count=2), allocated("held", "used"), slices=pool("n1", own, tainted, device("used")))
    rows = dict(funnel_rows(found.groups[0].funnels[0]))
    assert rows["seen"] == 3
    assert rows["not tainted, or tolerated"] == 2
    assert rows["not in use"] == 1
    assert rows["compatible with what is in use"] == 1


def test_a_selector_that_refuses_all_is_quoted():
    text = 'device.driver == "other"'
    found = explain(claim(selectors=(text,)), slices=pool("n1", device("a")))
    assert found.sentence.endswith(f"refused by the selector {text}.")


def test_what_a_selector_read_is_counted_value_by_value():
    devices = [device(name, kind=kind) for name, kind in (("a", "x"), ("b", "x"), ("c", "y"), ("d", "z"))]
    slices = pool("n1", *devices, device("e"))
    world = Answers(Snapshot(slices, classes=(CLASS,))).world
    selector = "has(device.attributes['gpu.example.com'].kind) && device.attributes['gpu.example.com'].kind == 'z'"
    refused = [DeviceId("gpu.example.com", "n1", name) for name in "abce"]

    found = readings(world, selector, "", refused)

    assert [(each.name, each.value, each.count) for each in found] == [
        ("kind", "x", 2), ("kind", None, 1), ("kind", "y", 1)
    ]  # fmt: skip


def test_a_claim_of_a_class_that_does_not_exist_matches_nothing():
    one = claim()
    missing = replace(one, requests=(replace(one.requests[0], alternatives=(DeviceRequest("", "nobody"),)),))
    found = explain(missing, slices=pool("n1", device("a")))

    assert "does not exist" in found.sentence
    assert [stop.stage for group in found.groups for funnel in group.funnels for stop in funnel.stops] == ["class"]


def test_of_several_devices_at_once_the_best_node_is_named():
    sets = [("gpu-0", {"memory": 10}), ("gpu-1", {"memory": 10})]
    devices = [device(f"g{i}{j}", consumption(f"gpu-{i}", {"memory": 10})) for i in (0, 1) for j in (0, 1)]
    one = claim()
    asked = replace(one.requests[0].alternatives[0], count=3)
    three = replace(one, requests=(replace(one.requests[0], alternatives=(asked,)),))
    found = explain(three, allocated("held", "g00"), slices=pool("n1", *devices, sets=sets))

    assert found.sentence.startswith("It needs 3 devices on one node, and no node has more than 2 free (n1 has); ")
    assert "held by ml/held" in found.sentence


def test_an_allocated_device_that_is_gone_is_told():
    held = allocated("held", "gone")
    found = explain(held, slices=pool("n1", device("a")))
    assert found.state == "allocated"
    assert found.notes == ("Its device gpu.example.com/n1/gone is no longer published.",)


def test_all_is_told_of_an_unrelated_incomplete_pool():
    partial = replace(pool("other", device("x"), node="n1")[0], slice_count=2)
    found = explain(claim(count=0, mode="All"), slices=[*pool("n1", device("a")), partial])
    assert found.state == "infeasible"
    assert "other" in found.sentence


def test_a_pod_past_the_scheduler_is_noted():
    pod = Pod(Meta("p", "ml"), node_name="n1", phase="Pending", claims=(PodClaim("g", claim="c"),))
    found = explain(claim(), slices=pool("n1", device("a")), pods=[pod])
    assert "past the scheduler" in found.notes[0]


def test_a_claim_being_deleted_is_noted():
    going = replace(claim(), meta=Meta("c", "ml", deleted="2026-01-01T00:00:00Z"))
    assert "being deleted" in explain(going, slices=pool("n1", device("a"))).notes[0]


@pytest.mark.parametrize(
    ("templates", "words"),
    [((), "does not exist"), ((ClaimTemplate(Meta("t", "ml"), "v1", ()),), "has not been made yet")],
)
def test_a_pod_without_its_generated_claim_is_explained(templates, words):
    pod = Pod(Meta("p", "ml"), phase="Pending", claims=(PodClaim("g", template="t"),))
    answers = Answers(Snapshot(pool("n1", device("a")), templates=templates, pods=(pod,)))
    assert words in Explainer(answers).pod(pod).sentence


def test_a_pod_whose_claims_fit_only_apart_is_explained():
    claims = (claim("c1"), claim("c2"))
    pod = Pod(Meta("p", "ml"), phase="Pending", claims=(PodClaim("a", claim="c1"), PodClaim("b", claim="c2")))
    answers = Answers(Snapshot(pool("n1", device("a")), claims, classes=(CLASS,), pods=(pod,)))
    assert "fits by itself, but not all on one node" in Explainer(answers).pod(pod).sentence


def scenarios(count, step):
    with gzip.open(shared_path("conformance", "scenarios.jsonl.gz"), "rt") as lines:
        for line in islice(lines, 0, count, step):
            yield json.loads(line)["scenario"]


def check(scenario):
    """The explanation of each claim by itself agrees with the allocator, and the funnel with both."""
    rules = release("1.36").without(scenario.get("features") or {})
    objects = [decode(raw) for key in ("slices", "classes", "allocated", "nodes", "claims") for raw in scenario[key]]
    snapshot = Snapshot.of(objects)
    answers = Answers(snapshot, rules)
    explainer = Explainer(answers)
    for one in (each for each in snapshot.claims if each.allocation is None):
        found = explainer.claim(one)
        verdicts = {node.meta.name: allocate(answers.world, node, [one]).verdict for node in snapshot.nodes}
        feasible = {name for name, verdict in verdicts.items() if verdict == "allocatable"}
        assert found.sentence
        if found.why is None or found.why.code not in ("cel-error", "refused", "device-class-missing"):
            assert (found.state == "feasible") == bool(feasible)
            told = {name for group in found.groups if group.answer.verdict == "allocatable" for name in group.nodes}
            assert told == feasible
        else:
            assert found.state == "infeasible"
            assert "error" in verdicts.values() or found.why.code == "device-class-missing"
        simple = len(one.requests) == 1 and not one.constraints and not one.requests[0].prioritized
        form = one.requests[0].alternatives[0]
        if simple and form.mode == "ExactCount" and form.count == 1 and not form.admin_access:
            for group in found.groups:
                if group.answer.verdict in ("allocatable", "impossible"):
                    fits = bool(group.funnels[0].at("fits"))
                    assert fits == (group.answer.verdict == "allocatable"), found.sentence


def test_explanations_agree_with_the_allocator_on_recorded_scenarios():
    for scenario in scenarios(2500, 20):
        check(scenario)


@pytest.mark.slow
def test_explanations_agree_with_the_allocator_on_all_recorded_scenarios():
    for scenario in scenarios(2500, 1):
        check(scenario)
