"""Pools of the 2024 prototypes: an unnamed bag of shared counters, or named ones, in every spelling that was used."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from pools.domain.device import AttributeValue, Capacity, Consumption, Device, NodeReach
from pools.domain.errors import Undecodable
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import Quantity, parse_quantity
from pools.wire import v1
from pools.wire.fields import (
    Raw,
    as_quantity,
    check_name,
    child,
    each,
    inside,
    integer,
    items,
    missing,
    name,
    named,
    quantity,
    text,
    wrong,
)
from pools.wire.meta import meta, reach

SHARED = "shared"
MAX_RANGE = 4096
_ONE = parse_quantity("1")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)

BAG_KEYS = {
    "00": "sharedResources",
    "02": "sharedResources",
    "a": "sharedAllocatable",
    "b": "sharedConsumable",
    "c": "sharedAllocatable",
    "d": "sharedAllocatable",
    "e1": "sharedCapacity",
    "e2": "sharedCapacity",
    "e3": "sharedCapacity",
    "f0": "sharedCapacity",
}
"""Where a form keeps what there is to share."""

DRAW_KEYS = {
    "00": ("sharedResourcesConsumed", "consumesSharedResources"),
    "02": ("fromSharedPool",),
    "a": ("sharedAllocatableConsumed",),
    "b": ("sharedConsumed",),
    "c": ("sharedAllocatableConsumed",),
    "d": ("sharedAllocatableConsumed",),
    "e1": ("sharedCapacityConsumed",),
    "e2": ("sharedCapacityConsumed",),
    "e3": ("sharedCapacityConsumed",),
    "f0": ("sharedCapacityConsumed",),
}
"""Where a device says what it takes of it."""

_GROUP_KEYS = ("allocatable", "resources", "sharedCapacity", "items")
_AMOUNT_KEYS = ("capacity", "quantity", "value")
_VALUE_KEYS = {"stringValue": "string", "boolValue": "bool", "intValue": "int", "semVerValue": "version"}
_LIST_KEYS = {"intSlice": "ints", "stringSlice": "strings"}
_QUANTITY_KEYS = ("quantity", "quantityValue")
_OFF_NODE = ("00", "02")
"""Forms whose types say that a pool without nodeName is reachable from everywhere."""

Bag = dict[str, Quantity]
Features = tuple[dict[str, AttributeValue], dict[str, Capacity]]


def pool(raw: Raw, form: str) -> Slice:
    """
    A ResourcePool, DevicePool or early ResourceSlice as one slice.

    A prototype pool is known by driver and object name, always complete, in generation 0. The text of KEP-4381 (f0)
    names its pool and counts devices instead of slices; there only devices of the same slice draw on its counters.
    """
    own = meta(raw)
    if form == "02":
        return _in_one_slice(own, form, raw, "namedDevices")
    return inside(raw, "spec", lambda spec: _in_one_slice(own, form, spec, ""))


def _in_one_slice(own: Meta, form: str, spec: Raw, level: str) -> Slice:
    model = child(spec, level) if level else spec
    try:
        counter_sets, devices = _groups(model, form) if form == "d" else _content(model, form)
    except Undecodable as fault:
        raise fault.under(level) from None
    known = Slice(
        meta=own,
        form=form,
        driver=_driver(spec),
        pool=own.name,
        generation=0,
        slice_count=1,
        reach=_reach(spec, form),
        devices=devices,
        counter_sets=counter_sets,
    )
    return _early_slice(known, spec) if form == "f0" else known


def _early_slice(known: Slice, spec: Raw) -> Slice:
    if spec.get("poolDeviceCount") is None:
        raise missing("poolDeviceCount")
    return replace(
        known,
        pool=name(spec, "poolName"),
        generation=integer(spec, "poolGeneration", minimum=0),
        slice_count=0,
        device_count=integer(spec, "poolDeviceCount", minimum=0),
        scope="slice",
    )


def _driver(spec: Raw) -> str:
    return name(spec, "driver" if spec.get("driverName") is None and spec.get("driver") is not None else "driverName")


def _reach(spec: Raw, form: str) -> NodeReach:
    found = reach(spec)
    return found if found.is_set or form not in _OFF_NODE else NodeReach(all_nodes=True)


def _content(model: Raw, form: str) -> tuple[tuple[CounterSet, ...], tuple[Device, ...]]:
    common = _features(model, "commonAttributes" if form == "02" else "attributes")
    devices = each(model, "devices", lambda entry: _device(entry, form, common, SHARED))
    return _counter_sets(model, BAG_KEYS[form], SHARED), devices


def _groups(model: Raw, form: str) -> tuple[tuple[CounterSet, ...], tuple[Device, ...]]:
    """Form d: a group has no name, so its position makes one; its devices draw on it alone."""
    counter_sets: list[CounterSet] = []
    devices: list[Device] = []

    def group(entry: Raw) -> None:
        own_name = f"group-{len(counter_sets)}"
        counter_sets.extend(_counter_sets(entry, BAG_KEYS[form], own_name) or (CounterSet(own_name, {}),))
        devices.extend(each(entry, "devices", lambda device: _device(device, form, ({}, {}), own_name)))

    each(model, "deviceGroups", group)
    return tuple(counter_sets), tuple(devices)


def _counter_sets(raw: Raw, key: str, unnamed: str) -> tuple[CounterSet, ...]:
    """The bags under *key*: a list of amounts or a mapping is one unnamed bag, a list of lists is named bags."""
    return tuple(CounterSet(owner, bag) for owner, bag in _bags(raw, key, unnamed).items())


def _consumption(raw: Raw, key: str, unnamed: str) -> tuple[Consumption, ...]:
    return tuple(Consumption(owner, bag) for owner, bag in _bags(raw, key, unnamed).items())


def _bags(raw: Raw, key: str, unnamed: str) -> dict[str, Bag]:
    value = raw.get(key)
    if isinstance(value, dict):
        return {unnamed: inside(raw, key, lambda bag: named(bag, as_quantity))}
    bags: dict[str, Bag] = {}
    each(raw, key, lambda entry: _into(bags, entry, unnamed))
    return bags


def _into(bags: dict[str, Bag], entry: Raw, unnamed: str) -> None:
    """Add one element of a list to the bags: a named group of amounts, an amount of a named group, or an amount."""
    group_key = next((key for key in _GROUP_KEYS if isinstance(entry.get(key), list)), None)
    if group_key is not None:
        owner = name(entry, "name")
        if owner in bags:
            raise Undecodable(f"the group {owner!r} stands twice in one list", "name")
        bags[owner] = {}
        each(entry, group_key, lambda inner: _add(bags[owner], _amounts(inner, "name")))
    elif entry.get("allocatableGroupName") is not None:
        _add(bags.setdefault(name(entry, "allocatableGroupName"), {}), _amounts(entry, "resourceName"))
    else:
        _add(bags.setdefault(unnamed, {}), _amounts(entry, "name"))


def _add(bag: Bag, amounts: Bag) -> None:
    for counter, amount in amounts.items():
        if counter in bag:
            raise Undecodable(f"{counter!r} stands twice in one list")
        bag[counter] = amount


def _amounts(raw: Raw, name_key: str) -> Bag:
    """A named amount; a range of integers is one counter of 1 for each of them. Without an amount it is unknown."""
    own_name = name(raw, name_key)
    if raw.get("intRange") is not None:
        return {check_name(f"{own_name}-{index}", name_key): _ONE for index in _indices(raw)}
    key = next((key for key in _AMOUNT_KEYS if raw.get(key) is not None), _AMOUNT_KEYS[0])
    return {own_name: quantity(raw, key)}


def _indices(raw: Raw) -> range:
    written = text(raw, "intRange")
    match = _RANGE.fullmatch(written)
    if match is None:
        raise Undecodable("expected a range such as 0-7 or a single index", "intRange")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise Undecodable(f"the range {written} runs backwards", "intRange")
    if last - first >= MAX_RANGE:
        raise Undecodable(f"the range {written} holds more than {MAX_RANGE} indices", "intRange")
    return range(first, last + 1)


def _device(raw: Raw, form: str, common: Features, unnamed: str) -> Device:
    own_name = name(raw, "name")
    attributes, capacity = _features(raw, "attributes")
    sources = child(raw, "resources") if form == "02" else raw
    try:
        consumes = [one for key in DRAW_KEYS[form] for one in _consumption(sources, key, unnamed)]
        local = _bags(sources, "local", SHARED) if form == "02" else {}
    except Undecodable as fault:
        raise fault.under("resources" if form == "02" else "") from None
    for key in ("capacity", "claimResourcesProvided"):
        local |= _bags(raw, key, SHARED)
    own = {counter: Capacity(amount) for bag in local.values() for counter, amount in bag.items()}
    return Device(
        name=own_name,
        attributes=common[0] | attributes,
        capacity=common[1] | capacity | own,
        consumes=tuple(consumes),
    )


def _features(raw: Raw, key: str) -> Features:
    """A list of attributes, each with a name and one value; those that are quantities are capacity in later forms."""
    attributes: dict[str, AttributeValue] = {}
    capacity: dict[str, Capacity] = {}

    def feature(entry: Raw) -> None:
        own_name = name(entry, "name")
        if own_name in attributes or own_name in capacity:
            raise Undecodable(f"{own_name!r} stands twice in one list", "name")
        amount_key = next((key for key in _QUANTITY_KEYS if entry.get(key) is not None), None)
        if amount_key is not None:
            capacity[own_name] = Capacity(quantity(entry, amount_key))
        else:
            attributes[own_name] = _attribute(entry)

    if isinstance(raw.get(key), dict):
        return inside(raw, key, v1.attributes), {}
    each(raw, key, feature)
    return attributes, capacity


def _attribute(entry: Raw) -> AttributeValue:
    written: dict[str, str] = {}
    value: dict[str, Any] = {}
    for key in entry:
        inner = _LIST_KEYS.get(key)
        kind = inner or _VALUE_KEYS.get(key, key)
        written[kind] = key
        value[kind] = items(_list_value(entry, key), inner) if inner else entry[key]
    del value["name"]
    try:
        return v1.attribute(value)
    except Undecodable as fault:
        kind = re.split(r"[.\[]", fault.path, maxsplit=1)[0]
        raise Undecodable(fault.reason, written.get(kind, kind) + fault.path[len(kind) :]) from None


def _list_value(entry: Raw, key: str) -> Raw:
    if not isinstance(entry[key], dict):
        raise wrong("an object", entry[key], key)
    inner: Raw = entry[key]
    return inner
