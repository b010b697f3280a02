"""What-if: changes to a cluster that nobody made, and what would then fit."""

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pools.core.aftermath import aftermath, pool_reports
from pools.core.asking import ask_claim, ask_evicted, ask_objects, ask_pod, generated, plain_claim, selector_for
from pools.core.card_layout import card_layout, claims_on
from pools.core.trial import Question, Trial
from pools.core.whatif import Scenario, stage
from pools.core.world import draws
from pools.domain.claim import (
    Allocation,
    AllocationResult,
    Claim,
    ClaimTemplate,
    Consumer,
    DeviceClass,
    DeviceRequest,
    Request,
    TaintRule,
    Toleration,
)
from pools.domain.cluster import Node, Pod, PodClaim, Snapshot
from pools.domain.device import NodeReach, Taint
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId, CounterId, DeviceId, PoolId
from pools.domain.pool import Meta
from pools.synth import mig
from pools.synth.boards import BOARDS
from pools.wire.registry import decode
from tests.core.builders import consumption, counter_set, device, slice_

BOARD = BOARDS["a100-40"]
PROFILES = {profile.name: profile for profile in BOARD.profiles}
CARD = "gpu-0-counter-set"
ANY = DeviceClass(Meta("any"), "v1")


def of_profile(name):
    where = 'device.attributes["gpu.nvidia.com"]'
    return f'has({where}.profile) && {where}.profile == "{name}"'


SMALL, HALF = of_profile("1g.5gb"), of_profile("3g.20gb")


def place(profile, start):
    return mig.device_name(0, PROFILES[profile], start)


def holding(name, node, *devices, pods=()):
    results = tuple(AllocationResult("r", mig.DRIVER, node, each) for each in devices)
    reserved = tuple(Consumer("pods", pod) for pod in pods)
    return Claim(Meta(name, "ml"), "v1", asked(), allocation=Allocation(results), reserved_for=reserved)


def asked(selector=SMALL, count=1):
    return (Request("r", (DeviceRequest("", "any", selectors=(selector,), count=count),)),)


def pending(name="wanted", selector=HALF):
    return Claim(Meta(name, "ml"), "v1", asked(selector))


def cluster(*claims, nodes=("n1", "n2"), pods=(), known=True, **more):
    """One A100-40GB on each node."""
    slices = [decode(item) for node in nodes for item in mig.slices(BOARD, 1, node)]
    there = tuple(Node(Meta(name, labels={"kubernetes.io/hostname": name})) for name in nodes) if known else ()
    return Snapshot(slices=tuple(slices), claims=claims, classes=(ANY,), nodes=there, pods=tuple(pods), **more)


def fits(staged, claim):
    return Trial.of(staged).ask(ask_claim(claim)).nodes


WRONG_HALVES = (holding("a", "n1", place("1g.5gb", 1)), holding("b", "n1", place("1g.5gb", 5)))


def test_releasing_one_of_two_claims_in_the_wrong_halves_lets_half_a_card_fit():
    snapshot = cluster(*WRONG_HALVES, nodes=("n1",))

    assert fits(stage(snapshot, Scenario()), pending()) == ()
    assert fits(stage(snapshot, Scenario(release=(ClaimId("ml", "a"),))), pending()) == ("n1",)


def test_a_drained_node_is_left_out_and_its_claims_wait_together_with_their_pods():
    pods = [Pod(Meta("p", "ml"), "n1", "Running", claims=(PodClaim("x", claim="a"), PodClaim("y", claim="b")))]
    claims = [replace(each, reserved_for=(Consumer("pods", "p"),)) for each in WRONG_HALVES]
    found = stage(cluster(*claims, pods=pods), Scenario(drain=("n1",)))

    assert found.evicted == (ClaimId("ml", "a"), ClaimId("ml", "b"))
    assert [node.meta.name for node in found.nodes] == ["n2"]
    (question,) = ask_evicted(found.snapshot, found.evicted)
    assert question.about == "pod ml/p"
    placed, _ = Trial.of(found).play([question])
    assert placed[0].nodes == ("n2",)


