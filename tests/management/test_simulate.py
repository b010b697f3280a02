"""`manage.py simulate` answers scenario lines as recorded."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from itertools import islice

import pytest

from tests.conftest import shared_path

KEEP = ("request", "driver", "pool", "device", "adminAccess", "consumedCapacity")


def recorded(count):
    with gzip.open(shared_path("conformance", "scenarios.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in islice(lines, count)]


def simulate(lines, *options):
    done = subprocess.run(
        [sys.executable, "manage.py", "simulate", *options], input="".join(lines), capture_output=True, text=True
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def asked(scenarios):
    return [json.dumps({"id": each["id"], "scenario": each["scenario"]}) + "\n" for each in scenarios]


def picks(allocations):
    return [[{key: pick[key] for key in KEEP if pick.get(key)} for pick in claim] for claim in allocations or []]


def test_recorded_scenarios_get_the_recorded_answers():
    scenarios = recorded(120)
    status, answers, errors = simulate(asked(scenarios))
    assert (status, errors) == (0, "")
    assert [each["id"] for each in answers] == [each["id"] for each in scenarios]
    for scenario, answer in zip(scenarios, answers, strict=True):
        for expected, got in zip(scenario["expected"]["nodes"], answer["nodes"], strict=True):
            assert got["allocatable"] == expected["allocatable"], scenario["id"]
            assert bool(got.get("error")) == bool(expected.get("error")), scenario["id"]
            assert bool(got.get("nodeOnlyError")) == bool(expected.get("nodeOnlyError")), scenario["id"]
            if expected["allocatable"]:
                assert picks(got["allocations"]) == picks(expected["allocations"]), scenario["id"]
        for expected, got in zip(scenario["expected"]["each"], answer["each"], strict=True):
            assert set(got["free"]) == set(expected["free"]), scenario["id"]


def test_single_devices_are_left_out_on_request():
    _, answers, _ = simulate(asked(recorded(2)), "--no-each")
    assert all("each" not in answer for answer in answers)


def test_a_line_that_is_no_scenario_ends_the_run_and_is_named():
    status, answers, errors = simulate(['{"id": 1}\n'])
    assert status == 1
    assert answers == []
    assert "standard input:1" in errors


def test_an_object_that_cannot_be_read_is_named_in_its_answer():
    _, answers, _ = simulate(['{"id": 1, "scenario": {"slices": [{"kind": "ResourceSlice"}]}}\n'])
    assert "slices[0]" in answers[0]["error"]


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_another_release_can_be_followed(release):
    status, answers, _ = simulate(asked(recorded(3)), "--kubernetes-version", release)
    assert status == 0
    assert len(answers) == 3
