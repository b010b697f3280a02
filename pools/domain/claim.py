"""Claims: what is asked for, and what has been allocated; classes and taint rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pools.domain.device import NodeSelectorTerm, Taint
from pools.domain.ids import ClaimId
from pools.domain.pool import Meta
from pools.domain.quantity import Quantity

Mode = Literal["ExactCount", "All"] | str


@dataclass(frozen=True, slots=True)
class Toleration:
    """Matches taints; empty key, value or effect match anything they can (source: devicetoleration.go)."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """
    One way to satisfy a request. `name` is the sub-request's name, empty for an exact request. `selectors` are CEL
    expressions, all of which must hold. `count` is 0 for mode All. `derived` maps attribute names to CEL expressions.
    `names_admin_access` tells that the request speaks of admin access at all, be it to say no.
    """

    name: str
    device_class: str
    selectors: tuple[str, ...] = ()
    mode: Mode = "ExactCount"
    count: int = 1
    admin_access: bool = False
    tolerations: tuple[Toleration, ...] = ()
    capacity: Mapping[str, Quantity] = field(default_factory=dict)
    derived: tuple[tuple[str, str], ...] = ()
    names_admin_access: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A named request: one exact form, or alternatives to be tried in order (`prioritized`)."""

    name: str
    alternatives: tuple[DeviceRequest, ...]
    prioritized: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """Ties the devices of some requests together; no `requests` means all. Exactly one attribute is set."""

    requests: tuple[str, ...] = ()
    match_attribute: str = ""
    distinct_attribute: str = ""


@dataclass(frozen=True, slots=True)
class AllocationResult:
    """
    One allocated device. `request` is `name` or `name/sub`. `pool` is None where the prototype did not record it: the
    pool is then found by driver, node and device name. `share_id` is empty for exclusive use.
    """

    request: str
    driver: str
    pool: str | None
    device: str
    admin_access: bool = False
    share_id: str = ""
    consumed_capacity: Mapping[str, Quantity] = field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allocation:
    """status.allocation. `nodes` None means usable from all nodes."""

    results: tuple[AllocationResult, ...]
    nodes: tuple[NodeSelectorTerm, ...] | None = None
    timestamp: str = ""

    @property
    def node_name(self) -> str:
        """The one node that the selector names, or empty."""
        for term in self.nodes or ():
            for requirement in term.fields:
                if requirement.key == "metadata.name" and requirement.operator == "In" and len(requirement.values) == 1:
                    return requirement.values[0]
        return ""


@dataclass(frozen=True, slots=True)
class Consumer:
    """An entry of status.reservedFor."""

    resource: str
    name: str
    uid: str = ""
    api_group: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A Kubernetes condition."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class AllocatedDeviceStatus:
    """What the driver reports about one allocated device."""

    driver: str
    pool: str
    device: str
    share_id: str = ""
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A ResourceClaim. It is allocated when `allocation` is not None, whoever has reserved it or not."""

    meta: Meta
    form: str
    requests: tuple[Request, ...]
    constraints: tuple[Constraint, ...] = ()
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    device_status: tuple[AllocatedDeviceStatus, ...] = ()

    @property
    def id(self) -> ClaimId:
        return ClaimId(self.meta.namespace, self.meta.name)


@dataclass(frozen=True, slots=True)
class ClaimTemplate:
    """A ResourceClaimTemplate: what a claim generated from it would ask for."""

    meta: Meta
    form: str
    requests: tuple[Request, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def id(self) -> ClaimId:
        return ClaimId(self.meta.namespace, self.meta.name)


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A DeviceClass: CEL selectors, all of which must hold."""

    meta: Meta
    form: str
    selectors: tuple[str, ...] = ()
    extended_resource: str = ""


@dataclass(frozen=True, slots=True)
class TaintRule:
    """
    A DeviceTaintRule. A selector field that is None restricts nothing. `has_selector` is False when deviceSelector is
    absent altogether: the API text says that such a rule matches nothing, 1.37.0's scheduler took it as everything.
    """

    meta: Meta
    form: str
    taint: Taint
    has_selector: bool
    driver: str | None = None
    pool: str | None = None
    device: str | None = None

    def matches(self, driver: str, pool: str, device: str) -> bool:
        """Whether the rule taints this device, by the API text (an absent selector matches none)."""
        return (
            self.has_selector
            and self.driver in (None, driver)
            and self.pool in (None, pool)
            and self.device in (None, device)
        )
