"""What a million evaluations of CEL leave in memory, and how long one takes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.perf.cel_memory import run
from tests.perf.figures import Figure, Options, Skipped


def measure(options: Options) -> Iterator[Figure | Skipped]:
    """Each device another one, so that nothing is remembered from the one before."""
    grown, seconds = run(options.evaluations)
    yield Figure(f"memory grown over {options.evaluations:,} evaluations", grown, "MiB", goal=32.0)
    yield Figure("one evaluation, device made and read", 1e6 * seconds / options.evaluations, "µs", judged=False)
