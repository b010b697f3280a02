"""Counter sets and slices within the limits of resource.k8s.io/v1: how a compound pool is spread when it is large."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from pools.core.lint_slices import MAX_CONSUMPTIONS, MAX_COUNTERS, MAX_DEVICES_WITH_COUNTERS, MAX_SETS
from pools.domain.device import Consumption, Device, NodeReach
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import parse_quantity

MAX_NAME = 253
_ONE = parse_quantity("1")

Draws = Sequence[Sequence[str]]
"""For each molecule, the counters that it takes."""


class TooLarge(Exception):
    """A pool that cannot be published within the limits; the message names the limit."""


def counter_sets(counters: Sequence[str], draws: Draws) -> tuple[tuple[str, ...], ...]:
    """
    Spread counters over sets so that no set holds more than 32 and no molecule draws on more than two.

    One set when all fit. Else what hangs together stays together, in first-fit order; what hangs together and is more
    than one set takes sets of its own, filled in the given order or, if that tears a molecule into three, in the order
    in which the largest molecules name them.

    Raises:
        TooLarge: neither order keeps every molecule within two sets.

    Source: dra-api.md 2.1 (limits of 1.35 and later).
    """
    if len(counters) <= MAX_COUNTERS:
        return (tuple(counters),) if counters else ()
    parts = _components(counters, draws)
    found = _spread(parts)
    torn = _torn(found, draws)
    if torn:
        by_size = sorted(draws, key=len, reverse=True)
        named = dict.fromkeys((*(one for draw in by_size for one in draw), *counters))
        place = {counter: index for index, counter in enumerate(named)}
        found = _spread([sorted(part, key=place.__getitem__) for part in parts])
        torn = _torn(found, draws)
    if torn:
        raise TooLarge(
            f"{len(counters)} underlying devices need sets of at most {MAX_COUNTERS} counters, and a molecule "
            f"({'+'.join(torn)}) would draw on more than {MAX_CONSUMPTIONS} of them, which is the most that a device "
            "may. Make the groups smaller."
        )
    return found


def _spread(parts: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    sets: list[list[str]] = []
    for part in parts:
        if len(part) > MAX_COUNTERS:
            sets.extend(list(part[start : start + MAX_COUNTERS]) for start in range(0, len(part), MAX_COUNTERS))
            continue
        home = next((one for one in sets if len(one) + len(part) <= MAX_COUNTERS), None)
        if home is None:
            sets.append(home := [])
        home.extend(part)
    return tuple(tuple(one) for one in sets)


def _torn(sets: Sequence[Sequence[str]], draws: Draws) -> Sequence[str]:
    """The first molecule that draws on more sets than a device may; empty when there is none."""
    homes = {counter: index for index, one in enumerate(sets) for counter in one}
    return next((draw for draw in draws if len({homes[counter] for counter in draw}) > MAX_CONSUMPTIONS), ())


def _components(counters: Sequence[str], draws: Draws) -> list[list[str]]:
    """Counters that hang together by molecules, each part in the given order."""
    part: dict[str, int] = {counter: index for index, counter in enumerate(counters)}
    members: dict[int, list[str]] = {index: [counter] for index, counter in enumerate(counters)}
    for draw in draws:
        first = min(part[counter] for counter in draw)
        for other in {part[counter] for counter in draw} - {first}:
            for counter in members[other]:
                part[counter] = first
            members[first] += members.pop(other)
    place = {counter: index for index, counter in enumerate(counters)}
    return [sorted(each, key=place.__getitem__) for _, each in sorted(members.items())]


def named_sets(base: str, sets: Sequence[Sequence[str]]) -> tuple[CounterSet, ...]:
    """Counter sets of ones: called *base* when there is one, else `base-0`, `base-1` and so on."""
    names = [base] if len(sets) == 1 else [f"{base}-{index}" for index in range(len(sets))]
    return tuple(CounterSet(name, dict.fromkeys(each, _ONE)) for name, each in zip(names, sets, strict=True))


def consumption(draw: Iterable[str], homes: Mapping[str, str]) -> tuple[Consumption, ...]:
    """One of each counter, set by set."""
    by_set: dict[str, dict[str, None]] = {}
    for counter in draw:
        by_set.setdefault(homes[counter], {})[counter] = None
    return tuple(Consumption(name, dict.fromkeys(each, _ONE)) for name, each in by_set.items())


def slices(
    driver: str,
    pool: str,
    node: str,
    sets: Sequence[CounterSet],
    devices: Sequence[Device],
    *,
    generation: int,
    type_attribute: str = "",
    annotations: Mapping[str, str] | None = None,
) -> tuple[Slice, ...]:
    """
    The slices of a pool, counters first, at most 8 sets or 64 devices each; one empty slice for an empty pool.

    Their names sort in the order of publication, which is the order in which the scheduler tries devices.
    """
    parts: list[tuple[tuple[CounterSet, ...], tuple[Device, ...]]] = [
        (tuple(sets[start : start + MAX_SETS]), ()) for start in range(0, len(sets), MAX_SETS)
    ]
    parts += [
        ((), tuple(devices[start : start + MAX_DEVICES_WITH_COUNTERS]))
        for start in range(0, len(devices), MAX_DEVICES_WITH_COUNTERS)
    ]
    parts = parts or [((), ())]
    width = max(3, len(str(len(parts) - 1)))
    return tuple(
        Slice(
            meta=Meta(f"{slice_base(driver, pool)}-{index:0{width}d}", annotations=annotations or {}),
            form="v1",
            driver=driver,
            pool=pool,
            generation=generation,
            slice_count=len(parts),
            reach=NodeReach(node_name=node),
            devices=own,
            counter_sets=held,
            partition_type_attribute=type_attribute if own else "",
        )
        for index, (held, own) in enumerate(parts)
    )


def slice_base(driver: str, pool: str) -> str:
    """What the names of a pool's slices begin with; a hash tells apart what slashes or length would make equal."""
    plain = f"{pool.replace('/', '-')}-{driver}"
    if "/" not in pool and len(plain) <= MAX_NAME - 8:
        return plain
    mark = hashlib.sha256(f"{driver}\n{pool}".encode()).hexdigest()[:10]
    return f"{plain[: MAX_NAME - 20].rstrip('-.')}-{mark}"


def split_note(sets: Sequence[CounterSet], published: Sequence[Slice]) -> str:
    """One sentence on how a pool is spread; empty for one set in one slice and devices in one."""
    counters, molecules = sum(len(each.counters) for each in sets), sum(len(each.devices) for each in published)
    notes = []
    if len(sets) > 1:
        each = ", ".join(f"{one.name} {len(one.counters)}" for one in sets)
        notes.append(f"{counters} counters are in {len(sets)} sets of at most {MAX_COUNTERS} ({each})")
    for what, total, limit, used in (
        ("counter sets", len(sets), MAX_SETS, sum(bool(each.counter_sets) for each in published)),
        ("molecules", molecules, MAX_DEVICES_WITH_COUNTERS, sum(bool(each.devices) for each in published)),
    ):
        if used > 1:
            notes.append(f"{total} {what} are in {used} slices of at most {limit}")
    return "; ".join(notes)
