"""Relief: what has to go so that a pending claim fits; checked against trying everything."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pools.core.allocate import allocate
from pools.core.relief import relief
from pools.core.world import World
from pools.domain.claim import Allocation, AllocationResult, Claim, Consumer, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Node, Snapshot
from pools.domain.ids import ClaimId
from pools.domain.pool import Meta
from pools.synth import mig
from pools.synth.boards import BOARDS
from pools.wire.registry import decode
from tests.core.builders import DRIVER, consumption, counter_set, device, slice_

NODE = Node(Meta("n1"))
ANY = DeviceClass(Meta("any"), "v1")


def pending(*requests):
    return Claim(Meta("wanted", namespace="ml"), "v1", tuple(requests))


def request(selector="", count=1, name="r"):
    selectors = (selector,) if selector else ()
    return Request(name, (DeviceRequest("", "any", selectors=selectors, count=count),))


def holding(name, driver, *devices, pods=(), since=""):
    results = tuple(AllocationResult("r", driver, "n1", each) for each in devices)
    reserved = tuple(Consumer("pods", pod) for pod in pods)
    return Claim(
        Meta(name, namespace="ml"), "v1", (), allocation=Allocation(results, None, since), reserved_for=reserved
    )


def ask(slices, claims, *wanted):
    snapshot = Snapshot(slices=tuple(slices), claims=tuple(claims), classes=(ANY,), nodes=(NODE,))
    return relief(World.of(snapshot), snapshot, NODE, wanted)


def a100(*placements):
    """Claims c0, c1, … on placements (profile, start) of one A100-40GB, and its slices."""
    profiles = {profile.name: profile for profile in BOARDS["a100-40"].profiles}
    slices = [decode(item) for item in mig.slices(BOARDS["a100-40"], 1, "n1")]
    claims = [
        holding(
            f"c{i}", mig.DRIVER, mig.device_name(0, profiles[profile], start), pods=(f"p{i}",), since=f"2026-11-0{i}"
        )
        for i, (profile, start) in enumerate(placements, 1)
    ]
    return slices, claims


def profile(name):
    return request(f"device.attributes['{mig.DRIVER}'].?profile.orValue('') == '{name}'")


def names(sets):
    return [[claim.name for claim in each.claims] for each in sets]


def test_either_of_two_small_partitions_in_the_way_of_a_3g_will_do_and_the_younger_goes_first():
    found = ask(*a100(("1g.5gb", 1), ("1g.5gb", 5)), pending(profile("3g.20gb")))

    assert found.exact
    assert names(found.sets) == [["c2"], ["c1"]]
    assert found.sets[0].pods == ("ml/p2",)
    assert found.sets[0].picks[0][0].device.name == "gpu-0-mig-3g20gb-9-4"


def test_a_whole_card_needs_all_that_is_on_it_to_go():
    found = ask(*a100(*(("1g.5gb", start) for start in range(7))), pending(profile("7g.40gb")))

    assert found.exact
    assert names(found.sets) == [["c1", "c2", "c3", "c4", "c5", "c6", "c7"]]


def test_what_no_release_can_help_gets_no_sets():
    found = ask(*a100(("1g.5gb", 1)), pending(profile("9g.80gb")))

    assert found.exact
    assert found.sets == ()


def test_the_claim_with_fewer_pods_goes_first():
    slices, claims = a100(("1g.5gb", 1))
    shared = holding("shared", mig.DRIVER, "gpu-0-mig-1g5gb-19-5", pods=("a", "b"), since="2026-11-30")

    assert names(ask(slices, [*claims, shared], pending(profile("3g.20gb"))).sets) == [["c1"], ["shared"]]


def test_running_out_of_tries_is_said_and_the_set_still_works():
    slices, claims = a100(*(("1g.5gb", start) for start in range(7)))
    snapshot = Snapshot(slices=tuple(slices), claims=tuple(claims), classes=(ANY,), nodes=(NODE,))
    wanted = pending(profile("7g.40gb"))

    found = relief(World.of(snapshot), snapshot, NODE, (wanted,), tries=10)

    assert not found.exact
    assert names(found.sets) == [["c1", "c2", "c3", "c4", "c5", "c6", "c7"]]


@st.composite
def clusters(draw):
    """A pool of up to two cards and loose devices, a feasible set of them in use by claims of one or two devices."""
    devices, sets = [], []
    for card in range(draw(st.integers(1, 2))):
        sets.append(counter_set(f"s{card}", {"a": draw(st.integers(2, 5)), "b": draw(st.integers(1, 3))}))
        for index in range(draw(st.integers(1, 4))):
            cost = {"a": draw(st.integers(1, 3)), "b": draw(st.integers(0, 2))}
            kind = draw(st.sampled_from("xy"))
            devices.append(device(f"d{card}{index}", consumption(f"s{card}", cost), kind=kind))
    devices += [device(f"l{index}", kind=draw(st.sampled_from("xy"))) for index in range(draw(st.integers(0, 2)))]
    slices = (slice_("a", sets=sets, count=2), slice_("b", devices, count=2))
    order = draw(st.permutations([each.name for each in devices]))
    claims, at = [], 0
    while at < len(order):
        size = draw(st.integers(1, 2))
        claim = holding(f"c{at}", DRIVER, *order[at : at + size])
        at += size
        if draw(st.booleans()):
            claims.append(claim)
    kind = draw(st.sampled_from("xy"))
    return slices, claims, request(f"device.attributes['{DRIVER}'].kind == '{kind}'", draw(st.integers(1, 2)))


def works(slices, claims, wanted):
    snapshot = Snapshot(slices=slices, claims=tuple(claims), classes=(ANY,), nodes=(NODE,))
    return allocate(World.of(snapshot), NODE, (wanted,)).verdict == "allocatable"


@given(clusters())
def test_relief_works_and_no_smaller_set_does(case):
    slices, claims, asked = case
    wanted = pending(asked)
    if works(slices, claims, wanted):
        return

    found = ask(slices, claims, wanted)

    assert found.exact
    size = next(
        (
            size
            for size in range(1, len(claims) + 1)
            if any(works(slices, [c for c in claims if c not in gone], wanted) for gone in combinations(claims, size))
        ),
        None,
    )
    assert {len(each.claims) for each in found.sets} == ({size} if size else set())
    for each in found.sets:
        assert works(slices, [claim for claim in claims if claim.id not in each.claims], wanted)
        assert all(isinstance(name, ClaimId) for name in each.claims)
