"""Every published shape of one small GPU gives the same counters and devices, or an error that says what to do."""

from __future__ import annotations

import gzip
import json
import runpy
from itertools import combinations
from pathlib import Path

import pytest

from pools.domain.claim import Claim, ClaimTemplate, DeviceClass
from pools.domain.cluster import Node, Pod
from pools.domain.errors import Undecodable
from pools.domain.pool import Slice
from pools.domain.quantity import parse_quantity
from pools.wire.documents import Document, read
from pools.wire.registry import FORMS, decode
from tests.conftest import shared_path

ACCEPTED = {
    "00-k8srm-devicepool": "00",
    "02-fromsharedpool": "02",
    "a-sharedallocatable": "a",
    "b-sharedconsumable": "b",
    "c-allocatablegroup": "c",
    "d-devicegroups": "d",
    "e1-sharedcapacity-sets": "e1",
    "e2-merged-flat": "e2",
    "e3-pr29-grouped": "e3",
    "f0-kep4381-june2024": "f0",
    "f3-v1beta1-basic": "v1beta1",
    "f4-v1-134-sameslice": "v1",
    "f5-v1-135-split": "v1",
    "f6-v1-137-types-groups": "v1",
}
REFUSED = {
    "01-namedresources-sharedlimits": "01",
    "e4-pr30-common-attributes": "e4",
    "e5-pr31-deviceshape": "e5",
    "e6-pr32-generated": "e6",
    "e7-pr35-templates": "e7",
    "f1-kep4815-v132-composite": "f1",
    "f2-kep4815-capacitypools": "f2",
}
SLICES = [f"memory-slice-{index}" for index in range(8)]
CAPACITY = {"memory": "40Gi", "multiprocessors": "98", **dict.fromkeys(SLICES, "1")}
DEVICES = {
    "gpu-0": CAPACITY,
    "gpu-0-mig-4g-20gb-0": {"memory": "19968Mi", "multiprocessors": "56", **dict.fromkeys(SLICES[:4], "1")},
    "gpu-0-mig-3g-20gb-4": {"memory": "19968Mi", "multiprocessors": "42", **dict.fromkeys(SLICES[4:], "1")},
    "gpu-0-mig-1g-5gb-0": {"memory": "4864Mi", "multiprocessors": "14", SLICES[0]: "1"},
}


def objects(path: Path) -> list[object]:
    documents = read(path.read_bytes(), source=path.name)
    return [decode(document.raw) for document in documents if isinstance(document, Document) or pytest.fail(document)]


def plain(name: str) -> str:
    """A counter's or device's name as the newest form spells it."""
    return name.removeprefix("gpu_0_").replace("_", "-").replace("memory-slices", "memory-slice").replace("g.", "g-")


def exact(amounts: dict[str, str]) -> dict[str, int]:
    return {name: parse_quantity(text).nano for name, text in amounts.items()}


@pytest.mark.parametrize(("file", "form"), ACCEPTED.items())
def test_an_accepted_shape_gives_the_ten_counters_and_four_devices(file: str, form: str) -> None:
    slices = objects(shared_path("fixtures", "shapes", f"{file}.yaml"))
    assert all(isinstance(one, Slice) for one in slices)
    assert {one.form for one in slices} == {form}
    assert {one.driver for one in slices} == {"gpu.example.com"}
    assert {one.reach.node_name for one in slices} == {"node0"}

    (counter_set,) = [counter_set for one in slices for counter_set in one.counter_sets]
    assert {plain(name): amount.nano for name, amount in counter_set.counters.items()} == exact(CAPACITY)

    devices = [device for one in slices for device in one.devices]
    assert [plain(device.name) for device in devices] == list(DEVICES)
    for device in devices:
        (consumption,) = device.consumes
        assert consumption.counter_set == counter_set.name
        drawn = {plain(name): amount.nano for name, amount in consumption.counters.items()}
        assert drawn == exact(DEVICES[plain(device.name)])


@pytest.mark.parametrize("file", ACCEPTED)
def test_an_accepted_shape_leaves_six_feasible_sets(file: str) -> None:
    slices = objects(shared_path("fixtures", "shapes", f"{file}.yaml"))
    free = {name: amount.nano for one in slices for each in one.counter_sets for name, amount in each.counters.items()}
    devices = [device for one in slices for device in one.devices]
    feasible = 0
    for size in range(1, len(devices) + 1):
        for chosen in combinations(devices, size):
            drawn = [consumption.counters for device in chosen for consumption in device.consumes]
            feasible += all(
                sum(one[name].nano for one in drawn if name in one) <= amount for name, amount in free.items()
            )
    assert feasible == 6


@pytest.mark.parametrize(("file", "form"), REFUSED.items())
def test_a_refused_shape_is_named_and_told_what_to_publish_instead(file: str, form: str) -> None:
    (document,) = read(shared_path("fixtures", "shapes", f"{file}.yaml").read_bytes())
    with pytest.raises(Undecodable) as refusal:
        decode(document.raw)
    assert refusal.value.reason.startswith(f"form {form}, {FORMS[form].title}, is not accepted; ")
    assert FORMS[form].remedy in refusal.value.reason
    assert "resource.k8s.io/v1 ResourceSlices" in refusal.value.reason


def test_every_shape_file_is_either_accepted_or_refused() -> None:
    others = {"g1-compound-sharedconsumable", "g2-compound-sharedcounters", "p1-claims-prototype"}
    names = {path.stem for path in shared_path("fixtures", "shapes").glob("*.yaml")}
    assert names == {*ACCEPTED, *REFUSED, *others}


