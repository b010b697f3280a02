"""Nodes and device pools of the demo fleet."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pools.synth import mig
from pools.synth.boards import BOARDS

Objects = list[dict[str, Any]]

A100_NODES = ("a100-01", "a100-02")
H100_NODES = ("h100-01", "h100-02")
B200_NODE = "b200-01"
MI300X_NODE = "mi300x-01"
TPU_HOSTS = ("tpu-01", "tpu-02", "tpu-03", "tpu-04")
COMPOUND_NODE = "dgx-01"
UPDATING_NODE = "h100-03"


def nodes() -> Objects:
    """Every node, labelled with zone and model."""
    models = {
        **dict.fromkeys(A100_NODES, "a100"),
        **dict.fromkeys((*H100_NODES, UPDATING_NODE), "h100"),
        B200_NODE: "b200",
        MI300X_NODE: "mi300x",
        **dict.fromkeys(TPU_HOSTS, "tpu"),
        COMPOUND_NODE: "dgx",
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {
                    "kubernetes.io/hostname": name,
                    "topology.kubernetes.io/zone": f"zone-{'ab'[index % 2]}",
                    "example.com/accelerator": model,
                },
            },
        }
        for index, (name, model) in enumerate(models.items())
    ]


def a100() -> Objects:
    """Four GPUs a node: 26 devices and 15 counters each."""
    return [item for node in A100_NODES for item in mig.slices(BOARDS["a100-40"], 4, node)]


def h100() -> Objects:
    """Eight GPUs a node."""
    return [item for node in H100_NODES for item in mig.slices(BOARDS["h100-80"], 8, node)]


def b200() -> Objects:
    """Eight GPUs; the driver reports a fault on GPU 5."""
    fault = {
        "key": "gpu.nvidia.com/xid",
        "value": "79",
        "effect": "NoSchedule",
        "timeAdded": "2026-11-30T04:12:09Z",
    }
    return mig.slices(BOARDS["b200-180"], 8, B200_NODE, tainted={5: fault})


_MODES = (
    # compute mode, memory mode, shares, compute units and MiB of one share
    ("spx", "nps1", 1, 304, 196592),
    ("dpx", "nps2", 2, 152, 98296),
    ("cpx", "nps1", 8, 38, 24574),
    ("cpx", "nps4", 8, 38, 24574),
)


def mi300x() -> Objects:
    """
    Four MI300X. A card is in one partition mode at a time: a counter of 1 that every mode takes; the shares of a mode
    are a capacity of its device.
    """
    driver, cards = "gpu.amd.com", range(4)
    counters = [{"name": f"gpu-{card}-mutex", "counters": {"partition-mode": {"value": "1"}}} for card in cards]
    devices = [_mode(card, *mode) for card in cards for mode in _MODES]
    pool = {"name": MI300X_NODE, "generation": 1, "resourceSliceCount": 2}
    base = {"driver": driver, "nodeName": MI300X_NODE, "pool": pool}
    return [
        _slice(f"00-{driver}-{MI300X_NODE}", {**base, "sharedCounters": counters}),
        _slice(f"01-{driver}-{MI300X_NODE}", {**base, "devices": devices}),
    ]


def _mode(card: int, compute: str, memory: str, shares: int, units: int, mebibytes: int) -> dict[str, Any]:
    return {
        "name": f"gpu-{card}-{compute}-{memory}",
        "attributes": {
            "type": {"string": "amdgpu-partition"},
            "productName": {"string": "AMD_Instinct_MI300X_OAM"},
            "computePartition": {"string": compute},
            "memoryPartition": {"string": memory},
            "partitionProfile": {"string": f"{compute}_{memory}"},
            "gpuIndex": {"int": card},
        },
        "allowMultipleAllocations": True,
        "capacity": {
            "partitions": {
                "value": str(shares),
                "requestPolicy": {"default": "1", "validRange": {"min": "1", "max": str(shares), "step": "1"}},
            },
            "computeUnits": {
                "value": str(units * shares),
                "requestPolicy": {"default": str(units), "validRange": {"min": str(units), "step": str(units)}},
            },
            "memory": {
                "value": f"{mebibytes * shares}Mi",
                "requestPolicy": {
                    "default": f"{mebibytes}Mi",
                    "validRange": {"min": f"{mebibytes}Mi", "step": f"{mebibytes}Mi"},
                },
            },
        },
        "consumesCounters": [{"counterSet": f"gpu-{card}-mutex", "counters": {"partition-mode": {"value": "1"}}}],
    }


def tpu() -> Objects:
    """16 chips on four hosts. Each topology says which hosts it can be reached from."""
    return _tpu("tpu-slice-a", "tpu-counter-set", "tpu-counter-set", TPU_HOSTS)


def _tpu(pool: str, declared: str, consumed: str, hosts: tuple[str, ...]) -> Objects:
    driver = "tpu.google.com"
    shapes = [("tpu-4x4", "4x4", hosts)]
    shapes += [(f"tpu-2x4-{i}", "2x4", pair) for i, pair in enumerate((hosts[:2], hosts[2:]))]
    shapes += [(f"tpu-2x2-{i}", "2x2", (host,)) for i, host in enumerate(hosts)]
    shapes.reverse()
    devices = [
        {
            "name": name,
            "attributes": {"topology": {"string": topology}, "tpuGen": {"string": "v5e"}},
            "capacity": {"tpus": {"value": str(4 * len(reach))}},
            "consumesCounters": [
                {"counterSet": consumed, "counters": {f"tpus-{host}": {"value": "4"} for host in reach}}
            ],
            "nodeSelector": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": list(reach)}]}
                ]
            },
        }
        for name, topology, reach in shapes
    ]
    base = {
        "driver": driver,
        "perDeviceNodeSelection": True,
        "pool": {"name": pool, "generation": 1, "resourceSliceCount": 2},
        "partitionTypeAttribute": f"{driver}/topology",
    }
    counters = {"name": declared, "counters": {f"tpus-{host}": {"value": "4"} for host in hosts}}
    plain = {key: value for key, value in base.items() if key != "partitionTypeAttribute"}
    return [
        _slice(f"{pool}-counters", {**plain, "sharedCounters": [counters]}),
        _slice(f"{pool}-devices", {**base, "devices": devices}),
    ]


def compound() -> Objects:
    """Eight GPUs and four NICs; a NIC is only given with a GPU of its pair. Five compounds a triplet, 20 in all."""
    devices: Objects = []
    for nic, (first, second) in enumerate(pairwise(range(0, 9))):
        if nic % 2:
            continue
        card = nic // 2
        for members in ((first,), (second,)):
            gpus = [f"gpu{gpu}" for gpu in members]
            devices += [_molecule(gpus), _molecule([*gpus, f"nic{card}"])]
        devices.append(_molecule([f"gpu{first}", f"gpu{second}", f"nic{card}"]))
    parts = [f"gpu{i}" for i in range(8)] + [f"nic{i}" for i in range(4)]
    return [
        {
            "apiVersion": "resource.k8s.io/v1alpha3",
            "kind": "ResourcePool",
            "metadata": {"name": f"{COMPOUND_NODE}-compound0"},
            "spec": {
                "driver": "compound.example.com",
                "nodeName": COMPOUND_NODE,
                "devices": devices,
                "sharedConsumable": [{"name": part, "capacity": 1} for part in parts],
            },
        }
    ]


def _molecule(members: list[str]) -> dict[str, Any]:
    return {"name": "-".join(members), "sharedConsumed": dict.fromkeys(members, 1)}


def broken() -> Objects:
    """A node whose driver has published two of nine slices so far, and a pool that consumes a set nobody declares."""
    updating = mig.slices(BOARDS["h100-80"], 8, UPDATING_NODE, generation=3)[:2]
    typo = _tpu("tpu-slice-b", "tpu-counter-set", "tpu-couner-set", TPU_HOSTS)
    return [*updating, *typo]


def _slice(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}
