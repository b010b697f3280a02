"""Nodes and pods, as far as device allocation needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pools.domain.claim import Claim, ClaimTemplate, Condition, DeviceClass, TaintRule
from pools.domain.ids import ClaimId
from pools.domain.pool import Meta, Slice
from pools.domain.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Node:
    """
    Name and labels decide which devices it reaches; `allocatable` tells extended resources of device plugins.

    `declared_features` are what its kubelet says it can do.
    """

    meta: Meta
    allocatable: Mapping[str, Quantity] = field(default_factory=dict)
    unschedulable: bool = False
    taints: tuple[tuple[str, str, str], ...] = ()
    """(key, value, effect) of each node taint."""
    declared_features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PodClaim:
    """An entry of spec.resourceClaims: a claim by name, or a template from which one is generated."""

    name: str
    claim: str = ""
    template: str = ""


@dataclass(frozen=True, slots=True)
class Pod:
    """
    A pod that uses claims. `claim_statuses` maps the entry's name to the generated claim (None: none is needed).
    `extended_claim` is the claim that the scheduler wrote for extended resources. `extended_requests` sums the
    containers' limits on extended resources (names with a domain).
    """

    meta: Meta
    node_name: str = ""
    phase: str = ""
    claims: tuple[PodClaim, ...] = ()
    claim_statuses: Mapping[str, str | None] = field(default_factory=dict)
    extended_claim: str = ""
    extended_requests: Mapping[str, Quantity] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    scheduling_gates: tuple[str, ...] = ()

    @property
    def id(self) -> ClaimId:
        return ClaimId(self.meta.namespace, self.meta.name)

    def claim_names(self) -> tuple[str, ...]:
        """Names of the claims it uses, in the scheduler's order; entries without a claim yet are left out."""
        names = [entry.claim or self.claim_statuses.get(entry.name) or "" for entry in self.claims]
        return tuple(name for name in [*names, self.extended_claim] if name)


DomainObject = Slice | Claim | ClaimTemplate | DeviceClass | TaintRule | Node | Pod


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that is known of one cluster at one moment. No `nodes` means: every node named anywhere exists."""

    slices: tuple[Slice, ...] = ()
    claims: tuple[Claim, ...] = ()
    templates: tuple[ClaimTemplate, ...] = ()
    classes: tuple[DeviceClass, ...] = ()
    taint_rules: tuple[TaintRule, ...] = ()
    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()

    @classmethod
    def of(cls, objects: list[DomainObject]) -> Snapshot:
        """Sort a mixed list into its kinds, keeping the order within each."""
        kinds: dict[type, list[DomainObject]] = {}
        for item in objects:
            kinds.setdefault(type(item), []).append(item)
        return cls(
            slices=tuple(kinds.get(Slice, ())),  # type: ignore[arg-type]
            claims=tuple(kinds.get(Claim, ())),  # type: ignore[arg-type]
            templates=tuple(kinds.get(ClaimTemplate, ())),  # type: ignore[arg-type]
            classes=tuple(kinds.get(DeviceClass, ())),  # type: ignore[arg-type]
            taint_rules=tuple(kinds.get(TaintRule, ())),  # type: ignore[arg-type]
            nodes=tuple(kinds.get(Node, ())),  # type: ignore[arg-type]
            pods=tuple(kinds.get(Pod, ())),  # type: ignore[arg-type]
        )
