"""`manage.py synth`: a fleet as files that `ingest` takes, or published, with its changes."""

import gzip
import json

import pytest
from django.core.management import CommandError

from pools.models import Claim, Cluster, Device, Node, Pool

SMALL = ("--nodes", "3", "--gpus", "2", "--seed", "s", "--pending", "2")


def test_files_are_the_same_for_the_same_seed_and_can_be_ingested(manage, tmp_path):
    status, out, err = manage("synth", *SMALL, "--output", str(tmp_path / "a"))
    manage("synth", *SMALL, "--output", str(tmp_path / "b"))

    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "ab")
    assert first == second
    assert (status, out) == (0, "3 nodes of 2 GPUs, 2 claims that wait; seed s\n")
    assert "3 of 3 nodes" in err
    assert manage("ingest", str(tmp_path / "a"))[0] == 0
    assert (Node.objects.count(), Pool.objects.count(), Device.objects.count()) == (3, 3, 3 * 2 * 26)
    assert Claim.objects.filter(state="pending").count() == 2


def test_publishing_gives_what_the_files_give(manage, tmp_path):
    manage("synth", *SMALL, "--churn", "6", "--output", str(tmp_path / "a"))
    manage("ingest", str(tmp_path / "a"), "--cluster", "files")
    manage("synth", *SMALL, "--churn", "6", "--publish", "--cluster", "direct")

    def rows(cluster):
        devices = Device.objects.filter(pool__cluster__name=cluster)
        return sorted(devices.values_list("pool__name", "name", "state", "pool__generation"))

    assert rows("files") == rows("direct") != []
    assert Cluster.objects.get(name="direct").revision == Cluster.objects.get(name="files").revision


def test_each_change_is_a_file_of_its_own(manage, tmp_path):
    manage("synth", *SMALL, "--churn", "4", "--output", str(tmp_path))
    changes = sorted(tmp_path.glob("90-churn-*"))
    assert len(changes) == 4
    assert {len(json.loads(gzip.decompress(path.read_bytes()))["items"]) for path in changes} <= {1, 3}


def test_without_a_seed_one_is_drawn_and_told(manage, tmp_path):
    seeds = {manage("synth", "--nodes", "1", "--output", str(tmp_path / name))[1].split()[-1] for name in "ab"}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--models", "h100-80,v100"), "no model 'v100'; there are a100-40"),
        (("--models", "h100-80=0"), "a weight is a whole number above 0"),
        (("--used", "1.5"), "is not a number from 0 to 1"),
        (("--nodes", "0"), "is not a whole number from 1 on"),
        (("--gpus", "9"), "at most 8"),
    ],
)
def test_what_cannot_be_made_is_refused(manage, tmp_path, options, said):
    with pytest.raises(CommandError, match=said):
        manage("synth", *options, "--output", str(tmp_path))


def test_a_folder_that_holds_something_is_left_alone(manage, tmp_path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(CommandError, match="is not empty"):
        manage("synth", *SMALL, "--output", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
