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
    *("mig", "compound", "plain", "gpu_nic", "taints", "consumable", "first_avail", "topology", "listattr", "pools"),
    *("admin", "mig_multi", "kitchen", "derived", "groups", "node_ops"),
)
"""All but `binding`, whose pods wait for conditions that only a driver would set."""


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> ControlPlane:
    control_plane.apply(*classes())
    control_plane.kubectl("label", "namespace", "default", "resource.kubernetes.io/admin-access=true", "--overwrite")
    return control_plane


def as_predicted(predicted: Json, decision: Decision) -> bool | None:
    """
    Whether the pod went to a node that fits, with the devices predicted there, or nowhere when none fits.

    An error that concerns more than its node (a selector that fails, say) ends the attempt for all nodes: the pod waits
    though another node would fit. So does a search that takes the scheduler longer than it allows itself; None when a
    prediction has given up such a search, and the scheduler found its end.
    """
    nodes = predicted["nodes"]
    if any(node.get("undecided") for node in nodes):
        return True if "timed out" in decision.message else None
    fits = [node for node in nodes if node["allocatable"]]
    fatal = any(node.get("error") and not node.get("nodeOnlyError") for node in nodes)
    if not decision.node:
        return fatal if decision.reason == "SchedulerError" else fatal or not fits
    return not fatal and any(
        each["node"] == decision.node and same_picks(each["allocations"], decision.allocations) for each in fits
    )


def test_the_live_scheduler_decides_as_predicted(
    cluster: ControlPlane, upstream_allocator: str, result_lines: list[str]
) -> None:
    seed = os.environ.get("DRA_TEST_SEED") or secrets.token_hex(4)
    number = int(os.environ.get("DRA_TEST_SCENARIOS", "100"))
    programs = {
        "dashboard": Program(
            [sys.executable, "manage.py", "simulate", "--no-each", "--kubernetes-version", "1.37"], ROOT
        ),
        "upstream": Program([upstream_allocator, "-no-each", "-timeout", "30s"], ROOT),
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
        count["scenarios"] += 1
        count["scheduled"] += bool(decision.node)
        for name, answers in predicted.items():
            answer = answers[index]
            verdict = as_predicted(answer, decision) if answer else False
            count[f"{name} {'open' if verdict is None else 'agree' if verdict else 'wrong'}"] += 1
            if verdict is False:
                wrong.append(f"{name}, {family} {seed}-{index}: predicted {answer}, decided {decision}")
    result_lines += _lines(seed, count)
    assert count["scheduled"] >= number // 10
    assert not wrong, "\n".join(wrong)


def _lines(seed: str, count: Counter[str]) -> list[str]:
    """What the end of the run says."""
    lines = [f"live scheduler, seed {seed}: {count['scenarios']} scenarios, {count['dashboard agree']} agree"]
    if count["dashboard open"]:
        lines[0] += f", {count['dashboard open']} open (the search was given up)"
    lines.append(
        f"  of them scheduled {count['scheduled']}; upstream's allocator by itself: {count['upstream agree']} agree; "
        f"{count['refused by the API server']} more were refused by the API server"
    )
    return lines
