"""What makes a pool invalid: repeated names and references to nothing, over all slices of a generation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pools.core.reach import disjoint
from pools.domain.device import NodeReach
from pools.domain.pool import Slice


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: a stable code, what it is about (a name within the pool), the scheduler's words, and where it is."""

    code: str
    subject: str
    reason: str
    slices: tuple[str, ...]


def faults(current: Sequence[Slice]) -> tuple[Fault, ...]:
    """
    All faults of one generation's slices, in the order in which the scheduler would meet their kinds.

    A device name may be repeated when no node can reach both devices: the scheduler looks at one node at a time.

    Source: buildPool of k8s.io/dynamic-resource-allocation, structured/internal/incubating/pools_incubating.go.
    """
    return (*_repeated_devices(current), *_repeated_sets(current), *_dangling(current))


def shared_names(current: Sequence[Slice]) -> tuple[str, ...]:
    """Device names that occur more than once, but for nodes that exclude each other: they share one identity."""
    repeated = {item.subject for item in _repeated_devices(current)}
    return tuple(name for name, places in _places(current).items() if len(places) > 1 and name not in repeated)


def _places(current: Sequence[Slice]) -> dict[str, list[tuple[str, NodeReach]]]:
    places: dict[str, list[tuple[str, NodeReach]]] = defaultdict(list)
    for item in current:
        for device in item.devices:
            places[device.name].append((item.meta.name, device.reach if item.per_device_reach else item.reach))
    return places


def _repeated_devices(current: Sequence[Slice]) -> Iterator[Fault]:
    for name, places in _places(current).items():
        if len(places) > 1 and any(
            not disjoint(one[1], other[1]) for index, one in enumerate(places) for other in places[:index]
        ):
            where = tuple(dict.fromkeys(slice_name for slice_name, _ in places))
            yield Fault("device-name-repeated", name, f"duplicate device name {name}", where)


def _repeated_sets(current: Sequence[Slice]) -> Iterator[Fault]:
    places: dict[tuple[str, int], list[str]] = defaultdict(list)
    for index, item in enumerate(current):
        for entry in item.counter_sets:
            places[entry.name, -1 if item.scope == "pool" else index].append(item.meta.name)
    for (name, _), where in places.items():
        if len(where) > 1:
            yield Fault("counter-set-repeated", name, f"duplicate counter set name {name}", tuple(dict.fromkeys(where)))


def _dangling(current: Sequence[Slice]) -> Iterator[Fault]:
    common = {entry.name: entry.counters for item in current if item.scope == "pool" for entry in item.counter_sets}
    found: dict[tuple[str, str], Fault] = {}
    for item in current:
        known = common if item.scope == "pool" else {entry.name: entry.counters for entry in item.counter_sets}
        for device in item.devices:
            for entry in device.consumes:
                counters = known.get(entry.counter_set)
                if counters is None:
                    _note(found, "counter-set-missing", entry.counter_set, "", item.meta.name)
                    continue
                for name in entry.counters:
                    if name not in counters:
                        _note(found, "counter-missing", entry.counter_set, name, item.meta.name)
    yield from found.values()


def _note(found: dict[tuple[str, str], Fault], code: str, counter_set: str, counter: str, where: str) -> None:
    if (counter_set, counter) in found:
        return
    if counter:
        reason, subject = f"counter {counter} not found in counter set {counter_set}", f"{counter_set}/{counter}"
    else:
        reason, subject = f"counter set {counter_set} not found", counter_set
    found[counter_set, counter] = Fault(code, subject, reason, (where,))
