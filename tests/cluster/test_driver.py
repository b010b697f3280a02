"""A driver publishes, changes and shrinks a pool through upstream's controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from .controlplane import ControlPlane
from .driver import Driver
from .fuzz.world import Json
from .processes import wait_until

pytestmark = pytest.mark.cluster
NAME = "published.example.com"


def device(name: str) -> Json:
    consumed = {"counterSet": "card", "counters": {"memory": {"value": "10Gi"}}}
    return {"name": name, "attributes": {"profile": {"string": "quarter"}}, "consumesCounters": [consumed]}


def pool(*names: str) -> Json:
    card = {"name": "card", "counters": {"memory": {"value": "40Gi"}}}
    slices: list[Json] = [{"SharedCounters": [card]}]
    slices += [{"Devices": [device(name)]} for name in names]
    return {"AllNodes": True, "Slices": slices}


def published(control_plane: ControlPlane) -> list[list[str]]:
    """The device names of each slice of the newest generation of the driver's pool, in the allocator's order."""
    slices = control_plane.list("resourceslices", f"--field-selector=spec.driver={NAME}")
    newest = max((each["spec"]["pool"].get("generation", 0) for each in slices), default=0)
    slices = [each for each in slices if each["spec"]["pool"].get("generation", 0) == newest]
    slices.sort(key=lambda each: each["metadata"]["name"])
    return [[one["name"] for one in each["spec"].get("devices", [])] for each in slices]


def test_a_driver_creates_grows_and_shrinks_its_pool(control_plane: ControlPlane, tmp_path: Path) -> None:
    with Driver(control_plane.kubeconfig, NAME, tmp_path / "driver.log") as driver:
        for names in (["a"], ["a", "b", "c"], ["b"]):
            driver.publish(pool=pool(*names))
            wanted = [[], *([name] for name in names)]
            wait_until(lambda wanted=wanted: published(control_plane) == wanted, 30, f"a pool of {names}")  # type: ignore[misc]
        driver.publish()
        wait_until(lambda: published(control_plane) == [], 30, "no pool")
        assert driver.errors() == []
        created, _, deleted = driver.counts()
        assert created == deleted >= 4
