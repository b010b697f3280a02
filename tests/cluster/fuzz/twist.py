"""Twist a made scenario here and there, into what a careless driver or user might write."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from .world import Dice, Json

QUANTITIES = [
    *("0", "-1", "1", "2", "3", "5", "0.5", "1.5", "100m", "1500m", "1n", "999u", "1e3", "1E2", "12E", "0Gi", "1Ki"),
    *("1025", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e19", "0.1", "+2", "2.0", ".5"),
]
_AMOUNTS = {"min", "max", "step", "default"}


def twist(dice: Dice, scenario: Json, times: int) -> Json:
    """A copy with up to so many twists; each keeps every object readable, not necessarily valid."""
    made = copy.deepcopy(scenario)
    for _ in range(times):
        dice.choice(_TWISTS)(dice, made)
    return made


def _maps(scenario: Json, *names: str) -> list[Json]:
    """Every filled map below one of these keys."""
    return [each for key, each in _inside(scenario) if key in names and isinstance(each, dict) and each]


def _inside(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    yield key, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _inside(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _inside(each, key)


def _devices(scenario: Json) -> list[Json]:
    return [device for each in scenario["slices"] for device in each["spec"].get("devices", [])]


def _asks(scenario: Json) -> list[Json]:
    requests = [each for claim in scenario["claims"] for each in claim["spec"]["devices"]["requests"]]
    return [ask for each in requests for ask in [each.get("exactly"), *each.get("firstAvailable", [])] if ask]


def _quantity(dice: Dice, scenario: Json) -> None:
    """Another amount somewhere: of a counter, a capacity, a policy, a share, a request."""
    values = [each for each in _maps(scenario, "counters", "capacity") if "requests" not in each]
    places = [(entry, "value") for each in values for entry in each.values()]
    for each in _maps(scenario, "requestPolicy", "validRange"):
        places += [(each, name) for name in each if name in _AMOUNTS]
    shares = [
        *_maps(scenario, "consumedCapacity"),
        *[ask["capacity"]["requests"] for ask in _asks(scenario) if "capacity" in ask],
    ]
    places += [(each, name) for each in shares for name in each]
    if places:
        place, name = dice.choice(places)
        place[name] = dice.choice(QUANTITIES)


def _same_amounts(dice: Dice, scenario: Json) -> None:
    """All devices of a slice consume, or hold, the same little amount, so that counters run out late or never."""
    devices = [device for device in _devices(scenario) if device.get("consumesCounters")]
    amount = dice.choice(["0", "1", "1m", "2"])
    for device in dice.some(devices) if devices else []:
        for entry in device["consumesCounters"]:
            entry["counters"] = {name: {"value": amount} for name in entry["counters"]}


def _rename_device(dice: Dice, scenario: Json) -> None:
    """Two devices get one name, or one moves behind all others by name."""
    devices = _devices(scenario)
    if devices:
        dice.choice(devices)["name"] = dice.choice(["zzz", dice.choice(devices)["name"]])


def _swap_devices(dice: Dice, scenario: Json) -> None:
    """The devices of two slices change places, whatever pool or driver they belong to."""
    holders = [each["spec"] for each in scenario["slices"] if each["spec"].get("devices")]
    if len(holders) > 1:
        one, other = dice.sample(holders, 2)
        one["devices"], other["devices"] = other["devices"], one["devices"]


def _merge_pools(dice: Dice, scenario: Json) -> None:
    """Two pools become one: of one name, and now and then of one driver and a right count."""
    if len(scenario["slices"]) < 2:
        return
    one, other = (each["spec"] for each in dice.sample(scenario["slices"], 2))
    other["pool"]["name"] = one["pool"]["name"]
    if dice.chance(0.6):
        other["driver"] = one["driver"]
    if dice.chance(0.6):
        other["pool"]["generation"] = one["pool"]["generation"]
    same = [
        each["spec"]["pool"]
        for each in scenario["slices"]
        if (each["spec"]["driver"], each["spec"]["pool"]["name"]) == (one["driver"], one["pool"]["name"])
    ]
    if dice.chance(0.7):
        for pool in same:
            pool["resourceSliceCount"] = len(same)


def _slice_name(dice: Dice, scenario: Json) -> None:
    """Another order of slices by name."""
    if scenario["slices"]:
        meta = dice.choice(scenario["slices"])["metadata"]
        meta["name"] = dice.choice(["a", "z"]) + meta["name"]


def _attribute(dice: Dice, scenario: Json) -> None:
    """An attribute of another type or value, spelled with a domain, or gone."""
    maps = _maps(scenario, "attributes")
    if not maps:
        return
    attributes = dice.choice(maps)
    name = dice.choice(sorted(attributes))
    values: list[Json] = [
        {"int": dice.randint(0, 2)},
        {"string": dice.choice(["a", "b", "H100", ""])},
        {"bool": dice.chance(0.5)},
        {"version": dice.choice(["1.0.0", "2.0.0", "1.0.0-rc.1"])},
        {"ints": dice.some([0, 1, 2])},
        {"strings": dice.some(["a", "b", "c"])},
        {"bools": dice.some([True, False])},
        {"strings": ["a", "a"]},
    ]
    match dice.randint(0, 3):
        case 0:
            del attributes[name]
        case 1 if "/" not in name:
            # One of both spellings only: on a device with both, upstream's choice between them is random.
            domain = dice.choice(["gpu.nvidia.com", "accel.example.com", "example.com"])
            attributes[f"{domain}/{name}"] = attributes.pop(name)
        case _:
            attributes[name] = dice.choice(values)


def _many(dice: Dice, scenario: Json) -> None:
    """A request for many devices, or for all."""
    asks = _asks(scenario)
    if asks:
        ask = dice.choice(asks)
        ask.pop("allocationMode", None)
        ask.pop("count", None)
        ask.update(dice.choice([{"allocationMode": "All"}, {"count": 5}, {"count": 8}, {"count": 16}, {"count": 31}]))


def _repeat_claim(dice: Dice, scenario: Json) -> None:
    """The same claim several times over."""
    if scenario["claims"]:
        claim = dice.choice(scenario["claims"])
        for number in range(dice.randint(1, 3)):
            again = copy.deepcopy(claim)
            again["metadata"]["name"] += f"-again-{number}"
            again["metadata"]["uid"] += f"{number}"
            scenario["claims"].append(again)


def _constraint(dice: Dice, scenario: Json) -> None:
    """A constraint on any attribute that some device has, over all requests or some."""
    names = sorted({name for each in _maps(scenario, "attributes") for name in each})
    if not names or not scenario["claims"]:
        return
    body = dice.choice(scenario["claims"])["spec"]["devices"]
    name = dice.choice(names)
    if "/" not in name:
        name = f"{dice.choice(['gpu.nvidia.com', 'nic.example.com', 'accel.example.com'])}/{name}"
    constraint: Json = {dice.choice(["matchAttribute", "distinctAttribute"]): name}
    if dice.chance(0.4):
        constraint["requests"] = dice.some([each["name"] for each in body["requests"]])
    body.setdefault("constraints", []).append(constraint)


def _shareable(dice: Dice, scenario: Json) -> None:
    """Devices become shareable, or stop to be, whatever holds them."""
    for device in dice.some(_devices(scenario)) if _devices(scenario) else []:
        device["allowMultipleAllocations"] = dice.chance(0.8)


def _held_otherwise(dice: Dice, scenario: Json) -> None:
    """A held device is held as a share, exclusively, by an administrator, twice, or in a pool that is gone."""
    results = [each for claim in scenario["allocated"] for each in claim["status"]["allocation"]["devices"]["results"]]
    if not results:
        return
    result = dice.choice(results)
    match dice.randint(0, 4):
        case 0:
            result["shareID"] = "00000000-0000-4000-9000-00000000ffff"
        case 1:
            result.pop("shareID", None)
        case 2:
            result["adminAccess"] = dice.chance(0.7)
        case 3:
            result["pool"] = dice.choice([each["spec"]["pool"]["name"] for each in scenario["slices"]] or ["gone"])
        case _:
            results_of = dice.choice(scenario["allocated"])["status"]["allocation"]["devices"]["results"]
            results_of.append(copy.deepcopy(result))


def _place(dice: Dice, scenario: Json) -> None:
    """Another node for a slice or a device; a node selector with something odd in it."""
    names = [each["metadata"]["name"] for each in scenario["nodes"]] + ["elsewhere"]
    slices = [each["spec"] for each in scenario["slices"] if "nodeName" in each["spec"]]
    holders = slices + [device for device in _devices(scenario) if "nodeName" in device]
    if holders and dice.chance(0.6):
        dice.choice(holders)["nodeName"] = dice.choice(names)
    terms = [term for key, term in _inside(scenario["slices"]) if key == "nodeSelectorTerms" and isinstance(term, dict)]
    if terms:
        rule: Json = {"key": dice.choice(["gpu", "size", "nothing", "kubernetes.io/hostname"])}
        values = dice.choice(
            [("Gt", ["8"]), ("Lt", ["16"]), ("In", ["yes", "x"]), ("NotIn", ["8"]), ("NotIn", ["no", "yes"])]
        )
        rule["operator"], rule["values"] = values
        if dice.chance(0.3):
            rule = {"key": rule["key"], "operator": dice.choice(["Exists", "DoesNotExist"])}
        dice.choice(terms).setdefault("matchExpressions", []).append(rule)


_TWISTS: list[Callable[[Dice, Json], None]] = [
    _quantity,
    _quantity,
    _quantity,
    _same_amounts,
    _rename_device,
    _swap_devices,
    _merge_pools,
    _slice_name,
    _attribute,
    _attribute,
    _many,
    _repeat_claim,
    _constraint,
    _constraint,
    _shareable,
    _held_otherwise,
    _held_otherwise,
    _place,
]
