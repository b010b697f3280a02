"""The 2024 prototypes, including what their published data do against their own rules."""

from __future__ import annotations

from typing import Any

import pytest

from pools.domain.errors import Undecodable
from pools.domain.pool import Slice
from pools.wire.documents import read
from pools.wire.registry import decode


def pool(spec: dict[str, Any], *, kind: str = "ResourcePool", version: str = "resource.k8s.io/v1alpha3") -> Slice:
    spec = {"nodeName": "n0", "driverName": "gpu.example.com", **spec}
    return decode({"apiVersion": version, "kind": kind, "metadata": {"name": "pool-0"}, "spec": spec})


def refused(spec: dict[str, Any], **options: str) -> Undecodable:
    with pytest.raises(Undecodable) as caught:
        pool(spec, **options)
    return caught.value


def bags(one: Slice) -> dict[str, dict[str, str]]:
    return {each.name: {name: amount.text for name, amount in each.counters.items()} for each in one.counter_sets}


def draws(one: Slice) -> dict[str, dict[str, dict[str, str]]]:
    return {
        device.name: {
            each.counter_set: {name: amount.text for name, amount in each.counters.items()} for each in device.consumes
        }
        for device in one.devices
    }


class TestPublishedData:
    def test_shared_resources_may_be_a_map_of_bare_numbers(self) -> None:
        one = pool(
            {
                "sharedResources": {"vfs-pf-0": 2},
                "attributes": [{"name": "vendor", "stringValue": "e"}, {"name": "bandwidth", "quantityValue": "1G"}],
                "devices": [
                    {
                        "name": "pf-0",
                        "attributes": [{"name": "sriovType", "stringValue": "pf"}],
                        "sharedResourcesConsumed": {"vfs-pf-0": 2},
                        "claimResourcesProvided": {"pf": 1},
                    }
                ],
            },
            kind="DevicePool",
            version="devmgmtproto.k8s.io/v1alpha1",
        )
        assert one.form == "00"
        assert bags(one) == {"shared": {"vfs-pf-0": "2"}}
        assert draws(one) == {"pf-0": {"shared": {"vfs-pf-0": "2"}}}
        (device,) = one.devices
        assert {name: value.value for name, value in device.attributes.items()} == {"vendor": "e", "sriovType": "pf"}
        assert {name: value.value.text for name, value in device.capacity.items()} == {"bandwidth": "1G", "pf": "1"}

    def test_a_device_pool_with_the_later_fields_is_read(self) -> None:
        one = pool({"devices": [{"name": "pf-0", "attributes": [{"name": "t", "string": "pf"}]}]}, kind="DevicePool")
        assert (one.driver, one.devices[0].attributes["t"].value) == ("gpu.example.com", "pf")

    def test_a_pool_without_anything_to_share_is_the_merged_form(self) -> None:
        one = pool({"devices": [{"name": "pf-0"}]})
        assert (one.form, one.counter_sets, one.devices[0].consumes) == ("e2", (), ())

    def test_drivers_with_a_slash_dots_and_hyphens_are_read(self) -> None:
        one = pool(
            {
                "driverName": "gpu.nvidia.com/dra",
                "sharedCapacity": [{"name": "gpu-0-memory-slices-0", "capacity": "1"}],
                "devices": [
                    {
                        "name": "gpu-0-mig-1g.5gb-0",
                        "sharedCapacityConsumed": [{"name": "gpu-0-memory-slices-0", "capacity": "1"}],
                    }
                ],
            }
        )
        assert one.driver == "gpu.nvidia.com/dra"
        assert draws(one) == {"gpu-0-mig-1g.5gb-0": {"shared": {"gpu-0-memory-slices-0": "1"}}}

    def test_dangling_references_are_kept_for_others_to_judge(self) -> None:
        one = pool(
            {
                "sharedCapacity": [{"name": "memory-slices-0", "capacity": "1"}],
                "devices": [{"name": "a", "sharedCapacityConsumed": [{"name": "memory-slices-00", "capacity": "1"}]}],
            }
        )
        assert draws(one) == {"a": {"shared": {"memory-slices-00": "1"}}}

    def test_devices_that_consume_what_no_pool_declares_tell_the_form_too(self) -> None:
        for key, form in (
            ("sharedConsumed", "b"),
            ("sharedResourcesConsumed", "00"),
            ("sharedAllocatableConsumed", "a"),
            ("sharedCapacityConsumed", "e2"),
        ):
            one = pool({"devices": [{"name": "a", key: {"memory": 1}}]})
            assert (one.form, draws(one)) == (form, {"a": {"shared": {"memory": "1"}}})

    def test_the_older_spelling_of_consumption_is_read(self) -> None:
        one = pool(
            {"sharedResources": [], "devices": [{"name": "a", "consumesSharedResources": {"memory": "1Gi"}}]},
            kind="DevicePool",
        )
        assert draws(one) == {"a": {"shared": {"memory": "1Gi"}}}

    def test_a_top_level_sequence_of_pools_is_read(self) -> None:
        text = """
- apiVersion: resource.k8s.io/v1alpha3
  kind: ResourcePool
  metadata: {creationTimestamp: null, name: p}
  spec: {driverName: d, nodeName: n, sharedCapacity: [{name: m, capacity: 1}]}
"""
        (document,) = read(text.encode())
        assert bags(decode(document.raw)) == {"shared": {"m": "1"}}


