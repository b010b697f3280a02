"""Type labels: what people call partitions."""

from __future__ import annotations

import pytest

from pools.core.gather import gather
from tests.core.builders import consumption, counter_set, device, pool_of, report_of, slice_


def types(report) -> dict[str, str]:
    return {each.id.name: each.type for each in report.devices}


def gpu(*devices):
    return report_of(pool_of(devices, [counter_set("g", {"memory": "40Gi", "sm": 98, "ce": 7})]))


def part(name, memory, sm, **strings):
    return device(name, consumption("g", {"memory": memory, "sm": sm, "ce": 1}), **strings)


def whole(name, **strings):
    return device(name, consumption("g", {"memory": "40Gi", "sm": 98, "ce": 7}), **strings)


def test_the_slice_s_partition_type_attribute_goes_first():
    devices = [part("a", "5Gi", 14, flavour="small", profile="1g"), part("b", "10Gi", 28, profile="2g")]
    sets = [counter_set("g", {"memory": "40Gi", "sm": 98, "ce": 7})]
    for attribute in ("flavour", "gpu.example.com/flavour"):
        slices = [
            slice_("b", devices, count=2, partition_type_attribute=attribute),
            slice_("a", sets=sets, count=2),
        ]
        (pool,) = gather(slices)
        assert types(report_of(pool)) == {"a": "small", "b": "2g"}


@pytest.mark.parametrize("attribute", ["profile", "mig_profile", "partitionProfile"])
def test_a_profile_names_the_type_and_the_whole_device_is_called_whole(attribute):
    report = gpu(
        whole("gpu-0", type="gpu", productName="Big 9000"),
        part("gpu-0-a", "5Gi", 14, type="part", productName="Big 9000", **{attribute: "1g.5gb"}),
        part("gpu-0-b", "5Gi", 14, type="part", productName="Big 9000", **{attribute: "1g.5gb+me"}),
    )
    assert types(report) == {"gpu-0": "whole gpu", "gpu-0-a": "1g.5gb", "gpu-0-b": "1g.5gb+me"}


def test_an_attribute_that_tells_partitions_apart_names_them_even_when_unknown():
    report = gpu(whole("x", cut="all"), part("y", "20Gi", 49, cut="half"), part("z", "20Gi", 49, cut="half"))
    assert types(report) == {"x": "all", "y": "half", "z": "half"}


def test_an_attribute_with_one_value_for_different_partitions_does_not_name_them():
    halves = [part(f"gpu-0-half-{n}", "20Gi", 49, type="part") for n in range(2)]
    report = gpu(whole("gpu-0", type="part"), *halves)
    assert types(report) == {"gpu-0": "whole", "gpu-0-half-0": "half", "gpu-0-half-1": "half"}


def test_an_identity_is_no_type():
    report = gpu(*[part(f"gpu-0-mig-1g-5gb-{n}", "5Gi", 14, uuid=f"u-{n}") for n in range(3)])
    assert len({each.type for each in report.devices}) == 1


def test_compound_devices_are_named_by_what_they_take():
    def takes(name, *counters):
        return device(name, consumption("node", dict.fromkeys(counters, 1)))

    devices = [
        takes("gpu0", "gpu0"),
        takes("gpu0-nic0", "gpu0", "nic0"),
        takes("gpu1", "gpu1"),
        takes("gpu0-gpu1-nic0", "gpu0", "gpu1", "nic0"),
    ]
    report = report_of(pool_of(devices, [counter_set("node", {"gpu0": 1, "gpu1": 1, "nic0": 1})]))
    assert types(report) == {"gpu0": "gpu", "gpu0-nic0": "gpu + nic", "gpu1": "gpu", "gpu0-gpu1-nic0": "2 gpu + nic"}


def test_names_that_do_not_group_give_way_to_consumption():
    names = ["zeta", "eta", "theta"]
    report = gpu(*[device(name, consumption("g", {"memory": "5Gi", "sm": 14, "ce": 1})) for name in names])
    assert len({each.type for each in report.devices}) == 1


def test_devices_without_counters_go_by_type_then_model_then_name():
    plain = report_of(pool_of([device("gpu-0", type="gpu", uuid="a"), device("gpu-1", type="gpu", uuid="b")]))
    models = report_of(pool_of([device("gpu-0", model="T4"), device("gpu-1", model="T4")]))
    bare = report_of(pool_of([device("cpu-000"), device("cpu-001")]))
    small, big = (device(name, capacity={"memory": name}, size=name) for name in ("1Gi", "9Gi"))
    sizes = report_of(pool_of([small, big]))
    assert set(types(plain).values()) == {"gpu"}
    assert set(types(models).values()) == {"T4"}
    assert set(types(bare).values()) == {"cpu"}
    assert types(sizes) == {"1Gi": "1Gi", "9Gi": "9Gi"}


def test_one_label_for_different_partitions_is_numbered():
    report = report_of(
        pool_of([device("gpu-0", capacity={"memory": "1Gi"}), device("gpu-1", capacity={"memory": "2Gi"})])
    )
    assert types(report) == {"gpu-0": "gpu 1", "gpu-1": "gpu 2"}
