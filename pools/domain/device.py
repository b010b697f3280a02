"""A device as published: attributes, capacity, what it consumes of shared counters, where it can be reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pools.domain.quantity import Quantity

AttributeKind = Literal["int", "bool", "string", "version", "ints", "bools", "strings", "versions", "unknown"]
Scalar = int | bool | str


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """
    One attribute. `value` is a scalar for the first four kinds, a tuple of scalars for the list kinds; a version is
    its text. `unknown` is a kind newer than this program: its value is None, its raw JSON stays with the stored object.
    """

    kind: AttributeKind
    value: Scalar | tuple[Scalar, ...] | None


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How requests for a capacity of a shareable device are rounded: to a range, a list of values, or a default."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    range_min: Quantity | None = None
    range_max: Quantity | None = None
    range_step: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a device advertises to users (not to be confused with what it draws from shared counters)."""

    value: Quantity
    policy: RequestPolicy | None = None


@dataclass(frozen=True, slots=True)
class Consumption:
    """What a device draws from one counter set while it is in use. A counter not named is not drawn on."""

    counter_set: str
    counters: Mapping[str, Quantity]
    compatibility_groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taint:
    """A device taint. Only NoSchedule and NoExecute keep claims away; any other effect informs."""

    key: str
    value: str = ""
    effect: str = ""
    time_added: str = ""

    @property
    def blocks(self) -> bool:
        return self.effect in ("NoSchedule", "NoExecute")

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class NodeRequirement:
    """One line of a node selector term; operator is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """All requirements must hold; a term without any matches no node."""

    expressions: tuple[NodeRequirement, ...] = ()
    fields: tuple[NodeRequirement, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeReach:
    """
    From which nodes something can be used. At most one of the fields is set by a valid publisher; when none is, the
    scheduler does not know the selection and leaves the thing out.
    """

    node_name: str = ""
    selector: tuple[NodeSelectorTerm, ...] | None = None
    all_nodes: bool = False

    @property
    def is_set(self) -> bool:
        return bool(self.node_name) or self.selector is not None or self.all_nodes


@dataclass(frozen=True, slots=True)
class Device:
    """
    One entry of a slice. Keys of `attributes` and `capacity` are as published: bare, or `domain/id`.

    `reach` is set only in slices with per-device node selection.
    """

    name: str
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    capacity: Mapping[str, Capacity] = field(default_factory=dict)
    consumes: tuple[Consumption, ...] = ()
    taints: tuple[Taint, ...] = ()
    reach: NodeReach = NodeReach()
    allow_multiple_allocations: bool = False
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()

    def attribute(self, name: str, driver: str) -> AttributeValue | None:
        """
        The attribute *name* (bare or qualified): the exact key, else the bare id when the domain is the driver's, else
        the qualified key when *name* is bare.
        """
        if name in self.attributes:
            return self.attributes[name]
        domain, slash, bare = name.rpartition("/")
        if slash:
            return self.attributes.get(bare) if domain == driver else None
        return self.attributes.get(f"{driver}/{name}")
