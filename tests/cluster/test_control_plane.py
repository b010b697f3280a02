"""The real control plane starts, says which release it is, and its scheduler allocates partitions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .build import release
from .controlplane import VERSIONS, ControlPlane
from .fuzz.families import mig
from .fuzz.world import GPU, Dice, World, classes
from .processes import wait_until

pytestmark = pytest.mark.cluster
Json = dict[str, Any]


def node(name: str) -> Json:
    capacity = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    status = {"capacity": capacity, "allocatable": capacity, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"gpu": "yes"}}, "status": status}


def claim(name: str, expression: str) -> Json:
    selectors = [{"cel": {"expression": expression}}]
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu-any", "selectors": selectors}}
    meta = {"name": name, "namespace": "default"}
    spec = {"devices": {"requests": [request]}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": meta, "spec": spec}


def pod(name: str, claim_name: str) -> Json:
    spec = {
        "containers": [{"name": "main", "image": "none", "resources": {"claims": [{"name": "device"}]}}],
        "resourceClaims": [{"name": "device", "resourceClaimName": claim_name}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def profile(name: str) -> str:
    return f'device.attributes["{GPU}"].?profile.orValue("") == "{name}"'


@pytest.fixture(scope="module")
def a_pool(control_plane: ControlPlane) -> Json:
    """The slices of one A100 with every MIG placement on one node, and the classes, as objects in the cluster."""
    world = World(Dice("one whole card"))
    world.nodes = [node("gpu-node")]
    world.dice.chance = lambda probability: False  # type: ignore[method-assign]
    mig(world)
    control_plane.apply(*world.nodes, *classes(), *world.slices)
    return {"slices": world.slices}


def test_the_api_server_says_which_release_it_is(control_plane: ControlPlane) -> None:
    version = json.loads(control_plane.kubectl("version", "-o", "json"))
    assert version["serverVersion"]["gitVersion"] == release()
    assert version["clientVersion"]["gitVersion"] == release()


def test_every_version_of_the_resource_group_is_served(control_plane: ControlPlane) -> None:
    served = control_plane.kubectl("api-versions").split()
    assert {f"resource.k8s.io/{version}" for version in VERSIONS} <= set(served)


def test_the_scheduler_allocates_a_partition_that_fits(control_plane: ControlPlane, a_pool: Json) -> None:
    control_plane.apply(claim("three", profile("3g.20gb")), pod("three", "three"))
    allocation = wait_until(
        lambda: control_plane.get("resourceclaim", "three").get("status", {}).get("allocation"), 30, "allocation"
    )
    (result,) = allocation["devices"]["results"]  # type: ignore[index]
    assert (result["driver"], result["pool"], result["device"]) == (GPU, "gpu-node", "gpu-0-mig-3g-20gb-0")
    assert wait_until(lambda: control_plane.get("pod", "three")["spec"].get("nodeName"), 30, "node") == "gpu-node"


def test_the_scheduler_says_when_no_partition_fits(control_plane: ControlPlane, a_pool: Json) -> None:
    control_plane.apply(claim("whole", profile("7g.40gb")), pod("whole", "whole"))

    def refusal() -> str | None:
        conditions = control_plane.get("pod", "whole").get("status", {}).get("conditions", [])
        return next((each["message"] for each in conditions if each.get("reason") == "Unschedulable"), None)

    assert "cannot allocate all claims" in str(wait_until(refusal, 30, "refusal"))
    assert not control_plane.get("resourceclaim", "whole").get("status", {}).get("allocation")


def test_objects_survive_a_killed_api_server_and_a_compaction(control_plane: ControlPlane, a_pool: Json) -> None:
    before = {each["metadata"]["uid"] for each in control_plane.list("resourceslices")}
    control_plane.restart("kube-apiserver", kill=True)
    assert control_plane.compact() > 1
    assert {each["metadata"]["uid"] for each in control_plane.list("resourceslices")} == before
