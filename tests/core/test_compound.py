"""Compound pools: the proposal's worked node, published forms, order, molecules, taints and change."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pools.core.compound import compound
from pools.core.compound_outlook import combinations, leaves
from pools.core.gather import gather
from pools.domain.claim import TaintRule
from pools.domain.compound import CompoundPool
from pools.domain.device import Taint
from pools.domain.ids import PoolId
from pools.domain.pool import Meta, Slice
from pools.wire.documents import Document, read
from pools.wire.prototype_out import resource_pool
from pools.wire.registry import decode
from pools.wire.v1_out import resource_slice
from tests.compounds import (
    COMPOUND,
    GPU,
    NIC,
    ROOT,
    TRIPLETS,
    available,
    codes,
    device,
    gpus,
    judged,
    labels,
    made,
    names,
    nics,
    only,
    pools,
    published,
    rule,
    slice_raw,
)
from tests.conftest import shared_path

A, B, C, D, E = "gpu0", "gpu0-nic0", "gpu1", "gpu1-nic0", "gpu0-gpu1-nic0"
WORKED = [
    # allocated, still feasible in the triplet, feasible on the node of 20
    ((), {A, B, C, D, E}, 20),
    ((A,), {C, D}, 17),
    ((B,), {C}, 16),
    ((C,), {A, B}, 17),
    ((D,), {A}, 16),
    ((E,), set(), 15),
    ((A, C), set(), 15),
    ((A, D), set(), 15),
    ((B, C), set(), 15),
]


@pytest.fixture(scope="module")
def proposal() -> CompoundPool:
    return only(made(gpus(), nics()))


class TestTheProposalsNode:
    def test_it_has_12_counters_20_molecules_and_36_consumption_entries(self, proposal: CompoundPool) -> None:
        pool = published(proposal)
        (counters,) = pool.counter_sets

        assert (pool.state, pool.id, proposal.node) == ("complete", PoolId(COMPOUND, "node0-compound0"), "node0")
        assert list(counters.counters) == [f"gpu{i}" for i in range(8)] + [f"nic{i}" for i in range(4)]
        assert {str(amount) for amount in counters.counters.values()} == {"1"}
        assert len(pool.devices) == 20
        assert sum(len(entry.counters) for item in pool.devices for entry in item.device.consumes) == 36

    def test_both_ways_to_group_make_the_same_molecules(self, proposal: CompoundPool) -> None:
        by_lists = only(made(gpus(), nics(), grouping={"lists": TRIPLETS}))
        assert labels(by_lists) == labels(proposal)
        assert [group.name for group in by_lists.groups] == [f"triplet-{i}" for i in range(4)]
        assert [group.name for group in proposal.groups] == [f"pci{i}" for i in range(4)]

    @pytest.mark.parametrize(("held", "feasible", "on_node"), WORKED)
    def test_each_allocation_leaves_what_the_table_says(
        self, proposal: CompoundPool, held: tuple[str, ...], feasible: set[str], on_node: int
    ) -> None:
        free = available(judged(published(proposal), *held))

        assert free & {A, B, C, D, E} == feasible
        assert len(free) == on_node

    def test_what_each_allocation_would_leave_is_told_before(self, proposal: CompoundPool) -> None:
        found = {each.device: each for each in leaves(judged(published(proposal)))}

        assert [found[name].remaining for name in (A, B, C, D, E)] == [17, 16, 17, 16, 15]
        assert set(found[A].blocks) == {B, E}
        assert set(found[B].blocks) == {A, D, E}
        assert {name for name, each in found.items() if each.remaining == 15} == {
            f"gpu{2 * i}-gpu{2 * i + 1}-nic{i}" for i in range(4)
        }

    def test_a_stranded_nic_is_free_and_of_no_use(self, proposal: CompoundPool) -> None:
        report = judged(published(proposal), A, C)

        nic = next(use for use in report.counters if use.id.counter == "nic0")
        assert nic.available_nano == 10**9
        assert not any("nic0" in name for name in available(report))

    def test_it_can_be_in_6561_states_256_of_them_maximal(self, proposal: CompoundPool) -> None:
        found = combinations(judged(published(proposal)))

        assert (found.states, found.maximal, found.exact) == (6561, 256, True)

    def test_a_triplet_can_be_in_9_states_4_of_them_maximal(self) -> None:
        triplet = only(made(gpus(2), nics(1)))
        found = combinations(judged(published(triplet)))
        assert (found.states, found.maximal) == (9, 4)

    def test_the_triplets_are_cards_of_their_own(self, proposal: CompoundPool) -> None:
        cards = judged(published(proposal)).cards
        assert [card.label for card in cards] == [f"gpu{2 * i} + gpu{2 * i + 1} + nic{i}" for i in range(4)]

    def test_no_finding_is_made_about_it(self, proposal: CompoundPool) -> None:
        assert made(gpus(), nics()).findings == ()
        assert judged(published(proposal)).findings == ()

    def test_the_order_of_files_and_slices_does_not_matter(self, proposal: CompoundPool) -> None:
        found = pools(nics(), gpus())
        assert compound(rule(), found[::-1]).pools == (proposal,)

    def test_the_generation_is_what_was_asked_for(self) -> None:
        done = compound(rule(), pools(gpus(), nics()), generation=7)
        assert {each.generation for each in done.pools[0].slices} == {7}
        assert {each.slice_count for each in done.pools[0].slices} == {2}


def content(item: Slice) -> dict[str, dict[str, dict[str, int]]]:
    sets = {each.name: {name: amount.nano for name, amount in each.counters.items()} for each in item.counter_sets}
    drawn = {
        each.name: {
            f"{entry.counter_set}/{name}": amount.nano
            for entry in each.consumes
            for name, amount in entry.counters.items()
        }
        for each in item.devices
    }
    return {"sets": sets, "devices": drawn}  # type: ignore[dict-item]


def fixture(name: str) -> list[Slice]:
    documents = read(shared_path("fixtures", "shapes", name).read_bytes())
    return [decode(each.raw) for each in documents if isinstance(each, Document)]  # type: ignore[misc]


class TestPublishedForms:
    def test_v1_says_what_the_published_example_says(self, proposal: CompoundPool) -> None:
        example = fixture("g2-compound-sharedcounters.yaml")
        written = [decode(resource_slice(each)) for each in proposal.slices]

        assert all(isinstance(each, Slice) for each in written)
        assert [content(each) for each in written] == [content(each) for each in example]  # type: ignore[arg-type]
        assert gather(written)[0].id == gather(example)[0].id  # type: ignore[arg-type]

    def test_the_prototype_form_says_what_the_published_example_says(self, proposal: CompoundPool) -> None:
        (example,) = fixture("g1-compound-sharedconsumable.yaml")
        written = decode(resource_pool(proposal.slices))

        assert isinstance(written, Slice)
        assert content(written) == content(example)
        assert (written.form, written.pool_id, written.reach) == (example.form, example.pool_id, example.reach)

    def test_written_slices_are_judged_like_the_pool_itself(self, proposal: CompoundPool) -> None:
        (pool,) = gather([decode(resource_slice(each)) for each in proposal.slices])  # type: ignore[misc]
        assert pool == published(proposal)


class TestOrder:
    def test_a_part_always_stands_before_the_whole(self) -> None:
        pool = only(
            made(
                gpus(8, share=4),
                nics(2),
                molecules=[{"count": {"gpu": {"min": 1, "max": 4}, "nic": {"min": 0, "max": 1}}}],
            )
        )
        taken = [frozenset(each) for each in labels(pool).values()]

        assert len(taken) == 2 * 15 * 2
        assert all(not other < each for each, other in itertools.combinations(taken, 2))

    def test_first_fit_gives_single_gpus_before_it_touches_a_nic(self, proposal: CompoundPool) -> None:
        assert names(proposal)[:8] == [f"gpu{i}" for i in range(8)]
        assert names(proposal)[8:16] == [f"gpu{i}-nic{i // 2}" for i in range(8)]

    def test_slices_sort_by_name_as_they_are_to_be_tried(self) -> None:
        pool = only(
            made(
                gpus(12, share=12),
                nics(0),
                molecules=[{"count": {"gpu": {"min": 1, "max": 3}, "nic": {"min": 0, "max": 1}}}],
            )
        )
        shown = [each.meta.name for each in pool.slices]

        assert len(shown) == 6
        assert shown == sorted(shown)
        assert [item.name for item in published(pool).devices] == names(pool)


class TestTypes:
    def test_types_are_counts_unless_the_rule_names_them(self) -> None:
        pool = only(
            made(
                gpus(2),
                nics(1),
                molecules=[
                    {"count": {"gpu": 1, "nic": {"min": 0, "max": 1}}},
                    {"count": {"gpu": 2, "nic": 1}, "type": "full"},
                ],
            )
        )
        assert {each.name: each.type for each in pool.molecules} == {
            A: "1gpu",
            C: "1gpu",
            B: "1gpu-1nic",
            D: "1gpu-1nic",
            E: "full",
        }
        report = judged(published(pool))
        assert {each.id.name: each.type for each in report.devices}[E] == "full"

    def test_the_type_attribute_is_announced_where_devices_are(self) -> None:
        pool = only(made(gpus(2), nics(1), partitionTypeAttribute="example.com/kind"))

        assert [each.partition_type_attribute for each in pool.slices] == ["", "example.com/kind"]
        assert {each.device.attributes["example.com/kind"].value for each in published(pool).devices} == {
            "1gpu",
            "1gpu-1nic",
            "2gpu-1nic",
        }


class TestMolecules:
    def test_the_same_devices_are_one_molecule_whatever_lines_allow_it(self) -> None:
        lines = [
            {"count": {"gpu": 1}, "type": "first"},
            {"count": {"gpu": {"min": 1, "max": 2}, "nic": {"min": 0, "max": 1}}},
        ]
        pool = only(made(gpus(2), nics(1), molecules=lines))

        assert sorted(names(pool)) == sorted([A, C, B, D, "gpu0-gpu1", E])
        assert {each.type for each in pool.molecules if each.name in (A, C)} == {"first"}

    def test_lists_may_overlap_and_share_a_nic(self) -> None:
        lists = [
            {"name": "left", "devices": {"gpu": ["gpu0", "gpu1"], "nic": ["nic0"]}},
            {"name": "right", "devices": {"gpu": ["gpu1", "gpu2"], "nic": ["nic0"]}},
        ]
        pool = only(made(gpus(3), nics(1), grouping={"lists": lists}))

        assert len(names(pool)) == 3 + 3 + 2
        assert combinations(judged(published(pool))).states == sum(1 for _ in sets_that_fit(labels(pool)))

    def test_a_list_attribute_puts_a_device_into_several_groups(self) -> None:
        nic = slice_raw(NIC, [device("nic0", {ROOT: {"strings": ["pci0", "pci1"]}})])
        pool = only(made(gpus(2, share=1), nic))
        assert set(names(pool)) == {"gpu0", "gpu1", "gpu0-nic0", "gpu1-nic0"}

    def test_values_of_different_kinds_do_not_match(self) -> None:
        raws = (
            slice_raw(GPU, [device("gpu0", {"numa": 0})]),
            slice_raw(
                NIC, [device("nic0", {"numa": "0"}), device("nic1", {"numa": False}), device("nic2", {"numa": 0})]
            ),
        )
        pool = only(made(*raws, grouping={"attribute": "numa"}))
        assert set(names(pool)) == {"gpu0", "gpu0-nic2"}

    def test_each_member_can_have_its_own_attribute_to_group_by(self) -> None:
        gpu = slice_raw(GPU, [device("gpu0", {"numa": 1}), device("gpu1", {"numa": 2})])
        nic = slice_raw(NIC, [device("nic0", {"vendor.com/socket": 2})])
        pool = only(made(gpu, nic, grouping={"attributes": {"gpu": "numa", "nic": "vendor.com/socket"}}))
        assert set(names(pool)) == {"gpu0", "gpu1", "gpu1-nic0"}

    def test_selectors_choose_the_devices(self) -> None:
        members = [
            {
                "name": "gpu",
                "driver": GPU,
                "selectors": [
                    {"cel": {"expression": f'device.attributes["resource.kubernetes.io"].pcieRoot != "pci{i}"'}}
                    for i in (0, 3)
                ],
            },
            {"name": "nic", "driver": NIC},
        ]
        done = made(gpus(), nics(), members=members)

        assert [each.name for each in only(done).groups if len(each.parts) == 3] == ["pci1", "pci2"]
        assert codes(done) == ["compound-device-unused"]
        assert f"{NIC}/node0/nic0 and {NIC}/node0/nic3" in done.findings[0].message

    def test_two_members_of_one_driver_are_told_apart_by_selectors(self) -> None:
        raw = slice_raw(GPU, [device(name, {ROOT: "r", "kind": name[0]}) for name in ("a0", "b0")])
        members = [
            {
                "name": kind,
                "driver": GPU,
                "selectors": [{"cel": {"expression": f'device.attributes["{GPU}"].kind == "{kind}"'}}],
            }
            for kind in ("a", "b")
        ]
        pool = only(made(raw, members=members, molecules=[{"count": {"a": 1, "b": 1}}]))
        assert names(pool) == ["a0-b0"]

    def test_too_many_molecules_are_refused_before_they_are_made(self) -> None:
        lines = [{"count": {"gpu": {"min": 1, "max": 32}, "nic": {"min": 0, "max": 1}}}]
        done = made(gpus(32, share=32), nics(1), molecules=lines)

        assert codes(done) == ["compound-limit"]
        assert f"allows {2 * (2**32 - 1)} molecules on node0; at most 4096" in done.findings[0].message


def sets_that_fit(molecules: dict[str, list[str]]) -> Any:
    """All sets of molecules without a device in common, by brute force."""
    chosen = list(molecules)
    for size in range(len(chosen) + 1):
        for some in itertools.combinations(chosen, size):
            used = [counter for name in some for counter in molecules[name]]
            if len(set(used)) == len(used):
                yield some


class TestTaintsAndChange:
    TAINT = {"key": "hot", "value": "yes", "effect": "NoSchedule", "timeAdded": "2026-12-01T10:00:00Z"}

    def tainted(self, *taints: dict[str, str]) -> CompoundPool:
        raw = gpus(2)
        raw["spec"]["devices"][0]["taints"] = list(taints)
        return only(made(raw, nics(1)))

    def test_a_tainted_device_taints_its_molecules_only(self) -> None:
        report = judged(published(self.tainted(self.TAINT)))
        assert {each.id.name for each in report.devices if each.state == "tainted"} == {A, B, E}
        assert report.devices[0].reasons[0].taint == "hot=yes:NoSchedule"

    def test_a_taint_that_several_members_have_is_there_once_with_the_first_time(self) -> None:
        raws = gpus(2), nics(1)
        for index, raw in enumerate(raws):
            for item in raw["spec"]["devices"]:
                item["taints"] = [{**self.TAINT, "timeAdded": f"2026-12-0{3 - index}T10:00:00Z"}]
        whole = only(made(*raws)).slices[1].devices[-1]

        assert whole.name == E
        assert whole.taints == (Taint("hot", "yes", "NoSchedule", "2026-12-02T10:00:00Z"),)

    def test_a_taint_rule_on_an_underlying_device_taints_its_molecules(self) -> None:
        taints = TaintRule(Meta("t"), "v1", Taint("sick", effect="NoExecute"), True, GPU, None, "gpu1")
        done = compound(rule(), pools(gpus(2), nics(1)), taint_rules=[taints])
        report = judged(published(done.pools[0]))
        assert {each.id.name for each in report.devices if each.state == "tainted"} == {C, D, E}

    def test_a_vanished_device_takes_its_molecules_with_it(self) -> None:
        raw = gpus(2)
        del raw["spec"]["devices"][1]
        assert set(names(only(made(raw, nics(1))))) == {A, B}

    def test_an_allocated_molecule_that_vanished_is_seen_as_lost(self) -> None:
        before = compound(rule(), pools(gpus(2), nics(1)), generation=1).pools[0]
        after = compound(rule(), pools(gpus(1), nics(1)), generation=2).pools[0]
        (pool,) = gather([*before.slices, *after.slices])
        report = judged(pool, E)

        lost = next(each for each in report.devices if each.id.name == E)
        assert (lost.published, lost.state) == (False, "allocated")
        assert "allocated-device-not-published" in {each.code for each in report.findings}

    def test_a_node_whose_drivers_publish_nothing_has_an_empty_pool(self) -> None:
        done = made(slice_raw(GPU, []), slice_raw(NIC, []))
        pool = only(done)

        assert published(pool).state == "complete"
        assert published(pool).devices == ()
        assert "compound-empty" in codes(done)