def test_when_the_last_node_is_drained_nothing_fits_anywhere():
    for known in (True, False):
        found = stage(cluster(nodes=("n1",), known=known), Scenario(drain=("n1",)))

        assert found.nodes == ()
        assert fits(found, pending()) == ()


def test_a_claim_that_only_pods_of_the_drained_node_use_is_evicted_wherever_its_device_is():
    fabric = slice_(
        "fabric", [device("port")], driver="net.example.com", pool="fabric", reach=NodeReach(all_nodes=True)
    )
    claim = Claim(
        Meta("c", "ml"), "v1", (), allocation=Allocation((AllocationResult("r", "net.example.com", "fabric", "port"),)),
        reserved_for=(Consumer("pods", "p"),),
    )  # fmt: skip
    snapshot = cluster(claim, pods=[Pod(Meta("p", "ml"), "n1", "Running")])
    snapshot = replace(snapshot, slices=(*snapshot.slices, fabric))

    assert stage(snapshot, Scenario(drain=("n1",))).evicted == (claim.id,)
    assert stage(snapshot, Scenario(drain=("n2",))).evicted == ()


def test_new_nodes_have_empty_copies_of_the_pools_that_the_node_alone_reaches():
    full = holding("whole", "n1", "gpu-0")
    found = stage(cluster(full, nodes=("n1",)), Scenario(grow=(("n1", 2),)))

    assert found.grown == ("n1-new-1", "n1-new-2")
    assert fits(found, pending()) == found.grown
    assert {item.pool for item in found.snapshot.slices} == {"n1", "n1-new-1", "n1-new-2"}


def test_pools_that_several_nodes_share_are_not_copied_and_a_note_says_so():
    both = slice_("s", [device("d", reach=NodeReach(node_name="n1")), device("e", reach=NodeReach(node_name="n2"))],
                  per_device_reach=True, reach=NodeReach())  # fmt: skip
    snapshot = Snapshot(slices=(both,), nodes=(Node(Meta("n1")), Node(Meta("n2"))))

    found = stage(snapshot, Scenario(grow=(("n1", 1),)))

    assert found.snapshot.slices == (both,)
    assert "shared with other nodes" in found.notes[0]


def test_a_tainted_device_is_passed_over_and_an_untainted_one_can_be_had():
    whole = DeviceId(mig.DRIVER, "n1", place("3g.20gb", 4))
    claim = pending()
    snapshot = cluster(holding("a", "n1", place("1g.5gb", 1)), nodes=("n1",))

    dirty = stage(snapshot, Scenario(taint=((whole, Taint("check", effect="NoSchedule")),)))
    assert fits(dirty, claim) == ()
    assert fits(stage(dirty.snapshot, Scenario(untaint=(whole,))), claim) == ("n1",)


def test_a_taint_that_evicts_makes_claims_wait_that_do_not_tolerate_it():
    device = DeviceId(mig.DRIVER, "n1", place("1g.5gb", 1))
    held = holding("a", "n1", place("1g.5gb", 1), pods=("p",))
    patient = holding("b", "n1", place("1g.5gb", 2))
    results = (
        replace(patient.allocation.results[0], device=device.name, tolerations=(Toleration(operator="Exists"),)),
    )
    patient = replace(patient, allocation=replace(patient.allocation, results=results))
    pod = Pod(Meta("p", "ml"), "n1", "Running", claims=(PodClaim("x", claim="a"),))
    snapshot = cluster(held, pods=[pod])
    evicting = Scenario(taint=((device, Taint("example.com/bad", "", "NoExecute")),))

    found = stage(snapshot, evicting)

    assert found.evicted == (held.id,)
    assert (found.snapshot.pods[0].node_name, found.snapshot.pods[0].phase) == ("", "Pending")
    (question,) = ask_evicted(found.snapshot, found.evicted)
    assert Trial.of(found).ask(question).nodes == ("n1", "n2")
    assert stage(cluster(patient), evicting).evicted == ()
    assert stage(snapshot, Scenario(taint=((device, Taint("example.com/bad", "", "NoSchedule")),))).evicted == ()
    assert stage(snapshot, replace(evicting, drain=("n1",))).evicted == (held.id,)
    assert stage(snapshot, replace(evicting, release=(held.id,))).evicted == ()


