"""The summary that upstream's ResourcePoolStatusRequest gives of a pool, by its own formulas and with its own gaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pools.domain.claim import TaintRule
from pools.domain.device import Device
from pools.domain.ids import CounterId, PoolId
from pools.domain.pool import Slice
from pools.domain.quantity import format_nano
from pools.domain.state import Holder

MAX_ROWS = 32

Amounts = dict[CounterId, int]


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """Devices of one type: all, and how many would fit by upstream's greedy count. Rows are alternatives."""

    attribute: str
    type: str
    total: int
    allocatable: int


@dataclass(frozen=True, slots=True)
class CapacityRow:
    """One capacity over all shareable devices of a pool, in billionths; `like` is a published text of it."""

    name: str
    total_nano: int
    consumed_nano: int
    like: str

    @property
    def available_nano(self) -> int:
        return max(0, self.total_nano - self.consumed_nano)


@dataclass(frozen=True, slots=True)
class ShareableSummary:
    """Shareable devices without any share, with at least one, and their capacities added up."""

    fully_available: int
    partially_available: int
    capacity: tuple[CapacityRow, ...]


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """
    status.pools[] of a ResourcePoolStatusRequest (1.37).

    The counts are None where upstream would give none. `validation_error` starts with upstream's machine-readable word
    (PoolIncomplete, PartitionTypeMissing, PartitionCostMismatch, PartitionSummaryOverCap, ShareableSummaryOverCap).
    """

    pool: PoolId
    generation: int
    node_name: str
    slice_count: int
    total: int | None = None
    allocated: int | None = None
    available: int | None = None
    unavailable: int | None = None
    partitions: tuple[PartitionRow, ...] | None = None
    shareable: ShareableSummary | None = None
    validation_error: str = ""


class _Refused(Exception):
    """A summary that upstream drops; the text is its validationError."""


def pool_status(
    slices: Sequence[Slice], holds: Iterable[Holder], rules: Iterable[TaintRule], *, default_attribute: str = ""
) -> PoolStatus:
    """
    Compute what upstream's controller would write for one pool.

    Args:
        slices: all slices of one pool, any generation, at least one.
        holds: holds on its devices; those on other pools and admin ones are left out.
        rules: taint rules of the cluster.
        default_attribute: spec.defaultPartitionTypeAttribute, fully qualified.

    Source: KEP-5677; pkg/controller/resourcepoolstatusrequest/views.go.
    """
    identity = slices[0].pool_id
    generation = max(item.generation for item in slices)
    current = sorted((item for item in slices if item.generation == generation), key=lambda item: item.meta.name)
    expected = next(item.slice_count for item in slices if item.generation == generation)
    status = {
        "pool": identity,
        "generation": generation,
        "node_name": _node_name(current),
        "slice_count": expected,
    }
    if len(current) < expected:
        error = f"PoolIncomplete: {len(current)} of {expected} slices"
        return PoolStatus(**status, validation_error=error)  # type: ignore[arg-type]
    used = [hold for hold in holds if not hold.admin and hold.device.pool_id == identity]
    devices = [device for item in current for device in item.devices]
    names = {hold.device.name for hold in used}
    unavailable = sum(_tainted(device, identity, rules := tuple(rules)) for device in devices)
    counts = {
        "total": len(devices),
        "allocated": len(names),
        "unavailable": unavailable,
        "available": max(0, len(devices) - len(names) - unavailable),
    }
    try:
        views = {
            "partitions": _partitions(current, names, default_attribute),
            "shareable": _shareable(devices, used),
        }
    except _Refused as refused:
        return PoolStatus(**status, **counts, validation_error=str(refused))  # type: ignore[arg-type]
    return PoolStatus(**status, **counts, **views)  # type: ignore[arg-type]


def _node_name(slices: Sequence[Slice]) -> str:
    names = {item.reach.node_name for item in slices}
    return names.pop() if len(names) == 1 else ""


def _tainted(device: Device, pool: PoolId, rules: Iterable[TaintRule]) -> bool:
    ruled = (rule.taint for rule in rules if rule.matches(pool.driver, pool.name, device.name))
    return any(taint.blocks for taint in (*device.taints, *ruled))


