"""Findings about slices as published: what the API server of a current Kubernetes would refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pools.core.amounts import listed
from pools.domain.device import Device
from pools.domain.errors import Finding, Severity
from pools.domain.pool import Pool, Slice

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")

MAX_DEVICES = 128
MAX_DEVICES_WITH_COUNTERS = 64
MAX_SETS = 8
MAX_COUNTERS = 32
MAX_CONSUMPTIONS = 2
MAX_PROPERTIES = 32
MAX_VALUES = 48
MAX_TAINTS = 16
MAX_DRIVER = 63
MAX_POOL = 253


@lru_cache(maxsize=65536)
def _is_label(name: str) -> bool:
    return _LABEL.fullmatch(name) is not None


@lru_cache(maxsize=65536)
def _is_key(name: str) -> bool:
    """An attribute or capacity: its id, after the domain if any, is a C identifier."""
    return _IDENTIFIER.fullmatch(name.rpartition("/")[2]) is not None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where findings about one slice go, and how grave they are: older forms had other limits."""

    pool: str
    slice: str
    grave: Severity

    def of_slice(self, code: str, text: str) -> Finding:
        return Finding(code, self.pool, self.grave, f"Slice {self.slice}: {text}")

    def of_device(self, code: str, device: str, text: str) -> Finding:
        return Finding(code, f"{self.pool}/{device}", self.grave, text)


def slice_findings(pool: Pool) -> Iterator[Finding]:
    """
    What the current slices of a pool break of resource.k8s.io/v1's rules. The prototypes' forms had no such rules.

    Slices that hold counters and devices (1.33, 1.34) get warnings only: their rules were others.

    Source: dra-api.md 2.1-2.3 (pkg/apis/resource/validation).
    """
    for item in pool.slices[: pool.slices_seen]:
        if not item.form.startswith("v1"):
            continue
        mixed = bool(item.devices and item.counter_sets)
        place = _Place(str(pool.id), item.meta.name, "warning" if mixed else "error")
        if mixed:
            yield place.of_slice(
                "slice-mixed",
                "holds both counters and devices, which Kubernetes 1.35 and later refuses; publish counters in slices "
                "of their own.",
            )
        yield from _names(item, place)
        yield from _selection(item, place)
        yield from _sizes(item, place)
        for device in item.devices:
            yield from _device(device, place)


def _names(item: Slice, place: _Place) -> Iterator[Finding]:
    if len(item.driver) > MAX_DRIVER or not _SUBDOMAIN.fullmatch(item.driver.lower()):
        yield place.of_slice("name-invalid", f"driver {item.driver!r} is no DNS subdomain of at most 63 characters.")
    if len(item.pool) > MAX_POOL or not all(_SUBDOMAIN.fullmatch(part) for part in item.pool.split("/")):
        yield place.of_slice("name-invalid", f"pool name {item.pool!r} is not made of DNS subdomains joined by '/'.")
    names = [entry.name for entry in item.counter_sets]
    names += [counter for entry in item.counter_sets for counter in entry.counters]
    wrong = [name for name in dict.fromkeys(names) if not _is_label(name)]
    if wrong:
        yield place.of_slice("name-invalid", f"no DNS labels as names of counters or their sets: {listed(wrong)}.")


def _selection(item: Slice, place: _Place) -> Iterator[Finding]:
    if not item.reach.is_set and not item.per_device_reach:
        yield place.of_slice(
            "node-selection-missing",
            "none of nodeName, nodeSelector, allNodes and perDeviceNodeSelection is set; the scheduler leaves it out.",
        )
    elif item.reach.is_set and item.per_device_reach:
        yield place.of_slice("node-selection-double", "perDeviceNodeSelection excludes a node selection for the slice.")
    for device in item.devices:
        if item.per_device_reach and not device.reach.is_set:
            text = "Has no node selection of its own although its slice asks for one per device: it is left out."
            yield place.of_device("node-selection-missing", device.name, text)