class TestGroups:
    def test_a_device_may_draw_on_several_named_groups(self) -> None:
        one = pool(
            {
                "sharedAllocatable": [
                    {"name": "gpu-0", "allocatable": [{"name": "memory", "capacity": "40Gi"}]},
                    {"name": "uncore", "allocatable": [{"name": "links", "capacity": 4}]},
                ],
                "devices": [
                    {
                        "name": "a",
                        "sharedAllocatableConsumed": [
                            {"allocatableGroupName": "gpu-0", "resourceName": "memory", "quantity": "1Gi"},
                            {"allocatableGroupName": "uncore", "resourceName": "links", "quantity": "1"},
                        ],
                    }
                ],
            }
        )
        assert one.form == "c"
        assert bags(one) == {"gpu-0": {"memory": "40Gi"}, "uncore": {"links": "4"}}
        assert draws(one) == {"a": {"gpu-0": {"memory": "1Gi"}, "uncore": {"links": "1"}}}

    def test_the_renamed_inner_list_of_grouped_capacity_is_read(self) -> None:
        one = pool(
            {
                "sharedCapacity": [{"name": "g", "items": [{"name": "m", "capacity": "2"}]}],
                "devices": [
                    {"name": "a", "sharedCapacityConsumed": [{"name": "g", "items": [{"name": "m", "capacity": "1"}]}]}
                ],
            }
        )
        assert (one.form, bags(one), draws(one)) == ("e3", {"g": {"m": "2"}}, {"a": {"g": {"m": "1"}}})

    def test_nameless_groups_are_called_by_their_position(self) -> None:
        group = {
            "sharedAllocatable": [{"name": "m", "capacity": "2"}],
            "devices": [{"name": "a", "sharedAllocatableConsumed": {"m": "1"}}],
        }
        other = {**group, "devices": [{"name": "b", "sharedAllocatableConsumed": {"m": "2"}}]}
        one = pool({"deviceGroups": [group, {"devices": [{"name": "c"}]}, other]})
        assert bags(one) == {"group-0": {"m": "2"}, "group-1": {}, "group-2": {"m": "2"}}
        assert draws(one) == {"a": {"group-0": {"m": "1"}}, "c": {}, "b": {"group-2": {"m": "2"}}}

    def test_faults_in_groups_tell_the_whole_path(self) -> None:
        spec = {"deviceGroups": [{}, {"devices": [{"name": "a", "sharedAllocatableConsumed": {"m": "x"}}]}]}
        assert refused(spec).path == "spec.deviceGroups[1].devices[0].sharedAllocatableConsumed.m"
        spec = {"sharedCapacity": [{"name": "g", "resources": [{"name": "m", "capacity": "x"}]}]}
        assert refused(spec).path == "spec.sharedCapacity[0].resources[0].capacity"

    @pytest.mark.parametrize(
        "amounts",
        [
            [{"name": "m", "capacity": "1"}, {"name": "m", "capacity": "2"}],
            [{"name": "g", "resources": []}, {"name": "g", "resources": []}],
        ],
    )
    def test_one_name_twice_is_refused_and_not_dropped(self, amounts: list[Any]) -> None:
        fault = refused({"sharedCapacity": amounts})
        assert fault.path.startswith("spec.sharedCapacity[1]")
        assert "stands twice" in fault.reason


