"""Judgements: what the core says about a pool, its counters, devices and cards at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from pools.domain.claim import TaintRule
from pools.domain.errors import Finding
from pools.domain.ids import ClaimId, CounterId, DeviceId
from pools.domain.pool import Pool, PooledDevice
from pools.domain.quantity import Quantity

DeviceState = Literal["allocated", "available", "blocked", "tainted", "unavailable"]

ReasonCode = Literal[
    "stale",
    "pool-incomplete",
    "pool-invalid",
    "node-missing",
    "unknown-selection",
    "allocated",
    "capacity-exhausted",
    "counter-short",
    "counter-negative",
    "tainted",
    "compatibility",
    "not-published",
]


@dataclass(frozen=True, slots=True)
class Holder:
    """
    One claim's hold on one device. `pods` are `namespace/name` of the claim's consumers. `since` is the allocation's
    time (RFC 3339), empty when unknown. `consumed` is filled for shares. `admin` holds observe, and consume nothing.
    """

    claim: ClaimId
    device: DeviceId
    request: str
    pods: tuple[str, ...] = ()
    since: str = ""
    share_id: str = ""
    consumed: Mapping[str, Quantity] = field(default_factory=dict)
    admin: bool = False


@dataclass(frozen=True, slots=True)
class CounterHold:
    """How much of a counter one device in use draws, and for whom. A shared device is charged once for all holders."""

    device: DeviceId
    nano: int
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class CounterUse:
    """
    One counter, in billionths of its unit.

    `remaining_nano` is capacity minus consumption and may be negative; `available_nano` is the same but never below 0,
    `overcommitted_nano` what is missing. `uncertain` is True when an allocated device left its slice: its use is
    unknown and counts as nothing.
    """

    id: CounterId
    capacity: Quantity
    consumed_nano: int
    holds: tuple[CounterHold, ...] = ()
    uncertain: bool = False

    @property
    def remaining_nano(self) -> int:
        return self.capacity.nano - self.consumed_nano

    @property
    def available_nano(self) -> int:
        return max(0, self.remaining_nano)

    @property
    def overcommitted_nano(self) -> int:
        return max(0, -self.remaining_nano)

    @property
    def ratio(self) -> Fraction | None:
        """Consumed by capacity; None when the capacity is 0 or less and nothing can be said."""
        return Fraction(self.consumed_nano, self.capacity.nano) if self.capacity.nano > 0 else None


@dataclass(frozen=True, slots=True)
class Reason:
    """
    Why a device cannot be allocated now. `message` is one sentence for a person; the rest is the same for a program:
    counter reasons carry counter, need and remaining (billionths) and holders; taints the taint and the rule's name.
    """

    code: ReasonCode
    message: str
    counter: CounterId | None = None
    need_nano: int = 0
    remaining_nano: int = 0
    holders: tuple[Holder, ...] = ()
    taint: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class CapacityUse:
    """A shareable device's capacity, in billionths: what all shares consume together."""

    capacity: Quantity
    consumed_nano: int

    @property
    def available_nano(self) -> int:
        return max(0, self.capacity.nano - self.consumed_nano)


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """
    One device now.

    `type` is the label it is grouped by; `card` the key of its card ('' when it consumes no counters). `state` is the
    first that applies of allocated (a fact about claims, whatever state the pool is in), unavailable (pool or reach),
    blocked, tainted, available; `reasons` lists all that apply. `holders` are claims that use it, admin ones included.
    `capacity` is filled for shareable devices (by published key). `accepts_more` is True for a shareable device in use
    that could take another default share now.
    """

    id: DeviceId
    pooled: PooledDevice | None
    state: DeviceState
    reasons: tuple[Reason, ...] = ()
    type: str = ""
    card: str = ""
    holders: tuple[Holder, ...] = ()
    capacity: Mapping[str, CapacityUse] = field(default_factory=dict)
    shares: int = 0
    accepts_more: bool = False
    published: bool = True

    @property
    def shareable(self) -> bool:
        return self.pooled is not None and self.pooled.device.allow_multiple_allocations


@dataclass(frozen=True, slots=True)
class TypeFit:
    """
    How many more devices of one type fit. Rows of one card are alternatives: they are never summed.

    `max_more` is the most that can be allocated together now; exact when `exact`, else a lower bound found within the
    search budget. `first_fit` is how many the scheduler's order (slice name, list order, first that fits) would place.
    """

    type: str
    total: int
    allocated: int
    available: int
    max_more: int
    first_fit: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class SlotSpan:
    """A device's place in a slot map: the indices (as cells, left to right) that it occupies."""

    device: str
    type: str
    state: DeviceState
    cells: tuple[int, ...]
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotMap:
    """
    Counters of capacity 1 in one set whose names differ in one number, drawn as a strip (memory-slice-0 … 7).

    `cells` are the counters in index order; `spans` the devices that draw on at least one of them.
    """

    stem: str
    cells: tuple[CounterId, ...]
    spans: tuple[SlotSpan, ...]


@dataclass(frozen=True, slots=True)
class CardReport:
    """
    A connected component of devices and counters: what a person calls the GPU.

    `key` is stable over updates that keep its counters (it is the first counter set's name, with `#n` when one set
    falls into several cards); `label` is for people: a common name prefix, a few counters or sets, or the key. `model`
    is a product name if any device publishes one. `use` is the highest consumed/capacity over its amounts and its
    strips of slots, each strip taken as a whole; locks (other counters of capacity 1) count where there is nothing
    else. `largest` is the type of the biggest device that still fits, empty when none does. `types` has the largest
    first. `devices` are names in publication order.
    """

    key: str
    label: str
    model: str
    counters: tuple[CounterId, ...]
    devices: tuple[str, ...]
    use: Fraction
    largest: str
    types: tuple[TypeFit, ...]
    slots: tuple[SlotMap, ...] = ()


@dataclass(frozen=True, slots=True)
class Mix:
    """A set of devices that fit together on top of what is allocated, and to which no device can be added."""

    devices: tuple[str, ...]
    types: tuple[tuple[str, int], ...]
    """(type, count), largest first."""


@dataclass(frozen=True, slots=True)
class Mixes:
    """All maximal mixes, or, when `cut`, those found within the bound. `feasible` counts non-empty feasible sets."""

    maximal: tuple[Mix, ...]
    feasible: int
    cut: bool


@dataclass(frozen=True, slots=True)
class PoolReport:
    """Everything that can be said of one pool. `max_more` is keyed `attribute=value` over counter-consuming devices."""

    pool: Pool
    counters: tuple[CounterUse, ...]
    devices: tuple[DeviceReport, ...]
    cards: tuple[CardReport, ...]
    findings: tuple[Finding, ...]
    types: tuple[TypeFit, ...] = ()
    """By type over the whole pool, counter-consuming or not."""
    loose_devices: tuple[str, ...] = ()
    """Names of devices that consume no counters, and so belong to no card."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """
    What a pool is judged against: claims that name its devices (holds, admin ones included), taint rules of the
    cluster, and the names of existing nodes (None: not known, every node is taken to exist).
    """

    holds: tuple[Holder, ...] = ()
    taint_rules: tuple[TaintRule, ...] = ()
    node_names: frozenset[str] | None = None
