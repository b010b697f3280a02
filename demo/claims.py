"""Classes, claims and pods of the demo fleet: every state a claim can be in."""

from __future__ import annotations

from typing import Any

from demo.hardware import A100_NODES, B200_NODE, COMPOUND_NODE, H100_NODES, MI300X_NODE, TPU_HOSTS
from pools.synth import manifests, mig
from pools.synth.boards import BOARDS

Objects = list[dict[str, Any]]
GPU, AMD, TPU, COMPOUND = mig.DRIVER, "gpu.amd.com", "tpu.google.com", "compound.example.com"


def classes() -> Objects:
    """One class a kind of device; a template; a rule that takes one MI300X out of service."""
    selectors = {
        "gpu.nvidia.com": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'gpu'",
        "mig.nvidia.com": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'mig'",
        "gpu.amd.com": f"device.driver == '{AMD}'",
        "tpu.google.com": f"device.driver == '{TPU}'",
        "compound.example.com": f"device.driver == '{COMPOUND}'",
    }
    found: Objects = [
        manifests.resource("DeviceClass", {"name": name}, {"selectors": [manifests.cel(expression)]})
        for name, expression in selectors.items()
    ]
    template = {"spec": {"devices": {"requests": [_request("gpu", "gpu.nvidia.com")]}}}
    found.append(manifests.resource("ResourceClaimTemplate", {"name": "whole-gpu", "namespace": "notebooks"}, template))
    rule = {
        "deviceSelector": {"driver": AMD, "pool": MI300X_NODE, "device": "gpu-3-spx-nps1"},
        "taint": {"key": "example.com/maintenance", "effect": "NoSchedule", "timeAdded": "2026-11-30T08:00:00Z"},
    }
    found.append(manifests.resource("DeviceTaintRule", {"name": "mi300x-gpu-3-firmware"}, rule))
    return found


# GPU index → placements (profile row of the board, start) held on it; a row of None is the whole GPU
_Placements = dict[int, list[tuple[str | None, int]]]
_A100_1: _Placements = {
    0: [("3g.20gb", 4), ("1g.5gb", 0)],
    1: [("1g.5gb", start) for start in range(7)],
    2: [(None, 0)],
}
_A100_2: _Placements = {0: [("2g.10gb", 0)], 3: [("4g.20gb", 0), ("2g.10gb", 4), ("1g.5gb+me", 6)]}
# on every card one small partition in each half: most slots are free, and no 3g, 4g or 7g fits anywhere
_H100_1: _Placements = {
    0: [("1g.10gb", 0), ("1g.10gb", 5)],
    1: [("1g.10gb", 2), ("1g.10gb", 6)],
    2: [("2g.20gb", 2), ("1g.10gb", 4)],
    3: [("1g.10gb", 3), ("2g.20gb", 4)],
    4: [("1g.10gb", 1), ("1g.10gb", 4)],
    5: [("1g.20gb", 0), ("1g.20gb", 6)],
    6: [("1g.10gb", 0), ("1g.10gb", 4), ("1g.10gb", 6)],
    7: [("2g.20gb", 0), ("1g.10gb", 6)],
}
_H100_2: _Placements = {
    0: [(None, 0)],
    1: [(None, 0)],
    2: [("7g.80gb", 0)],
    3: [("4g.40gb", 0), ("1g.10gb", 5)],
    4: [("3g.40gb", 4), ("2g.20gb", 0)],
    5: [("3g.40gb", 0), ("3g.40gb", 4)],
    6: [("4g.40gb", 0), ("3g.40gb", 4)],
    7: [("1g.10gb", 1), ("2g.20gb", 4)],
}
_B200: _Placements = {
    0: [("7g.180gb", 0)],
    1: [("3g.90gb", 0)],
    2: [("2g.45gb", 0), ("2g.45gb", 2)],
    5: [("1g.23gb", 0)],
    6: [("1g.23gb", start) for start in range(4)],
}
_TEAMS = ("ml-training", "inference", "notebooks", "research", "batch")


