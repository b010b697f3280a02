"""Aligned pairs over pools of two drivers that are not compounded: whole, half used, used, broken; node and fleet."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.core.cel import CelCompileError
from pools.core.judge import judge
from pools.core.pairs import Pairing, PairReport, Pairs, Side, pairs
from pools.domain.claim import TaintRule
from pools.domain.device import Taint
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import Meta
from pools.domain.state import Holder, Surroundings
from tests.compounds import GPU, NIC, ROOT, device, gpus, nics, pools, slice_raw

ONE_EACH = Pairing(ROOT, Side(GPU), Side(NIC))


def asked(
    *raws: Any,
    held: tuple[str, ...] = (),
    tainted: tuple[str, ...] = (),
    pairing: Pairing = ONE_EACH,
    node: str = "node0",
) -> PairReport:
    """Held and tainted devices are told by name: gpu… and nic… of one node."""
    rules = tuple(
        TaintRule(Meta(name), "v1", Taint("sick", effect="NoSchedule"), True, driver_of(name), node, name)
        for name in tainted
    )
    holds = tuple(Holder(ClaimId("ml", name), DeviceId(driver_of(name), node, name), "r") for name in held)
    return pairs([judge(pool, Surroundings(holds, rules)) for pool in pools(*raws)], pairing)


def driver_of(name: str) -> str:
    return GPU if name.startswith("g") else NIC


def counted(found: Pairs) -> tuple[int, int, int, int, int]:
    return found.possible, found.whole, found.used, found.half_used, found.broken


class TestOneToOne:
    @pytest.mark.parametrize(
        ("held", "tainted", "expected"),
        [
            # possible, whole, used, half used, broken
            ((), (), (4, 4, 0, 0, 0)),
            (("gpu0",), (), (4, 3, 0, 1, 0)),
            (("gpu0", "nic0"), (), (4, 3, 1, 0, 0)),
            (("gpu0", "nic1"), (), (4, 2, 0, 2, 0)),
            ((), ("nic0",), (4, 3, 0, 0, 1)),
            (("gpu0",), ("nic0",), (4, 3, 0, 0, 1)),
            (("gpu0", "gpu1", "gpu2", "gpu3"), (), (4, 0, 0, 4, 0)),
            (("nic1",), ("gpu0", "gpu2"), (4, 1, 0, 1, 2)),
        ],
    )
    def test_each_pair_is_whole_used_half_used_or_broken(
        self, held: tuple[str, ...], tainted: tuple[str, ...], expected: tuple[int, ...]
    ) -> None:
        found = asked(gpus(4, share=1), nics(4), held=held, tainted=tainted)
        assert counted(found.pairs) == expected
        assert found.pairs.exact

    def test_two_gpus_with_one_nic_make_one_pair(self) -> None:
        found = asked(gpus(), nics(), held=("gpu0",))
        assert counted(found.pairs) == (4, 4, 0, 0, 0)
        assert (found.pairs.first_free, found.pairs.second_free) == (7, 4)
        assert counted(asked(gpus(), nics(), held=("gpu0", "gpu1")).pairs) == (4, 3, 0, 1, 0)

    def test_groups_are_told_with_their_values_and_devices(self) -> None:
        (node,) = asked(gpus(), nics()).nodes
        assert [group.values for group in node.groups] == [(f"pci{i}",) for i in range(4)]
        assert [each.id.name for each in node.groups[1].first] == ["gpu2", "gpu3"]
        assert [each.id.name for each in node.groups[1].second] == ["nic1"]


class TestLargerPairs:
    @pytest.mark.parametrize(
        ("first", "second", "held", "expected"),
        [
            (2, 1, (), (4, 4, 0, 0, 0)),
            (2, 1, ("gpu0",), (4, 3, 0, 1, 0)),
            (2, 1, ("gpu0", "gpu1", "nic0"), (4, 3, 1, 0, 0)),
            (3, 1, (), (0, 0, 0, 0, 0)),
            (1, 2, (), (0, 0, 0, 0, 0)),
        ],
    )
    def test_a_pair_may_want_several_of_a_side(
        self, first: int, second: int, held: tuple[str, ...], expected: tuple[int, ...]
    ) -> None:
        found = asked(gpus(), nics(), held=held, pairing=Pairing(ROOT, Side(GPU, first), Side(NIC, second)))
        assert counted(found.pairs) == expected

    def test_k_nics_a_gpu(self) -> None:
        nic = slice_raw(NIC, [device(f"nic{i}", {ROOT: "pci0"}) for i in range(5)])
        pairing = Pairing(ROOT, Side(GPU), Side(NIC, 2))
        assert counted(asked(gpus(3, share=3), nic, pairing=pairing).pairs) == (2, 2, 0, 0, 0)
        assert counted(asked(gpus(3, share=3), nic, held=("nic0", "nic1"), pairing=pairing).pairs) == (2, 1, 0, 1, 0)

    def test_a_side_of_less_than_one_is_no_question(self) -> None:
        with pytest.raises(ValueError, match="at least one device"):
            pairs([], Pairing(ROOT, Side(GPU, 0), Side(NIC)))


class TestFleet:
    def test_equal_values_on_two_nodes_are_two_groups_and_sums_are_over_all(self) -> None:
        raws = [gpus(4, share=1), nics(2), gpus(2, share=1, node="node1"), nics(4, node="node1")]
        found = asked(*raws, held=("gpu0",))

        assert [(node.node, counted(node.pairs)) for node in found.nodes] == [
            ("node0", (2, 1, 0, 1, 0)),
            ("node1", (2, 2, 0, 0, 0)),
        ]
        assert counted(found.pairs) == (4, 3, 0, 1, 0)
        assert (found.pairs.first_free, found.pairs.second_free) == (5, 6)

    def test_a_pool_that_is_not_complete_breaks_its_pairs(self) -> None:
        raw = nics(2)
        raw["spec"]["pool"]["resourceSliceCount"] = 2
        assert counted(asked(gpus(2, share=1), raw).pairs) == (2, 0, 0, 0, 2)

    def test_devices_that_cannot_be_paired_are_told(self) -> None:
        gpu = slice_raw(GPU, [device("gpu0", {ROOT: "r"}), device("gpu1")])
        nic = slice_raw(NIC, [device("nic0", {ROOT: "r"})], node="", pool="fabric", allNodes=True)
        found = asked(gpu, nic)
        assert [(each.id.name, why) for each, why in found.left_out] == [
            ("gpu1", f"has no {ROOT}"),
            ("nic0", "not on one named node"),
        ]
        assert counted(found.pairs) == (0, 0, 0, 0, 0)

    def test_pools_of_other_drivers_play_no_part(self) -> None:
        other = slice_raw("x.example.com", [device("gpu0", {ROOT: "pci0"})])
        assert counted(asked(gpus(1), nics(1), other).pairs) == (1, 1, 0, 0, 0)


class TestSelectors:
    def test_a_side_is_those_that_match_all_its_selectors(self) -> None:
        gpu = slice_raw(GPU, [device(f"gpu{i}", {ROOT: "pci0", "index": i}) for i in range(3)])
        nic = slice_raw(NIC, [device(f"nic{i}", {ROOT: "pci0"}) for i in range(3)])
        pairing = Pairing(ROOT, Side(GPU, 1, (f'device.attributes["{GPU}"].index > 0', "true")), Side(NIC))
        assert counted(asked(gpu, nic, pairing=pairing).pairs) == (2, 2, 0, 0, 0)

    def test_both_sides_may_be_of_one_driver(self) -> None:
        raw = slice_raw(GPU, [device(f"gpu{i}", {ROOT: "r", "big": i > 1}) for i in range(5)])
        sides = [Side(GPU, 1, (f'{mark}device.attributes["{GPU}"].big',)) for mark in ("", "!")]
        assert counted(asked(raw, pairing=Pairing(ROOT, sides[0], sides[1])).pairs) == (2, 2, 0, 0, 0)

    def test_a_device_on_which_a_selector_fails_is_told(self) -> None:
        pairing = Pairing(ROOT, Side(GPU, 1, (f'device.attributes["{GPU}"].model == "x"',)), Side(NIC))
        found = asked(gpus(1), nics(1), pairing=pairing)
        assert [each.id.name for each, _ in found.left_out] == ["gpu0"]
        assert "no such key" in found.left_out[0][1]

    def test_a_selector_that_is_no_expression_is_an_error(self) -> None:
        with pytest.raises(CelCompileError):
            asked(gpus(1), nics(1), pairing=Pairing(ROOT, Side(GPU, 1, ("device.",)), Side(NIC)))


class TestSharedCounters:
    """Sides whose devices exclude each other: a whole GPU and its halves."""

    def halves(self, *, tainted: bool = False) -> list[Any]:
        def part(name: str, memory: str) -> Any:
            drawn = [{"counterSet": "gpu0", "counters": {"memory": {"value": memory}}}]
            return device(name, {ROOT: "pci0", "half": memory == "40"}, consumesCounters=drawn)

        counters = slice_raw(GPU, [], sharedCounters=[{"name": "gpu0", "counters": {"memory": {"value": "80"}}}])
        counters["metadata"]["name"] = "counters"
        parts = slice_raw(GPU, [part("ga", "40"), part("gb", "40"), part("gc", "40"), part("gpu0", "80")])
        for raw in (counters, parts):
            raw["spec"]["pool"]["resourceSliceCount"] = 2
        return [counters, parts, slice_raw(NIC, [device(f"nic{i}", {ROOT: "pci0"}) for i in range(4)])]

    def test_devices_count_as_far_as_they_fit_together(self) -> None:
        assert counted(asked(*self.halves()).pairs) == (2, 2, 0, 0, 0)

    def test_what_one_of_them_takes_the_others_lack(self) -> None:
        assert counted(asked(*self.halves(), held=("ga",)).pairs) == (2, 1, 0, 1, 0)
        assert counted(asked(*self.halves(), held=("ga", "nic3")).pairs) == (2, 1, 1, 0, 0)
        assert counted(asked(*self.halves(), held=("gpu0", "nic0")).pairs) == (2, 0, 1, 1, 0)

    def test_a_selector_narrows_the_side_to_whole_devices(self) -> None:
        pairing = Pairing(ROOT, Side(GPU, 1, (f'!device.attributes["{GPU}"].half',)), Side(NIC))
        assert counted(asked(*self.halves(), pairing=pairing).pairs) == (1, 1, 0, 0, 0)
        assert counted(asked(*self.halves(), held=("ga",), pairing=pairing).pairs) == (1, 0, 0, 1, 0)


class TestSeveralValues:
    """A device near several roots (a list attribute) can go with devices of each of them."""

    def test_the_largest_matching_is_found(self) -> None:
        gpu = slice_raw(GPU, [device("gpu0", {ROOT: {"strings": ["a", "b"]}}), device("gpu1", {ROOT: "a"})])
        nic = slice_raw(NIC, [device("nic0", {ROOT: "a"}), device("nic1", {ROOT: "b"})])
        found = asked(gpu, nic)

        assert counted(found.pairs) == (2, 2, 0, 0, 0)
        assert found.pairs.exact
        assert [group.values for group in found.nodes[0].groups] == [("a", "b")]
        assert counted(asked(gpu, nic, held=("nic1",)).pairs) == (2, 1, 0, 1, 0)

    def test_larger_pairs_are_counted_from_below_and_said_to_be(self) -> None:
        gpu = slice_raw(GPU, [device("gpu0", {ROOT: "a"}), device("gpu1", {ROOT: "b"})])
        nic = slice_raw(NIC, [device(f"nic{i}", {ROOT: {"strings": ["a", "b"]}}) for i in range(4)])
        found = asked(gpu, nic, pairing=Pairing(ROOT, Side(GPU), Side(NIC, 2)))
        assert counted(found.pairs) == (2, 2, 0, 0, 0)
        assert not found.pairs.exact

    @given(
        st.lists(st.sets(st.integers(0, 3), min_size=1, max_size=3), max_size=5),
        st.lists(st.sets(st.integers(0, 3), min_size=1, max_size=3), max_size=5),
        st.sets(st.sampled_from([f"{kind}{i}" for kind in ("gpu", "nic") for i in range(5)]), max_size=4),
    )
    def test_one_to_one_is_what_trying_all_ways_gives(
        self, gpu: list[set[int]], nic: list[set[int]], held: set[str]
    ) -> None:
        raws = [
            slice_raw(driver, [device(f"{kind}{i}", {ROOT: {"ints": sorted(keys)}}) for i, keys in enumerate(side)])
            for driver, kind, side in ((GPU, "gpu", gpu), (NIC, "nic", nic))
        ]
        found = asked(*raws, held=tuple(sorted(held))).pairs

        everything = {f"gpu{i}": keys for i, keys in enumerate(gpu)} | {f"nic{i}": keys for i, keys in enumerate(nic)}
        free = {name: keys for name, keys in everything.items() if name not in held}
        assert found.possible == best(everything)
        assert found.whole == best(free)
        assert found.possible == found.whole + found.used + found.half_used
        assert min(found.used, found.half_used) >= 0


def best(devices: Mapping[str, set[int]]) -> int:
    first = [keys for name, keys in devices.items() if name.startswith("gpu")]
    second = [keys for name, keys in devices.items() if name.startswith("nic")]
    short, long = sorted((first, second), key=len)
    return max(
        (
            sum(bool(one & other) for one, other in zip(short, some, strict=True))
            for some in itertools.permutations(long, len(short))
        ),
        default=0,
    )