def test_untainting_a_device_leaves_a_rule_in_force_on_all_others_that_it_matches():
    rule = TaintRule(Meta("r"), "v1", Taint("check", effect="NoSchedule"), True, driver=mig.DRIVER)
    snapshot = cluster(nodes=("n1",), taint_rules=(rule,))
    freed = DeviceId(mig.DRIVER, "n1", place("1g.5gb", 3))

    found = stage(snapshot, Scenario(untaint=(freed,)))

    (report,) = pool_reports(found.snapshot, {PoolId(mig.DRIVER, "n1")}).values()
    assert [each.id for each in report.devices if each.state == "available"] == [freed]
    assert {each.state for each in report.devices if each.id != freed} == {"tainted"}


def test_slices_take_the_place_of_the_whole_pool_of_their_name():
    other = [decode(item) for item in mig.slices(BOARDS["h100-80"], 2, "n1")]
    found = stage(cluster(nodes=("n1",)), Scenario(objects=tuple(other)))

    assert list(found.snapshot.slices) == other


def test_a_slice_file_can_stand_in_for_a_pool_of_another_name_and_node():
    other = tuple(decode(item) for item in mig.slices(BOARDS["h100-80"], 1, "elsewhere"))
    snapshot = cluster(holding("whole", "n1", "gpu-0"), nodes=("n1",))

    found = stage(snapshot, Scenario(objects=other, swap=PoolId(mig.DRIVER, "n1")))

    assert {item.pool for item in found.snapshot.slices} == {"n1"}
    assert {item.reach.node_name for item in found.snapshot.slices} == {"n1"}
    wanted = pending(selector=of_profile("1g.20gb"))
    assert fits(stage(snapshot, Scenario()), wanted) == ()
    assert Trial.of(found).ask(ask_claim(wanted)).state == "infeasible"  # the claim still holds gpu-0, which is there
    free = stage(snapshot, Scenario(objects=other, swap=PoolId(mig.DRIVER, "n1"), release=(ClaimId("ml", "whole"),)))
    assert fits(free, wanted) == ("n1",)


@pytest.mark.parametrize(
    ("scenario", "path"),
    [
        (Scenario(release=(ClaimId("ml", "nobody"),)), "release[0]"),
        (Scenario(release=(ClaimId("ml", "a"), ClaimId("ml", "wanted"))), "release[1]"),
        (Scenario(drain=("n9",)), "drain[0]"),
        (Scenario(grow=(("n9", 1),)), "grow[0]"),
        (Scenario(grow=(("n1", 0),)), "grow[0]"),
        (Scenario(grow=(("n1", 100_000),)), "grow[0]"),
        (Scenario(taint=((DeviceId(mig.DRIVER, "n1", "x"), Taint("k", effect="NoSchedule")),)), "taint[0]"),
        (Scenario(untaint=(DeviceId(mig.DRIVER, "n7", "gpu-0"),)), "untaint[0]"),
        (Scenario(swap=PoolId(mig.DRIVER, "n7")), "swap"),
        (Scenario(swap=PoolId(mig.DRIVER, "n1")), "swap"),
    ],
)
def test_a_scenario_that_cannot_be_applied_says_which_part_and_why(scenario, path):
    with pytest.raises(ScenarioError) as caught:
        stage(cluster(*WRONG_HALVES, pending()), scenario)

    assert caught.value.path == path
    assert caught.value.reason


def test_a_pod_is_asked_about_with_all_its_claims_and_where_its_other_claims_let_it_run():
    held = replace(holding("net", "n2", place("1g.5gb", 0)))
    held = replace(held, allocation=replace(held.allocation, nodes=_only("n2")))
    template = ClaimTemplate(Meta("half", "ml"), "v1", asked(HALF))
    pod = Pod(Meta("p", "ml"), claims=(PodClaim("a", template="half"), PodClaim("b", claim="net")))
    snapshot = cluster(held, templates=(template,), pods=[pod])

    question = ask_pod(snapshot, pod)

    assert [claim.id for claim in question.held] == [held.id]
    assert Trial.of(stage(snapshot, Scenario())).ask(question).nodes == ("n2",)