class TestRanges:
    def model(self, shared: str, drawn: str) -> dict[str, Any]:
        return {
            "apiVersion": "resource.k8s.io/v1alpha2",
            "kind": "ResourcePool",
            "metadata": {"name": "p"},
            "driverName": "d",
            "nodeName": "n",
            "namedDevices": {
                "commonAttributes": [{"name": "brand", "string": "x"}, {"name": "index", "int": 0}],
                "sharedResources": [{"name": "s", "intRange": shared}],
                "devices": [
                    {
                        "name": "a",
                        "attributes": [{"name": "index", "int": 1}, {"name": "on", "intSlice": {"ints": [1, 2]}}],
                        "resources": {
                            "fromSharedPool": [{"name": "s", "intRange": drawn}],
                            "local": [{"name": "vram", "quantity": "2Gi"}],
                        },
                    }
                ],
            },
        }

    def test_a_range_becomes_counters_of_one(self) -> None:
        one = decode(self.model("0-7", "4-5"))
        assert bags(one) == {"shared": {f"s-{index}": "1" for index in range(8)}}
        assert draws(one) == {"a": {"shared": {"s-4": "1", "s-5": "1"}}}
        assert draws(decode(self.model("0-7", "3"))) == {"a": {"shared": {"s-3": "1"}}}

    def test_common_attributes_give_way_to_the_devices_own(self) -> None:
        (device,) = decode(self.model("0", "0")).devices
        assert {name: value.value for name, value in device.attributes.items()} == {
            "brand": "x",
            "index": 1,
            "on": (1, 2),
        }
        assert device.capacity["vram"].value.text == "2Gi"

    @pytest.mark.parametrize(
        ("written", "reason"),
        [
            ("7-0", "runs backwards"),
            ("0-99999", "more than 4096 indices"),
            ("0-999999999", "more than 4096 indices"),
            ("a", "expected a range"),
            ("0-7-9", "expected a range"),
            ("", "expected a range"),
            ("-1", "expected a range"),
            ("1" * 30, "expected a range"),
        ],
    )
    def test_ranges_are_bounded_and_sane(self, written: str, reason: str) -> None:
        for raw, path in (
            (self.model(written, "0"), "namedDevices.sharedResources[0].intRange"),
            (self.model("0", written), "namedDevices.devices[0].resources.fromSharedPool[0].intRange"),
        ):
            with pytest.raises(Undecodable, match=reason) as caught:
                decode(raw)
            assert caught.value.path == path

    def test_a_pool_off_any_node_is_reached_from_everywhere_where_its_types_say_so(self) -> None:
        raw = self.model("0", "0")
        del raw["nodeName"]
        assert decode(raw).reach.all_nodes
        assert not pool({"nodeName": None, "sharedCapacity": []}).reach.is_set
        assert pool({"nodeName": None, "sharedResources": []}, kind="DevicePool").reach.all_nodes


class TestAttributes:
    def test_every_spelling_of_a_value_is_read(self) -> None:
        values = [
            {"name": "a", "string": "x"},
            {"name": "b", "bool": False},
            {"name": "c", "int": 0},
            {"name": "d", "version": "1.0.0"},
            {"name": "e", "stringValue": "y"},
            {"name": "f", "intValue": 7},
            {"name": "g", "semVerValue": "2.0.0"},
            {"name": "h", "stringSlice": {"strings": ["p", "q"]}},
            {"name": "i", "colour": "red"},
        ]
        (device,) = pool({"devices": [{"name": "x", "attributes": [*values, {"name": "j", "quantity": "1G"}]}]}).devices
        assert [(one.kind, one.value) for one in device.attributes.values()] == [
            ("string", "x"),
            ("bool", False),
            ("int", 0),
            ("version", "1.0.0"),
            ("string", "y"),
            ("int", 7),
            ("version", "2.0.0"),
            ("strings", ("p", "q")),
            ("unknown", None),
        ]
        assert {name: one.value.text for name, one in device.capacity.items()} == {"j": "1G"}

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            ({"name": "a", "intValue": "7"}, "attributes[0].intValue"),
            ({"name": "a", "string": 7}, "attributes[0].string"),
            ({"name": "a", "quantity": "x"}, "attributes[0].quantity"),
            ({"name": "a", "intSlice": [1]}, "attributes[0].intSlice"),
            ({"string": "x"}, "attributes[0].name"),
        ],
    )
    def test_a_fault_is_told_in_the_published_spelling(self, value: dict[str, Any], path: str) -> None:
        fault = refused({"devices": [{"name": "x", "attributes": [value]}]})
        assert fault.path == f"spec.devices[0].{path}"