def _sizes(item: Slice, place: _Place) -> Iterator[Finding]:
    devices, sets = len(item.devices), len(item.counter_sets)
    special = any(device.consumes or device.taints or _has_lists(device) for device in item.devices)
    if devices > MAX_DEVICES:
        yield place.of_slice("slice-too-many-devices", f"{devices} devices; at most {MAX_DEVICES} are taken.")
    elif devices > MAX_DEVICES_WITH_COUNTERS and special:
        yield place.of_slice(
            "slice-too-many-devices",
            f"{devices} devices; at most {MAX_DEVICES_WITH_COUNTERS} if any has counters, taints or list attributes.",
        )
    if sets > MAX_SETS:
        yield place.of_slice("slice-too-many-counter-sets", f"{sets} counter sets; at most {MAX_SETS} in one slice.")
    for entry in item.counter_sets:
        if not entry.counters:
            yield place.of_slice("counter-set-empty", f"counter set {entry.name} has no counters.")
        elif len(entry.counters) > MAX_COUNTERS:
            text = f"counter set {entry.name} has {len(entry.counters)} counters; at most {MAX_COUNTERS}."
            yield place.of_slice("counter-set-too-large", text)
    if item.slice_count < 1:
        yield place.of_slice("slice-count-missing", "resourceSliceCount is below 1, so the pool is never complete.")


def _has_lists(device: Device) -> bool:
    return any(isinstance(value.value, tuple) for value in device.attributes.values())


def _device(device: Device, place: _Place) -> Iterator[Finding]:
    name = device.name
    if not _is_label(name):
        yield place.of_device("name-invalid", name, "The device's name is no DNS label of at most 63 characters.")
    if len(device.consumes) > MAX_CONSUMPTIONS:
        text = f"Consumes from {len(device.consumes)} counter sets; the API server takes at most {MAX_CONSUMPTIONS}."
        yield place.of_device("device-too-many-consumptions", name, text)
    for entry in device.consumes:
        if not entry.counters or len(entry.counters) > MAX_COUNTERS:
            text = f"Names {len(entry.counters)} counters of {entry.counter_set}; 1 to {MAX_COUNTERS} are taken."
            yield place.of_device("consumption-size", name, text)
    if len({entry.counter_set for entry in device.consumes}) < len(device.consumes):
        yield place.of_device("consumption-repeated", name, "Names one counter set in several consumption entries.")
    properties = len(device.attributes) + len(device.capacity)
    values = sum(len(item.value) if isinstance(item.value, tuple) else 1 for item in device.attributes.values())
    if properties > MAX_PROPERTIES or values > MAX_VALUES:
        text = f"{properties} attributes and capacities, {values} values; at most {MAX_PROPERTIES} and {MAX_VALUES}."
        yield place.of_device("device-too-many-attributes", name, text)
    if len(device.taints) > MAX_TAINTS:
        text = f"Has {len(device.taints)} taints; the API server takes at most {MAX_TAINTS}."
        yield place.of_device("device-too-many-taints", name, text)
    yield from _rules(device, place)


def _rules(device: Device, place: _Place) -> Iterator[Finding]:
    wrong = [key for key in (*device.attributes, *device.capacity) if not _is_key(key)]
    if wrong:
        text = f"No C identifiers of at most 32 characters as attributes or capacities: {listed(wrong)}."
        yield place.of_device("name-invalid", device.name, text)
    if not device.allow_multiple_allocations and any(item.policy for item in device.capacity.values()):
        text = "Has a requestPolicy without allowMultipleAllocations."
        yield place.of_device("request-policy-without-sharing", device.name, text)
    if bool(device.binding_conditions) != bool(device.binding_failure_conditions):
        text = "bindingConditions and bindingFailureConditions go together; one of them is missing."
        yield place.of_device("binding-conditions-unpaired", device.name, text)
