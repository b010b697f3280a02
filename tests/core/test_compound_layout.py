"""Large compound pools within the API's limits: 32 counters a set, two sets a device, 64 devices or 8 sets a slice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.core.compound_layout import TooLarge, consumption, counter_sets, named_sets, slice_base, slices
from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.device import Device
from pools.domain.state import Surroundings
from tests.compounds import GPU, NIC, codes, device, gpus, made, nics, only, published, slice_raw


def pairs(count: int) -> tuple[list[str], list[list[str]]]:
    """A GPU and a NIC each, alone and together."""
    counters = [f"gpu{i}" for i in range(count)] + [f"nic{i}" for i in range(count)]
    return counters, [[f"gpu{i}"] for i in range(count)] + [[f"gpu{i}", f"nic{i}"] for i in range(count)]


class TestCounterSets:
    def test_32_counters_are_one_set_in_the_given_order(self) -> None:
        counters, draws = pairs(16)
        assert counter_sets(counters, draws) == (tuple(counters),)

    def test_more_are_spread_so_that_each_group_stays_in_one_set(self) -> None:
        counters, draws = pairs(40)
        found = counter_sets(counters, draws)

        assert [len(each) for each in found] == [32, 32, 16]
        homes = {counter: index for index, each in enumerate(found) for counter in each}
        assert all(homes[f"gpu{i}"] == homes[f"nic{i}"] for i in range(40))

    def test_a_group_of_more_than_32_takes_two_sets_and_each_molecule_two_entries(self) -> None:
        counters = [f"c{i:02d}" for i in range(50)]
        found = counter_sets(counters, [counters, counters[:1]])
        assert [len(each) for each in found] == [32, 18]

    def test_a_molecule_of_more_than_64_devices_is_refused_by_the_limit(self) -> None:
        counters = [f"c{i:02d}" for i in range(65)]
        with pytest.raises(TooLarge, match="draw on more than 2 of them, which is the most that a device may"):
            counter_sets(counters, [counters])

    def test_a_long_chain_of_overlapping_groups_is_cut_where_no_molecule_is_torn(self) -> None:
        """In the order of members, GPU 0 with NICs far behind would tear a molecule into three sets."""
        size = 60
        counters = [f"gpu{i}" for i in range(size)] + [f"nic{i}" for i in range(size)]
        draws = [[f"gpu{i}", f"gpu{(i + 1) % size}", f"nic{i}"] for i in range(size - 1)]
        found = counter_sets(counters, draws)

        homes = {counter: index for index, each in enumerate(found) for counter in each}
        assert max(len({homes[counter] for counter in draw}) for draw in draws) == 2
        assert sorted(counter for each in found for counter in each) == sorted(counters)

    @given(
        st.lists(st.lists(st.integers(0, 79), min_size=1, max_size=3, unique=True), max_size=60),
        st.integers(1, 80),
    )
    def test_whatever_comes_out_is_within_the_limits_and_complete(self, draws: list[list[int]], count: int) -> None:
        counters = [f"c{i}" for i in range(count)]
        wanted = [kept for draw in draws if (kept := [f"c{i}" for i in draw if i < count])]
        try:
            found = counter_sets(counters, wanted)
        except TooLarge:
            assert count > 64
            return
        homes = {counter: index for index, each in enumerate(found) for counter in each}
        assert sorted(homes) == sorted(counters)
        assert sum(map(len, found)) == count
        assert max(map(len, found)) <= 32
        assert all(len({homes[counter] for counter in draw}) <= 2 for draw in wanted)


class TestSlices:
    def test_sets_and_devices_are_cut_at_8_and_64(self) -> None:
        sets = named_sets("s", [[f"c{i}"] for i in range(9)])
        homes = {f"c{i}": f"s-{i}" for i in range(9)}
        devices = [Device(f"d{i:03d}", consumes=consumption([f"c{i % 9}"], homes)) for i in range(130)]
        found = slices("a.b", "p", "n", sets, devices, generation=3)

        assert [(len(each.counter_sets), len(each.devices)) for each in found] == [
            (8, 0),
            (1, 0),
            (0, 64),
            (0, 64),
            (0, 2),
        ]
        (pool,) = gather(found)
        assert (pool.state, pool.generation, len(pool.devices)) == ("complete", 3, 130)
        assert [item.name for item in pool.devices] == [each.name for each in devices]

    def test_a_pool_of_nothing_is_one_empty_slice(self) -> None:
        (pool,) = gather(slices("a.b", "p", "n", (), (), generation=1))
        assert (pool.state, pool.slices_seen) == ("complete", 1)

    def test_names_tell_pools_apart_that_differ_in_slashes_or_length(self) -> None:
        names = {slice_base("a.b", name) for name in ("x/y", "x-y", "x/y/", "z" * 250, "z" * 251)}
        assert len(names) == 5
        assert max(map(len, names)) <= 245

    def test_more_than_a_thousand_slices_still_sort_by_name(self) -> None:
        found = slices("a.b", "p", "n", (), [Device(f"d{i}") for i in range(64 * 1001)], generation=1)
        assert [each.meta.name for each in found] == sorted(each.meta.name for each in found)


class TestLargeNodes:
    def test_a_node_of_40_pairs_is_split_and_says_how(self) -> None:
        done = made(gpus(40, share=1), nics(40), molecules=[{"count": {"gpu": 1, "nic": {"min": 0, "max": 1}}}])
        pool = only(done)

        assert codes(done) == ["compound-split"]
        assert done.findings[0].message == (
            "Too large for one slice of counters and one of devices: 80 counters are in 3 sets of at most 32 "
            "(node0-0 32, node0-1 32, node0-2 16); 80 molecules are in 2 slices of at most 64."
        )
        report = judge(published(pool), Surroundings())
        assert report.findings == ()
        assert len(report.cards) == 40
        assert {len(item.device.consumes) for item in report.pool.devices} == {1}

    def test_one_group_of_48_devices_draws_on_two_sets(self) -> None:
        done = made(
            gpus(24, share=24),
            slice_raw(NIC, [device(f"n{i}", {"resource.kubernetes.io/pcieRoot": "pci0"}) for i in range(24)]),
            molecules=[{"count": {"gpu": 24, "nic": 24}}],
            name="m-{type}-{group}",
        )
        assert [len(each.counters) for each in published(only(done)).counter_sets] == [32, 16]
        assert [len(each.consumes) for each in done.pools[0].slices[1].devices] == [2]
        assert judge(published(done.pools[0]), Surroundings()).devices[0].state == "available"

    def test_what_cannot_be_split_is_refused_by_the_limit(self) -> None:
        raw = slice_raw(GPU, [device(f"g{i}", {"resource.kubernetes.io/pcieRoot": "r"}) for i in range(63)])
        nic = slice_raw(NIC, [device(f"n{i}", {"resource.kubernetes.io/pcieRoot": "r"}) for i in range(2)])
        done = made(raw, nic, molecules=[{"count": {"gpu": 63, "nic": 2}}], name="all")

        assert done.pools == ()
        assert codes(done) == ["compound-limit"]
        assert "65 underlying devices need sets of at most 32 counters" in done.findings[0].message
