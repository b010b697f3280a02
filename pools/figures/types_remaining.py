"""Bars: how many more devices of each type fit. Alternatives, never a sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from pools.figures.layout import figure
from pools.figures.palette import variable
from pools.figures.text import plain, shorten, visible


@dataclass(frozen=True, slots=True)
class Remaining:
    """One type: how many exist, are allocated, and fit on top; `exact` False makes `max_more` a lower bound."""

    label: str
    total: int
    allocated: int
    max_more: int
    first_fit: int
    exact: bool = True


def types_remaining(rows: Sequence[Remaining]) -> go.Figure:
    """
    Draw, for each type, how many more fit at most as a bar, and how many the scheduler's order would place as a mark.

    The rows are alternatives: taking a device of one type lowers other rows too.

    Args:
        rows: drawn top to bottom in this order.
    """
    places = list(range(len(rows)))
    top = max((row.max_more for row in rows), default=0)
    result = figure(
        rows=len(rows),
        x={"range": [0, max(top, 1) * 1.2], "tickformat": ",d", **({"dtick": 1} if top <= 6 else {"nticks": 6})},
        y={"tickvals": places, "ticktext": [plain(shorten(visible(row.label), 28)) for row in rows]},
        bargap=0.38,
    )
    hover = [_hover(row) for row in rows]
    result.add_bar(
        orientation="h",
        y=places,
        x=[row.max_more for row in rows],
        text=[_count(row) for row in rows],
        textposition="outside",
        cliponaxis=False,
        hovertext=hover,
        hoverinfo="text",
        marker={"color": variable("claim-0")},
    )
    _mark_order(result, rows, hover)
    return result


def _mark_order(result: go.Figure, rows: Sequence[Remaining], hover: Sequence[str]) -> None:
    """Put a mark where the scheduler's order places fewer than would fit."""
    less = [place for place, row in enumerate(rows) if row.first_fit < row.max_more]
    result.add_scatter(
        mode="markers",
        y=less,
        x=[rows[place].first_fit for place in less],
        cliponaxis=False,
        hovertext=[hover[place] for place in less],
        hoverinfo="text",
        marker={
            "symbol": "diamond",
            "size": 11,
            "color": variable("claim-1"),
            "line": {"color": variable("surface"), "width": 1.5},
        },
    )


def _count(row: Remaining) -> str:
    if row.max_more == 0:
        return "0 – none fits"
    return f"{'' if row.exact else '≥ '}{row.max_more:,}"


def _hover(row: Remaining) -> str:
    return (
        f"{plain(row.label)}<br>{_count(row)} more at most"
        f"<br>{row.first_fit:,} in the scheduler's order<br>{row.allocated:,} of {row.total:,} allocated"
    )
