"""Slices of 1.33 and 1.34 that hold counters and devices together: no cluster of today takes them, publishing does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from pools.models import PublishToken
from tests.manifests import claim, counters, partition, resource_slice

from .controlplane import VERSIONS, ControlPlane

pytestmark = pytest.mark.cluster
Json = dict[str, Any]
DRIVER, POOL = "mixed.example.com", "old-node"
SETS = [{"name": "gpu-0", "counters": counters(memory="40Gi")}]
DEVICES = [partition("half-0"), partition("half-1"), partition("whole", memory="40Gi")]


def mixed(version: str) -> Json:
    """The slice as a release wrote it; v1beta1 wraps what is said of a device."""
    made = resource_slice("mixed", driver=DRIVER, pool=POOL, node=POOL, sets=SETS, devices=DEVICES)
    if version in ("v1beta1", "v1alpha3"):
        made["spec"]["devices"] = [
            {"name": each["name"], "basic": {key: value for key, value in each.items() if key != "name"}}
            for each in DEVICES
        ]
    return {**made, "apiVersion": f"resource.k8s.io/{version}"}


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != "v1alpha3"])
def test_the_api_server_refuses_a_mixed_slice(control_plane: ControlPlane, version: str) -> None:
    code, answer = control_plane.request("POST", f"/apis/resource.k8s.io/{version}/resourceslices", mixed(version))
    assert code == 422, answer
    causes = [cause["message"] for cause in answer["details"]["causes"]]
    assert any("only one of" in cause for cause in causes), causes


@pytest.mark.django_db
@pytest.mark.parametrize("version", [version for version in VERSIONS if version != "v1alpha3"])
def test_published_it_is_judged_by_the_rules_of_its_release(client: Client, version: str) -> None:
    _, secret = PublishToken.issue("driver", driver=DRIVER)
    sent = json.dumps([mixed(version)])
    answer = client.post(
        "/api/v1/publish/", sent, content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
    )
    assert answer.json()["summary"]["created"] == 1
    assert states(client) == {"half-0": "available", "half-1": "available", "whole": "available"}
    found = client.get(f"/api/v1/findings/?driver={DRIVER}").json()["results"]
    assert {each["code"]: each["severity"] for each in found}["slice-mixed"] == "warning"

    _, secret = PublishToken.issue("scheduler")
    held = json.dumps([claim("train", holds=[(DRIVER, POOL, "half-0")], pods=("train",))])
    client.post(
        "/api/v1/publish/", held, content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
    )
    assert states(client) == {"half-0": "allocated", "half-1": "available", "whole": "blocked"}


def states(client: Client) -> dict[str, str]:
    """The state of each device of the pool, as the API tells it."""
    devices = client.get(f"/api/v1/devices/?driver={DRIVER}").json()["results"]
    return {each["name"]: each["state"] for each in devices}
