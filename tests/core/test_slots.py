"""Slot maps from counter names."""

from __future__ import annotations

import pytest

from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of


def strips(counters, *devices, holds=()):
    used = devices or (device("all", consumption("g", counters)),)
    (card,) = report_of(pool_of(used, [counter_set("g", counters)]), *holds).cards
    return card.slots


@pytest.mark.parametrize(
    ("names", "stem"),
    [
        (["memory-slice-0", "memory-slice-1"], "memory-slice"),
        (["memory-slices-0", "memory-slices-1", "memory-slices-2"], "memory-slices"),
        (["gpu_0_memory_slice_0", "gpu_0_memory_slice_1"], "gpu_0_memory_slice"),
        (["memorySlice0", "memorySlice1"], "memorySlice"),
        (["host-0-slot", "host-1-slot"], "host-slot"),
        (["0", "1"], "slot"),
        (["slice-9", "slice-10"], "slice"),
    ],
)
def test_unit_counters_that_differ_in_one_number_make_a_strip(names, stem):
    (strip,) = strips(dict.fromkeys(reversed(names), 1))
    assert strip.stem == stem
    assert [cell.counter for cell in strip.cells] == names


def test_amounts_and_single_locks_make_none():
    assert strips({"chips-0": 4, "chips-1": 4, "lock-0": 1, "memory": 1}) == ()


def test_several_strips_stand_side_by_side():
    found = strips({"a-0": 1, "a-1": 1, "b-0": 1, "b-1": 1, "c": 1})
    assert [strip.stem for strip in found] == ["a", "b"]


def test_a_grid_falls_into_rows():
    found = strips({f"chip-{row}-{column}": 1 for row in range(2) for column in range(3)})
    assert [(strip.stem, len(strip.cells)) for strip in found] == [("chip-0", 3), ("chip-1", 3)]


def test_equal_names_in_two_sets_are_two_things():
    sets = [counter_set(name, {"slice-0": 1}) for name in "ab"]
    pair = device("pair", *[consumption(name, {"slice-0": 1}) for name in "ab"])
    (card,) = report_of(pool_of([pair], sets)).cards
    assert card.slots == ()


def test_spans_tell_place_state_and_holders_of_each_device():
    def at(name, *cells):
        return device(name, consumption("g", {f"slice-{cell}": 1 for cell in cells}))

    (strip,) = strips(
        {f"slice-{n}": 1 for n in range(4)},
        at("left", 0, 1),
        at("right", 2, 3),
        at("all", 0, 1, 2, 3),
        at("split", 0, 3),
        holds=[held("left", "a"), held("right", "watcher", admin=True)],
    )
    assert [(span.device, span.state, span.cells) for span in strip.spans] == [
        ("left", "allocated", (0, 1)),
        ("right", "available", (2, 3)),
        ("all", "blocked", (0, 1, 2, 3)),
        ("split", "blocked", (0, 3)),
    ]
    assert [str(hold.claim) for hold in strip.spans[0].holders] == ["ml/a"]
    assert strip.spans[1].holders == ()
