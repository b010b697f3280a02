"""Made fleets: repeatable, as full as asked, and never more on a card than its counters hold."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.core.gather import gather
from pools.domain.quantity import parse_quantity
from pools.synth import mig
from pools.synth.boards import BOARDS
from pools.synth.fleet import Plan, card, churn, classes, node_objects, pending
from pools.synth.layouts import SLOTS, layout
from pools.wire.registry import decode

PLAN = Plan(40, 8, (("h100-80", 3), ("a100-40", 1)), 0.6, 7, "seed")


def consumed(board, held):
    """Use of each counter of GPU 0, from the slices as published."""
    _, slice_ = mig.slices(board, 1, "n")
    devices = {device["name"]: device for device in slice_["spec"]["devices"]}
    use = {}
    for placement in held:
        device = devices[mig.device_name(0, placement.profile, placement.start)]
        for name, counter in device["consumesCounters"][0]["counters"].items():
            use[name] = use.get(name, 0) + parse_quantity(counter["value"]).value
    return use


@given(st.sampled_from(sorted(BOARDS)), st.floats(0, 1), st.integers(0, 2**32))
def test_a_layout_obeys_every_counter_of_its_card(key, used, seed):
    board = BOARDS[key]
    counters = mig.slices(board, 1, "n")[0]["spec"]["sharedCounters"][0]["counters"]

    use = consumed(board, layout(board, used, random.Random(seed)))

    assert {name: most for name, most in use.items() if most > parse_quantity(counters[name]["value"]).value} == {}


@pytest.mark.parametrize("used", [0.2, 0.5, 0.8])
def test_about_as_much_is_used_as_was_asked(used):
    plan = Plan(100, 8, PLAN.models, used, 0, "any")
    slots = sum(held.profile.size if held else SLOTS for i in range(100) for g in range(8) for held in card(plan, i, g))

    assert slots / (100 * 8 * SLOTS) == pytest.approx(used, abs=0.1)


def test_nothing_is_used_when_nothing_was_asked():
    plan = Plan(20, 8, PLAN.models, 0, 0, "any")
    assert [card(plan, index, gpu) for index in range(20) for gpu in range(8)] == [()] * 160


def test_layouts_vary_and_some_cards_are_handed_out_undivided():
    cards = {card(PLAN, index, gpu) for index in range(40) for gpu in range(8)}
    assert len(cards) > 50
    assert (None,) in cards


def test_equal_plans_make_equal_fleets_and_another_seed_another():
    other = Plan(40, 8, PLAN.models, 0.6, 7, "other")

    assert node_objects(PLAN, 3) == node_objects(Plan(40, 8, PLAN.models, 0.6, 7, "seed"), 3)
    assert node_objects(PLAN, 3) != node_objects(other, 3)
    assert list(churn(PLAN, 5)) == list(churn(PLAN, 5))


def test_models_come_as_often_as_their_weights_say():
    plan = Plan(400, 1, (("h100-80", 3), ("a100-40", 1)), 0.5, 0, "w")
    hoppers = sum(plan.board(index).key == "h100-80" for index in range(400))
    assert 260 < hoppers < 340


def test_each_claim_of_a_node_holds_a_device_that_its_slices_publish_and_none_twice():
    objects = node_objects(PLAN, 0)
    published = {d["name"] for o in objects if o["kind"] == "ResourceSlice" for d in o["spec"].get("devices", ())}
    claims = [item for item in objects if item["kind"] == "ResourceClaim"]
    held = [claim["status"]["allocation"]["devices"]["results"][0]["device"] for claim in claims]
    users = {claim["status"]["reservedFor"][0]["uid"] for claim in claims}

    assert held
    assert set(held) <= published
    assert len(held) == len(set(held))
    assert users == {item["metadata"]["uid"] for item in objects if item["kind"] == "Pod"}


def test_waiting_claims_name_classes_that_exist_and_each_has_its_pod():
    objects = pending(PLAN)
    claims = [item for item in objects if item["kind"] == "ResourceClaim"]
    asked = {request["exactly"]["deviceClassName"] for c in claims for request in c["spec"]["devices"]["requests"]}

    assert len(claims) == 7
    assert len(objects) == 14
    assert asked <= {item["metadata"]["name"] for item in classes()}


def test_churn_releases_what_is_held_allocates_what_was_released_and_taints_in_a_new_generation():
    released, seen = {}, set()
    for objects in churn(PLAN, 200):
        first = objects[0]
        if first["kind"] == "ResourceSlice":
            assert first["spec"]["pool"]["generation"] > 1
            assert sum(bool(d.get("taints")) for o in objects for d in o["spec"].get("devices", ())) == 26
            seen.add("tainted")
        elif "status" in first:
            assert released.pop(first["metadata"]["uid"])
            seen.add("allocated")
        else:
            assert first["metadata"]["uid"] not in released
            released[first["metadata"]["uid"]] = True
            seen.add("released")
    assert seen == {"released", "allocated", "tainted"}


def test_the_slices_of_a_node_are_one_complete_pool():
    slices = [decode(item) for item in node_objects(PLAN, 1) if item["kind"] == "ResourceSlice"]

    (pool,) = gather(slices)

    assert pool.state == "complete"
    assert len(pool.devices) == 8 * 26
