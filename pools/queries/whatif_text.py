"""What-ifs for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pools.core.aftermath import Aftermath
from pools.core.amounts import listed
from pools.core.outcome import Line, Outcome
from pools.core.trial import Copies
from pools.queries.whatif import LayoutAnswer, WhatIf

MOST_ROWS = 20


def as_text(found: WhatIf) -> str:
    """The answer in lines, the verdict first."""
    lines = [*_layout(found.layout)] if found.layout is not None else []
    if found.outcome is not None:
        lines += _outcome(found.outcome)
    return "\n".join(lines)


def _outcome(outcome: Outcome) -> Iterator[str]:
    yield from (f"note: {note}" for note in outcome.stage.notes)
    if outcome.stage.grown:
        yield f"new nodes: {listed(list(outcome.stage.grown), 6)}"
    if outcome.waiting:
        yield "Pending claims, each by itself:" if outcome.lines else "No claim is pending."
    for line in outcome.lines:
        yield from _line(line)
    if outcome.cut:
        yield f"Only the {len(outcome.lines)} that wait longest were looked at."
    if outcome.evicted:
        yield "Claims that have to leave:"
        for line in outcome.evicted:
            yield from _line(line)
    if outcome.copies is not None and outcome.copies.count:
        yield _copies(outcome.copies)
    if outcome.aftermath is not None:
        yield from _blocks(outcome.aftermath)


def _line(line: Line) -> Iterator[str]:
    placed = line.placed
    words = {"feasible": "fits", "infeasible": "does not fit", "undecided": "undecided", "allocated": "allocated"}
    before = f" (before: {words[line.before]})" if line.before not in (None, placed.state) else ""
    where = f" on {len(placed.nodes)} of {len(placed.answers)} nodes" if placed.answers and placed.chosen else ""
    yield f"{placed.question.about}: {words[placed.state]}{where}{before}"
    if placed.chosen is not None:
        for claim, picks in zip(placed.question.claims, placed.chosen.picks, strict=True):
            devices = ", ".join(f"{pick.device.name} of {pick.device.pool} for {pick.request}" for pick in picks)
            yield f"  on {placed.chosen.node}: {claim.id} would get {devices or 'no device'}"
    elif line.sentence:
        yield f"  {line.sentence}"


def _copies(copies: Copies) -> str:
    where = listed([f"{count} on {node}" for node, count in copies.nodes], 8)
    least = "" if copies.exact else "at least "
    return f"In all {least}{copies.count} such {'copy fits' if copies.count == 1 else 'copies fit'}: {where}"


def _blocks(cost: Aftermath) -> Iterator[str]:
    if cost.types:
        yield "Of these fewer would fit afterwards:"
    for row in cost.types[:MOST_ROWS]:
        card = f"{row.label} of {row.pool.name}" if row.label else row.pool.name
        yield f"  {row.type or 'without a type'} on {card}: {row.before} -> {row.after}"
    if len(cost.types) > MOST_ROWS:
        yield f"  and {len(cost.types) - MOST_ROWS} more types"
    if cost.claims:
        yield f"Pending claims that would then fit nowhere: {', '.join(map(str, cost.claims))}"


def _layout(laid: LayoutAnswer) -> Iterator[str]:
    answer = laid.answer
    wanted = " + ".join(f"{entry.count} × {entry.type}" for entry in answer.entries)
    how = "emptied " if laid.asked.emptied else ""
    verdicts = {"fits": "fits", "impossible": "cannot be placed", "undecided": "could not be decided within the bound"}
    yield f"{wanted} on {how}card {laid.asked.card} of pool {laid.asked.pool.name}: {verdicts[answer.verdict]}"
    if answer.verdict == "impossible" and answer.legal:
        yield "  Each entry would fit by itself, but not all together."
    yield from (f"  {reason}" for reason in answer.reasons)
    for entry, names in zip(answer.entries, answer.devices, strict=False):
        yield f"  {entry.type}: {', '.join(names)}"
