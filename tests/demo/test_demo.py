"""The demo fleet is what its program writes, decodes whole, and tells the stories it was made for."""

import pytest

from demo import build
from pools.core.gather import gather
from pools.domain.pool import Slice
from pools.synth import mig
from pools.synth.boards import BOARDS
from pools.wire.documents import Document, read
from pools.wire.registry import decode


def demo_objects():
    entries = [
        entry for path in sorted(build.FOLDER.glob("*.yaml")) for entry in read(path.read_bytes(), source=path.name)
    ]
    assert all(isinstance(entry, Document) for entry in entries)
    return [decode(entry.raw) for entry in entries]


@pytest.mark.parametrize("name", build.FILES)
def test_each_manifest_is_what_the_program_writes(name):
    comment, objects = build.FILES[name]
    assert (build.FOLDER / name).read_text() == build.render(comment, objects())


def test_no_manifest_is_left_over():
    assert {path.name for path in build.FOLDER.glob("*.yaml")} == set(build.FILES)


def test_two_pools_are_broken_on_purpose_and_the_others_are_whole():
    pools = gather(item for item in demo_objects() if isinstance(item, Slice))

    states = {pool.id.name: pool.state for pool in pools if pool.state != "complete"}

    assert states == {"h100-03": "incomplete", "tpu-slice-b": "invalid"}


@pytest.mark.parametrize("key", BOARDS)
def test_a_board_has_26_devices_on_15_counters_a_gpu(key):
    counters, *gpus = mig.slices(BOARDS[key], 8, "n1")

    assert [len(entry["counters"]) for entry in counters["spec"]["sharedCounters"]] == [15] * 8
    assert [len(item["spec"]["devices"]) for item in gpus] == [26] * 8
