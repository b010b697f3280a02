"""Stacked bars: each counter's capacity, and which claim has how much of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go

from pools.domain.ids import ClaimId
from pools.domain.quantity import format_nano, human
from pools.domain.state import CounterUse
from pools.figures.layout import figure
from pools.figures.palette import ClaimStyle, variable
from pools.figures.text import plain, shorten, visible

LABEL = 32
Holders = tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class CounterBar:
    """One bar: what to call it, and the counter's use."""

    label: str
    use: CounterUse


@dataclass(slots=True)
class _Segments:
    """One trace in the making: the parts of all bars that the same claims hold."""

    rows: list[int] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, row: int, width: float, text: str) -> None:
        self.rows.append(row)
        self.widths.append(width)
        self.texts.append(text)


def consumption(bars: Sequence[CounterBar], *, styles: Mapping[ClaimId, ClaimStyle]) -> go.Figure:
    """
    Draw each counter as one bar in per cent of its capacity: a part for each holding claim, then what is free.

    Use beyond capacity runs past the line at 100 % and says by how much. A counter whose capacity is 0 or less has no
    per cent: its bar says so in words. A device shared by several claims is drawn once, in no claim's colour.

    Args:
        bars: one a counter, drawn top to bottom in this order.
        styles: hue and pattern of every holding claim.
    """
    held: dict[Holders, _Segments] = {}
    free = _Segments()
    notes: list[tuple[int, float, str, str]] = []
    for row, bar in enumerate(bars):
        _hold(held, row, bar)
        scale = _scale(bar.use)
        if bar.use.remaining_nano > 0 and bar.use.capacity.nano > 0:
            free.add(row, bar.use.remaining_nano * scale, _free_text(bar))
        if note := _note(bar.use):
            notes.append((row, max(100.0, bar.use.consumed_nano * scale), *note))
    longest = max((bar.use.consumed_nano * _scale(bar.use) for bar in bars), default=100.0)
    result = figure(
        rows=len(bars),
        x={"range": [0, max(100.0, longest) * (1.25 if notes else 1.02)], "ticksuffix": " %", "dtick": 25},
        y={"tickvals": list(range(len(bars))), "ticktext": [_tick(bar) for bar in bars]},
        barmode="stack",
        bargap=0.3,
    )
    for holders in sorted(held):
        result.add_trace(_trace(holders, held[holders], styles))
    result.add_trace(
        _bars("free", free, {"color": variable("free"), "line": {"color": variable("muted"), "width": 0.5}})
    )
    result.add_vline(x=100, line={"color": variable("muted"), "width": 1.5})
    for row, x, text, colour in notes:
        result.add_annotation(x=x, y=row, text=text, xanchor="left", showarrow=False, xshift=6, font={"color": colour})
    return result


def _scale(use: CounterUse) -> float:
    """Per cent for one billionth; for a capacity of 0 or less whatever is drawn on it fills the bar."""
    base = use.capacity.nano if use.capacity.nano > 0 else max(use.consumed_nano, 1)
    return 100 / base


def _hold(held: dict[Holders, _Segments], row: int, bar: CounterBar) -> None:
    use = bar.use
    together: dict[Holders, tuple[int, list[str]]] = {}
    for hold in use.holds:
        holders = tuple(sorted({holder.claim for holder in hold.holders}))
        if holders and hold.nano:
            nano, devices = together.get(holders, (0, []))
            together[holders] = (nano + hold.nano, [*devices, hold.device.name])
    for holders, (nano, devices) in together.items():
        names = "<br>".join(plain(str(claim)) for claim in holders)
        text = (
            f"{names}<br>{plain(bar.label)}: {_amount(nano, use)} of {_amount(use.capacity.nano, use)}"
            f"<br>by {', '.join(plain(shorten(visible(device), 48)) for device in devices)}"
        )
        held.setdefault(holders, _Segments()).add(row, nano * _scale(use), text)


def _amount(nano: int, use: CounterUse) -> str:
    """Human form, with the exact text behind it where the two differ."""
    exact = use.capacity.text if nano == use.capacity.nano else format_nano(nano, use.capacity.text)
    short = human(nano, use.capacity.text)
    return short if short.replace(" ", "") == exact else f"{short} ({plain(exact)})"


def _free_text(bar: CounterBar) -> str:
    use = bar.use
    return f"free<br>{plain(bar.label)}: {_amount(use.available_nano, use)} of {_amount(use.capacity.nano, use)}"


def _note(use: CounterUse) -> tuple[str, str] | None:
    """What stands behind the bar, and its colour."""
    if use.capacity.nano <= 0:
        published = plain(use.capacity.text or "unknown")
        drawn = f", {human(use.consumed_nano, use.capacity.text)} drawn" if use.consumed_nano else ""
        return f"capacity {published}{drawn}", variable("over" if use.consumed_nano or use.capacity.nano else "muted")
    if use.overcommitted_nano:
        return f"{human(use.overcommitted_nano, use.capacity.text)} over", variable("over")
    return ("at least: a device in use is gone", variable("warn")) if use.uncertain else None


def _tick(bar: CounterBar) -> str:
    return plain(shorten(visible(bar.label), LABEL))


def _trace(holders: Holders, segments: _Segments, styles: Mapping[ClaimId, ClaimStyle]) -> go.Bar:
    """The parts of one claim; what several share is in no claim's colour, and says so."""
    style = styles[holders[0]]
    alone = len(holders) == 1
    marker = {
        "color": variable(style.token if alone else "muted"),
        "pattern": {
            "shape": style.pattern if alone else "x",
            "fillmode": "overlay",
            "fgcolor": variable("surface"),
            "fgopacity": 0.55,
            "size": 7,
            "solidity": 0.25,
        },
        "line": {"color": variable("surface"), "width": 1},
    }
    if alone:
        return _bars(plain(str(holders[0])), segments, marker)
    words = f"shared by {len(holders)} claims"
    trace = _bars(words, segments, marker)
    return trace.update(text=[words] * len(segments.rows), textposition="inside", insidetextanchor="middle")


def _bars(name: str, segments: _Segments, marker: Mapping[str, object]) -> go.Bar:
    return go.Bar(
        name=name,
        orientation="h",
        x=segments.widths,
        y=segments.rows,
        hovertext=segments.texts,
        hoverinfo="text",
        marker=marker,
    )
