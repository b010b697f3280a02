"""Maximal mixes."""

from __future__ import annotations

import pytest

from pools.core.mixes import mixes
from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of


def card(*holds):
    devices = [
        device("whole", consumption("g", {"m": 8}), size="whole"),
        *[device(f"half-{n}", consumption("g", {"m": 4}), size="half") for n in range(2)],
        *[device(f"quarter-{n}", consumption("g", {"m": 2}), size="quarter") for n in range(4)],
    ]
    return report_of(pool_of(devices, [counter_set("g", {"m": 8})]), *holds)


def test_mixes_come_with_few_large_devices_first_and_count_types():
    found = mixes(card(), "g")
    assert not found.cut
    assert found.maximal[0].devices == ("whole",)
    assert found.maximal[1].types == (("half", 2),)
    assert [mix.types for mix in found.maximal[2:5]] == [(("half", 1), ("quarter", 2))] * 3
    assert found.maximal[-1].types == (("quarter", 4),)
    assert len(found.maximal) == 1 + 1 + 2 * 6 + 1
    assert found.feasible == 1 + 2 + 4 + 1 + 2 * (4 + 6) + (6 + 4 + 1)


def test_mixes_stand_on_top_of_what_is_allocated():
    found = mixes(card(held("half-0")), "g")
    assert {mix.devices for mix in found.maximal} == {
        ("half-1",),
        *((f"quarter-{a}", f"quarter-{b}") for a in range(4) for b in range(a + 1, 4)),
    }


def test_a_full_card_has_no_mixes():
    found = mixes(card(held("whole")), "g")
    assert (found.maximal, found.feasible, found.cut) == ((), 0, False)


def test_a_limit_cuts_and_says_so():
    found = mixes(card(), "g", limit=3)
    assert found.cut
    assert len(found.maximal) <= 3


def test_a_flood_of_mixes_ends_in_time():
    devices = [device(f"d{n}", consumption("g", {"m": 1})) for n in range(60)]
    found = mixes(report_of(pool_of(devices, [counter_set("g", {"m": 30})])), "g", limit=100)
    assert found.cut


def test_an_unknown_card_is_an_error():
    with pytest.raises(KeyError):
        mixes(card(), "nowhere")
