"""Scenarios a second, verdicts only and with the devices that are free alone, beside upstream's allocator."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence

from tests.perf.figures import Figure, Options, Skipped
from tests.perf.upstream import ROOT, Talk, line, ours, upstream

FILE = "conformance/scenarios.jsonl.gz"


def measure(options: Options) -> Iterator[Figure | Skipped]:
    """The same lines asked of both in turn, starting up left out; then how long starting up takes."""
    path = ROOT.parent / "shared" / FILE
    if not path.exists():
        yield Skipped("scenarios a second", f"there is no {path}")
        return
    with gzip.open(path, "rt") as stream:
        rows = [json.loads(text) for text in stream]
    rows = rows[:: max(1, len(rows) // options.sample)][: options.sample]
    lines = [line(row["scenario"], row["id"]) for row in rows]
    rival = upstream("-no-each")
    if isinstance(rival, str):
        yield Skipped("upstream's scenarios a second", rival)
    for what, flags in (("verdicts", ("no-each",)), ("verdicts and free devices", ())):
        mine, own_start = _rate(ours(*(f"--{flag}" for flag in flags)), lines, options.repeats)
        command = upstream(*(f"-{flag}" for flag in flags))
        theirs, their_start = (None, None) if isinstance(command, str) else _rate(command, lines, options.repeats)
        yield Figure(f"{what}, start-up excluded", mine, "/s", theirs, more_is_better=True)
        if flags:
            start = Figure("start-up, once", own_start, "s", their_start, judged=False)
    yield start


def _rate(command: Sequence[str], lines: Sequence[bytes], repeats: int) -> tuple[float, float]:
    """The best rate, and the quickest start, of some fresh processes."""
    seconds, starts = [], []
    for _ in range(repeats):
        with Talk(command) as talk:
            seconds.append(talk.ask(lines)[0])
            starts.append(talk.started)
    return len(lines) / min(seconds), min(starts)
