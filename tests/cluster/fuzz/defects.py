"""Pools as they look while a driver updates them, or when it errs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .world import Json, World

Slices = list[Json]


def break_pools(world: World, probability: float) -> None:
    """Give each pool one defect with this probability."""
    for members in _pools(world):
        if world.dice.chance(probability):
            world.dice.choice(_DEFECTS)(world, members)


def _pools(world: World) -> list[Slices]:
    found: dict[tuple[str, str], Slices] = {}
    for each in world.slices:
        found.setdefault((each["spec"]["driver"], each["spec"]["pool"]["name"]), []).append(each)
    return list(found.values())


def _incomplete(world: World, members: Slices) -> None:
    """One slice is not there yet."""
    if len(members) > 1:
        world.slices.remove(world.dice.choice(members))
    else:
        members[0]["spec"]["pool"]["resourceSliceCount"] += 1


def _overcomplete(world: World, members: Slices) -> None:
    """More slices than the driver says there are."""
    for each in members:
        each["spec"]["pool"]["resourceSliceCount"] = max(1, len(members) - 1)


def _older_slices(world: World, members: Slices) -> None:
    """Slices of the generation before are still there."""
    for each in world.dice.some(members):
        old = copy.deepcopy(each)
        old["metadata"]["name"] += "-old"
        for now in members:
            now["spec"]["pool"]["generation"] = max(1, now["spec"]["pool"]["generation"])
        old["spec"]["pool"]["generation"] = 0
        if world.dice.chance(0.5) and old["spec"].get("devices"):
            old["spec"]["devices"] = world.dice.some(old["spec"]["devices"])
        world.slices.append(old)


def _newer_smaller(world: World, members: Slices) -> None:
    """The next generation has begun with one slice, complete by itself or not."""
    new = copy.deepcopy(world.dice.choice(members))
    new["metadata"]["name"] += "-new"
    new["spec"]["pool"]["generation"] += 1
    new["spec"]["pool"]["resourceSliceCount"] = world.dice.choice([1, len(members)])
    if world.dice.chance(0.5) and new["spec"].get("devices"):
        new["spec"]["devices"] = world.dice.some(new["spec"]["devices"])
    if world.dice.chance(0.3) and len(world.nodes) > 1 and "nodeName" in new["spec"]:
        new["spec"]["nodeName"] = world.dice.choice(world.names())
    world.slices.append(new)


def _duplicate_device(world: World, members: Slices) -> None:
    """Two devices of one name."""
    holders = [each for each in members if each["spec"].get("devices")]
    if holders:
        source, target = world.dice.choice(holders), world.dice.choice(holders)
        target["spec"]["devices"].append(copy.deepcopy(world.dice.choice(source["spec"]["devices"])))


def _duplicate_set(world: World, members: Slices) -> None:
    """Two counter sets of one name."""
    holders = [each for each in members if each["spec"].get("sharedCounters")]
    if holders:
        sets = world.dice.choice(holders)["spec"]["sharedCounters"]
        sets.append(copy.deepcopy(world.dice.choice(sets)))


def _unknown_counter(world: World, members: Slices) -> None:
    """A device consumes from a counter, or a set, that nobody declares."""
    consumed = [entry for each in members for entry in _consumption(each)]
    if not consumed:
        return
    entry = world.dice.choice(consumed)
    if world.dice.chance(0.5):
        entry["counterSet"] = "no-such-set"
    else:
        entry["counters"]["no-such-counter"] = {"value": "1"}


def _consumption(each: Json) -> list[Json]:
    return [entry for device in each["spec"].get("devices", []) for entry in device.get("consumesCounters", [])]


def _inconsistent_count(world: World, members: Slices) -> None:
    """Slices of one generation disagree on their number."""
    world.dice.choice(members)["spec"]["pool"]["resourceSliceCount"] += 1


def _counters_elsewhere(world: World, members: Slices) -> None:
    """The counter sets are published for one node only, devices for another."""
    place = {"nodeName": world.dice.choice(world.names())}
    for each in members:
        if "sharedCounters" in each["spec"] or world.dice.chance(0.3):
            for key in ("nodeName", "nodeSelector", "allNodes"):
                each["spec"].pop(key, None)
            if "perDeviceNodeSelection" not in each["spec"]:
                each["spec"].update(place)


def _odd_value(world: World, members: Slices) -> None:
    """A counter below zero, at zero, or written in an unusual way."""
    amount = world.dice.choice(["-1", "0", "1e3", "500m", "1n", "12E", "0.5Gi", "1048576Ki"])
    counters: list[dict[str, Any]] = [entry["counters"] for each in members for entry in _consumption(each)]
    counters += [each["counters"] for s in members for each in s["spec"].get("sharedCounters", [])]
    counters = [each for each in counters if each]
    if counters:
        chosen = world.dice.choice(counters)
        chosen[world.dice.choice(sorted(chosen))] = {"value": amount}


def _no_place(world: World, members: Slices) -> None:
    """A slice says nowhere where it is."""
    spec = world.dice.choice(members)["spec"]
    for key in ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"):
        spec.pop(key, None)


def _empty_slice(world: World, members: Slices) -> None:
    """A slice without content still counts."""
    extra = copy.deepcopy(members[0])
    extra["metadata"]["name"] += "-empty"
    extra["spec"].pop("devices", None)
    extra["spec"].pop("sharedCounters", None)
    world.slices.append(extra)
    if world.dice.chance(0.7):
        for each in [*members, extra]:
            each["spec"]["pool"]["resourceSliceCount"] += 1


_DEFECTS: list[Callable[[World, Slices], None]] = [
    _incomplete,
    _overcomplete,
    _older_slices,
    _older_slices,
    _newer_smaller,
    _newer_smaller,
    _duplicate_device,
    _duplicate_set,
    _unknown_counter,
    _unknown_counter,
    _inconsistent_count,
    _counters_elsewhere,
    _odd_value,
    _no_place,
    _empty_slice,
]
