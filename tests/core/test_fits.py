"""How many more fit: known GPUs, hard packings, bounds of the search."""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pools.core import packing
from pools.core.fits import attribute_fits
from pools.core.packing import Table, fit
from pools.core.search import Problem, bound, search
from pools.domain.device import Taint
from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of


def rows(report):
    return {row.type: (row.total, row.allocated, row.available, row.max_more, row.first_fit) for row in report.types}


def vgpu(*holds):
    devices = [device(f"12q-{n}", consumption("g", {"fb": "12Gi", "n": 1}), profile="12q") for n in range(4)]
    devices += [device(f"24q-{n}", consumption("g", {"fb": "24Gi", "n": 1}), profile="24q") for n in range(2)]
    return report_of(pool_of(devices, [counter_set("g", {"fb": "48Gi", "n": 8})]), *holds)


def test_two_that_are_available_one_by_one_may_not_fit_together():
    assert rows(vgpu(held("12q-0"))) == {"12q": (4, 1, 3, 3, 3), "24q": (2, 0, 2, 1, 1)}


def test_numbers_by_attribute_are_keyed_as_published():
    fits = attribute_fits(vgpu())
    assert {key: each.most for key, each in fits.items()} == {("profile", "12q"): 4, ("profile", "24q"): 2}


def test_first_fit_may_place_fewer_than_the_best_choice():
    devices = [
        device("middle", consumption("g", {"s-1": 1, "s-2": 1}), kind="x"),
        device("left", consumption("g", {"s-0": 1, "s-1": 1}), kind="x"),
        device("right", consumption("g", {"s-2": 1, "s-3": 1}), kind="x"),
    ]
    report = report_of(pool_of(devices, [counter_set("g", {f"s-{n}": 1 for n in range(4)})]))
    assert rows(report)["x"] == (3, 0, 3, 2, 1)


def test_numbers_of_cards_add_up_over_a_pool_within_one_type():
    devices = [device(f"{g}-{n}", consumption(g, {"m": 1}), kind="x") for g in "ab" for n in range(3)]
    report = report_of(pool_of(devices, [counter_set("a", {"m": 2}), counter_set("b", {"m": 3})]), held("b-0"))
    assert rows(report)["x"] == (6, 1, 5, 4, 4)
    assert [card.types[0].max_more for card in report.cards] == [2, 2]


def test_groups_tie_cards_of_one_set_together():
    devices = [device(name, consumption("g", {name: 1}, group), kind="x") for name, group in (("a0", "p"), ("a1", "q"))]
    report = report_of(pool_of(devices, [counter_set("g", {"a0": 1, "a1": 1})]))
    assert rows(report)["x"] == (2, 0, 2, 1, 1)
    assert [card.types[0].max_more for card in report.cards] == [1, 1]


def test_only_devices_that_are_available_by_themselves_count():
    devices = [
        device("free", consumption("g", {"m": 1}), kind="x"),
        device("tainted", consumption("g", {"m": 1}), kind="x", taints=[Taint("k", effect="NoSchedule")]),
    ]
    assert rows(report_of(pool_of(devices, [counter_set("g", {"m": 2})])))["x"] == (2, 0, 1, 1, 1)


def test_a_shareable_device_counts_once_and_not_again_when_in_use():
    devices = [device(f"d{n}", consumption("g", {"m": 1}), kind="x", shared=True) for n in range(2)]
    pool = pool_of(devices, [counter_set("g", {"m": 2})])
    assert rows(report_of(pool))["x"] == (2, 0, 2, 2, 2)
    assert rows(report_of(pool, held("d0", share="1")))["x"] == (2, 1, 1, 1, 1)


def test_devices_without_counters_simply_count():
    report = report_of(pool_of([device(f"cpu-{n}") for n in range(48)]), held("cpu-3"))
    assert rows(report) == {"cpu": (48, 1, 47, 47, 47)}
    assert attribute_fits(report) == {}


def test_thousands_of_equal_devices_need_no_search():
    devices = [device(f"vf-{n}", consumption("g", {"bw": 3}), kind="vf") for n in range(2000)]
    report = report_of(pool_of(devices, [counter_set("g", {"bw": 1000})]))
    assert (report.types[0].max_more, report.types[0].exact) == (333, True)


def test_a_search_beyond_its_budget_says_so_and_still_gives_what_it_reached():
    chance = random.Random(7)
    costs = [[chance.randint(20, 60) for _ in range(6)] for _ in range(40)]
    problem = Problem.of(costs, [()] * 40, [400] * 6, ())
    exact, sure = search(problem, 10**9)
    reached, unsure = search(problem, 1)
    assert sure
    assert not unsure
    assert 0 < reached <= exact


def test_equal_cards_in_equal_states_are_searched_once():
    packing._fit.cache_clear()
    devices = [device(f"{g}-{n}", consumption(f"s{g}", {"m": 2}), kind="x") for g in range(50) for n in range(4)]
    report_of(pool_of(devices, [counter_set(f"s{g}", {"m": 5}) for g in range(50)]))
    assert packing._fit.cache_info().misses == 1


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=10),
    st.lists(st.integers(0, 12), min_size=3, max_size=3),
)
def test_search_and_bound_agree_with_trying_all_sets(costs, free):
    def fits(chosen):
        return all(sum(row[c] for row in chosen) <= free[c] for c in range(3))

    best = next(size for size in range(len(costs), -1, -1) if any(map(fits, combinations(costs, size))))
    problem = Problem.of(costs, [()] * len(costs), free, ())
    assert search(problem, 10**6) == (best, True)
    assert bound(problem, (1 << len(costs)) - 1, problem.free, -1) >= best
    alone = [place for place, row in enumerate(costs) if fits([row])]
    found = fit(Table.of(_matrix(costs), ((),) * len(costs)), alone, tuple(free), ())
    assert (found.most, found.exact) == (best, True)


def _matrix(costs):
    import numpy as np

    return np.array(costs, dtype=np.int64)