def _partitions(slices: Sequence[Slice], in_use: set[str], default: str) -> tuple[PartitionRow, ...] | None:
    declared = any(item.partition_type_attribute for item in slices if item.devices)
    typed = [
        (item.partition_type_attribute or ("" if declared else default), device)
        for item in slices
        for device in item.devices
    ]
    if not any(attribute for attribute, _ in typed):
        return None
    if not any(item.counter_sets for item in slices):
        raise _Refused("PartitionTypeMissing: the pool declares a partition type attribute but no shared counters")
    groups: dict[tuple[str, str], list[Device]] = defaultdict(list)
    for attribute, device in typed:
        if attribute and device.consumes:
            groups[attribute, _type(device, attribute, slices[0].driver)].append(device)
    baseline = _baseline(slices, in_use)
    rows = tuple(
        PartitionRow(*key, total=len(group), allocatable=_greedy(key[1], group, baseline, in_use))
        for key, group in sorted(groups.items())
    )
    if len(rows) > MAX_ROWS:
        raise _Refused(f"PartitionSummaryOverCap: {len(rows)} types, at most {MAX_ROWS}")
    return rows or None


def _type(device: Device, attribute: str, driver: str) -> str:
    value = device.attribute(attribute, driver)
    if value is None or value.kind != "string":
        raise _Refused(f"PartitionTypeMissing: device {device.name} has no string attribute {attribute}")
    return str(value.value)


def _cost(device: Device) -> Amounts:
    cost: Amounts = {}
    for entry in device.consumes:
        for counter, amount in entry.counters.items():
            key = CounterId(entry.counter_set, counter)
            cost[key] = cost.get(key, 0) + amount.nano
    return cost


def _cost_key(device: Device) -> tuple[str, ...]:
    """Upstream's test of sameness; it names sets and counters, so two placements of one profile differ."""
    return tuple(
        sorted(
            f"{entry.counter_set}/{counter}={format_nano(amount.nano, amount.text)}"
            for entry in device.consumes
            for counter, amount in entry.counters.items()
        )
    )


def _baseline(slices: Sequence[Slice], in_use: set[str]) -> Amounts:
    left = {
        CounterId(counter_set.name, counter): amount.nano
        for item in slices
        for counter_set in item.counter_sets
        for counter, amount in counter_set.counters.items()
    }
    for item in slices:
        for device in item.devices:
            if device.name in in_use:
                for key, nano in _cost(device).items():
                    if key in left:
                        left[key] -= nano
    return left


def _greedy(type_: str, group: Sequence[Device], baseline: Mapping[CounterId, int], in_use: set[str]) -> int:
    if len({_cost_key(device) for device in group}) > 1:
        raise _Refused(f"PartitionCostMismatch: devices of type {type_} consume different counters or amounts")
    left, placed = dict(baseline), 0
    for device in group:
        cost = _cost(device)
        if device.name not in in_use and all(key in left and left[key] >= nano for key, nano in cost.items()):
            placed += 1
            for key, nano in cost.items():
                left[key] -= nano
    return placed


def _shareable(devices: Sequence[Device], used: Sequence[Holder]) -> ShareableSummary | None:
    shareable = [device for device in devices if device.allow_multiple_allocations]
    if not shareable:
        return None
    names = {hold.device.name for hold in used}
    total: dict[str, int] = defaultdict(int)
    like: dict[str, str] = {}
    for device in shareable:
        for name, capacity in device.capacity.items():
            total[name] += capacity.value.nano
            like.setdefault(name, capacity.value.text)
    consumed: dict[str, int] = defaultdict(int)
    for hold in used:
        for name, amount in hold.consumed.items():
            consumed[name] += amount.nano
    if len(total) > MAX_ROWS:
        raise _Refused(f"ShareableSummaryOverCap: {len(total)} capacities, at most {MAX_ROWS}")
    partly = sum(device.name in names for device in shareable)
    rows = tuple(CapacityRow(name, nano, consumed[name], like[name]) for name, nano in sorted(total.items()))
    return ShareableSummary(len(shareable) - partly, partly, rows)
