"""The fuzzer's own parts: scenarios repeat by seed, differences are seen, disagreements become small."""

from __future__ import annotations

import copy
import sys

import pytest

from .fuzz.ask import Program
from .fuzz.compare import disagreements, same_picks
from .fuzz.make import FAMILIES, make
from .fuzz.shrink import shrink
from .fuzz.world import Json

FREE = {"node": "n", "free": ["d/p/a"], "freeTolerated": None}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_always_makes_the_same_scenario(family: str) -> None:
    assert make("1", family) == make("1", family)
    assert make("1", family) != make("2", family)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_publishes_devices_and_asks_for_some(family: str) -> None:
    for seed in range(20):
        scenario = make(str(seed), family)
        assert scenario["slices"]
        assert scenario["claims"]
        assert scenario["nodes"]


def answer(**changes: object) -> Json:
    pick = {"request": "r", "driver": "d", "pool": "p", "device": "a"}
    node = {"node": "n", "allocatable": True, "allocations": [[pick]], **changes}
    return {"nodes": [node], "each": [copy.deepcopy(FREE)]}


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (answer(), set()),
        (answer(allocations=[[{"request": "r", "driver": "d", "pool": "p", "device": "b"}]]), {"picks"}),
        (answer(allocatable=False), {"verdict"}),
        (answer(allocatable=False, error="x"), {"verdict", "error-class"}),
        (answer(undecided=True), {"undecided"}),
        ({"nodes": answer()["nodes"], "each": [{**FREE, "free": []}]}, {"free"}),
        ({"nodes": answer()["nodes"], "each": [{**FREE, "freeTolerated": ["d/p/b"]}]}, {"free-tolerated"}),
        ({"nodes": [], "each": [FREE]}, {"node-missing"}),
        ({"error": "cannot read it"}, {"refusal"}),
        (None, {"no-answer"}),
    ],
)
def test_each_kind_of_difference_is_named(given: Json | None, kinds: set[str]) -> None:
    assert disagreements(answer(), given) == kinds


def test_a_node_that_upstream_had_no_time_for_is_not_compared() -> None:
    assert disagreements(answer(undecided=True), answer(allocatable=False)) == set()


@pytest.mark.parametrize(("one", "other", "same"), [("+2", "2", True), ("1Gi", "1024Mi", True), ("2", "3", False)])
def test_amounts_are_compared_by_value(one: str, other: str, same: bool) -> None:
    picks = [[[{"request": "r", "device": "a", "consumedCapacity": {"memory": text}}]] for text in (one, other)]
    assert same_picks(*picks) is same


def test_a_disagreement_shrinks_to_the_parts_that_matter() -> None:
    scenario = make("7", "kitchen")
    wanted = scenario["slices"][-1]["metadata"]["name"]

    def still_bad(tries: list[Json]) -> list[bool]:
        return [any(each["metadata"]["name"] == wanted for each in one["slices"]) for one in tries]

    small = shrink(scenario, still_bad, 60)
    assert [each["metadata"]["name"] for each in small["slices"]] == [wanted]
    assert not small["claims"]
    assert not small["allocated"]
    assert not small["slices"][0]["spec"].get("devices")


def test_a_program_that_dies_half_way_leaves_the_rest_unanswered(tmp_path: object) -> None:
    code = "import json,sys\nline=json.loads(input())\nprint(json.dumps({'id':line['id']}))\nsys.exit('tired')"
    program = Program([sys.executable, "-c", code], folder=tmp_path)  # type: ignore[arg-type]
    assert program.answers([{}, {}]) == [{"id": "0"}, None]
    assert "tired" in program.complaint
