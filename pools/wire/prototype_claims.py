"""Claims of the 2024 prototype: one request is one device, results name no pool, selectors are an older CEL dialect."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from pools.domain.claim import (
    Allocation,
    AllocationResult,
    Claim,
    ClaimTemplate,
    Constraint,
    DeviceClass,
    DeviceRequest,
    Request,
)
from pools.wire.fields import MAX_LABEL, MAX_LABEL_KEY, MAX_NAME, Raw, each, flag, inside, name, phrase, text
from pools.wire.meta import meta, node_selector, only_node
from pools.wire.v1_claims import MAX_REQUEST, Asked, consumer

FORM = "prototype"


def device_class(raw: Raw) -> DeviceClass:
    """A DeviceClass without spec: its requirements stand at the top."""
    return DeviceClass(meta(raw), FORM, each(raw, "requirements", _selector))


def _selector(raw: Raw) -> str:
    return phrase(raw, "deviceSelector")


def claim(raw: Raw) -> Claim:
    """
    A ResourceClaim whose requests stand right under spec.

    Its results say neither pool (found later by driver, node and device) nor adminAccess (the request of that name
    does).
    """
    own = meta(raw)
    requests, constraints = inside(raw, "spec", _asked)
    admins = {request.name for request in requests if any(form.admin_access for form in request.alternatives)}
    allocation, reserved_for = inside(
        raw,
        "status",
        lambda status: (
            None
            if status.get("allocation") is None
            else inside(status, "allocation", lambda allocation: _allocation(allocation, admins)),
            each(status, "reservedFor", consumer),
        ),
    )
    return Claim(own, FORM, requests, constraints, allocation, reserved_for)


def template(raw: Raw) -> ClaimTemplate:
    """A ResourceClaimTemplate."""
    own = meta(raw)
    requests, constraints = inside(raw, "spec", lambda outer: inside(outer, "spec", _asked))
    return ClaimTemplate(own, FORM, requests, constraints)


def _asked(spec: Raw) -> Asked:
    requests = each(spec, "requests", _request)
    constraints = each(
        spec, "constraints", lambda raw: Constraint(match_attribute=text(raw, "matchAttribute", MAX_LABEL_KEY))
    )
    return tuple(
        replace(request, name=request.name or f"request-{index}") for index, request in enumerate(requests)
    ), constraints


def _request(raw: Raw) -> Request:
    """One device; most published requests have no name."""
    own_name = text(raw, "name", MAX_LABEL)
    alternatives = each(raw, "oneOf", lambda entry: _detail(entry, text(entry, "name", MAX_LABEL)))
    return Request(own_name, alternatives or (_detail(raw, ""),), prioritized=bool(alternatives))


def _detail(raw: Raw, own_name: str) -> DeviceRequest:
    return DeviceRequest(
        name=own_name,
        device_class=text(raw, "deviceClassName", MAX_LABEL_KEY),
        selectors=each(raw, "requirements", _selector),
        admin_access=flag(raw, "adminAccess"),
    )


def _allocation(raw: Raw, admins: set[str]) -> Allocation:
    by_driver = each(raw, "driverData", _driver_data)
    together = each(
        raw, "results", lambda entry: _result(entry, name(entry, "driverName"), text(entry, "devicePoolName"))
    )
    results = [
        replace(result, request=result.request or f"request-{index}")
        for index, result in enumerate(chain(*by_driver, together))
    ]
    node_name = text(raw, "nodeName", MAX_NAME)
    return Allocation(
        tuple(replace(result, admin_access=result.request in admins) for result in results),
        only_node(node_name) if node_name else node_selector(raw, "availableOnNodes"),
    )


def _driver_data(raw: Raw) -> tuple[AllocationResult, ...]:
    driver = name(raw, "driverName")
    return inside(raw, "data", lambda data: each(data, "results", lambda entry: _result(entry, driver, "")))


def _named_result(raw: Raw) -> AllocationResult:
    """A result of the variant that names driver and pool in each (never merged)."""
    return _result(raw, name(raw, "driverName"), text(raw, "devicePoolName", MAX_NAME))


def _result(raw: Raw, driver: str, pool: str) -> AllocationResult:
    return AllocationResult(text(raw, "requestName", MAX_REQUEST), driver, pool or None, name(raw, "deviceName"))
