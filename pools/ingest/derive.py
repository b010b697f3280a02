"""From judgements and nouns to the fields of rows; pure, so that what a row says is told in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from pools.core.reach import only_nodes
from pools.core.repack import Fragmentation, TypeRoom, Waste
from pools.domain.claim import Claim, Constraint, DeviceRequest, Request
from pools.domain.cluster import Pod
from pools.domain.device import NodeReach
from pools.domain.errors import Finding
from pools.domain.pool import Slice
from pools.domain.quantity import format_nano
from pools.domain.state import CardReport, CounterUse, DeviceReport, PoolReport, TypeFit

STATES = ("allocated", "available", "blocked", "tainted", "unavailable")
RANKS = {"error": 0, "warning": 1, "info": 2}
EXTENDED = "(extended resources)"
PODS_OVER = ("Succeeded", "Failed")
Fields = dict[str, Any]


def clip(text: str, most: int) -> str:
    """*text*, cut with an ellipsis when it is longer than a column; only for texts that identify nothing."""
    return text if len(text) <= most else text[: most - 1] + "…"


def pool_fields(report: PoolReport) -> Fields:
    """Everything of a pool's row but its identity, revision and time."""
    pool = report.pool
    return {
        "node": pool_node(pool.slices),
        "state": pool.state,
        "reason": clip(pool.reason, 2000),
        "generation": pool.generation,
        "slices_seen": pool.slices_seen,
        "slices_expected": pool.slices_expected,
        "form": clip(pool.slices[0].form, 32),
        **state_counts(item for item in report.devices if item.published),
    }


def pool_node(slices: Iterable[Slice]) -> str:
    """The node that all slices are bound to; empty when they are bound to several, or to none."""
    names = {"" if item.per_device_reach else item.reach.node_name for item in slices}
    return names.pop() if len(names) == 1 else ""


def nodes_named(slices: Iterable[Slice]) -> set[str]:
    """Every node that the slices or their devices name."""
    names: set[str] = set()
    for item in slices:
        reaches: list[NodeReach] = [item.reach, *(d.reach for d in item.devices if item.per_device_reach)]
        for reach in reaches:
            names |= only_nodes(reach) or frozenset()
    return {name for name in names if name and len(name) <= 253}


def state_counts(devices: Iterable[DeviceReport]) -> Fields:
    """How many devices are in each state, and in all."""
    counts = dict.fromkeys(STATES, 0)
    for item in devices:
        counts[item.state] += 1
    return {"devices_total": sum(counts.values()), **{f"devices_{state}": counts[state] for state in STATES}}


def counter_fields(use: CounterUse) -> Fields:
    """A counter's amounts as texts."""
    like = use.capacity.text
    ratio = use.ratio
    return {
        "capacity": like,
        "consumed": format_nano(use.consumed_nano, like),
        "available": format_nano(use.available_nano, like),
        "overcommitted": format_nano(use.overcommitted_nano, like),
        "ratio": None if ratio is None else float(ratio),
        "uncertain": use.uncertain,
        "holds": hold_rows(use),
    }


def hold_rows(use: CounterUse) -> list[Fields]:
    """Who consumes a counter: for each device in use what it draws, and the claims with their pods that it is for."""
    return [
        {
            "device": hold.device.name,
            "amount": format_nano(hold.nano, use.capacity.text),
            "claims": [
                {**holder.claim._asdict(), "request": holder.request, "pods": list(holder.pods)}
                for holder in hold.holders
            ],
        }
        for hold in use.holds
    ]


def slot_rows(card: CardReport) -> list[Fields]:
    """The card's slot maps in short: for each cell, in index order, the claims that occupy it."""
    rows = []
    for slot_map in card.slots:
        cells: list[list[str]] = [[] for _ in slot_map.cells]
        for span in slot_map.spans:
            for cell in span.cells if span.holders else ():
                cells[cell] += [name for name in dict.fromkeys(str(h.claim) for h in span.holders)]
        rows.append({"stem": slot_map.stem, "cells": [list(dict.fromkeys(names)) for names in cells]})
    return rows


def card_fields(
    card: CardReport,
    position: int,
    devices: Mapping[str, list[DeviceReport]],
    room: Fragmentation | None = None,
) -> Fields:
    """A card's row; *devices* are the pool's reports by the key of their card, *room* what its allocations waste."""
    wastes = room.wastes if room is not None else ()
    shares = [waste.stranded_nano / waste.capacity_nano for waste in wastes if waste.capacity_nano]
    return {
        "stranded": stranded_rows(wastes),
        "stranded_share": max(shares, default=0.0),
        "types_lost": len(room.lost) if room is not None else 0,
        "label": clip(card.label, 253),
        "model": clip(card.model, 64),
        "position": position,
        "use": float(card.use),
        "largest": clip(card.largest, 253),
        "slots": slot_rows(card),
        **state_counts(item for item in devices.get(card.key, ()) if item.published),
    }


