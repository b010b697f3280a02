"""Slices as published, and the pools they make up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pools.domain.device import Device, NodeReach
from pools.domain.ids import PoolId
from pools.domain.quantity import Quantity

PoolState = Literal["complete", "incomplete", "invalid"]
CounterScope = Literal["pool", "slice"]


@dataclass(frozen=True, slots=True)
class Meta:
    """The metadata every object shares. `created` and `deleted` are RFC 3339 texts, empty when absent."""

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    created: str = ""
    deleted: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owners: tuple[tuple[str, str, str], ...] = ()
    """(kind, name, uid) of each owner reference."""


@dataclass(frozen=True, slots=True)
class CounterSet:
    """A named bag of counters that devices share. An amount may be negative: the API server lets it pass."""

    name: str
    counters: Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class Slice:
    """
    One ResourceSlice, or one ResourcePool of the 2024 prototype, in one form.

    `form` says what it was published as (`v1`, `v1beta1`, `a`, `e2`, …; see wire/registry). `scope` says who may draw
    on `counter_sets`: devices of the whole pool (1.35 and later, prototype pools), or of this slice only (a slice that
    holds both lists: 1.33, 1.34 and the 2024 text of KEP-4381). `slice_count` is 0 where completeness is told by
    `device_count` (that same text) instead. `skip_node_operations` are steps that the kubelet leaves out for its
    devices; only nodes that declare to know how can use them.
    """

    meta: Meta
    form: str
    driver: str
    pool: str
    generation: int
    slice_count: int
    reach: NodeReach
    devices: tuple[Device, ...] = ()
    counter_sets: tuple[CounterSet, ...] = ()
    per_device_reach: bool = False
    scope: CounterScope = "pool"
    device_count: int | None = None
    partition_type_attribute: str = ""
    skip_node_operations: tuple[str, ...] = ()

    @property
    def pool_id(self) -> PoolId:
        return PoolId(self.driver, self.pool)


@dataclass(frozen=True, slots=True)
class PooledDevice:
    """A device in its pool: which slice brought it, and from where it is reached (its own reach, else the slice's)."""

    device: Device
    slice_name: str
    reach: NodeReach
    type_attribute: str = ""

    @property
    def name(self) -> str:
        return self.device.name


@dataclass(frozen=True, slots=True)
class Pool:
    """
    All slices of one (driver, pool name), seen from the whole cluster.

    `devices` and `counter_sets` come from the newest generation, in the scheduler's order: slices by name, then list
    order. When two slices of slice scope use one set name, the later ones are called `slice/set`, and the devices'
    consumption is rewritten to match. `reason` says why a pool is incomplete or invalid, in the scheduler's words where
    it has some. `stale` names devices that only older generations list. Counters of an incomplete pool are unknown:
    the tuple is empty.
    """

    id: PoolId
    state: PoolState
    reason: str
    generation: int
    slices_seen: int
    slices_expected: int
    slices: tuple[Slice, ...]
    devices: tuple[PooledDevice, ...]
    counter_sets: tuple[CounterSet, ...]
    stale: tuple[str, ...] = ()
    stale_slices: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return self.state == "complete"
