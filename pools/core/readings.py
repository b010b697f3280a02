"""What a selector read on the devices that it refused: the values that a person compares with what it wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pools.core.cel_program import Program
from pools.core.constraints import lookup
from pools.core.world import World
from pools.domain.device import AttributeValue, Capacity, Device
from pools.domain.ids import DeviceId


@dataclass(frozen=True, slots=True)
class Reading:
    """A value of an attribute or capacity that a selector looked at, None where it is not there, on so many devices."""

    name: str
    value: str | None
    count: int


def readings(world: World, selector: str, form: str, devices: Iterable[DeviceId]) -> tuple[Reading, ...]:
    """
    What one selector read, value by value, the most frequent first.

    Args:
        form: that of the class or claim which the selector is of.
        devices: those that it refused.
    """
    program = world.program(selector, form)
    wanted = set(devices)
    found: Counter[tuple[str, str | None]] = Counter()
    for identity, device in _published(world, wanted):
        found.update(_values(program, identity.driver, device))
    ordered = sorted(found.items(), key=lambda each: (-each[1], each[0][0], each[0][1] or ""))
    return tuple(Reading(name, value, count) for (name, value), count in ordered)


def _published(world: World, wanted: set[DeviceId]) -> Iterable[tuple[DeviceId, Device]]:
    for pool in dict.fromkeys(each.pool_id for each in sorted(wanted)):
        slices = world.slices.by_pool.get(pool, ())
        newest = max((item.generation for item in slices), default=0)
        for item in slices:
            for device in item.devices if item.generation == newest else ():
                identity = DeviceId(pool.driver, pool.name, device.name)
                if identity in wanted:
                    yield identity, device


def _values(program: Program, driver: str, device: Device) -> set[tuple[str, str | None]]:
    found: set[tuple[str, str | None]] = set()
    for variable, domain, id in program.reads:
        if variable == "device.driver":
            found.add(("driver", driver))
        elif variable == "device.allowMultipleAllocations":
            found.add(("allowMultipleAllocations", _text(device.allow_multiple_allocations)))
        elif domain is not None and id is not None:
            name = id if domain == driver else f"{domain}/{id}"
            item: AttributeValue | Capacity | None
            if variable == "device.attributes":
                item = lookup(device, driver, f"{domain}/{id}")
            else:
                item = device.capacity.get(f"{domain}/{id}") or (device.capacity.get(id) if domain == driver else None)
            found.add((name, None if item is None else _shown(item)))
    return found


def _shown(item: AttributeValue | Capacity) -> str:
    if isinstance(item, Capacity):
        return str(item.value)
    if isinstance(item.value, tuple):
        return ", ".join(map(_text, item.value)) or "an empty list"
    return _text(item.value)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