def _only(node):
    trial = Trial.of(stage(cluster(), Scenario()))
    question = ask_claim(pending("x"))
    answer = next(each for each in trial.ask(question).answers if each.node == node)
    return trial.place(question, answer).snapshot.claims[-1].allocation.nodes


def test_a_pod_whose_claim_is_not_there_cannot_be_asked_about():
    pod = Pod(Meta("p", "ml"), claims=(PodClaim("a", claim="nobody"),))

    with pytest.raises(ScenarioError, match="nobody"):
        ask_pod(cluster(), pod)


def test_a_pod_that_has_its_devices_is_asked_about_as_another_like_it():
    held = holding("a", "n1", place("1g.5gb", 1))
    pod = Pod(Meta("p", "ml"), "n1", "Running", claims=(PodClaim("a", claim="a"),))
    snapshot = cluster(held, pods=[pod])

    question = ask_pod(snapshot, pod)

    assert question.about == "another pod like pod ml/p, which has its devices"
    assert Trial.of(stage(snapshot, Scenario())).ask(question).nodes == ("n1", "n2")


def test_added_objects_are_asked_about_once_each_pods_with_their_claims():
    template = ClaimTemplate(Meta("t", "ml"), "v1", asked())
    loose = ClaimTemplate(Meta("loose", "ml"), "v1", asked())
    pod = Pod(Meta("p", "ml"), claims=(PodClaim("a", claim="mine"), PodClaim("b", template="t")))
    added = Snapshot.of([template, loose, pod, pending("mine"), pending("alone")])
    staged = stage(cluster(), Scenario(objects=(template, loose, pod, pending("mine"), pending("alone"))))

    questions = ask_objects(staged.snapshot, added)

    assert [each.about for each in questions] == ["pod ml/p", "claim ml/alone", "claim from template ml/loose"]
    assert len(questions[0].claims) == 2


def test_an_allocated_claim_is_asked_about_as_another_like_it():
    claim = holding("a", "n1", place("1g.5gb", 1))

    question = ask_claim(claim)

    assert question.claims[0].allocation is None
    assert question.claims[0].id != claim.id


def test_copies_are_counted_node_after_node():
    claim = generated(ClaimTemplate(Meta("t", "ml"), "v1", asked()), "c")
    trial = Trial.of(stage(cluster(*WRONG_HALVES), Scenario()))

    found = trial.copies(ask_claim(claim))

    assert (found.count, found.nodes, found.exact) == (12, (("n1", 5), ("n2", 7)), True)
    bounded = trial.copies(ask_claim(claim), most=3)
    assert (bounded.count, bounded.exact) == (3, False)


def test_a_claim_that_takes_nothing_can_be_copied_without_end_and_the_bound_says_so():
    observer = DeviceRequest("", "any", admin_access=True)
    claim = Claim(Meta("c", "ml"), "v1", (Request("r", (observer,)),))

    found = Trial.of(stage(cluster(nodes=("n1",)), Scenario())).copies(ask_claim(claim), most=20)

    assert (found.count, found.exact) == (20, False)


def test_the_aftermath_tells_which_types_shrink_and_which_waiting_claims_lose_their_place():
    snapshot = cluster(holding("a", "n1", place("1g.5gb", 1)), pending(), nodes=("n1",))
    trial = Trial.of(stage(snapshot, Scenario()))
    question = ask_claim(plain_claim("any", selectors=(HALF,)))
    after = trial.place(question, trial.ask(question).chosen)

    found = aftermath(trial, after, {PoolId(mig.DRIVER, "n1")}, {question.claims[0].id})

    assert found.claims == (ClaimId("ml", "wanted"),)
    assert ("3g.20gb", 1, 0) in {(row.type, row.before, row.after) for row in found.types}
    assert {row.label for row in found.types} == {"gpu-0"}
    assert not found.cut


def test_alternatives_that_are_preferred_decide_which_node_is_taken():
    ways = tuple(DeviceRequest(name, "any", selectors=(rule,)) for name, rule in (("big", HALF), ("small", SMALL)))
    claim = Claim(Meta("c", "ml"), "v1", (Request("r", ways, prioritized=True),))
    trial = Trial.of(stage(cluster(*WRONG_HALVES), Scenario()))

    placed = trial.ask(ask_claim(claim))

    assert placed.nodes == ("n1", "n2")
    assert placed.chosen.node == "n2"


