"""Pools as the compound device proposal of 2024 spells them: a ResourcePool with sharedConsumable, sharedConsumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pools.domain.device import AttributeValue, Device
from pools.domain.pool import Slice
from pools.domain.quantity import NANO, Quantity

Raw = dict[str, Any]

MAX_BAG = 32
MAX_DEVICES = 128
MAX_DRAWN = 32
MAX_ATTRIBUTES = 32
"""Limits of the proposal's lists (pool-shapes.md 3, shapes a and b)."""

_KINDS = {"int": "intValue", "bool": "boolValue", "string": "stringValue", "version": "semVerValue"}
_LISTS = {"ints": "intSlice", "strings": "stringSlice"}


def resource_pool(slices: Sequence[Slice]) -> Raw:
    """
    All slices of one pool as one ResourcePool (form b), with attributes in the prototype's list form.

    The form has one unnamed bag and one node: sets are merged, counters with one name in two sets are an error.

    Raises:
        ValueError: something has no place in this form (taints, lists of booleans or versions, two counters of one
            name, a pool without a single node), or is more than its lists hold; the message names it.
    """
    first = slices[0]
    if "/" in first.pool:
        raise ValueError(f"pool {first.pool}: in this form a pool is called like its object, whose name has no slash")
    bag, devices = _bag(slices), [device for item in slices for device in item.devices]
    _within(len(bag), MAX_BAG, "counters in sharedConsumable")
    _within(len(devices), MAX_DEVICES, "devices in a pool")
    if not first.reach.node_name:
        raise ValueError(f"pool {first.pool}: the form knows only pools of one node")
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourcePool",
        "metadata": {"name": first.pool},
        "spec": {
            "driver": first.driver,
            "nodeName": first.reach.node_name,
            "devices": [_device(device) for device in devices],
            "sharedConsumable": [{"name": name, "capacity": _amount(amount)} for name, amount in bag.items()],
        },
    }


def _within(count: int, most: int, what: str) -> None:
    if count > most:
        raise ValueError(f"{count} {what}; the proposal allows {most}. Publish resource.k8s.io/v1 instead")


def _bag(slices: Sequence[Slice]) -> dict[str, Quantity]:
    bag: dict[str, Quantity] = {}
    for item in slices:
        for entry in item.counter_sets:
            for name, amount in entry.counters.items():
                if name in bag:
                    raise ValueError(f"two counters are called {name}; the form has one bag for all")
                bag[name] = amount
    return bag


def _amount(amount: Quantity) -> int | str:
    return amount.nano // NANO if amount.nano % NANO == 0 and amount.text.isdecimal() else amount.text


def _device(device: Device) -> Raw:
    if device.taints:
        raise ValueError(f"device {device.name} has taints, which the form does not know")
    drawn = {name: _amount(amount) for entry in device.consumes for name, amount in entry.counters.items()}
    features = [_attribute(name, value, device) for name, value in device.attributes.items()]
    features += [{"name": name, "quantityValue": capacity.value.text} for name, capacity in device.capacity.items()]
    _within(len(drawn), MAX_DRAWN, f"counters consumed by {device.name}")
    _within(len(features), MAX_ATTRIBUTES, f"attributes of {device.name}")
    return {"name": device.name, **({"attributes": features} if features else {}), "sharedConsumed": drawn}


def _attribute(name: str, value: AttributeValue, device: Device) -> Raw:
    if value.kind in _KINDS:
        return {"name": name, _KINDS[value.kind]: value.value}
    if value.kind in _LISTS and isinstance(value.value, tuple):
        return {"name": name, _LISTS[value.kind]: {value.kind: list(value.value)}}
    raise ValueError(f"device {device.name}: attribute {name} is of a kind that the form does not know")
