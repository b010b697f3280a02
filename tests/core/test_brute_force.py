"""The core against a literal reading of the rules, on small random pools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from pools.core.mixes import mixes
from pools.domain.pool import Pool
from pools.domain.state import Holder, PoolReport
from tests.core.builders import consumption, counter_set, device, held, pool_of, report_of

SETS = ("s0", "s1")
COUNTERS = ("a", "b")
GROUPS = ("g", "h")
CALM = settings(max_examples=100, deadline=None)


def digits(number: int, *bases: int) -> list[int]:
    """A number taken apart, so that one draw stands for a whole device: quick to make and to shrink."""
    found = []
    for base in bases:
        number, digit = divmod(number, base)
        found.append(digit)
    return found


def random_device(name: str, number: int, lowest: int, grouped: bool):
    """A device that names up to two sets, with groups now and then."""
    named, kind, shared, groups0, groups1, *amounts = digits(number, 4, 2, 2, 5, 5, *[6] * 4)
    entries = []
    for index, (counter_set_name, groups) in enumerate(zip(SETS, (groups0, groups1), strict=True)):
        pairs = zip(COUNTERS, amounts[2 * index : 2 * index + 2], strict=True)
        drawn = {counter: lowest + amount for counter, amount in pairs if lowest + amount <= 3}
        if named >> index & 1 and drawn:
            entries.append(consumption(counter_set_name, drawn, ((), (), "g", "h", "gh")[groups * grouped]))
    return device(name, *entries, shared=bool(shared), kind="xy"[kind])


def situations(lowest: int = 0, grouped: bool = True):
    """A pool of up to seven devices over four counters, and holds on some of them."""

    def build(capacities: list[int], numbers: list[int], held_ones: list[int]):
        sets = [
            counter_set(name, dict(zip(COUNTERS, capacities[2 * index :], strict=False)))
            for index, name in enumerate(SETS)
        ]
        devices = [random_device(f"d{index}", number, lowest, grouped) for index, number in enumerate(numbers)]
        holds = []
        for number, each in enumerate(held_ones):
            admin, share, index = digits(each, 3, 2, len(devices))
            shared = devices[index].allow_multiple_allocations and share
            name = f"share-{number}" if shared else ""
            holds.append(held(f"d{index}", f"c{number}", share=name, admin=admin == 2))
        return pool_of(devices, sets), holds

    return st.builds(
        build,
        st.lists(st.integers(-1, 7), min_size=4, max_size=4),
        st.lists(st.integers(0, 4 * 2 * 2 * 5 * 5 * 6**4 - 1), min_size=1, max_size=7),
        st.lists(st.integers(0, 3 * 2 * 7 - 1), max_size=3),
    )


class Oracle:
    """The scheduler's rules, one device and one counter after another."""

    def __init__(self, pool: Pool, holds: Sequence[Holder]) -> None:
        self.devices = {item.name: item.device for item in pool.devices}
        self.left = {
            (each.name, name): amount.nano for each in pool.counter_sets for name, amount in each.counters.items()
        }
        self.used = {hold.device.name for hold in holds if not hold.admin}
        self.chosen = list(self.used)
        for name in self.used:
            self._charge(name)

    def _charge(self, name: str) -> None:
        for entry in self.devices[name].consumes:
            for counter, amount in entry.counters.items():
                self.left[entry.counter_set, counter] -= amount.nano

    def fits(self, name: str) -> bool:
        """Whether a device that is not in use could be taken now: every counter of the pool must cover the need."""
        device = self.devices[name]
        if not device.consumes:
            return True
        need: dict[tuple[str, str], int] = {}
        for entry in device.consumes:
            for counter, amount in entry.counters.items():
                need[entry.counter_set, counter] = need.get((entry.counter_set, counter), 0) + amount.nano
        return all(left >= need.get(key, 0) for key, left in self.left.items()) and self._goes_with_others(name)

    def _goes_with_others(self, name: str) -> bool:
        for entry in self.devices[name].consumes:
            common = set(entry.compatibility_groups)
            for other in self.chosen:
                for theirs in self.devices[other].consumes:
                    if theirs.counter_set == entry.counter_set:
                        if bool(theirs.compatibility_groups) != bool(entry.compatibility_groups):
                            return False
                        common &= set(theirs.compatibility_groups)
            if entry.compatibility_groups and not common:
                return False
        return True

    def take(self, name: str) -> bool:
        """Take it if it fits."""
        if name in self.chosen or not self.fits(name):
            return False
        self._charge(name)
        self.chosen.append(name)
        return True


