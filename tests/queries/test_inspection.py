"""Inspections: the cases of the public record, the published shapes, and the command line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest
from django.core.management import call_command

from pools.queries.inspection import inspect, load
from pools.queries.inspection_text import as_text
from tests.conftest import shared_path

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("pools", "findings")
SHAPES = [
    "00-k8srm-devicepool",
    "02-fromsharedpool",
    "a-sharedallocatable",
    "b-sharedconsumable",
    "c-allocatablegroup",
    "d-devicegroups",
    "e1-sharedcapacity-sets",
    "e2-merged-flat",
    "e3-pr29-grouped",
    "f0-kep4381-june2024",
    "f3-v1beta1-basic",
    "f4-v1-134-sameslice",
    "f5-v1-135-split",
    "f6-v1-137-types-groups",
]
REFUSED = [
    "01-namedresources-sharedlimits",
    "e4-pr30-common-attributes",
    "e5-pr31-deviceshape",
    "e6-pr32-generated",
    "e7-pr35-templates",
    "f1-kep4815-v132-composite",
    "f2-kep4815-capacitypools",
]
GOOD = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
BAD = GOOD.replace("gpu-0", "5").replace("[{name: 5}]", "[{name: [5]}]")


def tool(name: str):
    """A module of the reference tools, without running its command."""
    spec = util.spec_from_file_location(name, shared_path("tools", f"{name}.py"))
    module = util.module_from_spec(spec)
    text = Path(spec.origin).read_text().replace("sys.exit(main())", "")
    exec(compile(text, spec.origin, "exec"), module.__dict__)
    return module


def answer(path: Path):
    return inspect(*load(path.read_bytes(), source=path.name))


def case_keys():
    root = Path(__file__).resolve().parents[3] / "shared" / "cases"
    expected = {path.parent: json.loads(path.read_text()) for path in sorted(root.glob("*/expected.json"))}
    return [
        pytest.param(folder, key, id=f"{folder.name}-{key}")
        for folder, facts in expected.items()
        for key in KEYS
        if key in facts
    ]


@pytest.mark.parametrize(("folder", "key"), case_keys())
def test_a_case_of_the_public_record_is_answered_right(folder, key):
    expected = json.loads((folder / "expected.json").read_text())
    assert tool("check_cases").compare(expected, answer(folder / "input.yaml"), {key}) == []


@pytest.mark.parametrize("folder", sorted({each.values[0] for each in case_keys()}), ids=lambda each: each.name)
def test_findings_name_the_object_exactly_and_counters_the_uncertain_sets(folder):
    expected = json.loads((folder / "expected.json").read_text())
    got = answer(folder / "input.yaml")
    found = {f"{each['code']}:{each['object']}" for each in got["findings"]}
    assert set(expected.get("findings", ())) <= found
    pools = {(each["driver"], each["pool"]): each for each in got["pools"]}
    for pool in expected.get("pools", ()):
        uncertain = pools[pool["driver"], pool["pool"]]["counters_uncertain"]
        assert uncertain == pool.get("counters_uncertain", [])


@pytest.mark.parametrize("name", SHAPES)
def test_every_accepted_shape_of_the_one_gpu_gives_the_same_numbers(name):
    got = answer(shared_path("fixtures", "shapes", f"{name}.yaml"))
    (pool,) = got["pools"]
    (card,) = pool["cards"]
    assert pool["state"] == "complete"
    assert len(pool["devices"]) == 4
    assert sum(map(len, pool["counters"].values())) == 10
    assert (card["mixes"]["feasible_sets"], card["mixes"]["maximal"], card["mixes"]["cut"]) == (6, 3, False)
    assert [len(strip["cells"]) for strip in card["slots"]] == [8]
    assert not [each for each in got["findings"] if each["severity"] == "error"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_shape_is_an_error_that_names_the_file(name):
    got = answer(shared_path("fixtures", "shapes", f"{name}.yaml"))
    assert got["pools"] == []
    assert {(each["code"], each["severity"]) for each in got["findings"]} == {("undecodable", "error")}
    assert all(name in each["message"] for each in got["findings"])


@pytest.mark.parametrize("name", ["g1-compound-sharedconsumable", "g2-compound-sharedcounters"])
def test_the_compound_node_is_four_triplets(name):
    (pool,) = answer(shared_path("fixtures", "shapes", f"{name}.yaml"))["pools"]
    assert (len(pool["devices"]), sum(map(len, pool["counters"].values()))) == (20, 12)
    assert [(card["mixes"]["feasible_sets"], card["mixes"]["maximal"]) for card in pool["cards"]] == [(8, 4)] * 4
    assert {row["type"]: row["max_more"] for row in pool["types"]} == {"gpu": 8, "gpu + nic": 4, "2 gpu + nic": 4}


def test_prototype_claims_hold_devices_of_the_pool_that_their_node_and_driver_tell():
    claims = shared_path("fixtures", "shapes", "p1-claims-prototype.yaml").read_text()
    pool = shared_path("fixtures", "shapes", "e2-merged-flat.yaml").read_text()
    got = inspect(*load(f"{pool}\n---\n{claims}".encode()))
    assert got["pools"][0]["devices"]["gpu-0-mig-1g-5gb-0"] == "allocated"
    assert got["pools"][0]["devices"]["gpu-0-mig-4g-20gb-0"] == "blocked"
    assert got["claims"] == {"default/demo-two-migs-x7k2p": "allocated"}


@pytest.mark.parametrize("model", ["a100-40", "a100-80", "h100-80", "h200-141", "b200-180", "gb200-186"])
def test_dynamic_mig_as_published_is_sound_and_enumerated_in_full(model):
    slices = tool("mkslices").build(model, 2, "n1")
    got = inspect(*load(json.dumps(slices).encode()))
    (pool,) = got["pools"]
    assert len(pool["devices"]) == 52
    assert [card["label"] for card in pool["cards"]] == ["gpu-0", "gpu-1"]
    for card in pool["cards"]:
        assert (card["mixes"]["feasible_sets"], card["mixes"]["maximal"], card["mixes"]["cut"]) == (2319, 240, False)
        assert (len(card["devices"]), len(card["counters"])) == (26, 15)
    assert not [each for each in got["findings"] if each["severity"] == "error"]


def test_an_object_that_cannot_be_read_is_a_finding_and_does_not_hide_the_others():
    got = inspect(*load(f"{GOOD}---{BAD}".encode(), source="f.yaml"))
    assert got["pools"][0]["devices"] == {"gpu-0": "available"}
    (finding,) = (each for each in got["findings"] if each["code"] == "undecodable")
    assert finding["severity"] == "error"
    assert "f.yaml" in finding["message"]
    assert "spec.devices[0].name" in finding["message"]


def test_text_that_is_no_yaml_is_a_finding_too():
    got = inspect(*load(b"\xff\xfe\x00", source="f.yaml"))
    assert [each["code"] for each in got["findings"]] == ["undecodable"]


def test_an_empty_input_says_that_there_is_no_pool():
    got = inspect(*load(b""))
    assert (got["pools"], got["findings"]) == ([], [])
    assert "No pools" in as_text("empty", got)


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    command = [sys.executable, "manage.py", "inspect", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=ROOT, check=False, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_command_answers_file_by_file_in_the_order_given(tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(GOOD.replace("gpu-0", "gpu-9"))
    status, out, _ = run("--format", "json", str(other), "-", stdin=GOOD.encode())
    assert status == 0
    assert [list(each["pools"][0]["devices"]) for each in json.loads(out)] == [["gpu-9"], ["gpu-0"]]


def test_errors_end_with_status_1_and_unreadable_files_with_2(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text(BAD)
    status, out, _ = run("--format", "json", str(bad))
    assert (status, json.loads(out)[0]["findings"][0]["code"]) == (1, "undecodable")
    status, out, err = run("--format", "json", str(tmp_path / "none.yaml"), "-", stdin=GOOD.encode())
    assert status == 2
    assert "none.yaml: cannot be read: No such file or directory" in err
    assert len(json.loads(out)) == 1


def test_the_command_needs_no_database(tmp_path, monkeypatch, capsys):
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    out = io.StringIO()
    call_command("inspect", str(path), stdout=out)
    text = out.getvalue()
    assert "Pool gpu.example.com/n1" in text
    assert "Available: 1" in text


@pytest.mark.parametrize("folder", sorted({each.values[0] for each in case_keys()}), ids=lambda each: each.name)
def test_the_text_form_shows_states_reasons_counters_and_findings(folder):
    got = answer(folder / "input.yaml")
    text = as_text("input.yaml", got)
    for pool in got["pools"]:
        assert f"{pool['driver']}/{pool['pool']}" in text
        assert all(counter in text for counters in pool["counters"].values() for counter in counters)
        states = [each["state"] for each in pool["device_list"]]
        for state in states:
            assert f"{state.capitalize()}: {states.count(state)}" in text
        for device in pool["device_list"]:
            for reason in device["reasons"]:
                assert device["name"] in text
                assert reason["message"] in text or reason["code"] == "counter-short"
    for finding in got["findings"]:
        assert finding["message"] in text


def test_of_many_devices_alike_the_text_names_some_and_counts_the_rest():
    got = inspect(*load(json.dumps(tool("mkslices").build("a100-40", 8, "n1")).encode()))
    text = as_text("n1", got)
    assert "Available: 208" in text
    assert "gpu-0-mig-1g5gb-19-0" in text
    assert "and 40 more" in text
    assert "gpu-0, gpu-1 … gpu-7 (8 cards alike; numbers are for each)" in text
    assert max(map(len, text.splitlines())) < 250


OVERCOMMITTED = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: c}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: g, counters: {memory: {value: 30Gi}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: d}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - {name: a, consumesCounters: [{counterSet: g, counters: {memory: {value: 20Gi}}}]}
  - {name: b, consumesCounters: [{counterSet: g, counters: {memory: {value: 20Gi}}}]}
  - {name: c, consumesCounters: [{counterSet: g, counters: {memory: {value: 1Gi}}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: both, namespace: ml}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}
status:
  reservedFor: [{resource: pods, name: p, uid: u}]
  allocation:
    devices:
      results:
      - {request: r, driver: gpu.example.com, pool: n1, device: a}
      - {request: r, driver: gpu.example.com, pool: n1, device: b}
"""


