"""What makes no compounds, and is told: names, devices and pools that will not do; and what is only worth a warning."""

from __future__ import annotations

from typing import Any

import pytest

from pools.core.compound import compound
from tests.compounds import (
    GPU,
    NIC,
    ROOT,
    TRIPLETS,
    codes,
    device,
    gpus,
    made,
    names,
    nics,
    only,
    pools,
    rule,
    slice_raw,
)


class TestNames:
    SHAPE = [{"count": {"gpu": 2, "nic": 1}, "type": "Pair"}]

    @pytest.mark.parametrize(
        ("template", "name"),
        [
            ("{members}", "gpu0-gpu1-nic0"),
            ("{group}-{nic}", "pci0-nic0"),
            ("{type}.{gpu}", None),
            ("m-{type}-{gpu}", "m-pair-gpu0-gpu1"),
            ("{node}-{group}", "node0-pci0"),
        ],
    )
    def test_a_template_fills_in_parts(self, template: str, name: str | None) -> None:
        done = made(gpus(2), nics(1), name=template, molecules=self.SHAPE)
        if name is None:
            assert codes(done) == ["compound-name-invalid"]
            assert "no DNS label" in done.findings[0].message
        else:
            assert names(only(done)) == [name]

    def test_a_part_that_is_empty_leaves_no_hyphen(self) -> None:
        pool = only(made(gpus(1), nics(1), name="{gpu}-{nic}"))
        assert names(pool) == ["gpu0", "gpu0-nic0"]

    def test_labels_come_from_attributes(self) -> None:
        raw = slice_raw(GPU, [device(f"gpu-0000-{i}", {ROOT: "r", "index": i, "f.g/hot": True}) for i in range(2)])
        members = [
            {"name": "gpu", "driver": GPU, "label": "g{index}"},
            {"name": "nic", "driver": NIC, "label": "{f.g/hot}-{device}"},
        ]
        nic = slice_raw(NIC, [device("n", {ROOT: "r", "f.g/hot": False})])
        pool = only(made(raw, nic, members=members))
        assert names(pool)[-1] == "g0-g1-false-n"

    @pytest.mark.parametrize(
        ("label", "says"),
        [("{gpu.example.com/serial}", "Has no single value of gpu.example.com/serial"), ("GPU", "no DNS label")],
    )
    def test_a_label_that_cannot_be_made_is_told_of_its_device(self, label: str, says: str) -> None:
        members = [{"name": "gpu", "driver": GPU, "label": label}, {"name": "nic", "driver": NIC}]
        done = made(gpus(1), nics(1), members=members)

        assert done.pools == ()
        assert done.refused == ("node0",)
        assert done.findings[0].object == f"{GPU}/node0/gpu0"
        assert says in done.findings[0].message

    def test_two_devices_of_one_label_are_told_by_name(self) -> None:
        done = made(slice_raw(GPU, [device("dev0", {ROOT: "r"})]), slice_raw(NIC, [device("dev0", {ROOT: "r"})]))

        assert codes(done) == ["compound-label-twice"]
        assert f"It and {GPU}/node0/dev0 would both be called dev0" in done.findings[0].message

    def test_two_molecules_of_one_name_are_told(self) -> None:
        done = made(gpus(2), nics(1), name="{group}")

        assert codes(done) == ["compound-name-twice"]
        assert "gpu0 and gpu1 would both be called pci0" in done.findings[0].message

    def test_names_that_get_too_long_name_the_limit(self) -> None:
        raw = slice_raw(GPU, [device(f"{'g' * 40}{i}", {ROOT: "r"}) for i in range(2)])
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]))

        assert codes(done) == ["compound-name-invalid"]
        assert "at most 63 characters; give members shorter labels" in done.findings[0].message

    def test_pools_of_two_nodes_need_the_node_in_their_name(self) -> None:
        raws = [gpus(2), nics(1), gpus(2, node="node1"), nics(1, node="node1")]

        assert codes(made(*raws, pool="same")) == ["compound-name-twice"]
        assert [each.id.name for each in made(*raws).pools] == ["node0-compound0", "node1-compound0"]

    def test_a_set_called_like_a_node_with_dots_is_refused(self) -> None:
        done = made(gpus(2, node="n.example"), nics(1, node="n.example"))
        assert codes(done) == ["compound-name-invalid"]
        assert "counter set" in done.findings[0].message


