"""The allocator finds what the scheduler finds: order, errors, limits, and the same with and without looking ahead."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pools.core import attempt as attempts
from pools.core.allocate import allocate, free_devices
from pools.core.release import release
from pools.core.world import World
from pools.domain.claim import Allocation, AllocationResult, Claim, Constraint, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Node, Snapshot
from pools.domain.device import AttributeValue, NodeReach, Taint
from pools.domain.ids import DeviceId
from pools.domain.pool import CounterSet, Meta, Slice
from tests.core.builders import consumption, device, quantities

DRIVER = "gpu.example.com"
NODE = Node(Meta("n1"))
CLASS = DeviceClass(Meta("any"), "v1")
TAG = f'device.attributes["{DRIVER}"].tag'


def slices(*devices, sets=(), name="p", reach=None):
    reach = reach or NodeReach(node_name="n1")
    own = Slice(Meta(f"{name}-devices"), "v1", DRIVER, name, 1, 1 + bool(sets), reach, tuple(devices))
    counters = tuple(CounterSet(key, quantities(values)) for key, values in sets)
    return [own, replace(own, meta=Meta(f"{name}-counters"), devices=(), counter_sets=counters)] if sets else [own]


def request(name="r", **options):
    return Request(name, (DeviceRequest("", "any", **options),))


def claim(*requests, name="c", constraints=()):
    return Claim(Meta(name, "ml"), "v1", requests or (request(),), tuple(constraints))


def held(*devices, pool="p"):
    results = tuple(AllocationResult("r", DRIVER, pool, each) for each in devices)
    return replace(claim(name="held"), allocation=Allocation(results))


def world(published, *allocated, rules=None):
    return World.of(Snapshot(tuple(published), allocated, classes=(CLASS,)), rules)


def picked(answer):
    return [[pick.device.name for pick in picks] for picks in answer.picks]


def test_devices_are_taken_in_the_order_of_slice_names_and_lists():
    published = [*slices(device("z"), name="b"), *slices(device("y"), device("x"), name="a")]
    assert picked(allocate(world(published), NODE, [claim(request(count=3))])) == [["y", "x", "z"]]


def test_pools_with_binding_conditions_come_last():
    binding = replace(device("a"), binding_conditions=("ready",), binding_failure_conditions=("failed",))
    published = [*slices(binding, name="a"), *slices(device("b"), name="b")]
    assert picked(allocate(world(published), NODE, [claim()])) == [["b"]]


def test_a_later_request_makes_an_earlier_one_choose_again():
    published = slices(device("a", tag="x"), device("b", tag="y"))
    requests = (request("r0"), request("r1", selectors=(f'{TAG} == "x"',)))
    assert picked(allocate(world(published), NODE, [claim(*requests)])) == [["b", "a"]]


def test_a_later_claim_makes_an_earlier_one_choose_again():
    published = slices(device("a", tag="x"), device("b", tag="y"))
    claims = [claim(name="c1"), claim(request(selectors=(f'{TAG} == "x"',)), name="c2")]
    assert picked(allocate(world(published), NODE, claims)) == [["b"], ["a"]]


def test_an_error_of_a_selector_ends_the_attempt_unless_a_device_before_it_does():
    published = slices(device("a", tag="x"), device("b"))
    selecting = claim(request(selectors=(f'{TAG} == "x"',)))
    assert allocate(world(published), NODE, [selecting]).verdict == "allocatable"
    answer = allocate(world(published, held("a")), NODE, [selecting])
    assert (answer.verdict, answer.node_only) == ("error", False)
    assert "no such key: tag" in answer.message


def test_a_device_in_use_is_passed_over_before_its_selectors_are_asked():
    published = slices(device("a"), device("b", tag="x"))
    selecting = claim(request(selectors=(f'{TAG} == "x"',)))
    assert picked(allocate(world(published, held("a")), NODE, [selecting])) == [["b"]]


def test_one_counter_below_zero_blocks_every_device_that_draws():
    sets = [("one", {"memory": 1}), ("two", {"memory": 10})]
    devices = [device("big", consumption("one", {"memory": 2})), device("other", consumption("two", {"memory": 1}))]
    published = slices(*devices, device("free"), sets=sets)
    answer = allocate(world(published, held("big")), NODE, [claim()])
    assert picked(answer) == [["free"]]


def test_admin_access_needs_the_counters_a_second_time():
    published = slices(device("a", consumption("one", {"memory": 6})), sets=[("one", {"memory": 10})])
    answer = allocate(world(published, held("a")), NODE, [claim(request(admin_access=True))])
    assert answer.verdict == "impossible"


def test_an_invalid_pool_is_an_error_of_the_node_only_when_nothing_else_fits():
    broken = slices(device("a"), device("a"))
    answer = allocate(world(broken), NODE, [claim()])
    assert (answer.verdict, answer.node_only) == ("error", True)
    assert allocate(world([*broken, *slices(device("b"), name="q")]), NODE, [claim()]).verdict == "allocatable"


def test_all_fails_for_good_on_any_incomplete_pool():
    partial = replace(slices(device("a"))[0], slice_count=2)
    answer = allocate(world([partial, *slices(device("b"), name="q")]), NODE, [claim(request(mode="All", count=0))])
    assert (answer.verdict, answer.node_only) == ("error", False)


@pytest.mark.parametrize(("count", "verdict"), [(32, "allocatable"), (33, "error")])
def test_a_claim_holds_at_most_32_results(count, verdict):
    published = slices(*(device(f"d{number}") for number in range(40)))
    assert allocate(world(published), NODE, [claim(request(count=count))]).verdict == verdict


def test_a_smaller_alternative_is_taken_when_the_larger_would_pass_the_limit():
    published = slices(*(device(f"d{number}") for number in range(40)))
    many = DeviceRequest("many", "any", count=20)
    few = DeviceRequest("few", "any", count=2)
    requests = (request("r0", count=20), Request("r1", (many, few), prioritized=True))
    answer = allocate(world(published), NODE, [claim(*requests)])
    assert [pick.request for pick in answer.picks[0]][-2:] == ["r1/few", "r1/few"]


def test_equal_attributes_of_lists_must_have_something_in_common():
    def node_of(name, *numbers):
        return replace(device(name), attributes={"numa": AttributeValue("ints", numbers)})

    published = slices(node_of("a", 0, 1), node_of("b", 1, 2), node_of("c", 2, 3))
    tie = Constraint(match_attribute=f"{DRIVER}/numa")
    assert picked(allocate(world(published), NODE, [claim(request(count=2), constraints=[tie])])) == [["a", "b"]]
    assert allocate(world(published), NODE, [claim(request(count=3), constraints=[tie])]).verdict == "impossible"


def test_a_search_that_is_cut_short_says_after_how_many_steps():
    published = slices(*(device(f"d{number}", tag=str(number)) for number in range(30)))
    answer = allocate(world(published), NODE, [claim(request(count=5))], budget=3)
    assert answer.verdict == "undecided"
    assert answer.message == "undecided after 4 steps"


def test_a_selector_that_cannot_be_evaluated_leaves_the_question_open():
    answer = allocate(world(slices(device("a"))), NODE, [claim(request(selectors=("device == device",)))])
    assert answer.verdict == "undecided"


def test_single_devices_are_free_by_counters_and_taints():
    tainted = replace(device("t"), taints=(Taint("broken", effect="NoSchedule"),))
    devices = [device(name, consumption("one", {"memory": 6})) for name in ("a", "b")]
    given = world(slices(*devices, tainted, sets=[("one", {"memory": 10})]), held("a"))
    assert free_devices(given, NODE, tolerate=False) == ()
    assert free_devices(given, NODE, tolerate=True) == (DeviceId(DRIVER, "p", "t"),)


def test_older_releases_are_followed_when_asked():
    partial = replace(slices(device("a"))[0], slice_count=2)
    assert allocate(world([partial], rules=release("1.34")), NODE, [claim()]).verdict == "allocatable"
    assert allocate(world([partial], rules=release("1.36")), NODE, [claim()]).verdict == "impossible"


def random_world(chance):
    sets = [(f"s{number}", {"m": chance.randint(2, 6), "k": chance.randint(1, 4)}) for number in range(2)]
    devices = []
    for number in range(chance.randint(4, 9)):
        draws = consumption(f"s{chance.randint(0, 1)}", {"m": chance.randint(0, 3), "k": chance.randint(0, 2)})
        own = device(f"d{number}", *([draws] if chance.random() < 0.8 else []))
        values = {"tag": AttributeValue("string", chance.choice("xyz")), "pair": AttributeValue("int", number // 2)}
        devices.append(replace(own, attributes={k: v for k, v in values.items() if chance.random() < 0.9}))
    return world(
        slices(*devices, sets=sets), held(*chance.sample([each.name for each in devices], chance.randint(0, 2)))
    )


def random_claims(chance):
    guard = f'has(device.attributes["{DRIVER}"].tag) && '
    claims = []
    for number in range(chance.randint(1, 3)):
        requests = []
        for index in range(chance.randint(1, 3)):
            forms = tuple(
                DeviceRequest(
                    f"a{rank}",
                    "any",
                    selectors=(f'{guard}{TAG} != "{chance.choice("xyz")}"',) if chance.random() < 0.5 else (),
                    count=chance.randint(1, 3),
                )
                for rank in range(chance.choice((1, 1, 2)))
            )
            requests.append(Request(f"r{index}", forms, prioritized=len(forms) > 1))
        ties = [Constraint(match_attribute=f"{DRIVER}/pair")] if chance.random() < 0.2 else []
        ties += [Constraint(distinct_attribute=f"{DRIVER}/tag")] if chance.random() < 0.3 else []
        claims.append(claim(*requests, name=f"c{number}", constraints=ties))
    return claims


@pytest.mark.parametrize("seed", range(150))
def test_looking_ahead_never_changes_the_answer(seed, monkeypatch):
    chance = random.Random(seed)
    given, claims = random_world(chance), random_claims(chance)
    plain = {}
    for after in (1, 5, 10**9):
        monkeypatch.setattr(attempts, "LOOK_AHEAD_AFTER", after)
        answer = allocate(given, NODE, claims)
        plain[after] = (answer.verdict, picked(answer))
    assert plain[1] == plain[10**9]
    assert plain[5] == plain[10**9]
