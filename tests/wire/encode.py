"""A tiny encoder for round-trip tests: slices and claims as each API generation would publish them."""

from __future__ import annotations

from typing import Any

from pools.domain.claim import Allocation, AllocationResult, Claim, DeviceRequest, Request, Toleration
from pools.domain.device import AttributeValue, Capacity, Consumption, Device, NodeReach, NodeSelectorTerm, Taint
from pools.domain.pool import Meta, Slice
from pools.domain.quantity import Quantity


def without_empty(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value not in (None, "", [], {}, False)}


def amounts(counters: dict[str, Quantity]) -> dict[str, Any]:
    return {name: {} if amount.is_unknown else {"value": amount.text} for name, amount in counters.items()}


def metadata(meta: Meta) -> dict[str, Any]:
    return without_empty(
        {
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
            "labels": dict(meta.labels),
            "ownerReferences": [{"kind": kind, "name": name, "uid": uid} for kind, name, uid in meta.owners],
        }
    )


def terms(selector: tuple[NodeSelectorTerm, ...] | None) -> dict[str, Any] | None:
    if selector is None:
        return None
    return {
        "nodeSelectorTerms": [
            {
                key: [{"key": one.key, "operator": one.operator, "values": list(one.values)} for one in requirements]
                for key, requirements in (("matchExpressions", term.expressions), ("matchFields", term.fields))
            }
            for term in selector
        ]
    }


def reach(reach: NodeReach) -> dict[str, Any]:
    found = {"nodeName": reach.node_name or None, "allNodes": reach.all_nodes or None}
    return {**{key: value for key, value in found.items() if value}, "nodeSelector": terms(reach.selector)}


def attribute(value: AttributeValue) -> dict[str, Any]:
    if value.kind == "unknown":
        return {"colour": "red"}
    return {value.kind: list(value.value) if isinstance(value.value, tuple) else value.value}


def capacity(one: Capacity, form: str) -> Any:
    if form == "v1alpha3" and one.policy is None and not one.value.is_unknown:
        return one.value.text
    raw: dict[str, Any] = {} if one.value.is_unknown else {"value": one.value.text}
    if one.policy:
        limits = {"min": one.policy.range_min, "max": one.policy.range_max, "step": one.policy.range_step}
        raw["requestPolicy"] = {
            "default": one.policy.default and one.policy.default.text,
            "validValues": [value.text for value in one.policy.valid_values],
            "validRange": {key: value.text for key, value in limits.items() if value is not None},
        }
    return raw


def consumption(one: Consumption) -> dict[str, Any]:
    groups = list(one.compatibility_groups)
    return {"counterSet": one.counter_set, "counters": amounts(dict(one.counters)), "compatibilityGroups": groups}


def taint(one: Taint) -> dict[str, Any]:
    return without_empty({"key": one.key, "value": one.value, "effect": one.effect, "timeAdded": one.time_added})


def device(one: Device, form: str) -> dict[str, Any]:
    body = {
        "attributes": {name: attribute(value) for name, value in one.attributes.items()},
        "capacity": {name: capacity(value, form) for name, value in one.capacity.items()},
        "consumesCounters": [consumption(each) for each in one.consumes],
        "taints": [taint(each) for each in one.taints],
        "allowMultipleAllocations": one.allow_multiple_allocations or None,
        "bindsToNode": one.binds_to_node,
        "bindingConditions": list(one.binding_conditions),
        "bindingFailureConditions": list(one.binding_failure_conditions) or None,
        **reach(one.reach),
    }
    return {"name": one.name, "basic": body} if form in ("v1alpha3", "v1beta1") else {"name": one.name, **body}


def slice_(one: Slice, form: str) -> dict[str, Any]:
    spec = {
        "driver": one.driver,
        "pool": {"name": one.pool, "generation": one.generation, "resourceSliceCount": one.slice_count},
        "devices": [device(each, form) for each in one.devices],
        "sharedCounters": [{"name": each.name, "counters": amounts(dict(each.counters))} for each in one.counter_sets],
        "perDeviceNodeSelection": one.per_device_reach,
        "partitionTypeAttribute": one.partition_type_attribute or None,
        "skipNodeOperations": list(one.skip_node_operations) or None,
        **reach(one.reach),
    }
    return {
        "apiVersion": f"resource.k8s.io/{form}",
        "kind": "ResourceSlice",
        "metadata": metadata(one.meta),
        "spec": spec,
    }


def toleration(one: Toleration) -> dict[str, Any]:
    raw = {"key": one.key, "operator": one.operator, "value": one.value, "effect": one.effect}
    return {**without_empty(raw), "tolerationSeconds": one.seconds}


def device_request(one: DeviceRequest) -> dict[str, Any]:
    return {
        "deviceClassName": one.device_class,
        "selectors": [{"cel": {"expression": text}} for text in one.selectors],
        "allocationMode": one.mode,
        "count": one.count or None,
        "adminAccess": one.admin_access or None,
        "tolerations": [toleration(each) for each in one.tolerations],
        "capacity": {"requests": {name: amount.text for name, amount in one.capacity.items()}},
        "derivedAttributes": [{"name": name, "expression": text} for name, text in one.derived],
    }


def request(one: Request, form: str) -> dict[str, Any]:
    if one.prioritized:
        return {
            "name": one.name,
            "firstAvailable": [{"name": each.name, **device_request(each)} for each in one.alternatives],
        }
    body = device_request(one.alternatives[0])
    return {"name": one.name, **(body if form in ("v1alpha3", "v1beta1") else {"exactly": body})}


def result(one: AllocationResult) -> dict[str, Any]:
    return {
        "request": one.request,
        "driver": one.driver,
        "pool": one.pool,
        "device": one.device,
        "adminAccess": one.admin_access or None,
        "shareID": one.share_id or None,
        "consumedCapacity": {name: amount.text for name, amount in one.consumed_capacity.items()},
        "tolerations": [toleration(each) for each in one.tolerations],
    }


def allocation(one: Allocation | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"devices": {"results": [result(each) for each in one.results]}, "nodeSelector": terms(one.nodes)}


def claim(one: Claim, form: str) -> dict[str, Any]:
    constraints = [
        {
            "requests": list(each.requests),
            "matchAttribute": each.match_attribute or None,
            "distinctAttribute": each.distinct_attribute or None,
        }
        for each in one.constraints
    ]
    reserved = [
        without_empty({"resource": each.resource, "name": each.name, "uid": each.uid, "apiGroup": each.api_group})
        for each in one.reserved_for
    ]
    return {
        "apiVersion": f"resource.k8s.io/{form}",
        "kind": "ResourceClaim",
        "metadata": metadata(one.meta),
        "spec": {
            "devices": {"requests": [request(each, form) for each in one.requests], "constraints": constraints},
        },
        "status": {"allocation": allocation(one.allocation), "reservedFor": reserved},
    }
