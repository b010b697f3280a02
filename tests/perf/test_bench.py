"""The bench prints and writes what its sections measured, judged by their goals, and says what it left out."""

from __future__ import annotations

import json

import pytest

from . import bench, upstream
from .figures import Figure, Measured, Options, Skipped, as_json, skipped, table
from .sections import node, scenarios


def test_ahead_means_more_of_a_rate_and_less_of_a_time():
    fast = Figure("rate", 30, "/s", 10, more_is_better=True)
    slow = Figure("time", 30, "ms", 10)
    assert (fast.ratio, fast.met, fast.aim) == (3, True, "ahead")
    assert (slow.ratio, slow.met) == (pytest.approx(1 / 3), False)


def test_a_goal_is_a_bound_in_the_figures_own_unit():
    assert Figure("x", 0.9, "s", goal=1).met is True
    assert Figure("x", 1.1, "s", goal=1).met is False
    assert Figure("x", 9, "/s", goal=10, more_is_better=True).aim == "≥ 10 /s"
    assert Figure("x", 1, "s").met is None
    assert Figure("x", 1, "s", 2, judged=False).met is None


def test_one_table_holds_the_figures_and_what_was_left_out_is_said_below():
    measured = [Measured("a", (Figure("w", 1234.5, "/s", 617.25, more_is_better=True), Skipped("v", "no Go")))]
    head, rule, row = table(measured).splitlines()
    assert head.split() == ["section", "what", "ours", "upstream", "ratio", "goal", "met"]
    assert set(rule) == {"-", " "}
    assert row.split() == ["a", "w", "1,234", "/s", "617", "/s", "2×", "ahead", "yes"]
    assert skipped(measured) == ["skipped: a: v: no Go"]
    figure, left_out = as_json(measured)
    assert (figure["ratio"], figure["met"], left_out["why"]) == (2, True, "no Go")


def test_a_small_run_prints_its_table_and_writes_the_same_figures(tmp_path, capsys):
    path = tmp_path / "kept" / "bench.json"
    assert bench.main(["cel", "--evaluations", "500", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    kept = json.loads(path.read_text())
    assert kept["options"]["evaluations"] == 500
    assert [line["section"] for line in kept["lines"]] == ["cel", "cel"]
    assert all(line["what"] in printed for line in kept["lines"])
    assert kept["lines"][1]["ours"] > 0


def test_a_section_that_does_not_exist_is_named(capsys):
    with pytest.raises(SystemExit):
        bench.arguments(["cel", "nonsense"])
    assert "no such section: nonsense; there are cel, " in capsys.readouterr().err


def test_without_upstream_our_times_are_measured_alone(monkeypatch):
    monkeypatch.setattr(node, "upstream", lambda *flags: "no Go here")
    first, *rest = node.measure(Options(repeats=1))
    assert first == Skipped("upstream's times", "no Go here")
    assert rest
    assert all(line.rival is None and line.ours > 0 for line in rest)


def test_without_shared_scenarios_the_section_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(scenarios, "ROOT", tmp_path / "checkout")
    (found,) = scenarios.measure(Options())
    assert isinstance(found, Skipped)
    assert "scenarios.jsonl.gz" in found.why


def test_a_conversation_answers_line_by_line_and_a_dead_program_is_an_error():
    with upstream.Talk(upstream.ours("--no-each")) as talk:
        seconds, (answer,) = talk.ask([upstream.line(upstream.NOTHING, "one")])
        assert seconds < talk.started
        assert json.loads(answer)["id"] == "one"
    with pytest.raises(RuntimeError, match="ended after 0 of 1 answers"):
        upstream.Talk(["true"])
