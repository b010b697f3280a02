"""What would help: sets of claims over several nodes, and whether they find room again."""

from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pools.core.asking import ask_claim
from pools.core.remedy import remedies
from pools.core.trial import Question, Trial
from pools.core.whatif import Scenario, stage
from pools.domain.ids import ClaimId
from tests.core.test_whatif import (
    HALF,
    PROFILES,
    asked,
    capacity_of,
    cluster,
    fits,
    holding,
    of_profile,
    pending,
    place,
    used,
)


def help_for(snapshot, claim, **more):
    trial = Trial.of(stage(snapshot, Scenario()))
    return remedies(trial, ask_claim(claim), **more)


def ids(remedy):
    return [name.name for name in remedy.release.claims]


def test_one_of_two_claims_in_the_wrong_halves_has_to_move_and_finds_room_again():
    found = help_for(
        cluster(holding("a", "n1", place("1g.5gb", 1)), holding("b", "n1", place("1g.5gb", 5)), nodes=("n1",)),
        pending(),
    )

    assert sorted(ids(each)[0] for each in found.sets) == ["a", "b"]
    assert all(each.is_move for each in found.sets)
    assert (found.exact, found.looked, found.nodes) == (True, 1, 1)
    moved = found.sets[0].moves[0]
    assert moved.chosen.node == "n1"


def test_a_claim_that_finds_no_room_again_would_have_to_go():
    snapshot = cluster(holding("whole", "n1", place("7g.40gb", 0)), nodes=("n1",))
    claim = snapshot.claims[0]
    snapshot = replace(snapshot, claims=(_asking(claim, "7g.40gb"),))

    (remedy,) = help_for(snapshot, pending()).sets

    assert ids(remedy) == ["whole"]
    assert not remedy.is_move


def _asking(claim, profile):
    return replace(claim, requests=asked(of_profile(profile)))


def test_a_claim_of_which_nobody_knows_what_it_asked_for_is_not_said_to_find_room():
    snapshot = cluster(holding("a", "n1", place("1g.5gb", 1)), holding("b", "n1", place("1g.5gb", 5)), nodes=("n1",))
    bare = tuple(type(claim)(claim.meta, claim.form, (), allocation=claim.allocation) for claim in snapshot.claims)

    found = help_for(replace(snapshot, claims=bare), pending())

    assert [each.is_move for each in found.sets] == [False, False]


def test_the_smallest_set_of_all_nodes_is_named_with_its_node():
    snapshot = cluster(
        *(holding(f"a{i}", "n1", place("1g.5gb", i)) for i in (0, 1, 4, 5)),
        holding("big", "n2", place("7g.40gb", 0)),
    )

    found = help_for(snapshot, pending())

    assert [(each.node, ids(each)) for each in found.sets] == [("n2", ["big"])]


def test_a_bound_is_said():
    snapshot = cluster(*(holding(f"{n}-{i}", n, place("1g.5gb", i)) for n in ("n1", "n2") for i in range(6)))

    found = help_for(snapshot, pending(), tries=3)

    assert not found.exact
    assert found.looked < found.nodes or found.tried >= 3


def test_where_releasing_does_not_help_there_is_nothing_and_it_is_sure():
    found = help_for(cluster(holding("a", "n1", place("1g.5gb", 1))), pending(selector='device.driver == "none"'))

    assert (found.sets, found.exact) == ((), True)


def test_promising_nodes_come_first():
    snapshot = cluster(*(holding(f"{n}-{i}", n, place("1g.5gb", i)) for n in ("n1", "n2") for i in (1, 5)))

    found = help_for(snapshot, pending(), order=("n2",), tries=3)

    assert {each.node for each in found.sets} == {"n2"}


places = st.lists(
    st.sampled_from([(name, start) for name in ("1g.5gb", "2g.10gb", "3g.20gb") for start in PROFILES[name].starts]),
    unique=True,
    max_size=5,
)


@settings(max_examples=25)
@given(places, places)
def test_every_set_really_helps_and_no_smaller_one_would(first, second):
    claims = []
    for node, chosen in (("n1", first), ("n2", second)):
        for profile, start in chosen:
            more = [*claims, holding(f"c{len(claims)}", node, place(profile, start))]
            drawn, _ = used(cluster(*more))
            if all(nano <= capacity_of(cluster())[key] for key, nano in drawn.items()):
                claims = more
    snapshot = cluster(*claims)
    if fits(stage(snapshot, Scenario()), pending()):
        return

    found = help_for(snapshot, pending(), tries=10_000)

    assert found.exact
    assert found.sets
    size = len(found.sets[0].release.claims)
    for remedy in found.sets:
        after = stage(snapshot, Scenario(release=remedy.release.claims))
        assert remedy.node in fits(after, pending())
    names = [claim.id for claim in claims]
    for smaller in range(1, size):
        for chosen in combinations(names, smaller):
            assert not fits(stage(snapshot, Scenario(release=chosen)), pending())


@settings(max_examples=25)
@given(places)
def test_moves_obey_capacity(chosen):
    claims = []
    for profile, start in chosen:
        more = [*claims, holding(f"c{len(claims)}", "n1", place(profile, start))]
        drawn, _ = used(cluster(*more))
        if all(nano <= capacity_of(cluster())[key] for key, nano in drawn.items()):
            claims = more
    snapshot = cluster(*claims)
    trial = Trial.of(stage(snapshot, Scenario()))
    question = Question("x", (pending(selector=HALF), pending("second"), pending("third"), pending("fourth")))

    for remedy in remedies(trial, question).sets:
        if remedy.is_move:
            after = trial.with_claims(tuple(c for c in snapshot.claims if c.id not in remedy.release.claims))
            here = after.ask(Question("x", question.claims, node=remedy.node))
            after = after.place(here.question, here.chosen)
            for moved in remedy.moves:
                after = after.place(moved.question, moved.chosen)
            drawn, held = used(after.snapshot)
            assert all(nano <= capacity_of(after.snapshot)[key] for key, nano in drawn.items())
            assert max(held.values()) == 1
            assert {claim.id for claim in after.snapshot.claims} >= {ClaimId("ml", c.meta.name) for c in claims}