def takes_all(pool: Pool, holds: Sequence[Holder], names: Iterable[str]) -> bool:
    oracle = Oracle(pool, holds)
    return all(oracle.take(name) for name in names)


def most(pool: Pool, holds: Sequence[Holder], names: Sequence[str], ordered: bool = False) -> int:
    """The size of the largest set that can be taken, in list order or in the best of all orders."""
    for size in range(len(names), 0, -1):
        for chosen in combinations(names, size):
            orders = permutations(chosen) if ordered else [chosen]
            if any(takes_all(pool, holds, order) for order in orders):
                return size
    return 0


def free_names(report: PoolReport, kind: str) -> list[str]:
    return [each.id.name for each in report.devices if each.type == kind and each.state != "allocated"]


@CALM
@given(situations(lowest=-1))
def test_a_device_is_available_exactly_when_the_scheduler_would_take_it(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    for each in report.devices:
        oracle = Oracle(pool, holds)
        if each.id.name in oracle.used:
            assert each.state == "allocated"
        else:
            assert each.state == ("available" if oracle.fits(each.id.name) else "blocked"), each.id.name
            assert bool(each.reasons) == (each.state == "blocked")


@CALM
@given(situations())
def test_the_most_that_fits_together_is_what_trying_all_sets_finds(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    for row in report.types:
        assert row.exact
        assert row.max_more == most(pool, holds, free_names(report, row.type)), row.type


@CALM
@given(situations())
def test_first_fit_places_what_taking_devices_in_turn_places(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    for row in report.types:
        oracle = Oracle(pool, holds)
        assert row.first_fit == sum(oracle.take(name) for name in free_names(report, row.type)), row.type


@CALM
@given(situations(lowest=-2, grouped=False))
def test_with_consumption_below_zero_the_most_is_a_bound_that_is_reached(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    for row in report.types:
        names = free_names(report, row.type)[:4]
        if len(names) == len(free_names(report, row.type)):
            best = most(pool, holds, names, ordered=True)
            assert row.max_more <= best, row.type
            assert row.max_more == best or not row.exact, row.type


@CALM
@given(situations())
def test_mixes_are_all_sets_that_fit_and_cannot_grow(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    for card in report.cards:
        names = [each.id.name for each in report.devices if each.card == card.key and each.state == "available"]
        fitting = [
            set(chosen)
            for size in range(1, len(names) + 1)
            for chosen in combinations(names, size)
            if takes_all(pool, holds, chosen)
        ]
        maximal = [each for each in fitting if not any(each < other for other in fitting)]
        found = mixes(report, card.key)
        assert not found.cut
        assert found.feasible == len(fitting)
        assert sorted(map(sorted, maximal)) == sorted(sorted(mix.devices) for mix in found.maximal)
        for mix in found.maximal:
            assert sum(count for _, count in mix.types) == len(mix.devices)


@CALM
@given(situations())
def test_counters_add_up_and_every_unit_has_a_holder(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    left = Oracle(pool, holds).left
    for use in report.counters:
        assert use.remaining_nano == left[use.id.counter_set, use.id.counter]
        assert use.consumed_nano == sum(charge.nano for charge in use.holds)
        assert all(charge.holders and not any(hold.admin for hold in charge.holders) for charge in use.holds)


@CALM
@given(situations())
def test_cards_part_the_counters_and_the_devices_that_consume(situation):
    pool, holds = situation
    report = report_of(pool, *holds)
    counters = [counter for card in report.cards for counter in card.counters]
    assert sorted(counters) == sorted(use.id for use in report.counters)
    assert sorted((*(name for card in report.cards for name in card.devices), *report.loose_devices)) == sorted(
        item.name for item in pool.devices
    )
    for card in report.cards:
        drawn = {
            (entry.counter_set, name)
            for item in pool.devices
            if item.name in card.devices
            for entry in item.device.consumes
            for name, amount in entry.counters.items()
            if amount.nano
        }
        assert drawn <= set(card.counters)