def test_over_commitment_is_told_with_its_amount_and_blocks_the_rest():
    got = inspect(*load(OVERCOMMITTED.encode()))
    (pool,) = got["pools"]
    memory = pool["counters"]["g"]["memory"]
    assert (memory["capacity"], memory["consumed"], memory["available"]) == ("30Gi", "40Gi", "0")
    assert memory["overcommitted"] == "10Gi"
    assert pool["overcommitted"] == {"g": {"memory": "10Gi"}}
    assert pool["devices"] == {"a": "allocated", "b": "allocated", "c": "blocked"}
    assert [each["device"] for each in memory["holds"]] == ["a", "b"]
    assert ("counter-overcommitted", "error") in {(each["code"], each["severity"]) for each in got["findings"]}
    assert "over by 10 Gi" in as_text("x", got)


PARTIAL = (
    GOOD.replace("resourceSliceCount: 1", "resourceSliceCount: 2")
    + """
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: any}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: ml}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: any}}]}}
"""
)


@pytest.mark.parametrize(("version", "state"), [("1.34", "pending-feasible"), ("1.37", "pending-infeasible")])
def test_claims_are_judged_as_the_release_that_is_set_would(settings, version, state):
    settings.KUBERNETES_VERSION = version  # up to 1.34 a pool serves claims before all of its slices are there

    assert inspect(load(PARTIAL.encode())[0])["claims"] == {"ml/one": state}