def running() -> Objects:
    """MIG partitions of five nodes, shares of an MI300X, a TPU topology, two compounds, and an observer."""
    found: Objects = []
    for node, board, placements in (
        (A100_NODES[0], "a100-40", _A100_1),
        (A100_NODES[1], "a100-40", _A100_2),
        (H100_NODES[0], "h100-80", _H100_1),
        (H100_NODES[1], "h100-80", _H100_2),
        (B200_NODE, "b200-180", _B200),
    ):
        found += _mig_users(node, board, placements)
    for share in range(3):
        found += manifests.with_pod(_amd_share(share), "inference", MI300X_NODE)
    found += manifests.with_pod(
        _held("tpu-train", "ml-training", TPU, "tpu-slice-a", "tpu-2x2-2", "tpu.google.com"),
        "ml-training",
        TPU_HOSTS[2],
    )
    for name, device in (("dl-pair", "gpu0-nic0"), ("dl-quad", "gpu4-gpu5-nic2")):
        found += [
            _prototype(name, "research", device),
            manifests.pod(f"{name}-0", "research", claim=name, node=COMPOUND_NODE),
        ]
    found += _odd_ones()
    return found


def _mig_users(node: str, board: str, placements: _Placements) -> Objects:
    profiles = {profile.name: profile for profile in BOARDS[board].profiles}
    found: Objects = []
    for gpu, held in placements.items():
        for index, (profile, start) in enumerate(held):
            team = _TEAMS[(gpu + index) % len(_TEAMS)]
            device = f"gpu-{gpu}" if profile is None else mig.device_name(gpu, profiles[profile], start)
            size = "gpu" if profile is None else profile.partition(".")[0]
            name = f"{node}-g{gpu}-{size}-{start}"
            kind = "gpu.nvidia.com" if profile is None else "mig.nvidia.com"
            found += manifests.with_pod(_held(name, team, GPU, node, device, kind, profile or "", node), team, node)
    return found


def _held(
    name: str, namespace: str, driver: str, pool: str, device: str, kind: str, profile: str = "", node: str = ""
) -> dict[str, Any]:
    hour = (len(name) * 7 + sum(map(ord, name))) % 24
    claim = manifests.claim(
        name, namespace, [_request("gpu", kind, profile)], f"2026-11-{20 + hour % 9}T{hour:02}:14:00Z"
    )
    allocation: dict[str, Any] = {
        "devices": {"results": [{"request": "gpu", "driver": driver, "pool": pool, "device": device}]},
        "allocationTimestamp": claim["metadata"]["creationTimestamp"].replace(":14:", ":15:"),
    }
    if node:
        allocation["nodeSelector"] = manifests.only(node)
    claim["status"] = {"allocation": allocation}
    return claim


def _amd_share(share: int) -> dict[str, Any]:
    claim = _held(f"llm-decode-{share}", "inference", AMD, MI300X_NODE, "gpu-0-cpx-nps4", AMD, "", MI300X_NODE)
    claim["status"]["allocation"]["devices"]["results"][0].update(
        shareID=manifests.uid(f"share-{share}"),
        consumedCapacity={"partitions": "1", "computeUnits": "38", "memory": "24574Mi"},
    )
    return claim


