"""One claim over a whole fleet, and all single devices that could be had on it now, on one core."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import cast

from pools.core.answers import Answers
from pools.domain.claim import Claim
from pools.domain.cluster import Snapshot
from pools.wire.registry import decode
from tests.perf.figures import Figure, Options, Skipped, best
from tests.perf.fleet import DRIVER, Json, claim, holders, scenario, snapshot
from tests.perf.upstream import Talk, line, upstream

FITS = claim(("2g", 1))
TIED = claim(("4g", 1), ("2g", 1), ("1g", 1), tied=True)
NOWHERE = claim(("7g", 9))
NEVER_ASKED = claim(
    ("3g", 3), ("1g.me", 2), more=f' && device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("1Gi"))'
)
"""Its selectors read a value that no claim before it has read."""
BESIDE = 50
"""Nodes of the fleet that is small enough to be asked of upstream in the same run."""


def measure(options: Options) -> Iterator[Figure | Skipped]:
    """The loaded fleet, then claims on it, then a small fleet beside upstream."""
    names = [f"n{number}" for number in range(options.nodes)]
    given = snapshot(names, holders(names))
    began = time.perf_counter()
    answers = Answers(given)
    answers.claim(_decoded(FITS))
    cold = time.perf_counter() - began
    fleet = f"{options.nodes:,} nodes"
    yield Figure(f"{fleet}: the very first claim after loading", cold, "s", judged=False)
    for what, asked, everywhere in (
        ("a claim that reads what none before it read", NEVER_ASKED, True),
        ("2g, fits everywhere", FITS, True),
        ("4g, 2g, 1g of one card", TIED, True),
        ("9 of 7g, fits nowhere, with the reason", NOWHERE, False),
    ):
        wanted = _decoded(asked)
        if asked is not NEVER_ASKED:
            _expect(answers, wanted, everywhere)
        times = 1 if asked is NEVER_ASKED else options.repeats
        seconds = best(lambda: answers.claim(wanted), times)  # noqa: B023
        yield Figure(f"{fleet}: {what}", seconds, "s", goal=1.0)
    yield from _feasible(answers, fleet, options)
    yield from _beside(min(BESIDE, options.nodes), options)


def _decoded(asked: Json) -> Claim:
    return cast(Claim, decode(asked))


def _expect(answers: Answers, wanted: Claim, fits: bool) -> None:
    found = answers.claim(wanted).nodes
    if bool(found) != fits:
        raise RuntimeError(f"{wanted.id} fits on {len(found)} nodes")


def _feasible(answers: Answers, fleet: str, options: Options) -> Iterator[Figure]:
    began = time.perf_counter()
    free = answers.free_devices()
    first = time.perf_counter() - began
    count = sum(len(devices) for devices in free.values())
    seconds = best(answers.free_devices, options.repeats)
    yield Figure(f"{fleet}: all {count:,} single devices to be had", seconds, "s", goal=1.0)
    yield Figure(f"{fleet}: the same asked for the first time", first, "s", judged=False)


def _beside(nodes: int, options: Options) -> Iterator[Figure | Skipped]:
    """Both programs' allocators over the same fleet, everything gathered anew from decoded objects."""
    command = upstream("-no-each", "-seconds")
    if isinstance(command, str):
        yield Skipped("upstream over a fleet", command)
        return
    names = [f"n{number}" for number in range(nodes)]
    allocated = holders(names)
    given: Snapshot = snapshot(names, allocated)
    for what, asked in (("2g, fits", FITS), ("9 of 7g, fits nowhere", NOWHERE)):
        wanted = _decoded(asked)
        mine = best(lambda: (own := Answers(given)).try_on([wanted], own.nodes), options.repeats)  # noqa: B023
        with Talk(command) as talk:
            text = line(scenario(names, allocated, asked))
            theirs = min(json.loads(each)["seconds"] for each in talk.ask([text] * options.repeats)[1])
        yield Figure(f"{nodes} nodes from scratch: {what}", mine, "s", theirs)
