"""What molecules carry of their members: attributes, capacity, and the limits on them."""

from __future__ import annotations

from typing import Any

import pytest

from pools.domain.device import AttributeValue
from tests.compounds import COMPOUND, GPU, NIC, ROOT, codes, device, gpus, made, nics, only, slice_raw


class TestAttributes:
    MEMBERS = [
        {"name": "gpu", "driver": GPU, "attributes": ["model", "gpu.example.com/uuid", ROOT], "capacity": ["memory"]},
        {"name": "nic", "driver": NIC, "attributes": ["speed", ROOT]},
    ]

    def raws(self, *models: str) -> tuple[dict[str, Any], dict[str, Any]]:
        gpu = slice_raw(
            GPU,
            [
                device(
                    f"gpu{i}",
                    {ROOT: "r", "model": model, "uuid": f"u{i}", "secret": 1},
                    capacity={"memory": {"value": f"{40 * (i + 1)}Gi"}},
                )
                for i, model in enumerate(models)
            ],
        )
        return gpu, slice_raw(NIC, [device("nic0", {ROOT: "r", "speed": 400})])

    def whole(self, *models: str, **spec: Any) -> Any:
        return only(made(*self.raws(*models), **{"members": self.MEMBERS, **spec})).slices[1].devices[-1]

    def values(self, found: Any) -> dict[str, Any]:
        return {key: value.value for key, value in found.attributes.items() if not key.startswith("dashboard.dra.dev/")}

    def test_attributes_have_the_domain_of_their_driver(self) -> None:
        found = only(made(*self.raws("H"), members=self.MEMBERS)).slices[1].devices[1]

        assert self.values(found) == {
            f"{COMPOUND}/type": "1gpu-1nic",
            f"{GPU}/model": "H",
            f"{GPU}/uuid": "u0",
            ROOT: "r",
            f"{NIC}/speed": 400,
        }
        assert {key: str(value.value) for key, value in found.capacity.items()} == {f"{GPU}/memory": "40Gi"}

    def test_what_members_agree_in_is_there_once_and_the_rest_by_index(self) -> None:
        found = self.whole("H", "H")

        assert self.values(found) == {
            f"{COMPOUND}/type": "2gpu-1nic",
            f"{GPU}/model": "H",
            f"{GPU}/uuid_0": "u0",
            f"{GPU}/uuid_1": "u1",
            ROOT: "r",
            f"{NIC}/speed": 400,
        }
        assert {key: str(each.value) for key, each in found.capacity.items()} == {
            f"{GPU}/memory_0": "40Gi",
            f"{GPU}/memory_1": "80Gi",
        }

    def test_or_as_a_list_and_a_sum(self) -> None:
        found = self.whole("H", "A", repeatedAttributes="List", repeatedCapacity="Sum")

        assert found.attributes[f"{GPU}/uuid"] == AttributeValue("strings", ("u0", "u1"))
        assert found.attributes[f"{GPU}/model"] == AttributeValue("strings", ("H", "A"))
        assert {key: str(each.value) for key, each in found.capacity.items()} == {f"{GPU}/memory": "120Gi"}

    def test_or_not_at_all(self) -> None:
        found = self.whole("H", "H", repeatedAttributes="Omit", repeatedCapacity="Omit")
        assert f"{GPU}/model" in found.attributes
        assert not any("uuid" in key for key in found.attributes)
        assert found.capacity == {}

    def test_a_value_that_only_one_of_two_has_never_looks_like_both(self) -> None:
        gpu, nic = self.raws("H", "H")
        del gpu["spec"]["devices"][1]["attributes"]["model"]
        found = only(made(gpu, nic, members=self.MEMBERS)).slices[1].devices[-1]
        assert f"{GPU}/model" not in found.attributes
        assert found.attributes[f"{GPU}/model_0"].value == "H"

    def test_molecules_that_lack_a_plain_attribute_are_told(self) -> None:
        done = made(*self.raws("H", "H"), members=self.MEMBERS)
        assert codes(done) == ["compound-attribute-uneven"]
        assert f"Members differ in {GPU}/uuid, so molecules such as gpu0-gpu1-nic0" in done.findings[0].message

    def test_all_is_carried_unless_the_rule_names_some(self) -> None:
        assert f"{GPU}/secret" in only(made(*self.raws("H"))).slices[1].devices[0].attributes
        assert f"{GPU}/secret" not in only(made(*self.raws("H"), members=self.MEMBERS)).slices[1].devices[0].attributes

    @pytest.mark.parametrize(
        ("attributes", "says"),
        [
            ({f"a{i}": i for i in range(33)}, "more than 32 attributes and capacities"),
            ({"long": "x" * 65}, f"a value of {GPU}/long is longer than 64 bytes"),
            ({"not-an-id": 1}, "is no attribute's name"),
            ({"x" * 31: 0}, None),
            ({"odd": {"colour": "red"}}, "is of a kind that is not known here"),
        ],
    )
    def test_limits_are_told_by_molecule(self, attributes: dict[str, Any], says: str | None) -> None:
        raw = slice_raw(GPU, [device("gpu0", {ROOT: "r", **attributes})])
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]))
        if says is None:
            assert done.pools
            return
        assert done.pools == ()
        assert {each.code for each in done.findings} == {"compound-limit"}
        assert any("Molecule gpu0 and gpu0-nic0 cannot be published" in each.message for each in done.findings)
        assert any(says in each.message for each in done.findings)

    def test_an_index_that_makes_an_identifier_too_long_is_told(self) -> None:
        raw = slice_raw(GPU, [device(f"gpu{i}", {ROOT: "r", "x" * 31: i}) for i in range(2)])
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]))
        assert any("identifier of at most 32" in each.message for each in done.findings)

    def test_a_list_of_different_kinds_is_told(self) -> None:
        raw = slice_raw(GPU, [device("gpu0", {ROOT: "r", "v": 1}), device("gpu1", {ROOT: "r", "v": "1"})])
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]), repeatedAttributes="List")
        assert "values of different kinds (int, string), which make no list" in done.findings[0].message

    def test_lists_are_joined_without_repeats(self) -> None:
        raw = slice_raw(
            GPU,
            [device("gpu0", {ROOT: "r", "v": {"ints": [1, 2]}}), device("gpu1", {ROOT: "r", "v": 2})],
        )
        pool = only(made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]), repeatedAttributes="List"))
        assert pool.slices[1].devices[-1].attributes[f"{GPU}/v"] == AttributeValue("ints", (1, 2))

    def test_too_many_values_in_lists_are_told(self) -> None:
        raw = slice_raw(
            GPU, [device(f"gpu{i}", {ROOT: "r", "v": {"ints": list(range(30 * i, 30 * i + 30))}}) for i in range(2)]
        )
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]), repeatedAttributes="List")
        assert any("more than 48 values" in each.message for each in done.findings)

    def test_too_many_taints_together_are_told(self) -> None:
        gpu, nic = gpus(1), nics(1)
        for raw in (gpu, nic):
            raw["spec"]["devices"][0]["taints"] = [
                {"key": f"{raw['spec']['driver']}/t{i}", "effect": "NoSchedule"} for i in range(9)
            ]
        done = made(gpu, nic)
        assert any("more than 16 taints come together" in each.message for each in done.findings)

    def test_a_capacity_without_an_amount_is_told(self) -> None:
        raw = slice_raw(GPU, [device("gpu0", {ROOT: "r"}, capacity={"memory": {}})])
        done = made(raw, slice_raw(NIC, [device("nic0", {ROOT: "r"})]))
        assert any("no amount is published for gpu.example.com/memory" in each.message for each in done.findings)