class TestRefused:
    @pytest.mark.parametrize(
        ("more", "code", "says"),
        [
            (
                {"consumesCounters": [{"counterSet": "s", "counters": {"memory": {"value": "1"}}}]},
                "compound-member-partitionable",
                "it is a partition, or competes with partitions",
            ),
            ({"allowMultipleAllocations": True}, "compound-member-shareable", "can be shared by several claims"),
            (
                {"bindingConditions": ["a"], "bindingFailureConditions": ["b"]},
                "compound-member-binding",
                "has binding conditions",
            ),
        ],
    )
    def test_devices_that_are_no_whole_unshared_ones_are_refused(
        self, more: dict[str, Any], code: str, says: str
    ) -> None:
        raw = gpus(2)
        raw["spec"]["devices"][1].update(more)
        sets = slice_raw(GPU, [], sharedCounters=[{"name": "s", "counters": {"memory": {"value": "8"}}}])
        sets["metadata"]["name"] = "counters"
        for each in (raw, sets):
            each["spec"]["pool"]["resourceSliceCount"] = 2
        done = made(raw, sets, nics(1))

        assert done.pools == ()
        assert [(each.code, each.object) for each in done.findings] == [(code, f"{GPU}/node0/gpu1")]
        assert says in done.findings[0].message

    def test_a_pool_that_is_not_complete_makes_no_compounds_on_its_nodes(self) -> None:
        raw = gpus(2)
        raw["spec"]["pool"]["resourceSliceCount"] = 2
        done = made(raw, nics(1), gpus(2, node="node1"), nics(1, node="node1"))

        assert [each.node for each in done.pools] == ["node1"]
        assert done.refused == ("node0",)
        assert done.findings[0].code == "compound-pool-not-complete"
        assert "incomplete (1 of 2 slices seen)" in done.findings[0].message

    def test_an_invalid_pool_does_neither(self) -> None:
        done = made(slice_raw(GPU, [device("gpu0"), device("gpu0")]), nics(1))
        assert done.pools == ()
        assert "invalid (duplicate device name gpu0)" in done.findings[0].message

    @pytest.mark.parametrize(
        "where",
        [
            {"allNodes": True},
            {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "Exists"}]}]}},
        ],
    )
    def test_devices_of_no_single_node_are_refused(self, where: dict[str, Any]) -> None:
        done = made(gpus(2), slice_raw(NIC, [device("nic0", {ROOT: "pci0"})], node="", pool="fabric", **where))

        assert done.pools == ()
        assert done.findings[0].code == "compound-member-not-local"
        assert done.refused == ("node0",)

    def test_a_selector_that_is_no_expression_is_told_once(self) -> None:
        members = [
            {"name": "gpu", "driver": GPU, "selectors": [{"cel": {"expression": "device.drver == 'a'"}}]},
            {"name": "nic", "driver": NIC},
        ]
        done = made(gpus(2), nics(1), members=members)

        assert done.pools == ()
        assert [each.code for each in done.findings if each.severity == "error"] == ["compound-selector-invalid"]
        assert "Selector 1 of member gpu: compilation failed" in done.findings[0].message

    def test_a_selector_that_fails_on_a_device_names_it(self) -> None:
        members = [
            {
                "name": "gpu",
                "driver": GPU,
                "selectors": [{"cel": {"expression": f'device.attributes["{GPU}"].model == "x"'}}],
            },
            {"name": "nic", "driver": NIC},
        ]
        done = made(gpus(1), nics(1), members=members)

        assert done.pools == ()
        assert (done.findings[0].code, done.findings[0].object) == ("compound-selector-failed", f"{GPU}/node0/gpu0")
        assert "no such key" in done.findings[0].message

    def test_a_device_that_two_members_select_is_refused(self) -> None:
        members = [{"name": "gpu", "driver": GPU}, {"name": "big", "driver": GPU}]
        done = made(gpus(1), members=members, molecules=[{"count": {"gpu": 1, "big": {"min": 0, "max": 1}}}])
        assert codes(done) == ["compound-member-twice"]
        assert "Members gpu and big both select it" in done.findings[0].message


class TestWarnings:
    def test_devices_without_a_group_are_told(self) -> None:
        gpu = slice_raw(GPU, [device("gpu0", {ROOT: "pci0"}), device("gpu1")])
        done = made(gpu, nics(1))

        assert names(only(done)) == ["gpu0", "gpu0-nic0"]
        assert codes(done) == ["compound-device-ungrouped"]
        assert f"{GPU}/node0/gpu1: without a value" in done.findings[0].message

    def test_devices_on_lists_that_are_not_there_are_told(self) -> None:
        done = made(gpus(1), nics(1), grouping={"lists": TRIPLETS[:1]})
        assert codes(done) == ["compound-device-missing"]
        assert "Group triplet-0 lists gpu gpu1, not there on node0" in done.findings[0].message

    def test_a_listed_name_that_two_pools_have_is_an_error(self) -> None:
        other = gpus(1, pool="second")
        done = made(gpus(1), other, nics(1), grouping={"lists": TRIPLETS[:1]})
        assert "compound-label-twice" in codes(done)
        assert done.pools == ()

    def test_a_node_without_devices_of_a_member_is_told(self) -> None:
        done = made(gpus(2))
        assert set(names(only(done))) == {"gpu0", "gpu1"}
        assert codes(done) == ["compound-member-missing"]
        assert f"No device of {NIC} on node0 is a nic" in done.findings[0].message

    def test_a_name_to_carry_that_nothing_publishes_is_told(self) -> None:
        members = [
            {"name": "gpu", "driver": GPU, "attributes": ["modle"], "capacity": ["memory"]},
            {"name": "nic", "driver": NIC},
        ]
        done = made(gpus(2), nics(1), members=members)

        assert codes(done) == ["compound-nothing-to-carry"]
        assert "No gpu publishes attribute modle and capacity memory" in done.findings[0].message

    def test_only_wanted_nodes_are_made(self) -> None:
        raws = [gpus(2), nics(1), gpus(2, node="node1"), nics(1, node="node1")]
        done = compound(rule(), pools(*raws), nodes=["node1"])
        assert [each.node for each in done.pools] == ["node1"]