def test_a_type_is_asked_for_by_the_attribute_that_tells_it_apart():
    (report,) = pool_reports(cluster(nodes=("n1",)), {PoolId(mig.DRIVER, "n1")}).values()

    expression = selector_for("1g.5gb+me", [report])

    assert expression.endswith('.profile == "1g.5gb+me"')
    trial = Trial.of(stage(cluster(nodes=("n1",)), Scenario()))
    picks = trial.ask(ask_claim(plain_claim("any", selectors=(expression,)))).chosen.picks
    assert "me" in picks[0][0].device.name


def test_a_type_that_no_attribute_tells_apart_cannot_be_asked_for():
    pool = [slice_("s", [device("a", consumption("x", {"c": 1})), device("b", consumption("x", {"c": 2}))],
                   [counter_set("x", {"c": 2})], scope="slice")]  # fmt: skip
    (report,) = pool_reports(Snapshot(slices=tuple(pool)), {pool[0].pool_id}).values()

    assert [selector_for(each.type, [report]) for each in report.devices] == [None, None]
    assert selector_for("unheard of", [report]) is None


def test_two_drivers_are_told_apart_in_the_selector():
    reports = []
    for driver in ("one.example.com", "two.example.com"):
        pool = slice_("s", [device("a", profile="small"), device("b", profile="large")], driver=driver)
        reports += pool_reports(Snapshot(slices=(pool,)), {pool.pool_id}).values()

    expression = selector_for("small", reports)

    assert 'device.driver == "one.example.com"' in expression
    assert " || " in expression


def emptied(snapshot):
    (report,) = pool_reports(snapshot, {PoolId(mig.DRIVER, "n1")}).values()
    staged = stage(snapshot, Scenario(release=claims_on(report, CARD)))
    return pool_reports(staged.snapshot, {PoolId(mig.DRIVER, "n1")})[PoolId(mig.DRIVER, "n1")]


def test_a_layout_that_fits_says_where():
    found = card_layout(emptied(cluster(*WRONG_HALVES, nodes=("n1",))), CARD, [("3g.20gb", 1), ("4g.20gb", 1)])

    assert (found.verdict, found.devices) == ("fits", ((place("3g.20gb", 4),), (place("4g.20gb", 0),)))


def test_four_and_three_are_legal_entry_by_entry_but_impossible_to_place():
    found = card_layout(emptied(cluster(nodes=("n1",))), CARD, [("1g.10gb", 4), ("1g.5gb", 3)])

    assert (found.verdict, found.legal) == ("impossible", True)
    assert [(entry.alone, entry.beside) for entry in found.entries] == [(4, 2), (3, 0)]
    assert "It needs at least 11 of memory-slice, and 8 is free." in found.reasons


def test_a_layout_may_be_short_of_nothing_and_still_be_impossible_to_place():
    """Slot 5 is taken: a half fits before it, and what is left behind it is in pieces."""
    snapshot = cluster(holding("a", "n1", place("1g.5gb", 5)), nodes=("n1",))
    (report,) = pool_reports(snapshot, {PoolId(mig.DRIVER, "n1")}).values()

    found = card_layout(report, CARD, [("3g.20gb", 1), ("2g.10gb", 1)])

    assert (found.verdict, found.legal) == ("impossible", True)
    assert found.reasons[0].startswith("Every counter has enough in sum")


def test_an_entry_that_does_not_even_fit_alone_is_named():
    (report,) = pool_reports(cluster(*WRONG_HALVES, nodes=("n1",)), {PoolId(mig.DRIVER, "n1")}).values()

    found = card_layout(report, CARD, [("3g.20gb", 1)])

    assert (found.verdict, found.legal) == ("impossible", False)
    assert found.reasons == ("Of 3g.20gb at most 0 fit, even without the rest of the layout.",)


@pytest.mark.parametrize("layout", [[], [("9g", 1)], [("1g.5gb", 0)], [("1g.5gb", 1), ("1g.5gb", 1)]])
def test_a_layout_that_makes_no_sense_is_an_error(layout):
    with pytest.raises(ScenarioError):
        card_layout(emptied(cluster(nodes=("n1",))), CARD, layout)


