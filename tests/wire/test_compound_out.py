"""Slices written as manifests read back the same: v1 for every published v1 shape, and the proposal's form of 2024."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pools.domain.device import AttributeValue, Device, NodeReach, Taint
from pools.domain.pool import Meta, Slice
from pools.wire.documents import Document, read
from pools.wire.prototype_out import resource_pool
from pools.wire.registry import decode
from pools.wire.v1_out import resource_slice
from tests.conftest import shared_path
from tests.core import builders
from tests.wire.samples import SLICE


def comparable(item: Slice) -> Slice:
    """Without what only a server writes."""
    return replace(item, meta=replace(item.meta, uid="", resource_version="", created="", deleted=""))


def test_a_slice_with_every_field_is_written_as_it_was_read() -> None:
    item = decode(SLICE)
    assert isinstance(item, Slice)
    assert resource_slice(item) == SLICE


@pytest.mark.parametrize(
    "name", ["f4-v1-134-sameslice", "f5-v1-135-split", "f6-v1-137-types-groups", "g2-compound-sharedcounters"]
)
def test_published_slices_survive_writing_and_reading(name: str) -> None:
    documents = read(shared_path("fixtures", "shapes", f"{name}.yaml").read_bytes())
    raws = [each.raw for each in documents if isinstance(each, Document) and each.raw["kind"] == "ResourceSlice"]
    assert raws
    for raw in raws:
        item = decode(raw)
        assert isinstance(item, Slice)
        assert decode(resource_slice(item)) == comparable(item)


def test_node_selection_sharing_and_conditions_survive() -> None:
    raw = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {
            "name": "s",
            "labels": {"a": "b"},
            "annotations": {"c": "d"},
            "ownerReferences": [{"kind": "Node", "name": "n", "uid": "1"}],
        },
        "spec": {
            "driver": "a.b",
            "pool": {"name": "p/q", "generation": 3, "resourceSliceCount": 2},
            "perDeviceNodeSelection": True,
            "partitionTypeAttribute": "a.b/type",
            "devices": [
                {"name": "here", "nodeName": "n", "allowMultipleAllocations": True},
                {"name": "everywhere", "allNodes": True, "bindsToNode": True},
                {
                    "name": "zone",
                    "nodeSelector": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
                            {"matchFields": [{"key": "metadata.name", "operator": "Exists"}]},
                            {},
                        ]
                    },
                    "bindingConditions": ["ready"],
                    "bindingFailureConditions": ["failed"],
                },
                {"name": "nowhere", "nodeSelector": {"nodeSelectorTerms": []}},
                {
                    "name": "shared",
                    "capacity": {
                        "m": {"value": "8Gi", "requestPolicy": {"default": "1Gi", "validValues": ["1Gi", "2Gi"]}},
                        "n": {"value": "8", "requestPolicy": {"validRange": {"min": "0", "max": "4", "step": "2"}}},
                    },
                    "attributes": {"zero": {"int": 0}, "no": {"bool": False}, "empty": {"string": ""}},
                    "consumesCounters": [
                        {"counterSet": "s", "counters": {"c": {"value": "0"}}, "compatibilityGroups": ["g"]}
                    ],
                },
            ],
        },
    }
    item = decode(raw)
    assert isinstance(item, Slice)
    assert resource_slice(item) == raw


def test_an_attribute_of_an_unknown_kind_is_not_written_as_something_else() -> None:
    item = builders.slice_(devices=[Device("d", {"colour": AttributeValue("unknown", None)})])
    with pytest.raises(ValueError, match="attribute colour is of a kind"):
        resource_slice(item)


class TestPrototype:
    ITEM = builders.slice_(
        devices=[
            Device(
                "d",
                {
                    "a.b/i": AttributeValue("int", 1),
                    "a.b/b": AttributeValue("bool", False),
                    "a.b/s": AttributeValue("string", "x"),
                    "a.b/v": AttributeValue("version", "1.2.3"),
                    "a.b/l": AttributeValue("strings", ("x", "y")),
                    "a.b/n": AttributeValue("ints", (1, 2)),
                },
                builders.device("x", capacity={"a.b/memory": "80Gi"}).capacity,
                (builders.consumption("s", {"gpu0": 1}),),
            )
        ],
        driver="a.b",
    )
    COUNTERS = builders.slice_("c", sets=[builders.counter_set("s", {"gpu0": 1})], driver="a.b")

    def test_all_slices_become_one_pool_that_reads_back(self) -> None:
        item = decode(resource_pool([self.COUNTERS, self.ITEM]))

        assert isinstance(item, Slice)
        assert (item.form, item.driver, item.pool, item.reach.node_name) == ("b", "a.b", "n1", "n1")
        assert item.devices[0].attributes == self.ITEM.devices[0].attributes
        assert item.devices[0].capacity == self.ITEM.devices[0].capacity
        assert item.devices[0].consumes[0].counters == self.ITEM.devices[0].consumes[0].counters
        assert item.counter_sets[0].counters == self.COUNTERS.counter_sets[0].counters

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"pool": "a/b"}, "whose name has no slash"),
            ({"reach": NodeReach(all_nodes=True)}, "only pools of one node"),
            ({"devices": (Device("d", taints=(Taint("k", effect="NoSchedule"),)),)}, "device d has taints"),
            ({"devices": (Device("d", {"b": AttributeValue("bools", (True,))}),)}, "attribute b is of a kind"),
            ({"devices": tuple(Device(f"d{i}") for i in range(129))}, "129 devices in a pool; the proposal allows 128"),
            ({"counter_sets": (builders.counter_set("s", {f"c{i}": 1 for i in range(33)}),)}, "33 counters"),
            ({"counter_sets": (builders.counter_set("s", {"c": 1}), builders.counter_set("t", {"c": 1}))}, "called c"),
            (
                {"devices": (Device("d", {f"a{i}": AttributeValue("int", i) for i in range(33)}),)},
                "33 attributes of d",
            ),
        ],
    )
    def test_what_has_no_place_in_the_form_is_refused_by_name(self, change: dict[str, object], reason: str) -> None:
        with pytest.raises(ValueError, match=reason):
            resource_pool([replace(self.ITEM, meta=Meta("x"), **change)])  # type: ignore[arg-type]
