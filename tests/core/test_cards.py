"""Cards: components of devices and counters."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of


def cards(report) -> dict[str, tuple[list[str], list[str]]]:
    return {card.key: ([str(each) for each in card.counters], list(card.devices)) for card in report.cards}


def node():
    """Two triplets of the compound node: a GPU pair with a NIC, all counters in one set."""
    devices = []
    for nic, first in enumerate((0, 2)):
        one, two, shared = f"gpu{first}", f"gpu{first + 1}", f"nic{nic}"
        for name, counters in {
            one: [one],
            f"{one}-{shared}": [one, shared],
            two: [two],
            f"{two}-{shared}": [two, shared],
            f"{one}-{two}-{shared}": [one, two, shared],
        }.items():
            devices.append(device(name, consumption("node", dict.fromkeys(counters, 1))))
    counters = {**{f"gpu{n}": 1 for n in range(4)}, "nic0": 1, "nic1": 1}
    return pool_of(devices, [counter_set("node", counters)])


def test_a_set_that_falls_apart_gives_several_cards_named_by_their_counters():
    report = report_of(node())
    assert [(card.key, card.label) for card in report.cards] == [
        ("node#1", "gpu0 + gpu1 + nic0"),
        ("node#2", "gpu2 + gpu3 + nic1"),
    ]
    assert [len(card.devices) for card in report.cards] == [5, 5]


@pytest.mark.parametrize(
    ("allocated", "feasible", "blocked"),
    [
        ((), "A B C D E", ""),
        (("gpu0",), "C D", "B E"),
        (("gpu0-nic0",), "C", "A D E"),
        (("gpu1",), "A B", "D E"),
        (("gpu1-nic0",), "A", "B C E"),
        (("gpu0-gpu1-nic0",), "", "A B C D"),
        (("gpu0", "gpu1"), "", "B D E"),
        (("gpu0", "gpu1-nic0"), "", "B C E"),
        (("gpu0-nic0", "gpu1"), "", "A D E"),
    ],
)
def test_the_nine_states_of_a_triplet(allocated, feasible, blocked):
    letters = dict(zip(["gpu0", "gpu0-nic0", "gpu1", "gpu1-nic0", "gpu0-gpu1-nic0"], "ABCDE", strict=True))
    report = report_of(node(), *[held(name, f"c{n}") for n, name in enumerate(allocated)])
    found = {state: [] for state in ("available", "blocked", "allocated")}
    for each in report.devices[:5]:
        found[each.state].append(letters[each.id.name])
    assert found["available"] == feasible.split()
    assert found["blocked"] == blocked.split()
    assert all(each.state == "available" for each in report.devices[5:])


def test_a_device_over_two_sets_joins_them_into_one_card():
    sets = [counter_set(f"gpu-{n}-counter-set", {"slot": 1}) for n in range(3)]
    pair = device("pair", *[consumption(f"gpu-{n}-counter-set", {"slot": 1}) for n in (0, 1)])
    single = device("single", consumption("gpu-2-counter-set", {"slot": 1}))
    report = report_of(pool_of([pair, single], sets))
    assert cards(report) == {
        "gpu-0-counter-set": (["gpu-0-counter-set/slot", "gpu-1-counter-set/slot"], ["pair"]),
        "gpu-2-counter-set": (["gpu-2-counter-set/slot"], ["single"]),
    }


def test_a_card_over_sets_without_common_device_name_is_called_by_its_sets():
    sets = [counter_set(f"gpu-{n}-counter-set", {"slot": 1}) for n in range(2)]
    devices = [device(f"gpu-{n}", consumption(f"gpu-{n}-counter-set", {"slot": 1})) for n in range(2)]
    devices.append(device("pair", *[consumption(f"gpu-{n}-counter-set", {"slot": 1}) for n in range(2)]))
    assert report_of(pool_of(devices, sets)).cards[0].label == "gpu-0 + gpu-1"


def test_a_counter_that_all_name_with_zero_joins_nothing():
    sets = [counter_set("g", {"a": 1, "b": 1, "zero": 0})]
    devices = [device(name, consumption("g", {name: 1, "zero": 0})) for name in "ab"]
    assert cards(report_of(pool_of(devices, sets))) == {"g#1": (["g/a", "g/zero"], ["a"]), "g#2": (["g/b"], ["b"])}


def test_a_counter_that_nobody_draws_on_stays_with_its_set_s_card():
    report = report_of(pool_of([device("a", consumption("g", {"m": 1}))], [counter_set("g", {"m": 1, "spare": 3})]))
    assert cards(report) == {"g": (["g/m", "g/spare"], ["a"])}


def test_idle_counters_of_a_set_with_several_cards_or_none_are_shown_by_themselves():
    devices = [device(name, consumption("g", {name: 1})) for name in "ab"]
    sets = [counter_set("g", {"a": 1, "b": 1, "c": 1, "d": 1}), counter_set("idle", {"x": 1, "y": 2})]
    assert cards(report_of(pool_of(devices, sets))) == {
        "g#1": (["g/a"], ["a"]),
        "g#2": (["g/b"], ["b"]),
        "g#3": (["g/c", "g/d"], []),
        "idle": (["idle/x", "idle/y"], []),
    }


def test_a_device_that_names_a_set_without_drawing_goes_to_the_card_of_what_it_names():
    devices = [device("draws", consumption("g", {"m": 1})), device("names", consumption("g", {"m": 0}))]
    report = report_of(pool_of([*devices, device("loose")], [counter_set("g", {"m": 1})]))
    assert cards(report) == {"g": (["g/m"], ["draws", "names"])}
    assert report.loose_devices == ("loose",)


def test_a_card_is_called_by_what_its_devices_names_begin_with():
    names = ["gpu-1", "gpu-1-mig-1g", "gpu-1-mig-7g"]
    others = ["gpu-10", "gpu-10-mig-1g"]
    devices = [device(name, consumption("a", {"m": 1}), productName="Big") for name in names]
    devices += [device(name, consumption("b", {"m": 1})) for name in others]
    report = report_of(pool_of(devices, [counter_set("a", {"m": 1}), counter_set("b", {"m": 1})]))
    assert [(card.label, card.model) for card in report.cards] == [("gpu-1", "Big"), ("gpu-10", "")]


def test_two_cards_are_never_called_alike():
    devices = [device(f"gpu-{name}", consumption(name[0], {"m": 1})) for name in ("ax", "ay", "bx", "by")]
    report = report_of(pool_of(devices, [counter_set("a", {"m": 1}), counter_set("b", {"m": 1})]))
    assert [card.label for card in report.cards] == ["gpu (a)", "gpu (b)"]


def test_keys_stay_when_claims_and_devices_change():
    before = report_of(node())
    after = report_of(node(), held("gpu0"))
    assert [card.key for card in before.cards] == [card.key for card in after.cards]


def test_use_is_the_highest_of_amounts_and_strips_not_of_single_locks():
    devices = [
        device("small", consumption("g", {"memory": 10, "slot-0": 1, "lock": 1})),
        device("large", consumption("g", {"memory": 80, "slot-0": 1, "slot-1": 1, "slot-2": 1, "slot-3": 1})),
    ]
    sets = [counter_set("g", {"memory": 80, "lock": 1, **{f"slot-{n}": 1 for n in range(4)}})]
    pool = pool_of(devices, sets)
    assert report_of(pool).cards[0].use == 0
    assert report_of(pool, held("small")).cards[0].use == Fraction(1, 4)
    assert report_of(pool, held("large")).cards[0].use == 1


def test_use_of_a_card_of_single_locks_is_how_many_of_them_are_taken():
    devices = [device("x", consumption("g", {"gpu": 1})), device("y", consumption("g", {"gpu": 1, "nic": 1}))]
    pool = pool_of(devices, [counter_set("g", {"gpu": 1, "nic": 1})])
    assert report_of(pool, held("x")).cards[0].use == Fraction(1, 2)


def test_use_goes_above_one_when_over_committed():
    devices = [device(name, consumption("g", {"memory": 60})) for name in "ab"]
    report = report_of(pool_of(devices, [counter_set("g", {"memory": 80})]), held("a"), held("b", "d"))
    assert report.cards[0].use == Fraction(3, 2)


def test_largest_is_the_type_of_the_biggest_device_that_still_fits():
    devices = [
        device("s", consumption("g", {"memory": 10}), size="small"),
        device("l", consumption("g", {"memory": 40}), size="large"),
        device("w", consumption("g", {"memory": 80}), size="whole"),
    ]
    pool = pool_of(devices, [counter_set("g", {"memory": 80})])
    assert report_of(pool).cards[0].largest == "whole"
    assert report_of(pool, held("s")).cards[0].largest == "large"
    assert report_of(pool, held("w")).cards[0].largest == ""
    assert [row.type for row in report_of(pool).cards[0].types] == ["whole", "large", "small"]
