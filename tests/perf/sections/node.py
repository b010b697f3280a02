"""One claim on one node of 8 cards with 25 partitions each, beside upstream's allocator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from pools.core.allocate import allocate
from pools.core.world import World
from pools.domain.claim import Claim
from pools.wire.registry import decode
from tests.perf.figures import Figure, Options, Skipped, best
from tests.perf.fleet import GPUS, Json, claim, held, scenario, snapshot
from tests.perf.upstream import Talk, line, upstream

ASKED: list[tuple[str, list[Json], Json, str]] = [
    ("1g", [], claim(("1g", 1)), "allocatable"),
    ("3g, 2g and 1g", [], claim(("3g", 1), ("2g", 1), ("1g", 1)), "allocatable"),
    ("7g, every card begun", [held("n0", GPUS)], claim(("7g", 1)), "impossible"),
    (
        "4g, 2g, 1g of one card, every card begun",
        [held("n0", GPUS)],
        claim(("4g", 1), ("2g", 1), ("1g", 1), tied=True),
        "impossible",
    ),
    ("9 of 7g on 8 cards", [], claim(("7g", 9)), "impossible"),
]


def measure(options: Options) -> Iterator[Figure | Skipped]:
    """From decoded objects to the verdict: what is in use gathered, the pools gathered, the search; CEL compiled."""
    command = upstream("-no-each", "-seconds")
    if isinstance(command, str):
        yield Skipped("upstream's times", command)
    for what, allocated, asked, verdict in ASKED:
        given = snapshot(["n0"], allocated)
        wanted = cast(Claim, decode(asked))
        got = allocate(World.of(given), given.nodes[0], [wanted]).verdict
        if got != verdict:
            raise RuntimeError(f"{what}: {got}, not {verdict}")
        times = 10 * options.repeats
        anew = best(lambda: allocate(World.of(given), given.nodes[0], [wanted]), times)  # noqa: B023
        world = World.of(given)
        warm = best(lambda: allocate(world, given.nodes[0], [wanted]), times)  # noqa: B023
        theirs = None
        if not isinstance(command, str):
            theirs = _upstream(command, line(scenario(["n0"], allocated, asked)), times, verdict == "allocatable")
        text = "fits" if verdict == "allocatable" else "does not fit"
        yield Figure(f"{what}: {text}, from scratch", 1e3 * anew, "ms", theirs and 1e3 * theirs)
        yield Figure(f"{what}: {text}, pools known", 1e3 * warm, "ms", judged=False)


def _upstream(command: list[str], text: bytes, times: int, fits: bool) -> float:
    """The shortest time that upstream's program says its verdict took."""
    with Talk(command) as talk:
        answers = [json.loads(each) for each in talk.ask([text] * times)[1]]
    if any(bool(each["nodes"][0]["allocatable"]) != fits for each in answers):
        raise RuntimeError(f"upstream's verdict is another: {answers[0]}")
    return min(each["seconds"] for each in answers)
