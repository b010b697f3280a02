"""Manifests of claims, pods and nodes as a cluster would show them."""

from __future__ import annotations

import uuid
from typing import Any


def resource(kind: str, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """An object of resource.k8s.io/v1."""
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def node(name: str, labels: dict[str, str]) -> dict[str, Any]:
    """A Node with *labels* beside its host name."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
    }


def cel(expression: str) -> dict[str, Any]:
    """A selector, or a condition of a DeviceClass."""
    return {"cel": {"expression": expression}}


def only(node: str) -> dict[str, Any]:
    """The node selector that an allocation of a node's own device gets."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    return {"nodeSelectorTerms": [{"matchFields": [field]}]}


def exactly(name: str, device_class: str, *expressions: str, count: int = 1) -> dict[str, Any]:
    """A request for *count* devices of a class that match all CEL *expressions*."""
    asked: dict[str, Any] = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": count}
    if expressions:
        asked["selectors"] = [cel(expression) for expression in expressions]
    return {"name": name, "exactly": asked}


def claim(name: str, namespace: str, requests: list[dict[str, Any]], created: str) -> dict[str, Any]:
    """A pending ResourceClaim; *created* is a time as Kubernetes writes it."""
    metadata = {"name": name, "namespace": namespace, "uid": uid(f"{namespace}/{name}"), "creationTimestamp": created}
    return resource("ResourceClaim", metadata, {"devices": {"requests": requests}})


def pod(name: str, namespace: str, *, claim: str = "", node: str = "", message: str = "") -> dict[str, Any]:
    """A Pod that runs on *node*, or waits with *message* as the scheduler's word."""
    status: dict[str, Any] = {"phase": "Running" if node else "Pending"}
    if message:
        status["conditions"] = [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
        ]
    spec: dict[str, Any] = {"containers": [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]}
    if claim:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claim}]
    if node:
        spec["nodeName"] = node
    metadata = {"name": name, "namespace": namespace, "uid": uid(f"pod {namespace}/{name}")}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def with_pod(claim: dict[str, Any], namespace: str, node: str) -> list[dict[str, Any]]:
    """The claim, reserved for a pod that runs on *node*, and the pod."""
    name = claim["metadata"]["name"]
    user = pod(f"{name}-0", namespace, claim=name, node=node)
    claim["status"]["reservedFor"] = [
        {"resource": "pods", "name": user["metadata"]["name"], "uid": user["metadata"]["uid"]}
    ]
    return [claim, user]


def uid(seed: str) -> str:
    """A stable made-up UID."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"dra-dashboard-demo:{seed}"))
