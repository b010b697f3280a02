"""A live scheduler decides as predicted: scheduled or not, and the devices picked."""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter
from pathlib import Path

import pytest

from .controlplane import ControlPlane
from .fuzz.ask import Program
from .fuzz.compare import same_picks
from .fuzz.make import make
from .fuzz.world import Json, classes
from .live import Decision, Refused, decide

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).resolve().parents[2]
FAMILIES = (
    "mig",
    "compound",
    "plain",
    "gpu_nic",
    "taints",
    "consumable",
    "first_avail",
    "topology",
    "listattr",
    "pools",
)


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> ControlPlane:
    control_plane.apply(*classes())
    control_plane.kubectl("label", "namespace", "default", "resource.kubernetes.io/admin-access=true", "--overwrite")
    return control_plane


def as_predicted(predicted: Json, decision: Decision) -> bool | None:
    """None when the prediction leaves it open: an error on one node beside success on another."""
    nodes = predicted["nodes"]
    fits = [node for node in nodes if node["allocatable"]]
    if fits and any(node.get("error") and not node.get("nodeOnlyError") for node in nodes):
        return None
    if not decision.node:
        return not fits
    return any(each["node"] == decision.node and same_picks(each["allocations"], decision.allocations) for each in fits)


def test_the_live_scheduler_decides_as_predicted(
    cluster: ControlPlane, upstream_allocator: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = os.environ.get("DRA_TEST_SEED") or secrets.token_hex(4)
    number = int(os.environ.get("DRA_TEST_SCENARIOS", "60"))
    programs = {
        "upstream": Program([upstream_allocator, "-no-each", "-timeout", "1m"], ROOT),
        "dashboard": Program(
            [sys.executable, "manage.py", "simulate", "--no-each", "--kubernetes-version", "1.37"], ROOT
        ),
    }
    cases = [(FAMILIES[i % len(FAMILIES)], make(f"{seed}-{i}", FAMILIES[i % len(FAMILIES)])) for i in range(number)]
    cases = [(family, scenario) for family, scenario in cases if "features" not in scenario]
    predicted = {name: each.answers([scenario for _, scenario in cases]) for name, each in programs.items()}
    count: Counter[str] = Counter()
    wrong = []
    for index, (family, scenario) in enumerate(cases):
        try:
            decision = decide(cluster, scenario)
        except Refused:
            count["refused by the API server"] += 1
            continue
        count["scheduled" if decision.node else "not scheduled"] += 1
        for name, answers in predicted.items():
            answer = answers[index]
            verdict = as_predicted(answer, decision) if answer else False
            count[f"{name} {'open' if verdict is None else 'right' if verdict else 'wrong'}"] += 1
            if verdict is False:
                wrong.append(f"{name}, {family} {seed}-{index}: predicted {answer}, decided {decision}")
    with capsys.disabled():
        print(f"\nlive scheduler, seed {seed}: {dict(count)}")
    assert count["scheduled"] >= number // 10
    assert not wrong, "\n".join(wrong)