def test_scopes_tell_who_may_draw_on_the_counters() -> None:
    found = {
        file: {one.scope for one in objects(shared_path("fixtures", "shapes", f"{file}.yaml")) if one.counter_sets}
        for file in ACCEPTED
    }
    sliced = {"f0-kep4381-june2024", "f3-v1beta1-basic", "f4-v1-134-sameslice"}
    assert {file for file, scopes in found.items() if scopes == {"slice"}} == sliced
    assert {file for file, scopes in found.items() if scopes == {"pool"}} == set(ACCEPTED) - sliced


def test_prototype_pools_are_known_by_their_object_and_always_complete() -> None:
    for file, form in ACCEPTED.items():
        (known,) = objects(shared_path("fixtures", "shapes", f"{file}.yaml"))[:1]
        if form == "f0":
            assert (known.pool, known.generation, known.slice_count, known.device_count) == ("node0", 1, 0, 4)
        elif not form.startswith("v1"):
            assert (known.pool, known.generation, known.slice_count) == (known.meta.name, 0, 1)
            assert known.device_count is None


def test_unnamed_and_named_bags_keep_or_get_their_names() -> None:
    names = {
        form: objects(shared_path("fixtures", "shapes", f"{file}.yaml"))[0].counter_sets[0].name
        for file, form in ACCEPTED.items()
    }
    assert names == {
        **dict.fromkeys(("00", "02", "a", "b", "e2", "f0"), "shared"),
        "c": "gpu-0",
        "d": "group-0",
        "e1": "gpu-0",
        "e3": "gpu-0-shared-resources",
        "v1beta1": "gpu-0",
        "v1": "gpu-0",
    }


def test_partition_types_and_compatibility_groups_of_1_37_arrive() -> None:
    _, devices = objects(shared_path("fixtures", "shapes", "f6-v1-137-types-groups.yaml"))
    assert devices.partition_type_attribute == "gpu.example.com/profile"
    assert [device.consumes[0].compatibility_groups for device in devices.devices] == [("whole",)] + [("mig",)] * 3
    assert devices.devices[1].attribute("gpu.example.com/profile", "gpu.example.com").value == "4g.20gb"


def test_the_compound_node_is_the_same_in_the_proposal_and_in_v1() -> None:
    proposal = objects(shared_path("fixtures", "shapes", "g1-compound-sharedconsumable.yaml"))
    released = objects(shared_path("fixtures", "shapes", "g2-compound-sharedcounters.yaml"))

    def content(slices: list[Slice]) -> tuple[list[object], list[object]]:
        counters = [each.counters for one in slices for each in one.counter_sets]
        return counters, [(device.name, device.consumes[0].counters) for one in slices for device in one.devices]

    assert content(proposal) == content(released)
    assert len(content(proposal)[1]) == 20


def test_the_prototype_claims_arrive() -> None:
    device_class, template, claim, pod = objects(shared_path("fixtures", "shapes", "p1-claims-prototype.yaml"))
    assert isinstance(device_class, DeviceClass)
    assert device_class.selectors[0].startswith("device.driverName == 'gpu.example.com'")
    assert isinstance(template, ClaimTemplate)
    assert isinstance(claim, Claim)
    assert template.requests == claim.requests
    assert [request.name for request in claim.requests] == ["small", "big"]
    assert claim.constraints[0].match_attribute == "gpu.example.com/parent_uuid"
    results = [(one.request, one.driver, one.pool, one.device, one.admin_access) for one in claim.allocation.results]
    assert results == [
        ("small", "gpu.example.com", None, "gpu-0-mig-1g-5gb-0", False),
        ("big", "gpu.example.com", None, "gpu-0-mig-3g-20gb-4", False),
    ]
    assert claim.allocation.node_name == "node0"
    assert [consumer.name for consumer in claim.reserved_for] == ["demo"]
    assert isinstance(pod, Pod)
    assert [(entry.name, entry.template) for entry in pod.claims] == [("migs", "two-migs")]


def test_every_case_decodes_fully() -> None:
    found: dict[str, int] = {}
    for path in sorted(shared_path("cases").glob("*/input.yaml")):
        for one in objects(path):
            found[type(one).__name__] = found.get(type(one).__name__, 0) + 1
    assert set(found) == {"Slice", "Claim", "DeviceClass", "TaintRule", "Node", "Pod"}
    assert found["Slice"] >= 42


def test_every_scenario_of_the_conformance_set_decodes() -> None:
    count = 0
    with gzip.open(shared_path("conformance", "scenarios.jsonl.gz")) as lines:
        for line in lines:
            scenario = json.loads(line)["scenario"]
            for kind, expected in (
                ("slices", Slice),
                ("classes", DeviceClass),
                ("allocated", Claim),
                ("claims", Claim),
            ):
                for raw in scenario.get(kind) or []:
                    assert isinstance(decode(raw), expected)
                    count += 1
            count += sum(isinstance(decode(raw), Node) for raw in scenario.get("nodes") or [] if isinstance(raw, dict))
    assert count > 10_000


def test_the_slices_of_a_real_driver_decode() -> None:
    build = runpy.run_path(str(shared_path("tools", "mkslices.py")))["build"]
    counters, *devices = [decode(raw) for raw in build("a100-40", 1, "n1")]
    assert len(counters.counter_sets[0].counters) == 15
    assert counters.counter_sets[0].counters["encoders"].nano == 0
    assert sum(len(one.devices) for one in devices) == 26
    assert {(one.driver, one.pool, one.slice_count, one.scope) for one in [counters, *devices]} == {
        ("gpu.nvidia.com", "n1", 2, "pool")
    }
