"""Device states against Kubernetes' own allocator: which devices could a claim for just that device get now."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from pools.core.gather import gather
from pools.core.holds import holds
from pools.core.judge import judge
from pools.domain.cluster import Snapshot
from pools.domain.state import DeviceReport, Surroundings
from pools.wire.registry import decode
from tests.conftest import shared_path

FAMILIES = [
    "admin",
    "compound",
    "consumable",
    "first_avail",
    "gpu_nic",
    "kitchen",
    "listattr",
    "mig",
    "mig_multi",
    "plain",
    "pools",
    "taints",
    "topology",
]
QUICK = 12
"""So many scenarios of each family are checked at once; all of them in the slow test."""


@cache
def scenarios() -> dict[str, list[dict[str, Any]]]:
    """By family. A cluster that knows no counters at all (feature off) is not what the core speaks of."""
    found = defaultdict(list)
    with gzip.open(shared_path("conformance", "scenarios.jsonl.gz")) as lines:
        for line in lines:
            item = json.loads(line)
            if item["scenario"].get("features", {}).get("PartitionableDevices", True):
                found[item["family"]].append(item)
    return dict(found)


def takes_now(report: DeviceReport) -> bool:
    return report.state == "available" or report.accepts_more


def takes_when_tolerated(report: DeviceReport) -> bool:
    only_tainted = {reason.code for reason in report.reasons} == {"tainted"}
    return takes_now(report) or report.state == "tainted" or (report.shareable and only_tainted)


def disagreements(item: dict[str, Any]) -> set[str]:
    scenario = item["scenario"]
    snapshot = Snapshot.of([decode(raw) for kind in ("slices", "allocated", "nodes") for raw in scenario.get(kind, ())])
    around = Surroundings(
        holds(snapshot.claims, snapshot.slices), node_names=frozenset(node.meta.name for node in snapshot.nodes)
    )
    devices = [device for pool in gather(snapshot.slices) for device in judge(pool, around).devices]
    free = {name for each in item["expected"]["each"] for name in each.get("free") or ()}
    tolerated = free | {name for each in item["expected"]["each"] for name in each.get("freeTolerated") or ()}
    return (free ^ {str(device.id) for device in devices if takes_now(device)}) | (
        tolerated ^ {str(device.id) for device in devices if takes_when_tolerated(device)}
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_states_say_what_the_allocator_would_do(family):
    for item in scenarios()[family][:QUICK]:
        assert disagreements(item) == set(), item["id"]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_states_say_what_the_allocator_would_do_in_every_scenario(family):
    for item in scenarios()[family][QUICK:]:
        assert disagreements(item) == set(), item["id"]


def test_no_family_is_left_out():
    assert sorted(scenarios()) == sorted(FAMILIES)
