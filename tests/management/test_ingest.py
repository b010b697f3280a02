"""`manage.py ingest`: files, folders, gzip and standard input; status 1 if anything was refused."""

import gzip
import io
import json
from types import SimpleNamespace

import pytest
from django.core.management import CommandError

from pools.models import Cluster, Pool, StoredObject
from tests.manifests import DRIVER, device, gpu_pool, node, resource_slice

BAD = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}


@pytest.fixture
def write(tmp_path):
    def write(name, *objects):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(list(objects)).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return str(path)

    return write


def test_a_file_is_published_and_each_object_told_on_a_line(manage, write):
    path = write("pool.json", *gpu_pool())

    status, out, err = manage("ingest", path)

    assert status == 0
    assert out.splitlines() == [
        f"created   {path}[0]: ResourceSlice node-1-0",
        f"created   {path}[1]: ResourceSlice node-1-1",
        "2 created, 0 changed, 0 unchanged, 0 refused, 0 deleted in cluster default, revision 1",
    ]
    assert err == ""


def test_a_refusal_is_told_with_place_and_reason_and_gives_status_1(manage, write):
    path = write("mixed.json", BAD, node("node-1"))

    status, out, err = manage("ingest", path)

    assert status == 1
    assert err.startswith(f"refused   {path}[0]: Service web: v1 Service is not accepted")
    assert "1 created, 0 changed, 0 unchanged, 1 refused" in out
    assert StoredObject.objects.count() == 1


def test_a_folder_is_read_in_the_order_of_names_with_all_below_it(manage, write, tmp_path):
    write("b/2.yaml", node("n2"))
    write("a.yml.gz", node("n1"))
    write("b/1.json.gz", node("n3"))
    (tmp_path / "notes.txt").write_text("not a manifest: [")

    status, out, _ = manage("ingest", str(tmp_path))

    assert status == 0
    assert [line.split()[-1] for line in out.splitlines()[:3]] == ["n1", "n3", "n2"]


def test_standard_input_is_a_dash(manage, monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"kind: Node\napiVersion: v1\nmetadata: {name: n}\n"))
    )

    status, out, _ = manage("ingest", "-", cluster="edge")

    assert status == 0
    assert out.startswith("created   stdin: Node n\n")
    assert Cluster.objects.get().name == "edge"


def test_a_file_that_is_no_manifest_is_refused_whole_and_the_others_are_taken(manage, write, tmp_path):
    good = write("good.json", node("n"))
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: [")

    status, out, err = manage("ingest", str(bad), good)

    assert status == 1
    assert err.startswith(f"refused   {bad}: not YAML")
    assert "1 created" in out


def test_atomic_takes_a_file_whole_or_not_at_all(manage, write):
    status, _, err = manage("ingest", write("mixed.json", node("node-1"), BAD), atomic=True)

    assert status == 1
    assert "not applied because" in err
    assert not StoredObject.objects.exists()


def test_replace_drops_the_other_slices_of_the_pool(manage, write):
    manage("ingest", write("old.json", *gpu_pool()))

    status, out, _ = manage(
        "ingest", write("new.json", resource_slice("new", devices=[device("d")])), replace=f"{DRIVER}/node-1"
    )

    assert status == 0
    assert f"deleted   ResourceSlice node-1-0: not in the payload that replaces {DRIVER}/node-1" in out
    assert Pool.objects.get().devices_total == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/nonexistent/x.yaml"], "/nonexistent/x.yaml: no such file or folder"),
        (["{folder}"], "holds no .yaml, .yml, .json file"),
        (["{text}", "--replace", "no-slash"], "not a pool: 'no-slash'; give driver/pool"),
        (["{text}", "{text}", "--replace", "d/p"], "--replace takes exactly one file"),
        (["{text}", "--cluster", "a b"], "a cluster's name has 1 to 63"),
        (["{broken}"], "cannot be unpacked|Not a gzipped file"),
        (["{cut}"], "cannot be unpacked"),
    ],
    ids=["no file", "empty folder", "no pool", "two files", "no cluster", "no gzip", "cut gzip"],
)
def test_what_cannot_be_done_is_said_before_anything_is_published(manage, tmp_path, arguments, message):
    places = {
        "folder": tmp_path / "empty",
        "text": tmp_path / "n.json",
        "broken": tmp_path / "b.json.gz",
        "cut": tmp_path / "c.json.gz",
    }
    places["folder"].mkdir()
    places["text"].write_text(json.dumps(node("n")))
    places["broken"].write_text("plain")
    places["cut"].write_bytes(gzip.compress(b"x" * 10_000)[:40])

    with pytest.raises(CommandError, match=message):
        manage("ingest", *(argument.format(**places) for argument in arguments))

    assert not StoredObject.objects.exists()


def test_a_file_beyond_the_limit_is_refused_even_when_gzip_hides_its_size(manage, tmp_path, settings):
    settings.MAX_BODY_MIB = 1
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(gzip.compress(b" " * (2**20 + 1)))

    with pytest.raises(CommandError, match="more than 1 MiB"):
        manage("ingest", str(bomb))


def test_names_that_do_not_print_do_not_reach_the_terminal(manage, write):
    path = write("odd.json", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a\x1b[31mb"}})

    _, out, err = manage("ingest", path)

    assert "\x1b" not in out + err
