"""Claims that hold devices already."""

from __future__ import annotations

from decimal import Decimal

from .world import Json, World

_UNITS = {
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "k": 10**3,
    "G": 10**9,
    "E": 10**18,
    "m": Decimal("0.001"),
    "n": Decimal("1e-9"),
}


def use_devices(world: World, most: int, *, orderly: float = 0.9) -> None:
    """Let claims hold up to so many devices; most worlds do not hold more than the counters allow."""
    devices = world.devices()
    if not devices:
        return
    keep_order = world.dice.chance(orderly)
    left = _counters(world)
    for _ in range(world.dice.randint(0, most)):
        driver, pool, device = world.dice.choice(devices)
        need = _need(driver, pool, device)
        if keep_order and any(left.get(key, 0) < value for key, value in need.items()):
            continue
        for key, value in need.items():
            left[key] = left.get(key, 0) - value
        _hold(world, driver, pool, device)


def _hold(world: World, driver: str, pool: str, device: Json) -> None:
    dice = world.dice
    result: Json = {"request": "r", "driver": driver, "pool": pool, "device": device["name"]}
    shared = device.get("allowMultipleAllocations", False)
    if dice.chance(0.08):
        result["adminAccess"] = True
    if shared != dice.chance(0.04):
        number = len(world.allocated)
        result["shareID"] = f"00000000-0000-4000-9000-{number:012x}"
        consumed = {name: dice.choice(["1", "4", "5", "10"]) for name in device.get("capacity", {}) if dice.chance(0.9)}
        if consumed or dice.chance(0.5):
            result["consumedCapacity"] = consumed
    if dice.chance(0.05):
        result["device"] = "gone-0"
    results = [result]
    if dice.chance(0.15):
        other_driver, other_pool, other = dice.choice(world.devices())
        results.append({"request": "r", "driver": other_driver, "pool": other_pool, "device": other["name"]})
    number = len(world.allocated)
    world.allocated.append(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {
                "name": f"used-{number}",
                "namespace": "default",
                "uid": f"00000000-0000-4000-8000-{number:012x}",
            },
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "any"}}]}},
            "status": {"allocation": {"devices": {"results": results}}},
        }
    )


Key = tuple[str, str, str, str]


def _counters(world: World) -> dict[Key, Decimal]:
    found = {}
    for each in world.slices:
        spec = each["spec"]
        for counter_set in spec.get("sharedCounters", []):
            for name, counter in counter_set["counters"].items():
                found[(spec["driver"], spec["pool"]["name"], counter_set["name"], name)] = _number(counter["value"])
    return found


def _need(driver: str, pool: str, device: Json) -> dict[Key, Decimal]:
    return {
        (driver, pool, entry["counterSet"], name): _number(counter["value"])
        for entry in device.get("consumesCounters", [])
        for name, counter in entry["counters"].items()
    }


def _number(text: str) -> Decimal:
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return Decimal(text.removesuffix(unit)) * factor
    return Decimal(text)
