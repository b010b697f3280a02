"""From slices to pools: the newest generation, complete or not, valid or not, as seen from the whole cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pools.core.faults import faults
from pools.domain.device import Device
from pools.domain.ids import PoolId
from pools.domain.pool import CounterSet, Pool, PooledDevice, PoolState, Slice

INCONSISTENT = "ResourceSlices in the pool generation declare inconsistent resourceSliceCount"


def gather(slices: Iterable[Slice]) -> tuple[Pool, ...]:
    """
    Sort slices into pools, sorted by driver and pool name.

    Only slices of the newest generation count; a pool is complete when exactly as many are there as they announce, and
    only a complete pool is validated. Of two slices with one name (an object given twice) the newer stands.
    `Pool.slices` lists the current slices by name, then the older ones.

    Source: GatherPools and buildPool of k8s.io/dynamic-resource-allocation, structured/internal, 1.35 and later;
    kubernetes pull request 141118 for disagreeing counts.
    """
    groups: dict[PoolId, list[Slice]] = defaultdict(list)
    for item in slices:
        groups[item.pool_id].append(item)
    return tuple(_pool(identity, groups[identity]) for identity in sorted(groups))


def _pool(identity: PoolId, slices: list[Slice]) -> Pool:
    generation = max(item.generation for item in slices)
    current = _by_name(item for item in slices if item.generation == generation)
    older = _by_name(item for item in slices if item.generation != generation)
    state, reason = _completeness(current)
    names = _set_names(current)
    devices = tuple(_devices(current, names))
    if state == "complete":
        reason = next((fault.reason for fault in faults(current)), "")
        state = "invalid" if reason else "complete"
    listed = {item.name for item in devices}
    stale = dict.fromkeys(device.name for item in older for device in item.devices if device.name not in listed)
    return Pool(
        id=identity,
        state=state,
        reason=reason,
        generation=generation,
        slices_seen=len(current),
        slices_expected=_expected(current),
        slices=(*current, *older),
        devices=devices,
        counter_sets=() if state == "incomplete" else tuple(_counter_sets(current, names)),
        stale=tuple(stale),
        stale_slices=tuple(item.meta.name for item in older),
    )


def _by_name(slices: Iterable[Slice]) -> tuple[Slice, ...]:
    """Sorted by name, in given order where names are equal; of an object given twice the newer one stays."""
    kept: dict[object, Slice] = {}
    for index, item in enumerate(slices):
        key: object = (item.meta.name, item.generation) if item.meta.name else index
        if key not in kept or item.meta.created >= kept[key].meta.created:
            kept[key] = item
    return tuple(sorted(kept.values(), key=lambda item: item.meta.name))


def _counts_devices(current: Sequence[Slice]) -> bool:
    """Whether completeness is told by the number of devices (the 2024 text of KEP-4381) instead of slices."""
    return all(item.slice_count == 0 and item.device_count is not None for item in current)


def _expected(current: Sequence[Slice]) -> int:
    return len(current) if _counts_devices(current) else max(item.slice_count for item in current)


def _completeness(current: Sequence[Slice]) -> tuple[PoolState, str]:
    if _counts_devices(current):
        wanted = {item.device_count or 0 for item in current}
        seen, noun = sum(len(item.devices) for item in current), "devices"
    else:
        wanted = {item.slice_count for item in current}
        seen, noun = len(current), "slices"
    if len(wanted) > 1:
        return "invalid", INCONSISTENT
    expected = next(iter(wanted))
    return ("complete", "") if seen == expected else ("incomplete", f"{seen} of {expected} {noun} seen")


def _set_names(current: Sequence[Slice]) -> list[dict[str, str]]:
    """For each slice, how its own counter sets are called in the pool: sets of slice scope may need another name."""
    taken = {item.name for each in current if each.scope == "pool" for item in each.counter_sets}
    names: list[dict[str, str]] = []
    for each in current:
        own: dict[str, str] = {}
        for item in each.counter_sets:
            if each.scope == "slice" and item.name not in own:
                own[item.name] = f"{each.meta.name}/{item.name}" if item.name in taken else item.name
            else:
                own.setdefault(item.name, item.name)
        taken.update(own)
        names.append(own)
    return names


def _counter_sets(current: Sequence[Slice], names: Sequence[Mapping[str, str]]) -> Iterator[CounterSet]:
    """Each set once, by the name it has in the pool; of a repeated one the first stands."""
    seen: set[str] = set()
    for each, own in zip(current, names, strict=True):
        for item in each.counter_sets:
            name = own[item.name]
            if name not in seen:
                seen.add(name)
                yield item if name == item.name else CounterSet(name, item.counters)


def _devices(current: Sequence[Slice], names: Sequence[Mapping[str, str]]) -> Iterator[PooledDevice]:
    for each, own in zip(current, names, strict=True):
        renamed = any(name != pooled for name, pooled in own.items())
        for device in each.devices:
            yield PooledDevice(
                device=_renamed(device, own) if renamed else device,
                slice_name=each.meta.name,
                reach=device.reach if each.per_device_reach else each.reach,
                type_attribute=each.partition_type_attribute,
            )


def _renamed(device: Device, own: Mapping[str, str]) -> Device:
    if not device.consumes:
        return device
    consumes = tuple(
        replace(entry, counter_set=own.get(entry.counter_set, entry.counter_set)) for entry in device.consumes
    )
    return replace(device, consumes=consumes)
