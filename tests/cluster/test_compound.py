"""Compound pools in a real control plane: accepted as written, and allocated molecule by molecule as predicted."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from pools.core.cel_program import Facts, program
from pools.core.gather import gather
from pools.core.holds import holds
from pools.core.judge import judge
from pools.domain.claim import Claim
from pools.domain.pool import Slice
from pools.domain.state import PoolReport, Surroundings
from pools.queries.compounding import make, read_rule
from pools.wire.registry import decode

from .controlplane import ControlPlane
from .processes import wait_until
from .test_control_plane import node, pod

pytestmark = pytest.mark.cluster
Json = dict[str, Any]

DEMO = pathlib.Path(__file__).parents[2] / "demo/compound"
DRIVER, POOL = "compound.example.com", "dgx-01-compound0"
GPU = 'device.attributes["gpu.example.com"].productName == "Example H100 80GB"'
NIC = '"nic.example.com" in device.attributes && device.attributes["nic.example.com"].rdma'
STEPS = [
    # name, what is asked for, how many molecules can be allocated afterwards
    ("plain", GPU, "gpu0", 17),
    ("with-nic", f"{GPU} && {NIC}", "gpu1-nic0", 15),
    ("both", f'device.attributes["{DRIVER}"].type == "2gpu-1nic"', "gpu2-gpu3-nic1", 10),
    ("plain-again", GPU, "gpu4", 7),
    ("last-nic", NIC, "gpu5-nic2", 5),
]


def manifests() -> list[Json]:
    payloads = [(path.name, path.read_bytes()) for path in sorted((DEMO / "pools").iterdir())]
    return list(make(read_rule((DEMO / "rule.yaml").read_bytes(), "rule.yaml"), payloads).manifests)


def claim(name: str, expression: str) -> Json:
    request = {
        "name": "device",
        "exactly": {"deviceClassName": "compound", "selectors": [{"cel": {"expression": expression}}]},
    }
    meta = {"name": name, "namespace": "default"}
    spec = {"devices": {"requests": [request]}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": meta, "spec": spec}


def report(control_plane: ControlPlane) -> PoolReport:
    """The compound pool as the cluster has it now, judged against the cluster's claims."""
    slices = [decode(raw) for raw in control_plane.list("resourceslices")]
    claims = [decode(raw) for raw in control_plane.list("resourceclaims")]
    own = [each for each in slices if isinstance(each, Slice) and each.pool == POOL]
    (pool,) = gather(own)
    held = holds((each for each in claims if isinstance(each, Claim)), own)
    return judge(pool, Surroundings(tuple(hold for hold in held if hold.device.pool == POOL)))


def available(found: PoolReport) -> list[str]:
    return [each.id.name for each in found.devices if each.state == "available"]


def first_fit(found: PoolReport, expression: str) -> str:
    """What the scheduler should take: the first available molecule in published order that is asked for."""
    return next(
        each.id.name
        for each in found.devices
        if each.state == "available"
        and each.pooled is not None
        and program(expression).matches(Facts(DRIVER, each.pooled.device))
    )


def test_the_scheduler_gives_out_molecules_as_predicted(control_plane: ControlPlane) -> None:
    written = manifests()
    selectors = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]
    device_class = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "compound"}}
    control_plane.apply(node("dgx-01"), {**device_class, "spec": {"selectors": selectors}})
    for manifest in written:
        status, body = control_plane.request("POST", "/apis/resource.k8s.io/v1/resourceslices", manifest)
        assert (status, body.get("spec")) == (201, manifest["spec"])
    assert len(available(report(control_plane))) == 20

    for name, expression, molecule, left in STEPS:
        assert first_fit(report(control_plane), expression) == molecule
        control_plane.apply(claim(name, expression), pod(name, name))
        allocation = wait_until(
            lambda name=name: control_plane.get("resourceclaim", name).get("status", {}).get("allocation"),
            30,
            "allocation",
        )
        (result,) = allocation["devices"]["results"]  # type: ignore[index]
        assert (result["driver"], result["pool"], result["device"]) == (DRIVER, POOL, molecule)
        assert len(available(report(control_plane))) == left
