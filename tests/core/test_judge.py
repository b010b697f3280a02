"""A whole pool: an eight-GPU node with dynamic MIG, in numbers and in time."""

from __future__ import annotations

import time

import pytest

from pools.core.gather import gather
from pools.core.mixes import mixes
from tests.core.builders import consumption, counter_set, device, held, report_of, slice_

PROFILES = [("1g", 14, 1, range(7), 1), ("2g", 28, 2, (0, 2, 4), 2), ("3g", 42, 3, (0, 4), 4), ("4g", 56, 4, (0,), 4)]
PROFILES += [("7g", 98, 7, (0,), 8), ("1g+me", 14, 1, range(7), 1), ("1g.double", 14, 1, (0, 2, 4, 6), 2)]


def draws(gpu, multiprocessors, engines, start, size, media):
    amounts = {"multiprocessors": multiprocessors, "copy-engines": engines, "media": media, "memory": f"{size * 5}Gi"}
    return consumption(f"gpu-{gpu}", amounts | {f"slice-{n}": 1 for n in range(start, start + size)})


def node(name="n1", gpus=8):
    """26 devices a GPU, as the tables of a 40 GB board have them."""
    capacity = {"multiprocessors": 98, "copy-engines": 7, "media": 1, "memory": "40Gi"}
    sets = [counter_set(f"gpu-{gpu}", capacity | {f"slice-{n}": 1 for n in range(8)}) for gpu in range(gpus)]
    slices = [slice_("0", sets=sets, pool=name, count=gpus + 1)]
    for gpu in range(gpus):
        devices = [device(f"gpu-{gpu}", draws(gpu, 98, 7, 0, 8, 1), type="gpu", uuid=f"{name}-{gpu}")]
        for profile, sm, ce, starts, size in PROFILES:
            media = int(profile in ("7g", "1g+me"))
            for start in starts:
                part = draws(gpu, sm, ce, start, size, media)
                devices.append(device(f"gpu-{gpu}-{profile}-{start}", part, profile=profile))
        slices.append(slice_(f"{gpu + 1}", devices, pool=name, count=gpus + 1))
    (pool,) = gather(slices)
    return pool


@pytest.fixture(scope="module")
def pool():
    return node()


def test_an_empty_gpu_of_26_devices_has_2319_sets_and_240_maximal_mixes(pool):
    report = report_of(pool)
    assert len(report.devices) == 208
    for card in report.cards:
        found = mixes(report, card.key)
        assert (found.feasible, len(found.maximal), found.cut) == (2319, 240, False)


def test_what_fits_is_counted_per_gpu_and_per_node(pool):
    report = report_of(pool, held("gpu-0-3g-4"), held("gpu-0-1g-0", "d"))
    fits = {row.type: row.max_more for row in report.cards[0].types}
    assert fits == {"whole gpu": 0, "7g": 0, "4g": 0, "3g": 0, "2g": 1, "1g.double": 1, "1g": 3, "1g+me": 1}
    assert {row.type: row.max_more for row in report.types}["3g"] == 14
    assert report.cards[0].largest == "2g"
    assert report.cards[1].largest == "whole gpu"


def test_a_node_of_208_devices_is_judged_in_tens_of_milliseconds(pool):
    holds = [held(f"gpu-{gpu}-{name}", f"c{gpu}") for gpu in range(8) for name in ("1g-0", "3g-4", "1g-2")[: gpu % 4]]
    report_of(pool, *holds)
    best = 9.0
    for number in range(5):
        other = node(f"n{number}")
        start = time.perf_counter()
        report_of(other, *[held(hold.device.name, hold.claim.name, pool=f"n{number}") for hold in holds])
        best = min(best, time.perf_counter() - start)
    assert best < 0.15
