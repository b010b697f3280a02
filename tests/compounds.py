"""Rules and underlying pools for tests of compounds: the proposal's node of eight GPUs and four NICs, and others."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from pools.core.compound import compound
from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.compound import CompoundPool, CompoundRule, Compounds
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import Pool
from pools.domain.state import Holder, PoolReport, Surroundings
from pools.wire.compound_rule import compound_rule
from pools.wire.registry import decode

GPU, NIC, COMPOUND = "gpu.example.com", "nic.example.com", "compound.example.com"
ROOT = "resource.kubernetes.io/pcieRoot"
Raw = dict[str, Any]

RULE: Raw = {
    "apiVersion": "dashboard.dra.dev/v1alpha1",
    "kind": "CompoundPoolRule",
    "metadata": {"name": "gpu-nic"},
    "spec": {
        "driver": COMPOUND,
        "pool": "{node}-compound0",
        "counterSet": "{node}",
        "members": [{"name": "gpu", "driver": GPU}, {"name": "nic", "driver": NIC}],
        "grouping": {"attribute": ROOT},
        "molecules": [{"count": {"gpu": 1, "nic": {"min": 0, "max": 1}}}, {"count": {"gpu": 2, "nic": 1}}],
    },
}
TRIPLETS = [
    {"name": f"triplet-{i}", "devices": {"gpu": [f"gpu{2 * i}", f"gpu{2 * i + 1}"], "nic": [f"nic{i}"]}}
    for i in range(4)
]
"""The proposal's groups, spelled out."""


def rule_raw(**spec: Any) -> Raw:
    """The proposal's rule as JSON, with some fields of its spec replaced (None: taken out)."""
    raw = copy.deepcopy(RULE)
    for key, value in spec.items():
        if value is None:
            raw["spec"].pop(key)
        else:
            raw["spec"][key] = value
    return raw


def rule(**spec: Any) -> CompoundRule:
    return compound_rule(rule_raw(**spec))


def device(name: str, attributes: Mapping[str, Any] | None = None, **more: Any) -> Raw:
    """A device; attributes are given as plain values, or as {kind: value}."""
    kinds = {bool: "bool", int: "int", str: "string"}
    raw = {
        key: value if isinstance(value, dict) else {kinds[type(value)]: value}
        for key, value in (attributes or {}).items()
    }
    return {"name": name, **({"attributes": raw} if raw else {}), **more}


def slice_raw(driver: str, devices: Sequence[Raw], *, node: str = "node0", pool: str = "", **spec: Any) -> Raw:
    where = {"nodeName": node} if node else {}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{driver}-{pool or node}"[:250]},
        "spec": {
            "driver": driver,
            **where,
            "pool": {"name": pool or node, "generation": 1, "resourceSliceCount": 1},
            "devices": list(devices),
            **spec,
        },
    }


def pools(*raws: Raw) -> tuple[Pool, ...]:
    return gather(decode(raw) for raw in raws)  # type: ignore[misc]


def gpus(count: int = 8, *, share: int = 2, node: str = "node0", **more: Any) -> Raw:
    """A GPU driver's slice; `share` GPUs have one PCIe root."""
    devices = [device(f"gpu{i}", {ROOT: f"pci{i // share}"}) for i in range(count)]
    return slice_raw(GPU, devices, node=node, **more)


def nics(count: int = 4, *, node: str = "node0", **more: Any) -> Raw:
    """A NIC driver's slice, a PCIe root each."""
    return slice_raw(NIC, [device(f"nic{i}", {ROOT: f"pci{i}"}) for i in range(count)], node=node, **more)


def codes(done: Compounds) -> list[str]:
    return [each.code for each in done.findings]


def names(pool: CompoundPool) -> list[str]:
    return [each.name for each in pool.molecules]


def labels(pool: CompoundPool) -> dict[str, list[str]]:
    """Molecule → the counters it takes."""
    return {
        each.name: [part.counter.counter for part in each.parts if part.counter is not None] for each in pool.molecules
    }


def published(pool: CompoundPool) -> Pool:
    """The pool as it would be gathered from its slices."""
    (found,) = gather(pool.slices)
    return found


def made(*raws: Any, **spec: Any) -> Compounds:
    return compound(rule(**spec), pools(*raws))


def only(done: Compounds) -> CompoundPool:
    assert [each for each in done.findings if each.severity == "error"] == []
    (pool,) = done.pools
    return pool


def judged(pool: Pool, *held: str) -> PoolReport:
    holds = [
        Holder(ClaimId("ml", f"claim-{name}"), DeviceId(*pool.id, name), "r", pods=(f"ml/{name}",)) for name in held
    ]
    return judge(pool, Surroundings(tuple(holds)))


def available(report: PoolReport) -> set[str]:
    return {each.id.name for each in report.devices if each.state == "available"}
