"""Small Kubernetes objects for tests, as JSON values; each takes only what the test is about."""

from __future__ import annotations

from typing import Any

DRIVER = "gpu.example.com"
Raw = dict[str, Any]


def counters(**amounts: str) -> Raw:
    return {name.replace("_", "-"): {"value": amount} for name, amount in amounts.items()}


def partition(name: str, *, memory: str = "20Gi", counter_set: str = "gpu-0", **attributes: str) -> Raw:
    """A device that draws memory from a counter set."""
    return {
        "name": name,
        "attributes": {key: {"string": value} for key, value in {"type": memory, **attributes}.items()},
        "consumesCounters": [{"counterSet": counter_set, "counters": counters(memory=memory)}],
    }


def device(name: str, **more: Any) -> Raw:
    return {"name": name, "attributes": {"model": {"string": "plain"}}, **more}


def resource_slice(
    name: str = "slice-0",
    *,
    driver: str = DRIVER,
    pool: str = "node-1",
    node: str = "node-1",
    devices: list[Raw] | None = None,
    sets: list[Raw] | None = None,
    generation: int = 1,
    count: int = 1,
    uid: str = "",
    version: str = "",
) -> Raw:
    spec: Raw = {
        "driver": driver,
        "nodeName": node,
        "pool": {"name": pool, "generation": generation, "resourceSliceCount": count},
    }
    if devices is not None:
        spec["devices"] = devices
    if sets is not None:
        spec["sharedCounters"] = sets
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": meta(name, "", uid, version),
        "spec": spec,
    }


def gpu_pool(pool: str = "node-1", *, driver: str = DRIVER, node: str = "", parts: int = 2) -> list[Raw]:
    """A pool of one 40Gi GPU: a counter slice, and a slice of `parts` halves and the whole."""
    where = {"driver": driver, "pool": pool, "node": node or pool, "count": 2}
    halves = [partition(f"half-{index}") for index in range(parts)]
    return [
        resource_slice(f"{pool}-0", sets=[{"name": "gpu-0", "counters": counters(memory="40Gi")}], **where),
        resource_slice(f"{pool}-1", devices=[*halves, partition("whole", memory="40Gi")], **where),
    ]


def claim(
    name: str = "train",
    *,
    namespace: str = "ml",
    holds: list[tuple[str, str, str]] | None = None,
    pods: tuple[str, ...] = (),
    device_class: str = "gpu",
    uid: str = "",
    version: str = "",
) -> Raw:
    """A claim; `holds` are (driver, pool, device) of its results, None for a pending one."""
    requests = [
        {"name": f"r{index}", "exactly": {"deviceClassName": device_class}} for index in range(len(holds or [()]))
    ]
    status: Raw = {}
    if holds is not None:
        results = [
            {"request": f"r{index}", "driver": driver, "pool": pool, "device": held}
            for index, (driver, pool, held) in enumerate(holds)
        ]
        status["allocation"] = {"devices": {"results": results}}
        status["reservedFor"] = [{"resource": "pods", "name": pod, "uid": f"uid-{pod}"} for pod in pods]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": meta(name, namespace, uid, version),
        "spec": {"devices": {"requests": requests}},
        "status": status,
    }


def pod(
    name: str, claims: tuple[str, ...] = (), *, namespace: str = "ml", node: str = "", phase: str = "Running"
) -> Raw:
    entries = [{"name": f"c{index}", "resourceClaimName": each} for index, each in enumerate(claims)]
    spec = {"nodeName": node, "resourceClaims": entries, "containers": []}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta(name, namespace),
        "spec": spec,
        "status": {"phase": phase},
    }


def node(name: str, **labels: str) -> Raw:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def device_class(name: str = "gpu") -> Raw:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": {}}


def taint_rule(name: str = "rule", **selector: str) -> Raw:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": name},
        "spec": {"deviceSelector": selector, "taint": {"key": "unhealthy", "effect": "NoSchedule"}},
    }


def meta(name: str, namespace: str = "", uid: str = "", version: str = "") -> Raw:
    pairs = {"name": name, "namespace": namespace, "uid": uid, "resourceVersion": version}
    return {key: value for key, value in pairs.items() if value}
