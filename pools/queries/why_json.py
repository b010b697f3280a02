"""Explanations and relief as plain values."""

from __future__ import annotations

from typing import Any

from pools.core.funnel import Short
from pools.core.remedy import Remedy
from pools.core.repack import Move
from pools.domain.quantity import format_nano
from pools.domain.state import Holder
from pools.queries.whatif_json import picks_json
from pools.queries.why import CardPlan, ClaimHelp, ClaimWhy, Drop, Example, Kind, RequestFunnel

Json = dict[str, Any]


def claim_why_json(found: ClaimWhy) -> Json:
    """Why a claim waits, or that it does not."""
    told = found.explanation
    why = told.why
    return {
        "state": told.state,
        "sentence": told.sentence,
        "reason": {"code": why.code, "detail": why.detail, "request": why.request} if why is not None else None,
        "notes": list(told.notes),
        "nodes": [_kind(kind) for kind in found.kinds],
        "pods": [
            {"pod": str(each.pod.id), "state": each.answer.state, "sentence": each.sentence} for each in found.pods
        ],
    }


def _kind(kind: Kind) -> Json:
    answer = kind.group.answer
    return {
        "names": list(kind.group.nodes),
        "verdict": answer.verdict,
        "message": answer.message,
        "requests": [_request(request) for request in kind.requests],
    }


def _request(request: RequestFunnel) -> Json:
    return {
        "name": request.name,
        "wanted": request.wanted,
        "steps": [{"what": what, "left": left} for what, left in request.steps],
        "drops": [_drop(drop) for drop in request.drops],
    }


def _drop(drop: Drop) -> Json:
    return {
        "stage": drop.stage,
        "count": drop.count,
        "examples": [_example(each) for each in drop.examples],
        "read": [{"name": each.name, "value": each.value, "devices": each.count} for each in drop.readings],
    }


def _example(example: Example) -> Json:
    stop = example.stop
    return {
        "driver": stop.device.driver,
        "pool": stop.device.pool,
        "device": stop.device.name,
        "detail": stop.detail,
        "rule": stop.rule,
        "short": [_short(short) for short in stop.short],
        "holders": [holder_json(holder) for holder in example.holders],
        "holders_more": example.holders_more,
    }


def _short(short: Short) -> Json:
    return {
        "name": short.name,
        "need": format_nano(short.need, short.text),
        "left": format_nano(short.left, short.text),
        "short_by": format_nano(short.need - short.left, short.text),
    }


def holder_json(holder: Holder) -> Json:
    """One claim's hold on a device."""
    return {
        "namespace": holder.claim.namespace,
        "claim": holder.claim.name,
        "request": holder.request,
        "device": holder.device.name,
        "pods": list(holder.pods),
        "since": holder.since,
    }


def claim_help_json(found: ClaimHelp) -> Json:
    """What would help a claim that fits nowhere."""
    remedies = found.remedies
    return {
        "state": found.state,
        "exact": remedies.exact,
        "nodes_looked_at": remedies.looked,
        "nodes": remedies.nodes,
        "tried": remedies.tried,
        "sets": [_remedy(each) for each in remedies.sets],
        "card_moves": [_plan(each) for each in found.plans],
    }


def _remedy(remedy: Remedy) -> Json:
    release = remedy.release
    return {
        "node": remedy.node,
        "claims": [str(claim) for claim in release.claims],
        "pods": list(release.pods),
        "since": list(release.since),
        "devices": [str(device) for device in release.devices],
        "would_get": [str(pick.device) for picks in release.picks for pick in picks],
        "moves": [
            {
                "claim": str(each.question.claims[0].id),
                "node": each.chosen.node,
                "picks": picks_json(each.question, each.chosen),
            }
            for each in remedy.moves
            if each.chosen is not None
        ],
    }


def _plan(found: CardPlan) -> Json:
    return {
        "driver": found.pool.driver,
        "pool": found.pool.name,
        "card": found.card,
        "label": found.label,
        "type": found.plan.type,
        "moves": [move_json(move) for move in found.plan.moves],
        "gained": list(found.plan.gained),
        "pods": list(found.plan.pods),
    }


def move_json(move: Move) -> Json:
    """One allocation that would have to be made again elsewhere on its card."""
    return {
        "source": move.source,
        "target": move.target,
        "type": move.type,
        "holders": [holder_json(holder) for holder in move.holders],
    }