class TestEarlySlices:
    def slice_(self, **spec: Any) -> Slice:
        known = {"poolName": "n", "poolGeneration": 3, "poolDeviceCount": 1, "devices": [{"name": "a"}], **spec}
        return pool(known, kind="ResourceSlice")

    def test_a_slice_that_shares_nothing_is_still_of_the_early_form(self) -> None:
        one = self.slice_()
        assert (one.form, one.pool, one.generation, one.device_count, one.slice_count) == ("f0", "n", 3, 1, 0)
        assert one.scope == "slice"

    def test_a_slice_with_shared_capacity_must_name_its_pool(self) -> None:
        assert refused({"sharedCapacity": []}, kind="ResourceSlice").path == "spec.poolDeviceCount"

    @pytest.mark.parametrize(
        ("spec", "path"),
        [
            ({"poolDeviceCount": None}, "poolDeviceCount"),
            ({"poolDeviceCount": -1}, "poolDeviceCount"),
            ({"poolName": ""}, "poolName"),
        ],
    )
    def test_name_and_device_count_are_required(self, spec: dict[str, Any], path: str) -> None:
        with pytest.raises(Undecodable) as caught:
            self.slice_(**spec)
        assert caught.value.path == f"spec.{path}"


class TestClaims:
    def claim(self, spec: dict[str, Any], status: dict[str, Any] | None = None, version: str = "v1alpha2") -> Any:
        raw = {"apiVersion": f"resource.k8s.io/{version}", "kind": "ResourceClaim", "metadata": {"name": "c"}}
        return decode({**raw, "spec": spec, "status": status or {}})

    def test_requests_without_names_are_counted(self) -> None:
        claim = self.claim({"constraints": None, "requests": [{"deviceClassName": "gpu"}, {}, {"name": "x"}]})
        assert [request.name for request in claim.requests] == ["request-0", "request-1", "x"]
        assert [request.alternatives[0].device_class for request in claim.requests] == ["gpu", "", ""]
        assert claim.form == "prototype"
        assert claim.constraints == ()
        assert claim.allocation is None

    def test_admin_access_is_looked_up_in_the_request(self) -> None:
        spec = {"requests": [{"name": "watch", "adminAccess": True}, {"name": "use", "adminAccess": None}]}
        results = [{"requestName": "watch", "deviceName": "a"}, {"requestName": "use", "deviceName": "b"}]
        data = [{"driverName": "d", "data": {"results": results}}]
        claim = self.claim(spec, {"allocation": {"nodeName": "n", "driverData": data}})
        assert [(one.device, one.admin_access) for one in claim.allocation.results] == [("a", True), ("b", False)]

    def test_results_without_request_names_belong_in_order(self) -> None:
        data = [{"driverName": driver, "data": {"results": [{"deviceName": driver}]}} for driver in ("d", "e")]
        claim = self.claim({"requests": [{}, {"adminAccess": True}]}, {"allocation": {"driverData": data}})
        assert [(one.request, one.driver, one.admin_access) for one in claim.allocation.results] == [
            ("request-0", "d", False),
            ("request-1", "e", True),
        ]
        assert claim.allocation.nodes is None

    def test_the_variant_with_pools_in_its_results_is_read(self) -> None:
        results = [{"driverName": "d", "devicePoolName": "p", "requestName": "r", "deviceName": "x"}]
        status = {"allocation": {"results": results, "availableOnNodes": {"nodeSelectorTerms": []}}}
        claim = self.claim({"requests": [{"name": "r"}]}, status)
        assert [(one.driver, one.pool, one.device) for one in claim.allocation.results] == [("d", "p", "x")]
        assert claim.allocation.nodes == ()

    def test_structure_and_not_the_version_makes_it_a_prototype_claim(self) -> None:
        assert self.claim({"requests": []}, version="v1alpha3").form == "prototype"
        assert self.claim({"devices": {"requests": []}}, version="v1alpha3").form == "v1alpha3"

    @pytest.mark.parametrize(
        ("spec", "status", "path"),
        [
            ({"requests": [{"requirements": [{}]}]}, {}, "spec.requests[0].requirements[0].deviceSelector"),
            ({"requests": [{"name": 5}]}, {}, "spec.requests[0].name"),
            ({"constraints": [{"matchAttribute": []}]}, {}, "spec.constraints[0].matchAttribute"),
            (
                {"requests": []},
                {"allocation": {"driverData": [{"driverName": "d", "data": {"results": [{}]}}]}},
                "status.allocation.driverData[0].data.results[0].deviceName",
            ),
            ({"requests": []}, {"allocation": {"driverData": [{}]}}, "status.allocation.driverData[0].driverName"),
        ],
    )
    def test_faults_tell_the_path(self, spec: dict[str, Any], status: dict[str, Any], path: str) -> None:
        with pytest.raises(Undecodable) as caught:
            self.claim(spec, status)
        assert caught.value.path == path

    def test_a_class_without_spec_is_read_by_its_requirements(self) -> None:
        raw = {"apiVersion": "resource.k8s.io/v1alpha2", "kind": "DeviceClass", "metadata": {"name": "k"}}
        assert decode({**raw, "requirements": [{"deviceSelector": "true"}]}).selectors == ("true",)
        assert decode(raw).selectors == ()
