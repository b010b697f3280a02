"""Make a scenario smaller while two programs still disagree on it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

from .world import Json

Path = tuple[str | int, ...]
StillBad = Callable[[list[Json]], list[bool]]

BATCH = 40
_LISTS_KEPT = {"results", "nodeSelectorTerms"}
_MAPS = {"attributes", "capacity", "counters", "consumedCapacity", "requests", "features", "labels", "scenario"}
_OPTIONAL = {
    *("attributes", "capacity", "taints", "consumesCounters", "selectors", "constraints", "config", "tolerations"),
    *("count", "allocationMode", "adminAccess", "requestPolicy", "allowMultipleAllocations", "shareID", "features"),
    *("consumedCapacity", "labels", "bindingConditions", "bindingFailureConditions", "bindsToNode", "requests"),
    *("skipNodeOperations", "compatibilityGroups", "derivedAttributes", "validRange", "validValues", "min", "max"),
    *("step", "default", "declaredFeatures", "matchFields", "matchExpressions", "sharedCounters", "effect", "value"),
}


def shrink(scenario: Json, still_bad: StillBad, seconds: float) -> Json:
    """
    A smaller scenario for which `still_bad` still says true; no single part of it can go, unless time ran out.

    Args:
        still_bad: one answer a scenario; asked in batches, since each question starts two programs.
        seconds: give up and return the smallest so far after this time.
    """
    end = time.monotonic() + seconds
    for whole in (True, False):
        progress = True
        while progress and time.monotonic() < end:
            smaller = _round(scenario, still_bad, list(_parts(scenario, whole=whole)), end)
            progress = smaller is not None
            scenario = smaller if smaller is not None else scenario
    return scenario


def _round(scenario: Json, still_bad: StillBad, parts: list[list[Path]], end: float) -> Json | None:
    """The scenario without what turned out to be of no account, or None when everything is."""
    for start in range(0, len(parts), BATCH):
        if time.monotonic() > end:
            return None
        batch = parts[start : start + BATCH]
        verdicts = still_bad([_without(scenario, paths) for paths in batch])
        idle = [paths for paths, bad in zip(batch, verdicts, strict=True) if bad]
        if idle:
            return _together(scenario, still_bad, idle)
    return None


def _together(scenario: Json, still_bad: StillBad, idle: list[list[Path]]) -> Json:
    """Leave out as many parts at once as can be; the first alone is known to work."""
    sizes = []
    size = len(idle)
    while size > 1:
        sizes.append(size)
        size //= 2
    tries = [_without(scenario, [path for paths in idle[:size] for path in paths]) for size in sizes]
    if tries:
        for each, bad in zip(tries, still_bad(tries), strict=True):
            if bad:
                return each
    return _without(scenario, idle[0])


def _parts(scenario: Json, *, whole: bool) -> Iterator[list[Path]]:
    """What may be left out: first halves and elements of the big lists, then anything."""
    for path, items in _walk(scenario):
        if not isinstance(items, list) or (path and path[-1] in _LISTS_KEPT and len(items) < 2):
            continue
        if whole and len(items) > 3:
            half = len(items) // 2
            yield [(*path, index) for index in range(half)]
            yield [(*path, index) for index in range(half, len(items))]
        if not whole or len(path) == 1 or path[-1] in ("devices", "requests"):
            yield from ([(*path, index)] for index in range(len(items)))
    if whole:
        return
    for path, items in _walk(scenario):
        if isinstance(items, dict):
            yield from ([(*path, key)] for key in items if _may_go(path, key))


def _may_go(path: Path, key: str) -> bool:
    above = str(path[-1]) if path else "scenario"
    if above == "devices" and key == "requests":
        return False
    if key == "value" and above not in ("taints",) and not isinstance(path[-1], int):
        return False
    return key in _OPTIONAL or above in _MAPS - {"scenario"}


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _walk(each, (*path, key))


def _without(scenario: Json, paths: list[Path]) -> Json:
    """A copy without these parts; a slice that goes is taken off the count of its pool."""
    made = copy.deepcopy(scenario)
    for path in sorted(set(paths), key=lambda p: [(isinstance(step, int), step) for step in p], reverse=True):
        try:
            parent: Any = made
            for step in path[:-1]:
                parent = parent[step]
            gone = parent[path[-1]]
            del parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        if path[0] == "slices" and len(path) == 2:
            _uncount(made, gone)
    return made


def _uncount(scenario: Json, gone: Json) -> None:
    pool = gone["spec"]["pool"]
    for each in scenario["slices"]:
        other = each["spec"]["pool"]
        same = each["spec"]["driver"] == gone["spec"]["driver"] and other["name"] == pool["name"]
        if same and other.get("generation") == pool.get("generation"):
            other["resourceSliceCount"] = max(1, other["resourceSliceCount"] - 1)
