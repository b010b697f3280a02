"""Heat map: nodes down, their cards across, coloured by use or by the largest type that still fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import plotly.graph_objects as go

from pools.figures.layout import ROW, figure
from pools.figures.palette import variable
from pools.figures.text import plain, shorten, visible

T = TypeVar("T")
STEPS = 6
FEW, DENSE = 16, 20
"""Beyond that many rows each is only so many pixels high."""
OVER = 1.2
UNUSABLE = -0.2
"""Use is coloured from 0 to 1; everything beyond, and what cannot be used, has a colour of its own."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """
    One card. `level` is what the colour shows, from 0 to 1; above 1 is overcommitted, None unusable. `text` stands in
    the cell, so that colour is never alone; `hover` are further lines; `url` is where a click leads.
    """

    level: float | None
    text: str
    hover: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One node (or one pool that several nodes reach), with its cards in order."""

    label: str
    cells: tuple[HeatCell, ...]


def heatmap(rows: Sequence[HeatRow]) -> go.Figure:
    """
    Draw one cell a card; rows may differ in length.

    Args:
        rows: drawn top to bottom in this order.
    """
    width = max((len(row.cells) for row in rows), default=0)
    letters = 10 if width <= 8 else 7 if width <= 16 else 4
    result = figure(
        rows=len(rows),
        row=ROW if len(rows) <= FEW else DENSE,
        x={"side": "top", "showgrid": False, "tickvals": list(range(width)), "range": [-0.5, max(width, 1) - 0.5]},
        y={
            "tickvals": list(range(len(rows))),
            "ticktext": [plain(shorten(visible(row.label), 30)) for row in rows],
            "autorange": False,
            "range": [len(rows) - 0.5, -0.5],
        },
    )
    result.add_trace(
        go.Heatmap(
            x=list(range(width)),
            y=list(range(len(rows))),
            z=_grid(rows, width, _shade, None),
            text=_grid(rows, width, lambda cell: plain(shorten(visible(cell.text), letters)), ""),
            customdata=_grid(rows, width, lambda cell: cell.url, ""),
            hovertext=_grid(rows, width, lambda cell: "<br>".join(plain(line) for line in cell.hover), ""),
            texttemplate="%{text}",
            hoverinfo="text",
            hoverongaps=False,
            showscale=False,
            zmin=UNUSABLE,
            zmax=OVER,
            xgap=3,
            ygap=3,
            colorscale=_scale(),
        )
    )
    return result


def _shade(cell: HeatCell) -> float | None:
    if cell.level is None:
        return UNUSABLE
    return cell.level if cell.level <= 1 else OVER


def _scale() -> list[tuple[float, str]]:
    """A colour for what cannot be used, six flat steps up to a use of 1, then the colour of overcommitment."""
    edges = [UNUSABLE / 2, *(step / STEPS for step in range(1, STEPS)), (1 + OVER) / 2]
    inks = [variable(f"seq-{step}") for step in range(STEPS)]
    stops = [(UNUSABLE, variable("border")), (edges[0], variable("border"))]
    for step, ink in enumerate(inks):
        stops += [(edges[step], ink), (edges[step + 1], ink)]
    stops += [(edges[-1], variable("over")), (OVER, variable("over"))]
    return [((at - UNUSABLE) / (OVER - UNUSABLE), ink) for at, ink in stops]


def _grid(rows: Sequence[HeatRow], width: int, read: Callable[[HeatCell], T], empty: T) -> list[list[T]]:
    """One value a cell, *empty* where a row has no such card."""
    return [[*map(read, row.cells), *[empty] * (width - len(row.cells))] for row in rows]
