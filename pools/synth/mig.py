"""ResourceSlices of a node with dynamic MIG, in the shape of NVIDIA's DRA driver (Kubernetes 1.35 and later)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pools.synth.boards import Board, Profile

DRIVER = "gpu.nvidia.com"
_CAMEL = {
    "multiprocessors": "multiprocessors",
    "copy-engines": "copyEngines",
    "decoders": "decoders",
    "encoders": "encoders",
    "jpeg-engines": "jpegEngines",
    "ofa-engines": "ofaEngines",
    "memory": "memory",
}


def device_name(gpu: int, profile: Profile, start: int) -> str:
    """The driver's name for one placement: `gpu-0-mig-1g5gb-me-20-3`."""
    return f"gpu-{gpu}-mig-{profile.name.replace('.', '').replace('+', '-')}-{profile.instance}-{start}"


def uuid(node: str, gpu: int) -> str:
    """A stable made-up UUID."""
    digits = f"{sum(ord(c) * 31**i for i, c in enumerate(node)) % 16**12:012x}"
    return f"GPU-{gpu:08x}-0000-4000-8000-{digits}"


def slices(
    board: Board, gpus: int, node: str, *, generation: int = 1, tainted: dict[int, dict[str, str]] | None = None
) -> list[dict[str, Any]]:
    """
    All slices of one node: the counter sets first, then one slice a GPU with its devices sorted by name.

    Args:
        tainted: GPU index → taint put on all devices of that GPU.
    """
    bodies: list[dict[str, Any]] = [{"sharedCounters": [_counter_set(board, gpu) for gpu in range(gpus)]}]
    for gpu in range(gpus):
        devices = sorted(_devices(board, gpu, gpus, node), key=lambda device: str(device["name"]))
        taint = (tainted or {}).get(gpu)
        bodies.append({"devices": [{**device, "taints": [taint]} if taint else device for device in devices]})
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{index:02x}-{DRIVER}-{node}"},
            "spec": {
                "driver": DRIVER,
                "nodeName": node,
                "pool": {"name": node, "generation": generation, "resourceSliceCount": len(bodies)},
                **body,
            },
        }
        for index, body in enumerate(bodies)
    ]


def _amounts(profile: Profile) -> dict[str, str]:
    return {
        "multiprocessors": str(profile.multiprocessors),
        "copy-engines": str(profile.copy_engines),
        "decoders": str(profile.decoders),
        "encoders": "0",
        "jpeg-engines": str(profile.jpeg_engines),
        "ofa-engines": str(profile.ofa_engines),
        "memory": f"{profile.memory_mib}Mi",
    }


def _whole(board: Board) -> dict[str, str]:
    """Each dimension at its largest over the profiles, as the driver computes a counter's capacity."""
    rows = [_amounts(profile) for profile in board.profiles]
    return {name: max((row[name] for row in rows), key=lambda text: int(text.removesuffix("Mi"))) for name in rows[0]}


def _counters(amounts: dict[str, str], cells: Iterable[int]) -> dict[str, dict[str, str]]:
    slots = {f"memory-slice-{cell}": {"value": "1"} for cell in cells}
    return {name: {"value": amount} for name, amount in amounts.items()} | slots


def _counter_set(board: Board, gpu: int) -> dict[str, Any]:
    return {"name": f"gpu-{gpu}-counter-set", "counters": _counters(_whole(board), range(8))}


def _devices(board: Board, gpu: int, gpus: int, node: str) -> list[dict[str, Any]]:
    root = 0x10 + gpu * 0x10
    common: dict[str, dict[str, Any]] = {
        "productName": {"string": board.product},
        "brand": {"string": "Nvidia"},
        "architecture": {"string": board.architecture},
        "cudaComputeCapability": {"version": board.compute},
        "driverVersion": {"version": "580.95.5"},
        "resource.kubernetes.io/pciBusID": {"string": f"0000:{root:02x}:00.0"},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{root - 1:02x}"},
        "resource.kubernetes.io/numaNode": {"int": gpu * 2 // gpus},
    }
    whole = _whole(board)
    found = [
        _device(
            gpu, f"gpu-{gpu}", {"type": {"string": "gpu"}, "uuid": {"string": uuid(node, gpu)}}, common, whole, 0, 8
        )
    ]
    for profile in board.profiles:
        own = {
            "type": {"string": "mig"},
            "profile": {"string": profile.name},
            "parentUUID": {"string": uuid(node, gpu)},
        }
        found += [
            _device(gpu, device_name(gpu, profile, start), own, common, _amounts(profile), start, profile.size)
            for start in profile.starts
        ]
    return found


def _device(
    gpu: int,
    name: str,
    own: dict[str, dict[str, str]],
    common: dict[str, dict[str, Any]],
    amounts: dict[str, str],
    start: int,
    size: int,
) -> dict[str, Any]:
    return {
        "name": name,
        "attributes": {**own, **common},
        "capacity": {_CAMEL[counter]: {"value": amount} for counter, amount in amounts.items()},
        "consumesCounters": [
            {"counterSet": f"gpu-{gpu}-counter-set", "counters": _counters(amounts, range(start, start + size))}
        ],
    }
