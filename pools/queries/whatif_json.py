"""What-ifs, explanations and relief as plain values: the same for the command, the API and saved answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pools.core.aftermath import Aftermath
from pools.core.allocate import Answer, Pick
from pools.core.outcome import Line, Outcome
from pools.core.trial import Copies, Question
from pools.domain.claim import Claim
from pools.domain.quantity import Quantity, format_nano
from pools.queries.inquiry import as_json
from pools.queries.whatif import LayoutAnswer, WhatIf

Json = dict[str, Any]


def what_if_json(found: WhatIf) -> Json:
    """The whole answer. Parts that were not asked for are null."""
    outcome = found.outcome
    return {
        "cluster": found.inquiry.cluster,
        "revision": found.revision,
        "question": as_json(found.inquiry),
        "fits": found.fits,
        "outcome": outcome_json(outcome) if outcome is not None else None,
        "layout": layout_json(found.layout) if found.layout is not None else None,
    }


def outcome_json(outcome: Outcome) -> Json:
    """What fits where, and whom it costs what."""
    return {
        "state": outcome.state,
        "waiting": outcome.waiting,
        "cut": outcome.cut,
        "notes": list(outcome.stage.notes),
        "new_nodes": list(outcome.stage.grown),
        "lines": [line_json(line) for line in outcome.lines],
        "evicted": [line_json(line) for line in outcome.evicted],
        "copies": copies_json(outcome.copies) if outcome.copies is not None else None,
        "blocks": aftermath_json(outcome.aftermath) if outcome.aftermath is not None else None,
    }


def line_json(line: Line) -> Json:
    """One question with its answer."""
    chosen = line.placed.chosen
    return {
        "about": line.placed.question.about,
        "claims": [str(claim.id) for claim in line.placed.question.claims],
        "state": line.placed.state,
        "before": line.before,
        "nodes": list(line.placed.nodes),
        "node": chosen.node if chosen is not None else None,
        "picks": picks_json(line.placed.question, chosen) if chosen is not None else [],
        "reason": line.why.code if line.why is not None else None,
        "message": line.sentence,
        "tried": [{"nodes": nodes, "verdict": verdict, "message": message}
                  for (verdict, message), nodes in by_verdict(line.placed.answers).items()],
    }  # fmt: skip


def by_verdict(answers: Iterable[Answer]) -> Mapping[tuple[str, str], list[str]]:
    """The nodes of each verdict and message."""
    found: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        found.setdefault((answer.verdict, answer.message), []).append(answer.node)
    return found


def picks_json(question: Question, answer: Answer) -> list[Json]:
    """The devices that the claims of a question would get."""
    return [
        pick_json(claim, pick) for claim, picks in zip(question.claims, answer.picks, strict=True) for pick in picks
    ]


def pick_json(claim: Claim, pick: Pick) -> Json:
    """One device that a claim would get."""
    return {
        "claim": str(claim.id),
        "request": pick.request,
        "driver": pick.device.driver,
        "pool": pick.device.pool,
        "device": pick.device.name,
        "admin": pick.admin,
        "consumed": _texts(pick.consumed) if pick.shared else {},
    }


def _texts(amounts: Mapping[str, Quantity]) -> dict[str, str]:
    return {name: format_nano(amount.nano, amount.text) for name, amount in amounts.items()}


def copies_json(copies: Copies) -> Json:
    """How many copies fit."""
    return {
        "count": copies.count,
        "exact": copies.exact,
        "nodes": [{"node": node, "count": count} for node, count in copies.nodes],
    }


def aftermath_json(cost: Aftermath) -> Json:
    """What others would have less of."""
    return {
        "types": [
            {
                "driver": row.pool.driver,
                "pool": row.pool.name,
                "card": row.card,
                "label": row.label,
                "type": row.type,
                "before": row.before,
                "after": row.after,
                "exact": row.exact,
            }
            for row in cost.types
        ],
        "claims": [str(claim) for claim in cost.claims],
        "cut": cost.cut,
    }


def layout_json(laid: LayoutAnswer) -> Json:
    """Whether a layout fits on a card, where, and if not, why."""
    answer, asked = laid.answer, laid.asked
    devices: Sequence[tuple[str, ...]] = answer.devices or ((),) * len(answer.entries)
    return {
        "driver": asked.pool.driver,
        "pool": asked.pool.name,
        "card": asked.card,
        "emptied": asked.emptied,
        "verdict": answer.verdict,
        "legal": answer.legal,
        "entries": [
            {"type": each.type, "count": each.count, "alone": each.alone, "beside": each.beside, "devices": list(names)}
            for each, names in zip(answer.entries, devices, strict=True)
        ],
        "reasons": list(answer.reasons),
    }