def test_a_layout_on_an_unknown_card_is_an_error():
    with pytest.raises(KeyError):
        card_layout(emptied(cluster(nodes=("n1",))), "gpu-9", [("1g.5gb", 1)])


# Properties


def used(snapshot):
    """What the allocations of a snapshot draw from each counter, and how often each whole device is held."""
    listed = {DeviceId(item.driver, item.pool, each.name): each for item in snapshot.slices for each in item.devices}
    drawn, held = defaultdict(int), defaultdict(int)
    for claim in snapshot.claims:
        for result in claim.allocation.results if claim.allocation else ():
            identity = DeviceId(result.driver, result.pool, result.device)
            held[identity] += 1
            for counter, nano in draws(listed[identity]):
                drawn[identity.pool_id, counter] += nano
    return drawn, held


placements = st.lists(
    st.sampled_from([(p.name, start) for p in BOARD.profiles for start in p.starts]), unique=True, max_size=4
)


@st.composite
def worlds(draw):
    """Two cards with allocations that fit, some of which are released, and maybe a node drained or cloned."""
    claims, free = [], {}
    for node in ("n1", "n2"):
        for profile, start in draw(placements):
            claim = Claim(Meta(f"{node}-{len(claims)}", "ml"), "v1", asked(), allocation=Allocation(
                (AllocationResult("r", mig.DRIVER, node, place(profile, start)),)))  # fmt: skip
            trial = cluster(*claims, claim)
            drawn, _ = used(trial)
            if all(nano <= capacity_of(trial)[key] for key, nano in drawn.items()):
                claims.append(claim)
                free[claim.id] = draw(st.booleans())
    scenario = Scenario(
        release=tuple(name for name, gone in free.items() if gone),
        drain=draw(st.sampled_from([(), ("n1",), ("n2",)])),
        grow=draw(st.sampled_from([(), (("n1", 1),)])),
    )
    return cluster(*claims), scenario


def capacity_of(snapshot):
    return {
        (item.pool_id, counter): amount.nano
        for item in snapshot.slices
        for each in item.counter_sets
        for counter, amount in ((CounterId(each.name, name), value) for name, value in each.counters.items())
    }


@settings(max_examples=30)
@given(worlds(), st.lists(st.sampled_from([SMALL, HALF, 'device.driver != ""']), min_size=1, max_size=4))
def test_whatever_is_placed_obeys_capacity_and_takes_no_device_twice(world, selectors):
    snapshot, scenario = world
    staged = stage(snapshot, scenario)
    questions = [Question(str(i), (pending(f"w{i}", rule),)) for i, rule in enumerate(selectors)]

    placed, after = Trial.of(staged).play([*questions, *ask_evicted(staged.snapshot, staged.evicted)])

    drawn, held = used(after.snapshot)
    capacity = capacity_of(after.snapshot)
    assert all(nano <= capacity[key] for key, nano in drawn.items())
    assert max(held.values(), default=0) <= 1
    for each in placed:
        nodes = {node.meta.name for node in staged.nodes}
        assert each.chosen is None or each.chosen.node in nodes
        assert each.state in ("feasible", "infeasible")


@settings(max_examples=30)
@given(worlds())
def test_nothing_outside_a_scenario_changes(world):
    snapshot, scenario = world

    found = stage(snapshot, scenario)

    gone = set(scenario.release)
    kept = [claim for claim in snapshot.claims if claim.id not in gone]
    assert [claim.id for claim in found.snapshot.claims] == [claim.id for claim in kept]
    for before, after in zip(kept, found.snapshot.claims, strict=True):
        assert after is before or before.id in found.evicted
    assert found.snapshot.slices[: len(snapshot.slices)] == snapshot.slices
    assert all(one is other for one, other in zip(snapshot.slices, found.snapshot.slices, strict=False))
    assert (found.snapshot.classes, found.snapshot.templates) == (snapshot.classes, snapshot.templates)
    assert {node.meta.name for node in found.nodes} == {"n1", "n2", *found.grown} - set(scenario.drain)
