"""What all plotly figures have in common: no background of their own, colours by CSS variable, no zoom."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from pools.figures.palette import variable

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
ROW = 28
"""Height of one row of a horizontal bar chart, in CSS pixels."""


def figure(*, rows: int, row: int = ROW, x: dict[str, Any], y: dict[str, Any], **layout: Any) -> go.Figure:
    """
    An empty figure in the house style.

    Args:
        rows, row: number of rows and the height of one, which set the height.
        x, y: axis settings that go beyond the common ones.
        layout: further layout settings.
    """
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": variable("border"), "linecolor": variable("border")}
    return go.Figure(
        layout={
            "template": "none",
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": FONT, "size": 12, "color": variable("text")},
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8, "pad": 6},
            "height": max(rows, 2) * row + 56,
            "hovermode": "closest",
            "dragmode": False,
            "showlegend": False,
            "hoverlabel": {
                "bgcolor": variable("surface"),
                "bordercolor": variable("muted"),
                "font": {"color": variable("text"), "family": FONT, "size": 12},
                "align": "left",
                "namelength": 0,
            },
            "xaxis": {**axis, "automargin": True, **x},
            "yaxis": {**axis, "automargin": True, "showgrid": False, "autorange": "reversed", **y},
            **layout,
        }
    )