def stranded_rows(wastes: Iterable[Waste]) -> list[Fields]:
    """What is free on a card, and the part of it that nothing can use; amounts of which nothing is free left out."""
    return [
        {
            "name": waste.name,
            "free": format_nano(waste.free_nano, waste.like),
            "stranded": format_nano(waste.stranded_nano, waste.like),
        }
        for waste in wastes
        if waste.free_nano
    ]


def type_fields(fit: TypeFit, room: TypeRoom | None = None) -> Fields:
    """How many more of a type fit, and with the same allocations packed best; without a *room* nothing is wasted."""
    names = ("total", "allocated", "available", "max_more", "first_fit", "exact")
    return {
        **{name: getattr(fit, name) for name in names},
        "repacked": room.repacked if room is not None else fit.max_more,
        "repacked_exact": room.exact if room is not None else fit.exact,
    }


def device_fields(item: DeviceReport) -> Fields:
    """A device's row but for its position and card."""
    first = next((reason for reason in item.reasons if reason.code != "allocated"), None)
    first = first or next(iter(item.reasons), None)
    if item.state == "allocated":
        first = next((reason for reason in item.reasons if reason.code == "allocated"), first)
    return {
        "type": clip(item.type, 253),
        "state": item.state,
        "reason_code": first.code if first else "",
        "reason": clip(first.message, 2000) if first else "",
        "shareable": item.shareable,
        "shares": item.shares,
        "published": item.published,
    }


def finding_fields(finding: Finding) -> Fields:
    """A finding's row but for what it hangs on."""
    return {
        "code": clip(finding.code, 63),
        "object": clip(finding.object, 800),
        "severity": finding.severity,
        "rank": RANKS[finding.severity],
        "message": clip(finding.message, 4000),
    }


def claim_fields(claim: Claim) -> Fields:
    """A claim's row but for its identity."""
    allocation = claim.allocation
    return {
        "uid": claim.meta.uid,
        "form": clip(claim.form, 32),
        "state": claim_state(claim),
        "allocated": allocation is not None,
        "created_at": moment(claim.meta.created),
        "allocated_at": moment(allocation.timestamp) if allocation else None,
        "node": clip(allocation.node_name, 253) if allocation else "",
        "requests": [_request(request) for request in claim.requests],
        "constraints": [_constraint(item) for item in claim.constraints],
        "reserved_for": [
            {"resource": item.resource, "name": item.name, "uid": item.uid} for item in claim.reserved_for
        ],
    }


def claim_state(claim: Claim) -> str:
    """deleting, pending, reserved or allocated (by nobody reserved)."""
    if claim.meta.deleted:
        return "deleting"
    if claim.allocation is None:
        return "pending"
    return "reserved" if claim.reserved_for else "allocated"


def allocation_fields(claim: Claim) -> list[Fields]:
    """The rows of a claim's results, in their order, not yet pointing at pools and devices."""
    return [
        {
            "request": clip(result.request, 127),
            "driver": result.driver,
            "pool_name": result.pool or "",
            "device_name": result.device,
            "admin": result.admin_access,
            "share_id": clip(result.share_id, 64),
            "consumed": {key: str(amount) for key, amount in result.consumed_capacity.items()},
        }
        for result in (claim.allocation.results if claim.allocation else ())
    ]


def _request(request: Request) -> Fields:
    return {
        "name": request.name,
        "prioritized": request.prioritized,
        "alternatives": [_alternative(item) for item in request.alternatives],
    }


def _alternative(item: DeviceRequest) -> Fields:
    return {
        "name": item.name,
        "class": item.device_class,
        "selectors": list(item.selectors),
        "mode": item.mode,
        "count": item.count,
        "adminAccess": item.admin_access,
        "capacity": {key: str(amount) for key, amount in item.capacity.items()},
    }


def _constraint(item: Constraint) -> Fields:
    return {
        "requests": list(item.requests),
        "matchAttribute": item.match_attribute,
        "distinctAttribute": item.distinct_attribute,
    }


def pod_fields(pod: Pod) -> Fields:
    """A pod's row but for its identity."""
    scheduled = next((item for item in pod.conditions if item.type == "PodScheduled"), None)
    return {
        "uid": pod.meta.uid,
        "node": clip(pod.node_name, 253),
        "phase": clip(pod.phase, 31),
        "unschedulable": clip(scheduled.message, 4000) if scheduled and scheduled.status == "False" else "",
    }


def pod_claims(pod: Pod) -> list[Fields]:
    """The rows of a pod's entries, in order; the claim that the scheduler made for extended resources comes last."""
    rows = [
        {
            "entry": clip(entry.name, 63),
            "claim_name": entry.claim or pod.claim_statuses.get(entry.name) or "",
            "template": entry.template,
        }
        for entry in pod.claims
    ]
    if pod.extended_claim:
        rows.append({"entry": EXTENDED, "claim_name": pod.extended_claim, "template": ""})
    return rows


def moment(text: str) -> datetime | None:
    """A time as Kubernetes writes it; None for what is none (the text stays with the stored object)."""
    try:
        found = parse_datetime(text) if text else None
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
