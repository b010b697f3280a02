"""Compounds: the rule that makes one pool out of other drivers' pools, and the groups and molecules that come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pools.domain.errors import Finding
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import Meta, Slice

GROUP = "dashboard.dra.dev"
"""The project's own domain: API group of its kinds, and domain of the attributes that record a molecule's members."""

RULE_VERSION = "v1alpha1"
RULE_KIND = "CompoundPoolRule"
ALL = "*"

Repeated = Literal["Indexed", "List", "Omit"]
RepeatedCapacity = Literal["Indexed", "Sum", "Omit"]


@dataclass(frozen=True, slots=True)
class MemberRule:
    """
    Which devices of one underlying driver take part.

    `selectors` are CEL expressions, all of which must hold. `label` is what a device is called inside the compound
    (its counter, its part of molecule names): text with `{device}` or `{attribute}`. `attributes` and `capacity` name
    what molecules carry of it, bare (the driver's own) or qualified; `*` is everything.
    """

    name: str
    driver: str
    selectors: tuple[str, ...] = ()
    label: str = "{device}"
    attributes: tuple[str, ...] = (ALL,)
    capacity: tuple[str, ...] = (ALL,)


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group spelled out: for each member, names of devices as their driver publishes them."""

    name: str
    devices: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """
    Which devices of a node may be in one molecule: those of one list, or those with one value of an attribute.

    `attributes` names the attribute for each member; it is empty when `lists` are given.
    """

    attributes: Mapping[str, str]
    lists: tuple[ListedGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class CountRange:
    """From `low` to `high` devices, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class MoleculeRule:
    """How many devices of each member make a molecule; a member not named gives none. `type` may be empty."""

    counts: Mapping[str, CountRange]
    type: str = ""


@dataclass(frozen=True, slots=True)
class CompoundRule:
    """
    A CompoundPoolRule. `pool` and `counter_set` are templates with `{node}`; `name`, the molecules', with `{members}`,
    `{group}`, `{type}`, `{node}` and `{member name}`. Several devices with one attribute or capacity are told apart as
    `repeated_attributes` and `repeated_capacity` say. `partition_type_attribute` is empty when slices name none.
    """

    meta: Meta
    driver: str
    members: tuple[MemberRule, ...]
    grouping: Grouping
    molecules: tuple[MoleculeRule, ...]
    pool: str = "{node}"
    counter_set: str = "devices"
    name: str = "{members}"
    repeated_attributes: Repeated = "Indexed"
    repeated_capacity: RepeatedCapacity = "Indexed"
    partition_type_attribute: str = ""

    @property
    def type_attribute(self) -> str:
        """The qualified attribute under which a molecule publishes its type."""
        return self.partition_type_attribute or f"{self.driver}/type"


@dataclass(frozen=True, slots=True)
class Part:
    """An underlying device inside a compound pool. `counter` is None when no molecule draws on it."""

    member: str
    device: DeviceId
    counter: CounterId | None


@dataclass(frozen=True, slots=True)
class Group:
    """Devices of one node that may be in one molecule; `name` is the list's, or the attribute's value as text."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Molecule:
    """A device of a compound pool: several underlying devices, handed out together or not at all."""

    name: str
    type: str
    group: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class CompoundPool:
    """The pool made for one node: its groups and molecules, and the slices that publish them, counters first."""

    id: PoolId
    node: str
    groups: tuple[Group, ...]
    molecules: tuple[Molecule, ...]
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Compounds:
    """
    What a rule makes of some pools, a compound pool a node, sorted by node.

    `refused` are nodes that have errors among the findings and therefore no pool; an error that concerns no single
    node refuses all.
    """

    pools: tuple[CompoundPool, ...]
    findings: tuple[Finding, ...]
    refused: tuple[str, ...] = ()
