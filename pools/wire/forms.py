"""The forms in which pools were ever published, and how to tell them apart by structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pools.wire.fields import Raw
from pools.wire.prototype import BAG_KEYS, DRAW_KEYS

_INSTEAD = "publish resource.k8s.io/v1 ResourceSlices with sharedCounters and consumesCounters"


@dataclass(frozen=True, slots=True)
class Form:
    """A form by its short id; `remedy` says what to publish instead of one that is refused, else it is empty."""

    id: str
    title: str
    remedy: str = ""


FORMS = {
    form.id: form
    for form in (
        Form("v1", "resource.k8s.io/v1 (Kubernetes 1.34 and later)"),
        Form("v1beta2", "resource.k8s.io/v1beta2 (Kubernetes 1.33 to 1.38)"),
        Form("v1beta1", "resource.k8s.io/v1beta1 (Kubernetes 1.32 to 1.37)"),
        Form("v1alpha3", "resource.k8s.io/v1alpha3 (Kubernetes 1.31 to 1.33)"),
        Form("prototype", "claims, classes and pods of the 2024 prototype"),
        Form("00", "DevicePool of the k8srm prototype (sharedResources)"),
        Form("02", "namedDevices of the first dra-evolution prototype (fromSharedPool)"),
        Form("a", "one pool for each GPU (sharedAllocatable)"),
        Form("b", "the naming of the compound device proposal (sharedConsumable)"),
        Form("c", "named AllocatableGroups"),
        Form("d", "nameless DeviceGroups"),
        Form("e1", "several sets a pool (sharedCapacity with resources)"),
        Form("e2", "the merged prototype (flat sharedCapacity)"),
        Form("e3", "shared capacity grouped by physical device"),
        Form("f0", "ResourceSlice of KEP-4381, June 2024 (poolDeviceCount)"),
        Form("01", "NamedResources model (namedResources)", _INSTEAD),
        Form(
            "e4",
            "common attributes beside sharedCapacity",
            "repeat spec.attributes in every device and leave them out of the pool (form e2), or " + _INSTEAD,
        ),
        Form("e5", "deviceShape with partitions", "write out every device of every GPU: " + _INSTEAD),
        Form("e6", "deviceShape with generated partitions", "evaluate the expressions and " + _INSTEAD),
        Form("e7", "device and capacity templates", "write out what the templates add up to and " + _INSTEAD),
        Form("f1", "composite devices (consumesCapacityFrom)", "give each source device a counter set: " + _INSTEAD),
        Form("f2", "capacityPools (consumesCapacity)", "resolve the mixins, rename capacityPools, and " + _INSTEAD),
        Form("mixins", "mixins of KEP-5234, which no release serves", "write out what they add up to and " + _INSTEAD),
    )
}

_TOP_LEVEL = (
    ("sharedCapacityTemplates", "e7"),
    ("deviceTemplates", "e7"),
    ("namedResources", "01"),
    ("namedDevices", "02"),
)


def form_of(raw: Raw) -> str:
    """
    The id of the form of a slice or pool by its structure; empty when nothing in it is peculiar to a form.

    apiVersion and kind do not decide: most prototype pools say `resource.k8s.io/v1alpha3` `ResourcePool`.
    """
    for key, form in _TOP_LEVEL:
        if key in raw:
            return form
    value = raw.get("spec")
    spec: dict[str, Any] = value if isinstance(value, dict) else {}
    devices = _objects(spec.get("devices"))
    return _released(spec, devices) or _proposed(spec, devices) or _prototype(spec, devices)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _first_level(device: dict[str, Any]) -> dict[str, Any]:
    basic = device.get("basic")
    return basic if isinstance(basic, dict) else device


def _released(spec: Raw, devices: list[dict[str, Any]]) -> str:
    if "mixins" in spec and "capacityPools" not in spec:
        return "mixins"
    return "v1" if "sharedCounters" in spec or any("consumesCounters" in _first_level(one) for one in devices) else ""


def _proposed(spec: Raw, devices: list[dict[str, Any]]) -> str:
    composites = [
        one[key] for one in devices for key in ("composite", "partitionable") if isinstance(one.get(key), dict)
    ]
    if "capacityPools" in spec or any("consumesCapacity" in one for one in [*devices, *composites]):
        return "f2"
    if "deviceMixins" in spec or composites:
        return "f1"
    if "deviceShape" not in spec:
        return ""
    shape = spec["deviceShape"] if isinstance(spec["deviceShape"], dict) else {}
    generated = any("count" in one or isinstance(one.get("name"), dict) for one in _objects(shape.get("partitions")))
    return "e6" if generated else "e5"


def _prototype(spec: Raw, devices: list[dict[str, Any]]) -> str:
    if "deviceGroups" in spec:
        return "d"
    for candidates in (("b",), ("00",), ("a", "c"), ("e2", "e1", "e3")):
        bag, draws = BAG_KEYS[candidates[0]], DRAW_KEYS[candidates[0]]
        if bag in spec or any(key in one for one in devices for key in draws):
            return candidates[0] if len(candidates) == 1 else _by_element(spec, devices, candidates[0])
    return "f0" if "poolName" in spec or "poolDeviceCount" in spec else ""


def _by_element(spec: Raw, devices: list[dict[str, Any]], flat: str) -> str:
    """Which of the forms that share a key it is: the elements of the list tell, on the pool's or the device's side."""
    if "poolName" in spec or "poolDeviceCount" in spec:
        return "f0"
    sides = [spec.get(BAG_KEYS[flat]), *(one.get(DRAW_KEYS[flat][0]) for one in devices)]
    elements = [element for side in sides for element in _objects(side)]
    for key, form in (
        ("allocatable", "c"),
        ("allocatableGroupName", "c"),
        ("resources", "e1"),
        ("sharedCapacity", "e3"),
        ("items", "e3"),
    ):
        if any(key in element for element in elements):
            return form
    return "e4" if flat == "e2" and spec.get("attributes") else flat
