"""What partitions are grouped by: a published type, an attribute that tells them apart, else what they consume."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from pools.core.amounts import shown
from pools.domain.device import Device
from pools.domain.pool import Pool
from pools.domain.quantity import NANO

_PREFERRED = ("type", "kind", "size", "topology", "shape", "partition", "partitiontype")
_MODELS = ("productname", "model", "product")
_DIGITS = re.compile(r"\d+")
_TERMS = 2

_Pattern = tuple[tuple[str, int], ...]


def type_labels(pool: Pool, whole: Sequence[bool], cards: Sequence[str]) -> tuple[str, ...]:
    """
    A label for each device of the pool, in order. Devices with one label are alternatives for the same purpose.

    In this order: the string that the slice's partitionTypeAttribute names; an attribute called profile or ending so;
    an attribute whose values tell apart exactly what differs in consumption (or capacity, for devices without
    counters); else what the names have beyond the card's name and a last number (`mig-1g-5gb`), where that tells the
    same things apart; else a text made of the consumption (`2 gpu + nic`).

    Args:
        whole: per device, whether it takes everything that its card has; such a device is called `whole …` when the
            others of the pool have profiles.
        cards: per device, the label of its card, '' for none.
    """
    labels = [_declared(item.device, item.type_attribute, pool.id.driver) for item in pool.devices]
    profiled = any(labels)
    for drawing in (True, False):
        rows = [
            row for row, item in enumerate(pool.devices) if not labels[row] and bool(item.device.consumes) == drawing
        ]
        if not rows:
            continue
        devices = [pool.devices[row].device for row in rows]
        patterns = [_consumption(device) if drawing else _capacities(device) for device in devices]
        for row, label in zip(rows, _told_apart(devices, patterns, [cards[row] for row in rows]), strict=True):
            labels[row] = f"whole {label}" if drawing and profiled and whole[row] else label
    return tuple(labels)


def model_of(devices: Sequence[Device]) -> str:
    """The product name that the first device publishing one gives; empty when none does."""
    for device in devices:
        for wanted in _MODELS:
            for name, value in device.attributes.items():
                if value.kind == "string" and _plain(name) == wanted:
                    return str(value.value)
    return ""


def _plain(name: str) -> str:
    return name.rpartition("/")[2].replace("_", "").replace("-", "").lower()


def _declared(device: Device, attribute: str, driver: str) -> str:
    value = device.attribute(attribute, driver) if attribute else None
    if value is not None and value.kind == "string" and value.value:
        return str(value.value)
    for name in device.attributes:
        if name.endswith(("profile", "Profile")) and device.attributes[name].kind == "string":
            return str(device.attributes[name].value)
    return ""


def _told_apart(devices: Sequence[Device], patterns: Sequence[_Pattern], cards: Sequence[str]) -> list[str]:
    attribute = _telling(devices, patterns)
    if attribute:
        return [str(device.attributes[attribute].value) for device in devices]
    drawn = [_drawn(device, pattern) for device, pattern in zip(devices, patterns, strict=True)]
    if all(drawn) and max(len(pattern) for pattern in patterns) <= _TERMS:
        return _numbered(drawn, patterns)
    named = [_named(device.name, card) for device, card in zip(devices, cards, strict=True)]
    if len(set(named)) <= len(set(patterns)) or not all(drawn):
        return _numbered(named, patterns)
    return _numbered(drawn, patterns)


def _telling(devices: Sequence[Device], patterns: Sequence[_Pattern]) -> str:
    """The published name of a string attribute whose values and the patterns go one to one; '' when there is none."""
    names = [
        name
        for name, value in devices[0].attributes.items()
        if value.kind == "string"
        and value.value
        and all((other := device.attributes.get(name)) and other.kind == "string" and other.value for device in devices)
    ]
    distinct = len(set(patterns))
    exact = [
        name
        for name in names
        if len({device.attributes[name].value for device in devices}) == distinct
        and len({(device.attributes[name].value, pattern) for device, pattern in zip(devices, patterns, strict=True)})
        == distinct
    ]
    ranked = [name for wanted in (*_PREFERRED, *_MODELS) for name in exact if _plain(name) == wanted]
    if ranked:
        return ranked[0]
    return min(exact, default="") if distinct > 1 else ""


def _consumption(device: Device) -> _Pattern:
    """What the device draws, with counters that differ only in numbers added up."""
    sums: dict[str, int] = defaultdict(int)
    for entry in device.consumes:
        for name, amount in entry.counters.items():
            if amount.nano:
                sums[_stem(name)] += amount.nano
    return tuple(sorted(sums.items()))


def _capacities(device: Device) -> _Pattern:
    return tuple(sorted((name, item.value.nano) for name, item in device.capacity.items()))


def _stem(name: str) -> str:
    """The name without its numbers: `memory-slice` for memory-slice-3, `host-chips` for host-2-chips."""
    return "-".join(_words(name)) or name


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[-_.\s]+", _DIGITS.sub("", name)) if word]


def _drawn(device: Device, pattern: _Pattern) -> str:
    """`2 gpu + nic`: what the device draws on counters; '' when it draws on none."""
    likes = {_stem(name): value.text for entry in device.consumes for name, value in entry.counters.items()}
    return " + ".join(_term(name, nano, likes[name]) for name, nano in pattern) if likes else ""


def _named(name: str, card: str) -> str:
    """The device's name without its card's and without a last number: mig-1g-5gb for gpu-0-mig-1g-5gb-3 of gpu-0."""
    if not card or not name.startswith(card):
        return "-".join(_words(name)) or "device"
    rest = re.sub(r"[-_.]\d+$", "", name[len(card) :].strip("-_."))
    return rest or "whole"


def _term(name: str, nano: int, like: str) -> str:
    return name if nano == NANO else f"{shown(nano, like)} {name}"


def _numbered(made: list[str], patterns: Sequence[_Pattern]) -> list[str]:
    """One label for one pattern: where one text stands for several, they are numbered by first appearance."""
    orders: Mapping[str, dict[_Pattern, int]] = defaultdict(dict)
    for label, pattern in zip(made, patterns, strict=True):
        orders[label].setdefault(pattern, len(orders[label]) + 1)
    return [
        label if len(orders[label]) == 1 else f"{label} {orders[label][pattern]}"
        for label, pattern in zip(made, patterns, strict=True)
    ]
