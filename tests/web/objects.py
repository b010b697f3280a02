"""Kubernetes objects for tests of pages: nodes with MIG, claims and pods, as small as they can be."""

from __future__ import annotations

import json
from typing import Any

from pools.ingest.publish import publish
from pools.synth.boards import BOARDS
from pools.synth.mig import DRIVER, slices

A100 = BOARDS["a100-40"]


def put(*objects: dict[str, Any], cluster: str = "default") -> None:
    """Publish the objects and insist that none is refused."""
    payload = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}).encode()
    report = publish(payload, cluster=cluster)
    refused = [outcome for outcome in report.objects if outcome.verdict == "refused"]
    assert not refused, refused


def mig_node(node: str, gpus: int = 1, **more: Any) -> list[dict[str, Any]]:
    return slices(A100, gpus, node, **more)


def claim(
    name: str,
    *held: tuple[str, str],
    namespace: str = "ml",
    driver: str = DRIVER,
    reserved: str = "",
    device_class: str = "mig.nvidia.com",
    created: str = "2026-11-30T10:00:00Z",
) -> dict[str, Any]:
    """*held*: (pool, device) of each result; none leaves the claim pending. *reserved*: a pod's name."""
    item: dict[str, Any] = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{namespace}-{name}",
            "creationTimestamp": created,
        },
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": device_class}}]}},
    }
    if held:
        results = [{"request": "gpu", "driver": driver, "pool": pool, "device": device} for pool, device in held]
        item["status"] = {"allocation": {"devices": {"results": results}, "allocationTimestamp": created}}
        if reserved:
            item["status"]["reservedFor"] = [{"resource": "pods", "name": reserved, "uid": f"uid-{reserved}"}]
    return item


def pod(name: str, *claims: str, namespace: str = "ml", node: str = "") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {
            **({"nodeName": node} if node else {}),
            "containers": [{"name": "main"}],
            "resourceClaims": [{"name": item, "resourceClaimName": item} for item in claims],
        },
        "status": {"phase": "Running" if node else "Pending"},
    }


def node(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"zone": "a"}}}


def fleet(nodes: int, *, cluster: str = "default") -> None:
    """*nodes* nodes with one A100 each; half of each is held by one claim, and one claim a node waits."""
    items: list[dict[str, Any]] = []
    for index in range(nodes):
        name = f"node-{index}"
        items += [node(name), *mig_node(name)]
        items.append(claim(f"train-{index}", (name, "gpu-0-mig-3g20gb-9-4"), reserved=f"trainer-{index}"))
        items.append(pod(f"trainer-{index}", f"train-{index}", node=name))
        items += [claim(f"waiting-{index}"), pod(f"waiter-{index}", f"waiting-{index}")]
    put(*items, cluster=cluster)
