"""resource.k8s.io/v1, the hub: claims and claim templates, what they ask for and what they were given."""

from __future__ import annotations

from pools.domain.claim import (
    AllocatedDeviceStatus,
    Allocation,
    AllocationResult,
    Claim,
    ClaimTemplate,
    Constraint,
    Consumer,
    DeviceRequest,
    Request,
)
from pools.domain.errors import Undecodable
from pools.domain.quantity import Quantity
from pools.wire.fields import (
    MAX_LABEL,
    MAX_LABEL_KEY,
    Raw,
    as_quantity,
    each,
    flag,
    inside,
    integer,
    name,
    named,
    phrase,
    strings,
    text,
    time,
)
from pools.wire.meta import condition, meta, node_selector, toleration
from pools.wire.v1 import DIALECT, Dialect, cel

Asked = tuple[tuple[Request, ...], tuple[Constraint, ...]]
MAX_REQUEST = 2 * MAX_LABEL + 1
MAX_SHARE_ID = 64


def claim(raw: Raw, dialect: Dialect = DIALECT) -> Claim:
    """A ResourceClaim."""
    own = meta(raw)
    requests, constraints = inside(raw, "spec", lambda spec: asked(spec, dialect))
    by_request = {request.name for request in requests if any(form.admin_access for form in request.alternatives)}
    admins = by_request if dialect.admin_by_request else set()
    allocation, reserved_for, device_status = inside(raw, "status", lambda status: _status(status, admins))
    return Claim(own, dialect.form, requests, constraints, allocation, reserved_for, device_status)


def template(raw: Raw, dialect: Dialect = DIALECT) -> ClaimTemplate:
    """A ResourceClaimTemplate."""
    own = meta(raw)
    requests, constraints = inside(raw, "spec", lambda outer: inside(outer, "spec", lambda spec: asked(spec, dialect)))
    return ClaimTemplate(own, dialect.form, requests, constraints)


def asked(spec: Raw, dialect: Dialect) -> Asked:
    """Requests and constraints of a claim's spec."""
    return inside(
        spec,
        "devices",
        lambda devices: (
            each(devices, "requests", lambda raw: _request(raw, dialect)),
            each(devices, "constraints", _constraint),
        ),
    )


def _request(raw: Raw, dialect: Dialect) -> Request:
    own_name = name(raw, "name", MAX_LABEL)
    alternatives = each(raw, "firstAvailable", lambda entry: _device_request(entry, name(entry, "name", MAX_LABEL)))
    level, body = dialect.exact(raw)
    exact = bool(body) if level else body.get("deviceClassName") is not None
    if alternatives and exact:
        raise Undecodable("has both an exact form and firstAvailable; one of them is allowed")
    if alternatives:
        return Request(own_name, alternatives, prioritized=True)
    if not exact and level:
        raise Undecodable("neither exactly nor firstAvailable is given; one of them is required")
    try:
        return Request(own_name, (_device_request(body, ""),))
    except Undecodable as fault:
        raise fault.under(level) from None


def _device_request(raw: Raw, own_name: str) -> DeviceRequest:
    mode = text(raw, "allocationMode", MAX_LABEL) or "ExactCount"
    count = integer(raw, "count", minimum=0)
    return DeviceRequest(
        name=own_name,
        device_class=name(raw, "deviceClassName"),
        selectors=each(raw, "selectors", cel),
        mode=mode,
        count=0 if mode == "All" else count or 1,
        admin_access=flag(raw, "adminAccess"),
        tolerations=each(raw, "tolerations", toleration),
        capacity=inside(raw, "capacity", lambda capacity: inside(capacity, "requests", _amounts)),
        derived=each(raw, "derivedAttributes", lambda entry: (name(entry, "name"), phrase(entry, "expression"))),
        names_admin_access=raw.get("adminAccess") is not None,
    )


def _amounts(raw: Raw) -> dict[str, Quantity]:
    return named(raw, as_quantity)


def _constraint(raw: Raw) -> Constraint:
    return Constraint(
        requests=strings(raw, "requests"),
        match_attribute=text(raw, "matchAttribute", MAX_LABEL_KEY),
        distinct_attribute=text(raw, "distinctAttribute", MAX_LABEL_KEY),
    )


def _status(
    raw: Raw, admins: set[str]
) -> tuple[Allocation | None, tuple[Consumer, ...], tuple[AllocatedDeviceStatus, ...]]:
    given = raw.get("allocation") is not None
    return (
        inside(raw, "allocation", lambda allocation: _allocation(allocation, admins)) if given else None,
        each(raw, "reservedFor", consumer),
        each(raw, "devices", _device_status),
    )


def _allocation(raw: Raw, admins: set[str]) -> Allocation:
    results = inside(raw, "devices", lambda devices: each(devices, "results", lambda entry: _result(entry, admins)))
    return Allocation(results, node_selector(raw, "nodeSelector"), time(raw, "allocationTimestamp"))


def _result(raw: Raw, admins: set[str]) -> AllocationResult:
    request = name(raw, "request", MAX_REQUEST)
    silent = raw.get("adminAccess") is None
    return AllocationResult(
        request=request,
        driver=name(raw, "driver"),
        pool=name(raw, "pool"),
        device=name(raw, "device"),
        admin_access=request.partition("/")[0] in admins if silent else flag(raw, "adminAccess"),
        share_id=text(raw, "shareID", MAX_SHARE_ID),
        consumed_capacity=inside(raw, "consumedCapacity", _amounts),
        tolerations=each(raw, "tolerations", toleration),
        binding_conditions=strings(raw, "bindingConditions"),
        binding_failure_conditions=strings(raw, "bindingFailureConditions"),
    )


def consumer(raw: Raw) -> Consumer:
    """An entry of status.reservedFor."""
    return Consumer(name(raw, "resource"), name(raw, "name"), text(raw, "uid", 64), text(raw, "apiGroup", 253))


def _device_status(raw: Raw) -> AllocatedDeviceStatus:
    return AllocatedDeviceStatus(
        driver=name(raw, "driver"),
        pool=name(raw, "pool"),
        device=name(raw, "device"),
        share_id=text(raw, "shareID", MAX_SHARE_ID),
        conditions=each(raw, "conditions", condition),
    )
