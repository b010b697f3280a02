"""Findings about devices and counters of one pool: what is over-committed, impossible, odd or lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from pools.core.amounts import compared, listed, shown
from pools.core.cards import Card
from pools.core.counters import Ledger, consuming
from pools.core.shape import UNGROUPED, Shape
from pools.core.slots import ranks_of
from pools.domain.device import Device
from pools.domain.errors import Finding
from pools.domain.pool import Pool
from pools.domain.state import CounterUse, DeviceReport


def device_findings(
    pool: Pool, shape: Shape, cards: Sequence[Card], books: Ledger, reports: Sequence[DeviceReport]
) -> Iterator[Finding]:
    """Findings that need the pool's numbers."""
    for use in books.uses:
        yield from _counter(pool, use)
    yield from _unused(pool, shape, books)
    yield from _holders(reports)
    yield from _never(pool, shape)
    yield from _consumption(pool, shape)
    yield from _order(pool, ranks_of(shape), cards)
    yield from _types(pool)


def _counter(pool: Pool, use: CounterUse) -> Iterator[Finding]:
    name, like = f"{pool.id}/{use.id}", use.capacity.text
    if use.capacity.nano < 0:
        text = "The counter's capacity is negative, which blocks every device of the pool that consumes counters."
        yield Finding("counter-negative", name, "error", text)
    elif use.overcommitted_nano:
        text = (
            f"Devices in use consume {shown(use.overcommitted_nano, like)} more than there is, "
            "which blocks every device of the pool that consumes counters."
        )
        yield Finding("counter-overcommitted", name, "error", text)
    if use.capacity.is_unknown:
        text = "No capacity is published for the counter: it counts as 0."
        yield Finding("counter-without-value", name, "warning", text)


def _unused(pool: Pool, shape: Shape, books: Ledger) -> Iterator[Finding]:
    drawn = (shape.cost != 0).any(axis=0)
    for use, flag in zip(books.uses, drawn.tolist(), strict=True):
        if not flag and use.capacity.nano > 0:
            text = "No device draws on this counter, so it limits nothing; a name may be misspelt."
            yield Finding("counter-unused", f"{pool.id}/{use.id}", "info", text)


def _holders(reports: Sequence[DeviceReport]) -> Iterator[Finding]:
    for report in reports:
        used = consuming(report.holders)
        if not used:
            continue
        claims = listed([str(claim) for claim in dict.fromkeys(hold.claim for hold in used)])
        if not report.published:
            text = f"Allocated to {claims}, but no current slice lists it: what it draws on counters is unknown."
            yield Finding("allocated-device-not-published", str(report.id), "warning", text)
            continue
        exclusive = [hold for hold in used if not hold.share_id]
        if exclusive and len(used) > 1:
            text = f"Allocated more than once although not shared: {claims} all hold it."
            yield Finding("device-allocated-twice", str(report.id), "error", text)
        elif exclusive and report.shareable:
            text = f"{claims} holds the whole device from before it became shareable: no share of it can be had."
            yield Finding("exclusive-hold-on-shareable", str(report.id), "warning", text)
        for key, use in report.capacity.items():
            if use.consumed_nano > use.capacity.nano:
                consumed, capacity = compared(use.consumed_nano, use.capacity.nano, use.capacity.text)
                text = f"{key}: shares consume {consumed} of {capacity}."
                yield Finding("capacity-overcommitted", str(report.id), "error", text)


def _never(pool: Pool, shape: Shape) -> Iterator[Finding]:
    """Devices that need more of a counter than it has when nothing is in use."""
    if not pool.usable:
        return
    sets = {item.name: item.counters for item in pool.counter_sets}
    short = shape.cost > np.maximum(shape.capacity, 0)
    for row in np.flatnonzero(short.any(axis=1)).tolist():
        counter = shape.counters[int(np.flatnonzero(short[row])[0])]
        need = sum(
            entry.counters[counter.counter].nano
            for entry in pool.devices[row].device.consumes
            if entry.counter_set == counter.counter_set and counter.counter in entry.counters
        )
        capacity = sets[counter.counter_set][counter.counter]
        wants, has = compared(need, capacity.nano, capacity.text)
        text = f"Can never be allocated: it needs {wants} of {counter.counter}, {counter.counter_set} has {has}."
        yield Finding("device-never-fits", f"{pool.id}/{pool.devices[row].name}", "warning", text)


def _consumption(pool: Pool, shape: Shape) -> Iterator[Finding]:
    for row, item in enumerate(pool.devices):
        yield from _entries(f"{pool.id}/{item.name}", item.device)
        sets = dict.fromkeys(shape.counters[position].counter_set for position, _ in shape.draws[row])
        if len(sets) > 1:
            text = f"Draws on {listed(list(sets))}, and so joins them into one card."
            yield Finding("device-joins-counter-sets", f"{pool.id}/{item.name}", "info", text)
    for position, name in enumerate(shape.grouped_sets):
        if any(masks[position] == UNGROUPED for masks in shape.groups):
            text = "Some devices on this set have compatibility groups, some none: the two are never in use together."
            yield Finding("compatibility-groups-missing", f"{pool.id}/{name}", "info", text)


def _entries(name: str, device: Device) -> Iterator[Finding]:
    for entry in device.consumes:
        for counter, amount in entry.counters.items():
            if amount.nano < 0:
                text = f"Its consumption of {counter} is negative: allocating it would give the counter back."
                yield Finding("consumption-negative", name, "warning", text)
            elif amount.is_unknown:
                text = f"No amount is published for its consumption of {counter}: it counts as 0."
                yield Finding("consumption-without-value", name, "warning", text)


def _order(pool: Pool, ranks: Sequence[int], cards: Sequence[Card]) -> Iterator[Finding]:
    """First fit takes devices in list order: large ones first use up cards that small ones would leave whole."""
    for card in cards:
        for one, other in pairwise(card.devices):
            if ranks[other] < ranks[one]:
                text = (
                    f"{pool.devices[one].name} is listed before the smaller {pool.devices[other].name}: the scheduler "
                    "takes the first that fits, so listing small partitions first keeps large ones free."
                )
                yield Finding("large-before-small", str(pool.id), "info", text)
                return


def _types(pool: Pool) -> Iterator[Finding]:
    """
    What makes the ResourcePoolStatusRequest leave out the pool's summary of partitions.

    Source: KEP-5677; dra-api.md 4.4.
    """
    costs: dict[tuple[str, str], set[tuple[tuple[str, str, int], ...]]] = defaultdict(set)
    for item in pool.devices:
        attribute = item.type_attribute
        if not attribute or not item.device.consumes:
            continue
        value = item.device.attribute(attribute, pool.id.driver)
        if value is None or value.kind != "string":
            text = f"Lacks the string attribute {attribute} that its slice names as partition type."
            yield Finding("partition-type-missing", f"{pool.id}/{item.name}", "error", text)
            continue
        costs[attribute, str(value.value)].add(
            tuple(
                sorted(
                    (entry.counter_set, name, amount.nano)
                    for entry in item.device.consumes
                    for name, amount in entry.counters.items()
                )
            )
        )
    for (attribute, name), different in costs.items():
        if len(different) > 1:
            text = (
                f"Devices with {attribute}={name} consume differently, "
                "so a ResourcePoolStatusRequest shows no summary of this pool's partitions."
            )
            yield Finding("partition-cost-mismatch", str(pool.id), "info", text)
