"""The fleet page: what is wrong, what is full, what waits; then everything else in one screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pools.figures.heatmap import HeatCell, HeatRow, heatmap
from pools.figures.types_remaining import types_remaining
from pools.models import Card, Pool
from pools.queries import fleet as queries
from pools.queries.scope import DEVICE_STATES
from pools.templatetags.dra import percent
from pools.web import addresses, twins
from pools.web.cardview import remaining
from pools.web.render import choice, number, page, scope, scope_query

COLOURS = ("use", "largest")


@require_safe
def fleet(request: HttpRequest) -> HttpResponse:
    """The whole fleet, or the part that the query string names."""
    wanted = scope(request)
    colour = choice(request, "colour", COLOURS, "use")
    types = queries.type_sums(request.user, wanted)
    lines = queries.heat_lines(request.user, wanted, number(request, "page"))
    findings, severities = queries.worst_findings(request.user, wanted)
    totals = queries.totals(request.user, wanted)
    context = {
        "section": "fleet",
        "twin": twins.fleet(wanted),
        "scope": wanted,
        "colour": colour,
        "colours": COLOURS,
        "choices": queries.choices(request.user),
        "filtered": not wanted.is_all,
        "totals": totals,
        "scope_query": scope_query(wanted),
        "pools_query": scope_query(wanted, state="", has=wanted.state),
        "nodes_query": scope_query(wanted, state="", node="", has=wanted.state, name=wanted.node),
        "device_states": [(state, count, scope_query(wanted, state=state)) for state, count in totals.devices.items()],
        "lines": lines,
        "heatmap": _heatmap(list(lines.object_list), types, colour),
        "types": types,
        "types_cut": len(types) == queries.TYPES,
        "types_figure": types_remaining([remaining(row) for row in types]),
        "gone": [row for row in types if row.max_more == 0],
        "pending": queries.pending_claims(request.user, wanted),
        "findings": findings,
        "wrong": [row for row in findings.rows if row.severity != "info"],
        "severities": severities,
    }
    return page(request, "web/fleet.html", context)


def _heatmap(lines: Sequence[queries.HeatLine], types: Sequence[queries.TypeSum], colour: str) -> Any:
    clusters = {line.cluster for line in lines}
    ranks: dict[str, int] = {}
    for row in types:
        ranks.setdefault(row.type, len(ranks))
    rows = [
        HeatRow(
            line.label if len(clusters) == 1 else f"{line.cluster}/{line.label}",
            tuple(_cell(row, colour, ranks) for row in line.cards),
        )
        for line in lines
    ]
    return heatmap(rows)


def _cell(row: Card | Pool, colour: str, ranks: dict[str, int]) -> HeatCell:
    """One card; a pool without cards stands for its devices."""
    pool = row if isinstance(row, Pool) else row.pool
    title = f"{pool.driver} / {pool.name}" if isinstance(row, Pool) else f"{row.label} · {row.model or pool.driver}"
    devices = ", ".join(f"{count:,} {state}" for state in DEVICE_STATES if (count := getattr(row, f"devices_{state}")))
    hover = (title, f"pool {pool.name}, {pool.state}", devices or "no devices", *_says(row))
    if pool.state != "complete":
        return HeatCell(None, "n/a", hover, addresses.of(row))
    if isinstance(row, Pool):
        level = row.devices_allocated / row.devices_total if row.devices_total else 0.0
        return HeatCell(level, f"{row.devices_allocated}/{row.devices_total}", hover, addresses.of(row))
    if colour == "largest":
        rank = ranks.get(row.largest, len(ranks))
        level = 1.0 if not row.largest else min(rank / max(len(ranks), 1), 0.8)
        return HeatCell(level, row.largest or "none", hover, addresses.of(row))
    return HeatCell(row.use, percent(row.use), hover, addresses.of(row))


def _says(row: Card | Pool) -> tuple[str, ...]:
    if isinstance(row, Pool):
        return ("shares no counters",) if row.state == "complete" else (row.reason,)
    return (f"use {percent(row.use)} of the scarcest counter", f"largest that fits: {row.largest or 'none'}")
