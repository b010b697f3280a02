"""`manage.py compound`: files in, manifests out, findings on the error output, and an exit status for CI."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
import yaml

from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.pool import Slice
from pools.domain.state import Surroundings
from pools.queries.inspection import load
from pools.wire.documents import Document, read
from pools.wire.registry import decode
from tests.compounds import GPU, gpus, nics, rule_raw, slice_raw

DEMO = pathlib.Path(__file__).parents[2] / "demo/compound"


@pytest.fixture
def write(tmp_path):
    """Write objects to a file; gives its path."""

    def write(name, *raws):
        path = tmp_path / name
        path.write_text(yaml.safe_dump_all(raws))
        return str(path)

    return write


@pytest.fixture
def run(write, capsys):
    """Run the command without a database; gives status, output and error output."""
    from django.core.management import call_command

    def run(rule, *arguments):
        status = 0
        try:
            call_command("compound", rule if isinstance(rule, str) else write("rule.yaml", rule), *arguments)
        except SystemExit as stop:
            status = stop.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def slices(text):
    return [decode(each.raw) for each in read(text.encode()) if isinstance(each, Document)]


def test_the_demo_rule_makes_the_proposals_node(run):
    status, out, err = run(str(DEMO / "rule.yaml"), str(DEMO / "pools"))

    assert status == 0
    (pool,) = gather(slices(out))
    assert (str(pool.id), pool.state) == ("compound.example.com/dgx-01-compound0", "complete")
    assert (len(pool.counter_sets[0].counters), len(pool.devices)) == (12, 20)
    assert [line.split(":")[0] for line in err.splitlines()] == ["info"]
    report = judge(pool, Surroundings())
    assert report.findings == ()
    assert sum(each.state == "available" for each in report.devices) == 20


def test_both_demo_rules_make_the_same_molecules(run):
    found = []
    for name in ("rule.yaml", "rule-lists.yaml"):
        status, out, _ = run(str(DEMO / name), str(DEMO / "pools"))
        assert status == 0
        (pool,) = gather(slices(out))
        found.append({item.name: item.device.consumes for item in pool.devices})
    assert found[0] == found[1]


def test_a_device_stands_on_one_line(run):
    _, out, _ = run(str(DEMO / "rule.yaml"), str(DEMO / "pools"))
    assert sum(line.startswith("  - {name: gpu") for line in out.splitlines()) == 20


def test_the_prototype_form_is_one_pool(run):
    status, out, _ = run(str(DEMO / "rule.yaml"), str(DEMO / "pools"), "--output", "prototype")

    assert status == 0
    (item,) = slices(out)
    assert isinstance(item, Slice)
    assert (item.form, len(item.devices), len(item.counter_sets[0].counters)) == ("b", 20, 12)


def test_what_has_no_prototype_form_is_an_error(run, write):
    raw = gpus(2)
    raw["spec"]["devices"][0]["taints"] = [{"key": "hot", "effect": "NoSchedule"}]
    status, out, err = run(rule_raw(), write("pools.yaml", raw, nics(1)), "--output", "prototype")

    assert (status, out) == (1, "")
    assert "Has no prototype form: device gpu0 has taints" in err


def test_one_node_and_a_generation_can_be_asked_for(run, write):
    path = write("pools.yaml", gpus(2), nics(1), gpus(2, node="node1"), nics(1, node="node1"))
    status, out, _ = run(rule_raw(), path, "--node", "node1", "--generation", "9")

    assert status == 0
    assert {(each.pool, each.generation) for each in slices(out)} == {("node1-compound0", 9)}


@pytest.mark.parametrize("generation", ["-1", "x"])
def test_a_generation_is_a_number(run, write, generation):
    from django.core.management import CommandError

    with pytest.raises(CommandError, match=r"not a generation|expected one argument"):
        run(rule_raw(), write("pools.yaml", gpus(1)), "--generation", generation)


def test_a_node_that_nobody_publishes_for_is_an_error(run, write):
    status, out, err = run(rule_raw(), write("pools.yaml", gpus(2), nics(1)), "--node", "node7")
    assert (status, out) == (1, "")
    assert "is published for node node7. [compound-no-pools]" in err


def test_files_without_pools_of_the_drivers_are_an_error(run, write):
    status, out, err = run(rule_raw(), write("pools.yaml", slice_raw("x.example.com", [])))
    assert (status, out) == (1, "")
    assert "No pool of gpu.example.com or nic.example.com is published." in err


def test_a_mistake_in_the_rule_is_told_with_file_and_path(run, write):
    raw = rule_raw()
    raw["spec"]["members"][0]["drivers"] = "x"
    status, out, err = run(raw, write("pools.yaml", gpus(2)))

    assert (status, out) == (1, "")
    assert "rule.yaml: CompoundPoolRule gpu-nic: spec.members[0].drivers: unknown field; did you mean driver?" in err


def test_two_rules_in_one_file_are_one_too_many(run, write):
    status, _, err = run(write("two.yaml", rule_raw(), rule_raw()), write("pools.yaml", gpus(2)))
    assert status == 1
    assert "expected one CompoundPoolRule, found 2 objects" in err


def test_files_that_are_not_there_and_folders_for_a_rule_give_status_2(run, write, tmp_path):
    assert run(rule_raw(), str(tmp_path / "nowhere.yaml"))[0] == 2
    (tmp_path / "folder").mkdir()
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / "folder" / name).write_text(json.dumps(rule_raw()))
    status, _, err = run(str(tmp_path / "folder"), write("pools.yaml", gpus(2)))
    assert status == 2
    assert "give the file of one rule, not a folder" in err


def test_an_object_that_cannot_be_read_holds_everything_back(run, write):
    broken = nics(1)
    broken["spec"]["devices"][0]["consumesCounters"] = "x"
    status, out, err = run(rule_raw(), write("pools.yaml", gpus(2), broken))

    assert (status, out) == (1, "")
    assert "spec.devices[0].consumesCounters: expected a list" in err


def test_a_node_with_an_error_has_no_manifest_and_the_others_do(run, write):
    raw = gpus(2)
    raw["spec"]["devices"][0]["allowMultipleAllocations"] = True
    path = write("pools.yaml", raw, nics(1), gpus(2, node="node1"), nics(1, node="node1"))
    status, out, err = run(rule_raw(), path)

    assert status == 1
    assert {each.pool for each in slices(out)} == {"node1-compound0"}
    assert "[compound-member-shareable]" in err


def test_a_device_that_another_compound_pool_has_already_is_an_error_naming_both(run, write, tmp_path):
    path = write("pools.yaml", gpus(2), nics(1))
    other = rule_raw(driver="other.example.com")
    _, first, _ = run(other, path)
    (tmp_path / "first.yaml").write_text(first)
    status, out, err = run(rule_raw(), path, str(tmp_path / "first.yaml"))

    assert (status, out) == (1, "")
    assert "error: other.example.com/node0-compound0: gpu0, gpu1 and nic0: part of molecules here" in err
    assert "published in pool compound.example.com/node0-compound0 too" in err
    assert run(other, path, str(tmp_path / "first.yaml"))[0] == 0  # its own earlier output is not another place


def test_taint_rules_among_the_files_taint_molecules(run, write):
    taint = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "sick"},
        "spec": {"deviceSelector": {"driver": GPU, "device": "gpu1"}, "taint": {"key": "sick", "effect": "NoExecute"}},
    }
    _, out, _ = run(rule_raw(), write("pools.yaml", gpus(2), nics(1), taint))
    (pool,) = gather(slices(out))
    assert {item.name for item in pool.devices if item.device.taints} == {"gpu1", "gpu1-nic0", "gpu0-gpu1-nic0"}


def test_underlying_pools_of_every_published_form_will_do(run, write):
    proposal = {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourcePool",
        "metadata": {"name": "node0-gpus"},
        "spec": {
            "driverName": GPU,
            "nodeName": "node0",
            "devices": [{"name": f"gpu{i}", "attributes": [{"name": "numa", "intValue": i}]} for i in range(2)],
        },
    }
    old = slice_raw("nic.example.com", [{"name": "nic0", "basic": {"attributes": {"numa": {"int": 1}}}}])
    old["apiVersion"] = "resource.k8s.io/v1beta1"
    status, out, _ = run(rule_raw(grouping={"attribute": "numa"}), write("pools.yaml", proposal, old))

    assert status == 0
    assert [item.name for item in gather(slices(out))[0].devices] == ["gpu0", "gpu1", "gpu1-nic0"]


def test_the_output_is_input_for_inspect(run):
    _, out, _ = run(str(DEMO / "rule.yaml"), str(DEMO / "pools"))
    snapshot, faults = load(out.encode())
    assert faults == ()
    assert len(snapshot.slices) == 2


def test_each_finding_and_option_is_documented():
    root = DEMO.parents[1]
    text = (root / "docs/compound.md").read_text()
    sources = [*(root / "pools/core").glob("compound*.py"), root / "pools/queries/compounding.py"]
    codes = {code for path in sources for code in re.findall(r'"(compound-[a-z-]+)"', path.read_text())}
    options = re.findall(r'"(--[a-z]+)"', (root / "pools/management/commands/compound.py").read_text())

    assert len(codes) > 20
    assert set(re.findall(r"`(compound-[a-z-]+)`", text)) == codes - {"compound-pool-rule"}
    assert set(re.findall(r"^\| `(--[a-z]+)", text, re.MULTILINE)) == set(options)
