"""A fleet of partitioned GPUs as its driver publishes it: nodes of 8 cards with 25 partitions each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from pools.domain.claim import Claim, DeviceClass
from pools.domain.cluster import Node, Snapshot
from pools.domain.pool import Slice
from pools.wire.registry import decode

Json = dict[str, Any]
DRIVER = "gpu.example.com"
API = "resource.k8s.io/v1"
ATTRIBUTES = f'device.attributes["{DRIVER}"]'
PROFILES = (
    ("1g", range(7), 1),
    ("1g.me", range(7), 1),
    ("1gd", range(0, 7, 2), 2),
    ("2g", range(0, 5, 2), 2),
    ("3g", range(0, 5, 4), 4),
    ("4g", range(1), 4),
    ("7g", range(1), 8),
)
"""(name, first memory slices, memory slices) of each kind of partition: 25 on a card."""
GPUS = 8
PER_SLICE = 64


def node(name: str) -> Json:
    """A Node."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def device_class() -> Json:
    """The class of partitions."""
    cel = {"expression": f'device.driver == "{DRIVER}" && {ATTRIBUTES}.type == "mig"'}
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": "mig"},
        "spec": {"selectors": [{"cel": cel}]},
    }


def slices(name: str) -> Iterator[Json]:
    """The ResourceSlices of one node, its counters first."""
    devices = [device for gpu in range(GPUS) for device in _partitions(name, gpu)]
    parts = [devices[at : at + PER_SLICE] for at in range(0, len(devices), PER_SLICE)]
    counters = {f"memory-slice-{at}": {"value": "1"} for at in range(8)}
    sets = [{"name": f"gpu-{gpu}", "counters": counters} for gpu in range(GPUS)]
    for number, body in enumerate([{"sharedCounters": sets}, *({"devices": part} for part in parts)]):
        pool = {"name": name, "generation": 1, "resourceSliceCount": len(parts) + 1}
        spec = {"driver": DRIVER, "nodeName": name, "pool": pool, **body}
        yield {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{name}-{number}"}, "spec": spec}


def _partitions(name: str, gpu: int) -> Iterator[Json]:
    for profile, starts, width in PROFILES:
        for start in starts:
            used = {f"memory-slice-{at}": {"value": "1"} for at in range(start, start + width)}
            yield {
                "name": f"gpu-{gpu}-{profile.replace('.', '-')}-{start}",
                "attributes": {
                    "type": {"string": "mig"},
                    "profile": {"string": profile},
                    "parentUUID": {"string": f"{name}-{gpu}"},
                },
                "capacity": {"memory": {"value": f"{5 * width}Gi"}},
                "consumesCounters": [{"counterSet": f"gpu-{gpu}", "counters": used}],
            }


def claim(*wanted: tuple[str, int], tied: bool = False, more: str = "") -> Json:
    """A pending claim for so many partitions of each profile, on one card if tied; its selectors may ask for more."""
    requests = [
        {
            "name": f"r{number}",
            "exactly": {
                "deviceClassName": "mig",
                "allocationMode": "ExactCount",
                "count": count,
                "selectors": [{"cel": {"expression": f'{ATTRIBUTES}.profile == "{profile}"{more}'}}],
            },
        }
        for number, (profile, count) in enumerate(wanted)
    ]
    devices: Json = {"requests": requests}
    if tied:
        devices["constraints"] = [{"matchAttribute": f"{DRIVER}/parentUUID"}]
    metadata = {"name": "c", "namespace": "ml", "uid": "c"}
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": metadata, "spec": {"devices": devices}}


def held(name: str, cards: int) -> Json:
    """A claim that holds a small partition of some of a node's cards."""
    results = [
        {"request": "r0", "driver": DRIVER, "pool": name, "device": f"gpu-{gpu}-1g-{gpu % 7}"} for gpu in range(cards)
    ]
    made = claim(("1g", cards))
    made["metadata"] = {"name": f"held-on-{name}", "namespace": "ml", "uid": f"held-on-{name}"}
    made["status"] = {"allocation": {"devices": {"results": results}}}
    return made


def holders(names: Iterable[str]) -> list[Json]:
    """Claims that hold on each node none, two, four or six small partitions, always the same."""
    chance = random.Random(1)
    return [held(name, 2 * cards) for name in names if (cards := chance.randrange(4))]


def scenario(names: Sequence[str], allocated: Sequence[Json], asked: Json) -> Json:
    """The same fleet and one claim as a line for both allocators."""
    return {
        "slices": [item for name in names for item in slices(name)],
        "classes": [device_class()],
        "allocated": list(allocated),
        "nodes": [node(name) for name in names],
        "claims": [asked],
    }


def snapshot(names: Sequence[str], allocated: Sequence[Json]) -> Snapshot:
    """The fleet, decoded."""
    return Snapshot(
        tuple(cast(Slice, decode(item)) for name in names for item in slices(name)),
        tuple(cast(Claim, decode(item)) for item in allocated),
        classes=(cast(DeviceClass, decode(device_class())),),
        nodes=tuple(cast(Node, decode(node(name))) for name in names),
    )
