"""The pools' part of an inspection: reports as plain values, with exact texts for quantities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pools.core.fits import attribute_fits
from pools.core.mixes import mixes
from pools.domain.ids import CounterId
from pools.domain.quantity import Quantity, format_nano
from pools.domain.state import CardReport, CounterUse, DeviceReport, Holder, PoolReport, Reason, SlotMap, TypeFit

MAX_MIXES = 500
"""More maximal mixes of a card than this are not counted."""


def pool_section(report: PoolReport) -> dict[str, Any]:
    """
    One pool. `valid` is null for an incomplete pool, which is not validated.

    `devices` maps names to states and has the devices that only older slices list, but not those that only a claim
    names; `device_list` has all, with reasons and holders.
    """
    pool = report.pool
    listed = [each for each in report.devices if each.published or each.id.name in pool.stale]
    fits = attribute_fits(report)
    likes = {use.id: use.capacity.text for use in report.counters}
    return {
        "driver": pool.id.driver,
        "pool": pool.id.name,
        "form": pool.slices[0].form,
        "generation": pool.generation,
        "state": pool.state,
        "complete": pool.state == "complete" or (pool.state == "invalid" and pool.slices_seen == pool.slices_expected),
        "valid": None if pool.state == "incomplete" else pool.usable,
        "reason": pool.reason,
        "slices_seen": pool.slices_seen,
        "slices_expected": pool.slices_expected,
        "counters": _counters(report.counters),
        "overcommitted": _overcommitted(report.counters),
        "counters_uncertain": list(dict.fromkeys(use.id.counter_set for use in report.counters if use.uncertain)),
        "devices": {each.id.name: each.state for each in reversed(listed)},
        "devices_all": True,
        "device_list": [_device(each, likes) for each in report.devices],
        "max_more": {f"{name}={value}": fit.most for (name, value), fit in fits.items()},
        "max_more_at_least": [f"{name}={value}" for (name, value), fit in fits.items() if not fit.exact],
        "types": [_type(each) for each in report.types],
        **_shares(report),
        "cards": [_card(report, each) for each in report.cards],
        "loose_devices": list(report.loose_devices),
    }


def _counters(uses: Sequence[CounterUse]) -> dict[str, dict[str, Any]]:
    sets: dict[str, dict[str, Any]] = defaultdict(dict)
    for use in uses:
        like = use.capacity.text
        sets[use.id.counter_set][use.id.counter] = {
            "capacity": _text(use.capacity),
            "consumed": format_nano(use.consumed_nano, like),
            "available": format_nano(use.available_nano, like),
            "overcommitted": format_nano(use.overcommitted_nano, like),
            "holds": [
                {
                    "device": charge.device.name,
                    "consumes": format_nano(charge.nano, like),
                    "claims": [str(hold.claim) for hold in charge.holders],
                }
                for charge in use.holds
            ],
        }
    return dict(sets)


def _overcommitted(uses: Sequence[CounterUse]) -> dict[str, dict[str, str]]:
    """Only counters that devices in use draw on beyond their capacity."""
    sets: dict[str, dict[str, str]] = defaultdict(dict)
    for use in uses:
        if use.overcommitted_nano:
            sets[use.id.counter_set][use.id.counter] = format_nano(use.overcommitted_nano, use.capacity.text)
    return dict(sets)


def _text(amount: Quantity) -> str:
    return amount.text or "0"


def _device(report: DeviceReport, likes: Mapping[CounterId, str]) -> dict[str, Any]:
    return {
        "name": report.id.name,
        "type": report.type,
        "state": report.state,
        "card": report.card,
        "published": report.published,
        "accepts_more": report.accepts_more,
        "holders": [_holder(hold) for hold in report.holders],
        "reasons": [_reason(reason, likes) for reason in report.reasons],
    }


def _reason(reason: Reason, likes: Mapping[CounterId, str]) -> dict[str, Any]:
    known: dict[str, Any] = {"code": reason.code, "message": reason.message}
    if reason.counter is not None:
        like = likes[reason.counter]
        known["counter_set"], known["counter"] = reason.counter
        known["need"], known["left"] = format_nano(reason.need_nano, like), format_nano(reason.remaining_nano, like)
    if reason.holders:
        known["claims"] = [str(claim) for claim in dict.fromkeys(hold.claim for hold in reason.holders)]
    return known | {key: text for key, text in (("taint", reason.taint), ("rule", reason.rule)) if text}


def _holder(hold: Holder) -> dict[str, Any]:
    return {"claim": str(hold.claim), "request": hold.request, "pods": list(hold.pods), "admin": hold.admin}


def _type(row: TypeFit) -> dict[str, Any]:
    return {
        "type": row.type,
        "total": row.total,
        "allocated": row.allocated,
        "available": row.available,
        "max_more": row.max_more,
        "first_fit": row.first_fit,
        "exact": row.exact,
    }


def _shares(report: PoolReport) -> dict[str, Any]:
    """Per shareable device its capacity and number of shares, and the sums over the pool."""
    shareable = [each for each in report.devices if each.shareable]
    sums: dict[str, tuple[int, int, str]] = {}
    for each in shareable:
        for key, use in each.capacity.items():
            total, consumed, like = sums.get(key, (0, 0, use.capacity.text))
            sums[key] = total + use.capacity.nano, consumed + use.consumed_nano, like
    if not shareable:
        return {"capacity": {}, "shares": {}}
    touched = sum(1 for each in shareable if each.state == "allocated")
    return {
        "capacity": {
            each.id.name: {
                key: _amounts(use.capacity.nano, use.consumed_nano, use.capacity.text)
                for key, use in each.capacity.items()
            }
            for each in shareable
        },
        "shares": {each.id.name: each.shares for each in shareable},
        "shareable": {
            "total_devices": len(shareable),
            "untouched": len(shareable) - touched,
            "partly_used": touched,
            "capacity": {key: _amounts(*values) for key, values in sums.items()},
        },
    }


def _amounts(capacity: int, consumed: int, like: str) -> Mapping[str, str]:
    return {
        "capacity": format_nano(capacity, like),
        "consumed": format_nano(consumed, like),
        "available": format_nano(max(0, capacity - consumed), like),
    }


def _card(report: PoolReport, card: CardReport) -> dict[str, Any]:
    found = mixes(report, card.key, limit=MAX_MIXES)
    return {
        "key": card.key,
        "label": card.label,
        "model": card.model,
        "use": f"{card.use.numerator}/{card.use.denominator}",
        "use_percent": round(float(card.use) * 100, 1),
        "largest": card.largest,
        "counters": [str(counter) for counter in card.counters],
        "devices": list(card.devices),
        "types": [_type(each) for each in card.types],
        "slots": [_slots(each) for each in card.slots],
        "mixes": {"feasible_sets": found.feasible, "maximal": len(found.maximal), "cut": found.cut},
    }


def _slots(slots: SlotMap) -> dict[str, Any]:
    return {
        "stem": slots.stem,
        "cells": [str(cell) for cell in slots.cells],
        "spans": [{"device": span.device, "state": span.state, "cells": list(span.cells)} for span in slots.spans],
    }
