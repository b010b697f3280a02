"""Compounds against brute force: on small random rules and nodes, molecules and states are what the words say."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pools.core.compound_members import members_of, molecules_of
from pools.core.compound_outlook import combinations, leaves
from pools.domain.compound import CompoundPool
from pools.domain.ids import DeviceId
from tests.compounds import GPU, NIC, ROOT, available, device, judged, labels, made, only, published, slice_raw

COUNTS = st.tuples(st.integers(0, 3), st.integers(1, 3)).map(lambda pair: {"min": min(pair), "max": max(pair)})


@st.composite
def nodes(draw: st.DrawFn) -> tuple[list[Any], list[dict[str, Any]]]:
    """The roots of some GPUs and NICs, and the lines of a rule."""
    roots = st.lists(st.integers(0, 1), max_size=4)
    lines = draw(st.lists(st.fixed_dictionaries({"gpu": COUNTS, "nic": COUNTS}), min_size=1, max_size=2))
    for line in lines:
        if line["gpu"]["min"] == 0 == line["nic"]["min"]:
            line["gpu"]["min"] = 1
    return [draw(roots), draw(roots)], [{"count": line} for line in lines]


def build(drawn: tuple[list[Any], list[dict[str, Any]]]) -> CompoundPool:
    (gpu, nic), lines = drawn
    raws = [
        slice_raw(driver, [device(f"{kind}{i}", {ROOT: f"r{root}"}) for i, root in enumerate(roots)])
        for driver, kind, roots in ((GPU, "gpu", gpu), (NIC, "nic", nic))
    ]
    return only(made(*raws, molecules=lines))


def expected(drawn: tuple[list[Any], list[dict[str, Any]]]) -> set[frozenset[str]]:
    """Every set of devices of one root whose counts some line allows."""
    (gpu, nic), lines = drawn
    found = set()
    for root in (0, 1):
        own = [f"gpu{i}" for i, at in enumerate(gpu) if at == root] + [
            f"nic{i}" for i, at in enumerate(nic) if at == root
        ]
        for size in range(1, len(own) + 1):
            for some in itertools.combinations(own, size):
                counts = {kind: sum(name.startswith(kind) for name in some) for kind in ("gpu", "nic")}
                if any(
                    all(line["count"][kind]["min"] <= counts[kind] <= line["count"][kind]["max"] for kind in counts)
                    for line in lines
                ):
                    found.add(frozenset(some))
    return found


@given(nodes())
def test_the_molecules_are_exactly_those_that_the_rule_allows(drawn: tuple[list[Any], list[dict[str, Any]]]) -> None:
    pool = build(drawn)
    assert {frozenset(each) for each in labels(pool).values()} == expected(drawn)
    assert len(labels(pool)) == len(pool.molecules) == len(expected(drawn))


@given(nodes())
def test_a_part_stands_before_the_whole(drawn: tuple[list[Any], list[dict[str, Any]]]) -> None:
    taken = [frozenset(each) for each in labels(build(drawn)).values()]
    assert all(not later < earlier for earlier, later in itertools.combinations(taken, 2))


@given(nodes())
def test_the_published_pool_tells_its_members_and_theirs_tell_it(drawn: tuple[list[Any], list[dict[str, Any]]]) -> None:
    made_of = build(drawn)
    pool = published(made_of)
    for molecule in made_of.molecules:
        assert members_of(pool, molecule.name) == molecule.parts
        for part in molecule.parts:
            assert molecule.name in molecules_of(pool, part.device)
    assert molecules_of(pool, DeviceId(GPU, "node0", "gpu9")) == ()


@settings(max_examples=40)
@given(nodes(), st.data())
def test_allocations_leave_what_no_allocated_device_is_part_of(
    drawn: tuple[list[Any], list[dict[str, Any]]], data: st.DataObject
) -> None:
    made_of = build(drawn)
    parts = {name: set(each) for name, each in labels(made_of).items()}
    held: list[str] = []
    while True:
        free = {name for name in parts if not any(parts[name] & parts[other] for other in held)}
        report = judged(published(made_of), *held)
        assert available(report) == free
        assert {each.device: set(each.blocks) for each in leaves(report)} == {
            name: {other for other in free if other != name and parts[other] & parts[name]} for name in free
        }
        if not free or not data.draw(st.booleans()):
            return
        held.append(data.draw(st.sampled_from(sorted(free))))


@settings(max_examples=40)
@given(nodes())
def test_states_are_the_sets_of_molecules_without_a_device_in_common(
    drawn: tuple[list[Any], list[dict[str, Any]]],
) -> None:
    made_of = build(drawn)
    states = compatible_sets([frozenset(each) for each in labels(made_of).values()])
    maximal = [one for one in states if not any(one < other for other in states)]
    found = combinations(judged(published(made_of)))

    assert (found.states, found.maximal, found.exact) == (len(states), len(maximal), True)


def compatible_sets(parts: list[frozenset[str]]) -> set[frozenset[frozenset[str]]]:
    found: set[frozenset[frozenset[str]]] = {frozenset()}
    for part in parts:
        found |= {one | {part} for one in found if not any(part & other for other in one)}
    return found
