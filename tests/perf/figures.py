"""What a section of the bench measures: figures, beside a rival's where there is one, and what was left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Options:
    """How much a run measures."""

    nodes: int = 5000
    sample: int = 500
    evaluations: int = 1_000_000
    repeats: int = 3


@dataclass(frozen=True)
class Figure:
    """
    One line of the table: what was measured, in `unit`, and the same of a rival in the same run.

    `more_is_better` says which way the unit goes. `goal` is a bound on `ours`, in the same unit; with a rival and no
    bound, the goal is to be ahead of it.
    """

    what: str
    ours: float
    unit: str
    rival: float | None = None
    goal: float | None = None
    more_is_better: bool = False
    judged: bool = True

    @property
    def ratio(self) -> float | None:
        """How many times as good as the rival: above 1 is ahead."""
        if self.rival is None or not self.ours or not self.rival:
            return None
        return self.ours / self.rival if self.more_is_better else self.rival / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where none is set."""
        if not self.judged:
            return None
        if self.goal is not None:
            return self.ours >= self.goal if self.more_is_better else self.ours <= self.goal
        return None if self.ratio is None else self.ratio > 1

    @property
    def aim(self) -> str:
        """The goal in words."""
        if self.met is None:
            return ""
        if self.goal is not None:
            return f"{'≥' if self.more_is_better else '≤'} {_number(self.goal)} {self.unit}"
        return "ahead"


@dataclass(frozen=True)
class Skipped:
    """Something that could not be measured here, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Measured:
    """A section's lines."""

    section: str
    lines: tuple[Figure | Skipped, ...]


def best(run: Callable[[], object], times: int) -> float:
    """Seconds of the fastest of several runs: what else the machine does only ever adds."""
    seconds = []
    for _ in range(max(1, times)):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


HEAD = ("section", "what", "ours", "upstream", "ratio", "goal", "met")


def table(measured: Iterable[Measured]) -> str:
    """One table for all sections."""
    rows = [HEAD] + [_row(each.section, line) for each in measured for line in each.lines if isinstance(line, Figure)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def skipped(measured: Iterable[Measured]) -> list[str]:
    """A sentence for each thing left out."""
    return [
        f"skipped: {each.section}: {line.what}: {line.why}"
        for each in measured
        for line in each.lines
        if isinstance(line, Skipped)
    ]


def as_json(measured: Sequence[Measured]) -> list[dict[str, object]]:
    """The same for a program."""
    found: list[dict[str, object]] = []
    for each in measured:
        for line in each.lines:
            entry = {"section": each.section, **asdict(line)}
            if isinstance(line, Figure):
                entry |= {"ratio": line.ratio, "met": line.met}
            found.append(entry)
    return found


def _row(section: str, line: Figure) -> tuple[str, ...]:
    return (
        section,
        line.what,
        f"{_number(line.ours)} {line.unit}",
        "" if line.rival is None else f"{_number(line.rival)} {line.unit}",
        "" if line.ratio is None else f"{_number(line.ratio)}×",
        line.aim,
        {True: "yes", False: "NO", None: ""}[line.met],
    )


def _number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
