"""Down from molecules to underlying devices and back, read off a published compound pool itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pools.core.amounts import listed
from pools.core.counters import consuming
from pools.core.reach import disjoint
from pools.domain.compound import GROUP, Part
from pools.domain.device import AttributeValue, Device, NodeReach
from pools.domain.errors import Finding
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import Pool
from pools.domain.state import Holder, PoolReport

_RECORD = re.compile(r"([a-z][a-z0-9]{0,14})(?:_(\d{1,2}))?_(driver|pool|devices|counters)(?:_(\d{1,2}))?")
_PREFIX = f"{GROUP}/"


@dataclass(frozen=True, slots=True)
class UnderlyingUse:
    """
    An underlying device in a compound pool: the molecules that have it, and the one that is in use with its holders.

    `held_by` is empty while the device is free; it names several molecules only when claims contradict each other.
    """

    part: Part
    molecules: tuple[str, ...]
    held_by: tuple[tuple[str, tuple[Holder, ...]], ...] = ()


def parts_of(device: Device) -> tuple[Part, ...]:
    """The underlying devices that a published molecule records, in its order; none for an ordinary device."""
    fields: dict[tuple[str, int], dict[str, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for key, value in device.attributes.items():
        found = _recorded(key, value)
        if found is not None:
            member, source, what, chunk, text = found
            fields[member, source][what][chunk] = text
    homes = {name: entry.counter_set for entry in device.consumes for name in entry.counters}
    return tuple(
        part
        for (member, _), texts in sorted(fields.items(), key=lambda entry: _place(entry[0], list(fields)))
        for part in _parts(member, texts, homes)
    )


def _place(source: tuple[str, int], order: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """Members in published order, the pools of each by number."""
    return next(place for place, (member, _) in enumerate(order) if member == source[0]), source[1]


def _recorded(key: str, value: AttributeValue) -> tuple[str, int, str, int, str] | None:
    if not key.startswith(_PREFIX) or value.kind != "string":
        return None
    match = _RECORD.fullmatch(key.removeprefix(_PREFIX))
    if match is None:
        return None
    return match[1], int(match[2] or 0), match[3], int(match[4] or 0), str(value.value)


def _parts(member: str, texts: Mapping[str, Mapping[int, str]], homes: Mapping[str, str]) -> Iterator[Part]:
    def whole(what: str, joiner: str) -> str:
        return joiner.join(text for _, text in sorted(texts.get(what, {}).items()))

    driver, pool = whole("driver", ""), whole("pool", "")
    names = [name for name in whole("devices", ",").split(",") if name]
    labels = [name for name in whole("counters", ",").split(",") if name] or names
    if not driver or not pool or len(labels) != len(names):
        return
    for name, label in zip(names, labels, strict=True):
        counter = CounterId(homes[label], label) if label in homes else None
        yield Part(member, DeviceId(driver, pool, name), counter)


def members_of(pool: Pool, device: str) -> tuple[Part, ...]:
    """
    The underlying devices of one device of a pool; of one that left the pool, as an older slice still lists it.

    Empty for a device that is no molecule, or that nothing lists any more.
    """
    for item in pool.devices:
        if item.name == device:
            return parts_of(item.device)
    older = [each for item in pool.slices[pool.slices_seen :] for each in item.devices if each.name == device]
    return parts_of(older[0]) if older else ()


def molecules_of(pool: Pool, underlying: DeviceId) -> tuple[str, ...]:
    """The molecules that have an underlying device, in published order."""
    return tuple(item.name for item in pool.devices if any(part.device == underlying for part in parts_of(item.device)))


def is_compound(pool: Pool) -> bool:
    """Whether the pool records underlying devices."""
    return any(_recorded(*entry) for item in pool.devices for entry in item.device.attributes.items())


def underlying_uses(report: PoolReport) -> tuple[UnderlyingUse, ...]:
    """
    Every underlying device of a compound pool with the molecule and claims that hold it now, in order of appearance.

    A molecule in use that left the pool still holds its devices, as far as an older slice tells which they are.
    """
    parts: dict[DeviceId, Part] = {}
    molecules: dict[DeviceId, list[str]] = defaultdict(list)
    held: dict[DeviceId, list[tuple[str, tuple[Holder, ...]]]] = defaultdict(list)
    for each in report.devices:
        used = consuming(each.holders)
        own = parts_of(each.pooled.device) if each.pooled is not None else members_of(report.pool, each.id.name)
        for part in own:
            parts.setdefault(part.device, part)
            if each.published:
                molecules[part.device].append(each.id.name)
            if used:
                held[part.device].append((each.id.name, used))
    return tuple(UnderlyingUse(part, tuple(molecules[device]), tuple(held[device])) for device, part in parts.items())


def published_twice(pools: Sequence[Pool]) -> dict[tuple[PoolId, PoolId], tuple[DeviceId, ...]]:
    """
    Underlying devices that are in two places, by (compound pool, other pool).

    The other is a compound pool too, or the pool of the device's own driver. Where no node reaches both places they
    are about two devices of one name.
    """
    homes: dict[DeviceId, dict[PoolId, NodeReach]] = defaultdict(dict)
    for pool in pools:
        for item in pool.devices:
            for part in parts_of(item.device):
                homes[part.device].setdefault(pool.id, item.reach)
    origins = {device.pool_id for device in homes}
    drivers_own = {pool.id: _reaches(pool) for pool in pools if pool.id in origins}
    twice: dict[tuple[PoolId, PoolId], list[DeviceId]] = defaultdict(list)
    for device, compounds in homes.items():
        for (one, reach), (other, second) in combinations(compounds.items(), 2):
            if not disjoint(reach, second):
                twice[one, other].append(device)
        for second in drivers_own.get(device.pool_id, {}).get(device.name, ()):
            for one, reach in compounds.items():
                if not disjoint(reach, second):
                    twice[one, device.pool_id].append(device)
    return {key: tuple(devices) for key, devices in twice.items()}


def _reaches(pool: Pool) -> dict[str, list[NodeReach]]:
    """From where each device name of a pool is reached; several entries where nodes share a name."""
    found: dict[str, list[NodeReach]] = defaultdict(list)
    for item in pool.devices:
        found[item.name].append(item.reach)
    return found


def compound_findings(pools: Sequence[Pool]) -> tuple[Finding, ...]:
    """
    Underlying devices that are published in two places: two claims could win one device.

    A device may be in one compound pool only, and its own driver must not publish it next to that. Each finding, of
    severity error, is about a compound pool and names the other pool.

    Source: the compound device proposal (pool-shapes.md 5): available only as part of a compound device.
    """
    return tuple(
        Finding(
            "compound-device-published-twice",
            str(first),
            "error",
            f"{listed([device.name for device in devices])}: part of molecules here and published in pool {other} "
            "too, so two claims could be given the same device.",
        )
        for (first, other), devices in published_twice(pools).items()
    )
