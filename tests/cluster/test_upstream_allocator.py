"""The program around upstream's allocator answers as recorded, but for what upstream changed since."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from .fuzz.ask import Program
from .fuzz.compare import disagreements

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).resolve().parents[2]


def test_recorded_answers_hold_but_for_what_changed_in_1_37(shared: Path, upstream_allocator: str) -> None:
    """
    Recorded with 1.36. In 1.37 a node no longer sees a pool of which it can use no device (error-class), and a request
    for all devices fails when one that matches has no capacity left, rather than taking the others (verdict).
    """
    with gzip.open(shared / "conformance" / "scenarios.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    answers = Program([upstream_allocator, "-timeout", "2m"], ROOT).answers([row["scenario"] for row in rows])
    kinds: Counter[str] = Counter()
    for row, answer in zip(rows, answers, strict=True):
        kinds.update(disagreements(row["expected"], answer))
    assert set(kinds) <= {"error-class", "verdict"}
    assert kinds["error-class"] + kinds["verdict"] <= len(rows) // 100


def test_a_scenario_that_cannot_be_read_gets_an_error_of_its_own(upstream_allocator: str) -> None:
    good = {"slices": [], "classes": [], "allocated": [], "nodes": [], "claims": []}
    bad = {**good, "nodes": [{"metadata": {"nam": "n"}}]}
    first, second = Program([upstream_allocator, "-strict"], ROOT).answers([bad, good])
    assert first is not None
    assert 'unknown field "nodes[0].metadata.nam"' in first["error"]
    assert second == {"id": "1"}