def _odd_ones() -> Objects:
    """Allocated but reserved by nobody; being deleted but still in use; an observer; a device that is gone."""
    unreserved = _held(
        "sweep-leftover",
        "research",
        GPU,
        A100_NODES[1],
        mig.device_name(1, BOARDS["a100-40"].profiles[5], 0),
        "mig.nvidia.com",
        "4g.20gb",
        A100_NODES[1],
    )
    deleting = _held("finetune-old", "batch", GPU, B200_NODE, "gpu-7", "gpu.nvidia.com", "", B200_NODE)
    deleting["metadata"].update(
        deletionTimestamp="2026-12-01T02:40:00Z", finalizers=["resource.kubernetes.io/delete-protection"]
    )
    gone = _held("trainer-legacy", "ml-training", GPU, A100_NODES[1], "gpu-4", "gpu.nvidia.com", "", A100_NODES[1])
    observer = _held(
        "dcgm-a100-01-gpu-0", "monitoring", GPU, A100_NODES[0], "gpu-0", "gpu.nvidia.com", "", A100_NODES[0]
    )
    observer["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = True
    observer["status"]["allocation"]["devices"]["results"][0]["adminAccess"] = True
    return [
        unreserved,
        *manifests.with_pod(deleting, "batch", B200_NODE),
        *manifests.with_pod(gone, "ml-training", A100_NODES[1]),
        *manifests.with_pod(observer, "monitoring", A100_NODES[0]),
    ]


def waiting() -> Objects:
    """Pending claims with and without a chance, and a pod whose template is missing."""
    found: Objects = []
    unschedulable = "0/12 nodes are available: 12 cannot allocate all claims."
    cases = [
        ("train-3g", "ml-training", [_request("gpu", "mig.nvidia.com", "3g.40gb")]),
        ("finetune-b200", "batch", [_request("gpu", "mig.nvidia.com", "4g.90gb")]),
        ("notebook-1g", "notebooks", [_request("gpu", "mig.nvidia.com", "1g.5gb")]),
        ("tpu-full", "research", [_request("tpu", "tpu.google.com", topology="4x4")]),
        ("eight-whole", "research", [_request("gpus", "gpu.nvidia.com", count=8)]),
        ("gaudi", "batch", [_request("gpu", "gpu.habana.ai")]),
        ("h200-only", "inference", [_request("gpu", "mig.nvidia.com", "7g.141gb")]),
        ("amd-spx", "batch", [_request("gpu", AMD, amd="spx_nps1")]),
    ]
    for index, (name, namespace, requests) in enumerate(cases):
        claim = manifests.claim(name, namespace, requests, f"2026-12-01T0{index}:05:00Z")
        found += [claim, manifests.pod(name, namespace, claim=name, message=unschedulable)]
    found.append(
        manifests.claim("not-used-by-any-pod", "notebooks", [_request("gpu", "gpu.nvidia.com")], "2026-11-29T09:00:00Z")
    )
    orphan = manifests.pod("jupyter-7", "notebooks", message="ResourceClaim not created yet")
    orphan["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "half-gpu"}]
    return [*found, orphan]


def _request(
    name: str, kind: str, profile: str = "", *, count: int = 1, topology: str = "", amd: str = ""
) -> dict[str, Any]:
    tests = {
        f"device.attributes['{GPU}'].profile == '{profile}'": profile,
        f"device.attributes['{TPU}'].topology == '{topology}'": topology,
        f"device.attributes['{AMD}'].partitionProfile == '{amd}'": amd,
    }
    expressions = [expression for expression, used in tests.items() if used]
    return manifests.exactly(name, kind, *expressions, count=count)


def _prototype(name: str, namespace: str, device: str) -> dict[str, Any]:
    """An allocated claim as the 2024 prototype wrote it: no pool name, driver data by driver."""
    result = {"requestName": "gpu", "deviceName": device}
    return {
        "apiVersion": "resource.k8s.io/v1alpha2",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace, "uid": manifests.uid(f"{namespace}/{name}")},
        "spec": {"requests": [{"name": "gpu", "deviceClassName": COMPOUND}]},
        "status": {
            "allocation": {
                "nodeName": COMPOUND_NODE,
                "driverData": [{"driverName": COMPOUND, "data": {"results": [result]}}],
            },
            "reservedFor": [
                {"resource": "pods", "name": f"{name}-0", "uid": manifests.uid(f"pod {namespace}/{name}-0")}
            ],
        },
    }
