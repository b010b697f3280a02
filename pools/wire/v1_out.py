"""From nouns back to text: slices as resource.k8s.io/v1 manifests. What v1.resource_slice reads, this writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pools.domain.device import (
    AttributeValue,
    Capacity,
    Consumption,
    Device,
    NodeReach,
    NodeRequirement,
    NodeSelectorTerm,
    RequestPolicy,
    Taint,
)
from pools.domain.pool import Meta, Slice
from pools.domain.quantity import Quantity

Raw = dict[str, Any]


def resource_slice(item: Slice) -> Raw:
    """
    A ResourceSlice that decodes to the same slice again (with form `v1`).

    Raises:
        ValueError: an attribute is of a kind that this program does not know, so its value is not known either.
    """
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": metadata(item.meta),
        "spec": _spec(item),
    }


def metadata(meta: Meta) -> Raw:
    """Name, namespace, labels, annotations and owners; what the server sets (uid, version, times) stays out."""
    raw = {
        "name": meta.name,
        "namespace": meta.namespace,
        "labels": dict(meta.labels),
        "annotations": dict(meta.annotations),
        "ownerReferences": [{"kind": kind, "name": name, "uid": uid} for kind, name, uid in meta.owners],
    }
    return _given(raw)


def _given(raw: Raw) -> Raw:
    """Without what is empty: absent, empty and false mean the same in these objects."""
    return {key: value for key, value in raw.items() if value not in (None, "", [], {}, False)}


def _spec(item: Slice) -> Raw:
    pool = {"name": item.pool, "generation": item.generation, "resourceSliceCount": item.slice_count}
    rest = {
        **_reach(item.reach),
        "perDeviceNodeSelection": item.per_device_reach,
        "partitionTypeAttribute": item.partition_type_attribute,
        "skipNodeOperations": list(item.skip_node_operations),
        "sharedCounters": [{"name": entry.name, "counters": _counters(entry.counters)} for entry in item.counter_sets],
        "devices": [_device(device) for device in item.devices],
    }
    return {"driver": item.driver, "pool": pool, **_given(rest)}


def _reach(reach: NodeReach) -> Raw:
    selector = None if reach.selector is None else {"nodeSelectorTerms": [_term(term) for term in reach.selector]}
    return {"nodeName": reach.node_name, "nodeSelector": selector, "allNodes": reach.all_nodes}


def _term(term: NodeSelectorTerm) -> Raw:
    return _given(
        {
            "matchExpressions": [_requirement(line) for line in term.expressions],
            "matchFields": [_requirement(line) for line in term.fields],
        }
    )


def _requirement(line: NodeRequirement) -> Raw:
    return {"key": line.key, "operator": line.operator, **_given({"values": list(line.values)})}


def _counters(amounts: Mapping[str, Quantity]) -> Raw:
    return {name: _amount(amount) for name, amount in amounts.items()}


def _amount(amount: Quantity) -> Raw:
    return {} if amount.is_unknown else {"value": amount.text}


def _device(device: Device) -> Raw:
    rest = {
        "attributes": {name: attribute(value, name) for name, value in device.attributes.items()},
        "capacity": {name: _capacity(capacity) for name, capacity in device.capacity.items()},
        "consumesCounters": [_consumption(entry) for entry in device.consumes],
        "taints": [_taint(taint) for taint in device.taints],
        **_reach(device.reach),
        "allowMultipleAllocations": device.allow_multiple_allocations,
        "bindsToNode": device.binds_to_node,
        "bindingConditions": list(device.binding_conditions),
        "bindingFailureConditions": list(device.binding_failure_conditions),
    }
    return {"name": device.name, **_given(rest)}


def attribute(value: AttributeValue, name: str = "") -> Raw:
    """
    One attribute's value.

    Raises:
        ValueError: its kind is not known.
    """
    if value.kind == "unknown":
        raise ValueError(f"attribute {name} is of a kind that is not known here")
    return {value.kind: list(value.value) if isinstance(value.value, tuple) else value.value}


def _capacity(capacity: Capacity) -> Raw:
    policy = _policy(capacity.policy) if capacity.policy is not None else None
    return {**_amount(capacity.value), **({} if policy is None else {"requestPolicy": policy})}


def _policy(policy: RequestPolicy) -> Raw:
    limits = {"min": policy.range_min, "max": policy.range_max, "step": policy.range_step}
    return _given(
        {
            "default": policy.default.text if policy.default is not None else "",
            "validValues": [value.text for value in policy.valid_values],
            "validRange": {key: value.text for key, value in limits.items() if value is not None},
        }
    )


def _consumption(entry: Consumption) -> Raw:
    groups = _given({"compatibilityGroups": list(entry.compatibility_groups)})
    return {"counterSet": entry.counter_set, "counters": _counters(entry.counters), **groups}


def _taint(taint: Taint) -> Raw:
    rest = {"value": taint.value, "effect": taint.effect, "timeAdded": taint.time_added}
    return {"key": taint.key, **_given(rest)}
