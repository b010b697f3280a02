"""Devices with further taints, or without any: a snapshot in which nothing else differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pools.domain.cluster import Snapshot
from pools.domain.device import Device, Taint
from pools.domain.errors import ScenarioError
from pools.domain.ids import DeviceId
from pools.domain.pool import Slice

Change = Callable[[DeviceId, Device], Device]
Wanted = Collection[DeviceId] | None


def tainted(snapshot: Snapshot, taints: Sequence[tuple[DeviceId, Taint]]) -> Snapshot:
    """
    The devices with these taints on top of what they have.

    Raises:
        ScenarioError: a device is not published.
    """
    if not taints:
        return snapshot
    _check(snapshot, [device for device, _ in taints], "taint")
    more: dict[DeviceId, list[Taint]] = defaultdict(list)
    for device, taint in taints:
        more[device].append(taint)

    def with_more(identity: DeviceId, device: Device) -> Device:
        return replace(device, taints=(*device.taints, *more[identity]))

    return replace(snapshot, slices=_changed(snapshot.slices, more, with_more))


def untainted(snapshot: Snapshot, devices: Sequence[DeviceId]) -> Snapshot:
    """
    The devices without any taint, whoever put it there.

    A rule that taints one of them is written onto the other devices that it matches, so that it taints those alone.

    Raises:
        ScenarioError: a device is not published.
    """
    if not devices:
        return snapshot
    _check(snapshot, devices, "untaint")
    freed = set(devices)
    rules = [rule for rule in snapshot.taint_rules if any(rule.matches(*device) for device in freed)]

    def without(identity: DeviceId, device: Device) -> Device:
        if identity in freed:
            return replace(device, taints=())
        ruled = tuple(rule.taint for rule in rules if rule.matches(*identity))
        return replace(device, taints=(*device.taints, *ruled)) if ruled else device

    wanted = None if rules else freed
    return replace(
        snapshot,
        slices=_changed(snapshot.slices, wanted, without),
        taint_rules=tuple(rule for rule in snapshot.taint_rules if rule not in rules),
    )


def _changed(slices: Sequence[Slice], wanted: Wanted, change: Change) -> tuple[Slice, ...]:
    """The slices with these devices (all when None) changed; a slice in which nothing differs stays the same object."""
    pools = None if wanted is None else {device.pool_id for device in wanted}
    return tuple(
        item if pools is not None and item.pool_id not in pools else _changed_slice(item, wanted, change)
        for item in slices
    )


def _changed_slice(item: Slice, wanted: Wanted, change: Change) -> Slice:
    devices = tuple(
        change(identity, device) if wanted is None or identity in wanted else device
        for device in item.devices
        for identity in (DeviceId(item.driver, item.pool, device.name),)
    )
    same = all(one is other for one, other in zip(devices, item.devices, strict=True))
    return item if same else replace(item, devices=devices)


def _check(snapshot: Snapshot, devices: Sequence[DeviceId], part: str) -> None:
    wanted = {device.pool_id for device in devices}
    known = {
        DeviceId(item.driver, item.pool, device.name)
        for item in snapshot.slices
        if item.pool_id in wanted
        for device in item.devices
    }
    for index, device in enumerate(devices):
        if device not in known:
            raise ScenarioError(f"{part}[{index}]", f"no slice lists the device {device}")
