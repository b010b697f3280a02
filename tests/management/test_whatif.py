"""`manage.py whatif`: about a mirrored cluster and about files, as text and JSON, with its exit status."""

import json

import pytest
from django.core.management import CommandError, call_command

from pools.models import SavedScenario
from tests.queries.test_whatif import GPU, MIG
from tests.web import objects

pytestmark = pytest.mark.django_db


def run(capsys, *arguments):
    """The status and what was printed."""
    status = 0
    try:
        call_command("whatif", *arguments)
    except SystemExit as error:
        status = error.code
    return status, capsys.readouterr().out


@pytest.fixture
def fleet():
    objects.fleet(2)
    objects.put(MIG, GPU)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps([*objects.mig_node("n1"), MIG, GPU, objects.claim("wanted")]))
    return str(path)


def test_status_0_and_a_device_when_it_fits(fleet, capsys):
    status, out = run(capsys, "--class=mig.nvidia.com", "--type=3g.20gb")

    assert status == 0
    assert "fits on 2 of 2 nodes" in out
    assert "would get gpu-0-mig-3g20gb-9-0 of node-0" in out
    assert "In all 2 such copies fit: 1 on node-0 and 1 on node-1" in out


def test_status_1_and_the_reason_when_it_does_not(fleet, capsys):
    status, out = run(capsys, "--class=gpu.nvidia.com")

    assert status == 1
    assert "does not fit" in out
    assert "held by ml/train-0" in out


def test_a_release_makes_it_fit_and_the_text_says_that_it_did_not_before(fleet, capsys):
    status, out = run(capsys, "--class=gpu.nvidia.com", "--release=ml/train-0")

    assert status == 0
    assert "(before: does not fit)" in out


def test_json_is_for_programs(fleet, capsys):
    status, out = run(capsys, "--class=gpu.nvidia.com", "--drain=node-0", "--format=json")

    answer = json.loads(out)
    assert status == 1
    assert answer["question"] == {"class": "gpu.nvidia.com", "drain": ["node-0"]}
    assert [line["state"] for line in answer["outcome"]["lines"]] == ["infeasible"]
    assert answer["outcome"]["evicted"][0]["claims"] == ["ml/train-0"]


def test_a_layout_that_cannot_be_placed_says_why(file, capsys):
    card = ("--pool=gpu.nvidia.com/n1", "--card=gpu-0-counter-set")
    status, out = run(capsys, file, *card, "--layout=4 x 1g.10gb + 3 x 1g.5gb")

    assert status == 1
    assert "cannot be placed" in out
    assert "Each entry would fit by itself, but not all together." in out
    assert "It needs at least 11 of memory-slice, and 8 is free." in out


def test_files_need_no_mirror(file, capsys):
    assert run(capsys, file, "--claim=ml/wanted")[0] == 0


def test_objects_can_be_brought_along(file, tmp_path, capsys):
    more = tmp_path / "more.json"
    more.write_text(json.dumps(objects.claim("other")))

    status, out = run(capsys, file, f"--with={more}")

    assert status == 0
    assert "claim ml/other: fits" in out


def test_a_question_can_be_a_document_or_a_saved_scenario(fleet, tmp_path, capsys):
    document = {"class": "gpu.nvidia.com", "release": ["ml/train-1"]}
    path = tmp_path / "question.json"
    path.write_text(json.dumps(document))
    SavedScenario.objects.create(name="mine", document=document)

    assert run(capsys, f"--question={path}")[1] == run(capsys, "--saved=mine")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--claim=nobody",),
        ("--claim=ml/nobody",),
        ("--cluster=none", "--class=x"),
        ("--saved=none",),
        ("--question=/nowhere",),
        ("/nowhere", "--class=x"),
    ],
)
def test_what_cannot_be_asked_has_status_2(fleet, arguments):
    with pytest.raises(CommandError) as caught:
        call_command("whatif", *arguments)

    assert caught.value.returncode == 2


def test_one_of_several_clusters_has_to_be_named(fleet, capsys):
    objects.put(objects.claim("elsewhere"), cluster="edge")

    with pytest.raises(CommandError, match="--cluster"):
        call_command("whatif", "--class=gpu.nvidia.com")
    assert run(capsys, "--class=mig.nvidia.com", "--cluster=default")[0] == 0
