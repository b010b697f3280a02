"""Fragmentation and moves on cards with placements, against brute force."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.core.cards import cards_of
from pools.core.gather import gather
from pools.core.judge import judge
from pools.core.layout import layout
from pools.core.repack import cheapest_moves, fragmentation
from pools.core.shape import shape_of
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.state import Holder, Surroundings
from pools.synth import mig
from pools.synth.boards import BOARDS
from pools.wire.registry import decode
from tests.core.builders import consumption, counter_set, device, held, pool_of

CARD = "gpu-0-counter-set"


def a100(*used):
    """One A100-40GB with placements in use, given as (profile, start) or (profile, start, pods, since)."""
    profiles = {profile.name: profile for profile in BOARDS["a100-40"].profiles}
    (pool,) = gather(decode(item) for item in mig.slices(BOARDS["a100-40"], 1, "n1"))
    holds = []
    for index, (profile, start, *more) in enumerate(used):
        name = mig.device_name(0, profiles[profile], start)
        pods, since = (*more, (), "")[:2] if more else ((), "")
        holds.append(
            Holder(ClaimId("ml", f"c{index}"), DeviceId(mig.DRIVER, "n1", name), "r", pods=pods, since=since or "")
        )
    return judge(pool, Surroundings(holds=tuple(holds)))


def rooms(report):
    return {row.type: (row.now, row.repacked) for row in fragmentation(report, CARD).types}


def test_two_small_partitions_in_the_wrong_halves_block_every_large_one_and_one_move_frees_a_3g():
    report = a100(("1g.5gb", 1), ("1g.5gb", 5))

    found = rooms(report)

    assert (found["3g.20gb"], found["4g.20gb"], found["7g.40gb"]) == ((0, 1), (0, 1), (0, 0))
    plans = cheapest_moves(report, CARD, "3g.20gb")
    assert plans.exact
    assert {len(plan.moves) for plan in plans.plans} == {1}
    assert len(plans.plans) == 2


def test_a_well_placed_partition_loses_nothing():
    assert fragmentation(a100(("3g.20gb", 4)), CARD).lost == ()


def test_seven_small_partitions_strand_the_last_slot_and_a_sixth_of_the_memory():
    stranded = fragmentation(a100(*(("1g.5gb", start) for start in range(7))), CARD).stranded

    amounts = {row.counter.counter: row.stranded_nano for row in stranded}
    assert amounts["memory-slice-7"] == 10**9
    assert amounts["memory"] == (40192 - 7 * 4864) * 2**20 * 10**9
    assert "multiprocessors" not in amounts


def test_an_empty_card_strands_nothing():
    assert fragmentation(a100(), CARD).stranded == ()


def test_of_two_moves_the_one_that_touches_fewer_pods_comes_first():
    report = a100(("1g.5gb", 1, ("ml/a", "ml/b")), ("1g.5gb", 5, ("ml/c",)))

    first = cheapest_moves(report, CARD, "3g.20gb").plans[0]

    assert first.pods == ("ml/c",)
    assert first.moves[0].source == "gpu-0-mig-1g5gb-19-5"
    assert first.gained == ("gpu-0-mig-3g20gb-9-4",)


def test_among_equals_the_youngest_moves():
    report = a100(("1g.5gb", 1, (), "2026-11-01T00:00:00Z"), ("1g.5gb", 5, (), "2026-11-02T00:00:00Z"))

    assert cheapest_moves(report, CARD, "3g.20gb").plans[0].moves[0].source == "gpu-0-mig-1g5gb-19-5"


def test_what_cannot_be_had_by_moving_gets_no_plan():
    plans = cheapest_moves(a100(("4g.20gb", 0), ("1g.5gb", 5)), CARD, "4g.20gb")

    assert plans.plans == ()
    assert plans.exact


def test_an_unknown_card_is_an_error():
    with pytest.raises(KeyError):
        fragmentation(a100(), "gpu-9")


def test_a_layout_that_is_legal_entry_by_entry_can_be_impossible_to_place():
    report = a100()
    places = {}
    for place, each in enumerate(report.devices):
        places.setdefault(each.type, []).append(place)
    shape = shape_of(report.pool)
    table = cards_of(shape)[0].table
    free = tuple(shape.capacity.tolist())

    def possible(wanted):
        wants = tuple((number, tuple(places[kind])) for kind, number in wanted.items())
        return layout(table, wants, free, ()).rows is not None

    assert not possible({"1g.10gb": 4, "1g.5gb": 3})
    assert possible({"4g.20gb": 1, "3g.20gb": 1})
    assert possible({"1g.10gb": 2, "1g.5gb": 3})


def small_pool(costs, kinds, capacity):
    devices = [
        device(f"d{i}", consumption("set", {f"c{j}": cost for j, cost in enumerate(row) if cost}), profile=kind)
        for i, (row, kind) in enumerate(zip(costs, kinds, strict=True))
    ]
    return pool_of(devices, [counter_set("set", {f"c{j}": amount for j, amount in enumerate(capacity)})])


@st.composite
def cards(draw):
    """A pool of one card (every device draws on c0), its costs, kinds and a feasible set of devices in use."""
    size = draw(st.integers(2, 6))
    row = st.tuples(st.integers(1, 3), st.integers(0, 2), st.integers(0, 2))
    costs = draw(st.lists(row, min_size=size, max_size=size))
    kinds = draw(st.lists(st.sampled_from("ab"), min_size=size, max_size=size))
    capacity = draw(st.tuples(st.integers(2, 7), st.integers(1, 4), st.integers(1, 4)))
    used = []
    for index in draw(st.permutations(range(size))):
        if draw(st.booleans()) and fits(costs, [*used, index], capacity):
            used.append(index)
    return costs, kinds, capacity, sorted(used)


def fits(costs, chosen, capacity):
    return all(sum(costs[i][j] for i in chosen) <= capacity[j] for j in range(3))


def most_with(costs, kinds, capacity, required, kind):
    """Brute force: the most devices of *kind* beside a set whose types are *required*."""
    best = -1
    for size in range(len(costs) + 1):
        for chosen in combinations(range(len(costs)), size):
            types = Counter(kinds[i] for i in chosen)
            extra = types - required
            if fits(costs, chosen, capacity) and types >= required and set(extra) <= {kind}:
                best = max(best, extra[kind])
    return best


@given(cards())
def test_repacked_counts_equal_brute_force(case):
    costs, kinds, capacity, used = case
    report = judge(small_pool(costs, kinds, capacity), Surroundings(holds=tuple(held(f"d{i}") for i in used)))
    required = Counter(kinds[i] for i in used)

    for row in fragmentation(report, report.cards[0].key).types:
        assert row.exact
        assert row.repacked == most_with(costs, kinds, capacity, required, row.type)


@given(cards(), st.sampled_from("ab"))
def test_a_plan_really_makes_room_and_no_shorter_one_does(case, kind):
    costs, kinds, capacity, used = case
    report = judge(small_pool(costs, kinds, capacity), Surroundings(holds=tuple(held(f"d{i}") for i in used)))
    card = report.cards[0]
    now = next((row.max_more for row in card.types if row.type == kind), 0)
    index = {f"d{i}": i for i in range(len(costs))}

    found = cheapest_moves(report, card.key, kind)

    for plan in found.plans:
        after = [i for i in used if f"d{i}" not in {move.source for move in plan.moves}]
        after += [index[move.target] for move in plan.moves] + [index[name] for name in plan.gained]
        assert len(set(after)) == len(used) + now + 1
        assert fits(costs, after, capacity)
        assert all(kinds[index[move.target]] == kinds[index[move.source]] == move.type for move in plan.moves)
    shortest = len(found.plans[0].moves) if found.plans else 4
    for number in range(1, min(shortest, len(used) + 1)):
        for lifted in combinations(used, number):
            stay = [i for i in used if i not in lifted]
            rest = [i for i in range(len(costs)) if i not in stay]
            need = Counter(kinds[i] for i in lifted) + Counter({kind: now + 1})
            assert not any(
                Counter(kinds[i] for i in chosen) == need and fits(costs, [*stay, *chosen], capacity)
                for chosen in combinations(rest, need.total())
            )
