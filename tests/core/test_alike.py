"""What is said of alike nodes at once is what would be said of each by itself."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pools.core.allocate import allocate, free_devices
from pools.core.answers import Answers
from pools.core.cel_program import Facts, column, reader
from pools.core.explain import Explainer
from pools.domain.claim import (
    Allocation,
    AllocationResult,
    Claim,
    Constraint,
    DeviceClass,
    DeviceRequest,
    Request,
    TaintRule,
)
from pools.domain.cluster import Node, Snapshot
from pools.domain.device import AttributeValue, Capacity, NodeReach, NodeRequirement, NodeSelectorTerm, Taint
from pools.domain.pool import CounterSet, Meta, Slice
from tests.core.builders import consumption, device, quantities

DRIVER = "gpu.example.com"
TAG = f'device.attributes["{DRIVER}"].tag'
CLASS = DeviceClass(Meta("any"), "v1")
WORLDS = 60


def node(name, **labels):
    return Node(Meta(name, labels=labels))


def published(name, *devices, on="", sets=(), generation=1):
    reach = NodeReach(node_name=on or name)
    own = Slice(Meta(f"{name}-devices"), "v1", DRIVER, name, generation, 1 + bool(sets), reach, tuple(devices))
    counters = tuple(CounterSet(key, quantities(values)) for key, values in sets)
    return [own, replace(own, meta=Meta(f"{name}-counters"), devices=(), counter_sets=counters)] if sets else [own]


def selected(name, device, **labels):
    terms = (NodeSelectorTerm(tuple(NodeRequirement(key, "In", (value,)) for key, value in labels.items())),)
    return Slice(Meta(name), "v1", DRIVER, name, 1, 1, NodeReach(selector=terms), (device,))


def claim(*requests, name="c", constraints=()):
    return Claim(Meta(name, "ml"), "v1", requests or (request(),), tuple(constraints))


def request(name="r", **options):
    return Request(name, (DeviceRequest("", "any", **options),))


def held(*devices, pool):
    results = tuple(AllocationResult("r", DRIVER, pool, each) for each in devices)
    return replace(claim(name=f"held-in-{pool}"), allocation=Allocation(results))


def answers(slices, nodes, *allocated, rules=()):
    return Answers(Snapshot(tuple(slices), allocated, classes=(CLASS,), nodes=nodes, taint_rules=rules))


def groups(given, asked):
    return [[each.meta.name for each in group] for group in given.kinds([asked])]


PAIR = (node("a"), node("b"))


def test_nodes_with_the_same_devices_are_alike():
    given = answers([*published("a", device("d0", tag="x")), *published("b", device("e0", tag="x"))], PAIR)
    assert groups(given, claim(request(selectors=(f'{TAG} == "x"',)))) == [["a", "b"]]


def test_a_value_tells_nodes_apart_only_if_a_selector_reads_it():
    given = answers([*published("a", device("d0", tag="x")), *published("b", device("d0", tag="y"))], PAIR)
    assert groups(given, claim()) == [["a", "b"]]
    assert groups(given, claim(request(selectors=(f'{TAG} == "x"',)))) == [["a"], ["b"]]


def test_values_that_are_only_compared_need_the_same_pattern():
    tie = Constraint(match_attribute=f"{DRIVER}/tag")
    same = [*published("a", *tagged("xxy")), *published("b", *tagged("uuv"))]
    assert groups(answers(same, PAIR), claim(constraints=[tie])) == [["a", "b"]]
    other = [*published("a", *tagged("xxy")), *published("b", *tagged("uvv"))]
    assert groups(answers(other, PAIR), claim(constraints=[tie])) == [["a"], ["b"]]
    shared = replace(selected("z", device("s0", tag="x")), reach=NodeReach(all_nodes=True))
    assert groups(answers([*same, shared], PAIR), claim(constraints=[tie])) == [["a"], ["b"]]


def tagged(tags):
    return [device(f"d{number}", tag=tag) for number, tag in enumerate(tags)]


def test_what_is_in_use_is_compared_by_place():
    slices = [*published("a", *tagged("xx")), *published("b", *tagged("xx"))]
    assert groups(answers(slices, PAIR, held("d0", pool="a")), claim()) == [["a"], ["b"]]
    both = (held("d1", pool="a"), held("d1", pool="b"))
    assert groups(answers(slices, PAIR, *both), claim()) == [["a", "b"]]


def test_a_rule_for_one_device_tells_its_node_apart():
    slices = [*published("a", *tagged("xx")), *published("b", *tagged("xx"))]
    taint = Taint("broken", effect="NoSchedule")
    rule = TaintRule(Meta("rule"), "v1", taint, has_selector=True, pool="a", device="d1")
    assert groups(answers(slices, PAIR, rules=(rule,)), claim()) == [["a"], ["b"]]
    everywhere = replace(rule, pool=None)
    assert groups(answers(slices, PAIR, rules=(everywhere,)), claim()) == [["a", "b"]]


def test_shared_slices_count_by_who_reaches_them():
    nodes = (node("a", zone="1"), node("b", zone="1"), node("c", zone="2"))
    given = answers([selected("s", device("d0"), zone="1")], nodes)
    assert groups(given, claim()) == [["a", "b"], ["c"]]


def test_pools_before_and_behind_a_shared_one_are_told_apart():
    shared = Slice(Meta("m"), "v1", DRIVER, "m", 1, 1, NodeReach(all_nodes=True), (device("s0"),))
    given = answers([shared, *published("a", device("d0")), *published("z", device("d0"))], (node("a"), node("z")))
    assert groups(given, claim()) == [["a"], ["z"]]
    picks = [answer.picks[0][0].device.pool for answer in given.try_on([claim()], given.nodes)]
    assert picks == ["a", "m"]


def test_parts_of_one_pool_on_several_nodes_are_judged_one_by_one():
    parts = [*published("a", device("d0")), *published("b", device("d0"))]
    parts = [replace(item, pool="p", slice_count=2) for item in parts]
    assert groups(answers(parts, PAIR), claim()) == [["a"], ["b"]]


def random_fleet(chance):
    """Nodes of two kinds, some of whose devices are in use, and sometimes slices that several reach."""
    kinds = [random_devices(chance) for _ in range(2)]
    slices, allocated, nodes = [], [], []
    for number in range(6):
        name = f"n{number}"
        nodes.append(node(name, zone=chance.choice("12")))
        sets = [(f"s{index}", {"m": 5, "k": 3}) for index in range(2)]
        devices = [named(each, name) for each in chance.choice(kinds)]
        slices += published(name, *devices, sets=sets, generation=chance.choice((1, 1, 2)))
        if chance.random() < 0.5:
            taken = chance.sample([each.name for each in devices], chance.choice((1, 1, 2)))
            allocated.append(held(*taken, pool=name))
        if chance.random() < 0.1:
            slices += published(f"{name}-old", device("old"), on=name)
            slices[-1] = replace(slices[-1], slice_count=2)
    if chance.random() < 0.4:
        slices.append(selected(chance.choice(("a", "n3x", "z")), device("s0", tag="x", pair=0), zone="1"))
    taint = Taint("broken", effect="NoSchedule")
    rule = TaintRule(Meta("rule"), "v1", taint, has_selector=True, driver=DRIVER, pool=chance.choice((None, "n1")))
    rules = (replace(rule, device=chance.choice(("d0", "d1"))),) if chance.random() < 0.3 else ()
    return answers(slices, tuple(nodes), *allocated, rules=rules)


def random_devices(chance):
    devices = []
    for number in range(chance.randint(3, 6)):
        draws = consumption(f"s{chance.randint(0, 1)}", {"m": chance.randint(0, 3), "k": chance.randint(0, 2)})
        own = device(f"d{number}", *([draws] if chance.random() < 0.8 else []))
        values = {"tag": AttributeValue("string", chance.choice("xy")), "pair": AttributeValue("int", number // 2)}
        devices.append(replace(own, attributes={k: v for k, v in values.items() if chance.random() < 0.95}))
    return devices


def named(device, node):
    """The same device of a node, with an attribute of its own."""
    pair = device.attributes.get("pair")
    serial = {"serial": AttributeValue("string", f"{node}-{pair.value}")} if pair else {}
    return replace(device, attributes={**device.attributes, **serial})


def random_claim(chance):
    guard = f'has({TAG}) && {TAG} == "{chance.choice("xy")}"'
    forms = [(), (guard,), (f'{TAG} == "x"',), ('device.driver != "other.example.com"',)]
    requests = [
        request(f"r{number}", count=chance.randint(1, 3), selectors=chance.choice(forms))
        for number in range(chance.randint(1, 2))
    ]
    if chance.random() < 0.15:
        requests[0] = request("r0", mode="All", count=0)
    attribute = chance.choice(("pair", "serial"))
    ties = [Constraint(match_attribute=f"{DRIVER}/{attribute}")] if chance.random() < 0.4 else []
    return claim(*requests, constraints=ties)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_every_node_gets_the_answer_that_it_gets_alone(seed):
    chance = random.Random(seed)
    given = random_fleet(chance)
    for _ in range(5):
        asked = random_claim(chance)
        alone = [allocate(given.world, each, [asked]) for each in given.nodes]
        together = given.try_on([asked], given.nodes)
        if any(each.verdict == "error" and not each.node_only for each in alone):
            assert all(each.verdict == "error" for each in together) or list(together) == alone
        else:
            assert list(together) == alone


@pytest.mark.parametrize("seed", range(0, WORLDS, 3))
def test_candidates_and_explanations_are_those_of_nodes_judged_one_by_one(seed, monkeypatch):
    chance = random.Random(seed)
    given = random_fleet(chance)
    asked = random_claim(chance)
    single = replace(asked, requests=asked.requests[:1])
    grouped = (given.candidates(single), given.claim(asked), Explainer(given).claim(asked))
    monkeypatch.setattr("pools.core.answers.eyes_of", lambda *_: None)
    assert (given.candidates(single), given.claim(asked), Explainer(given).claim(asked)) == grouped


def test_random_fleets_have_nodes_that_are_alike():
    sizes = [len(group) for seed in range(WORLDS) for group in random_fleet(random.Random(seed)).kinds([claim()])]
    assert sum(size > 1 for size in sizes) > WORLDS / 2


@pytest.mark.parametrize("seed", range(WORLDS))
def test_the_fleets_free_devices_are_those_of_each_node(seed):
    given = random_fleet(random.Random(seed))
    assert given.free_devices() == {
        node.meta.name: free_devices(given.world, node, tolerate=False) for node in given.nodes
    }


READS = [
    ("device.driver", None, None),
    ("device.allowMultipleAllocations", None, None),
    *(
        (f"device.{kind}", *path)
        for kind in ("attributes", "capacity")
        for path in ((None, None), (DRIVER, None), (DRIVER, "tag"), (DRIVER, "full"), ("other", "tag"), ("other", "x"))
    ),
]


@pytest.mark.parametrize("read", READS)
def test_a_column_holds_what_the_reader_reads_of_each_device(read):
    devices = [
        device("d0", tag="x"),
        device("d1"),
        device("d2", **{f"{DRIVER}/full": "y", "other/tag": "z", "tag": "w"}),
        replace(device("d3"), allow_multiple_allocations=True, capacity=capacities(tag="1Gi")),
        replace(device("d4"), capacity=capacities(**{"other/tag": "2"})),
    ]
    assert list(column(read, DRIVER, devices)) == [reader(read)(Facts(DRIVER, each)) for each in devices]


def capacities(**values):
    return {name: Capacity(amount) for name, amount in quantities(values).items()}
