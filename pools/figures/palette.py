"""Colours and patterns of figures: colour-blind safe, the same in plotly, SVG and HTML, for light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pools.domain.ids import ClaimId

Theme = Literal["light", "dark"]
HUES = 8

TOKENS: dict[Theme, dict[str, str]] = {
    "light": {
        "surface": "#ffffff",
        "text": "#18202b",
        "muted": "#566173",
        "border": "#d8dde5",
        "free": "#eceff4",
        "over": "#b42318",
        "warn": "#9a5b00",
        "claim-0": "#0072b2",
        "claim-1": "#c77700",
        "claim-2": "#00855f",
        "claim-3": "#b5487f",
        "claim-4": "#6a51a3",
        "claim-5": "#c44a1c",
        "claim-6": "#2a88a8",
        "claim-7": "#7d7a10",
        "seq-0": "#eef3fa",
        "seq-1": "#c3d6ef",
        "seq-2": "#9dbfe6",
        "seq-3": "#3f74b3",
        "seq-4": "#1d5296",
        "seq-5": "#0b2f63",
    },
    "dark": {
        "surface": "#171c24",
        "text": "#e5eaf1",
        "muted": "#9aa6b6",
        "border": "#2d3642",
        "free": "#232b36",
        "over": "#ff9585",
        "warn": "#f2b04a",
        "claim-0": "#56a8e0",
        "claim-1": "#eda53a",
        "claim-2": "#3fbf93",
        "claim-3": "#e088b8",
        "claim-4": "#a693e2",
        "claim-5": "#ff8f66",
        "claim-6": "#6cc6df",
        "claim-7": "#c9c455",
        "seq-0": "#1d2531",
        "seq-1": "#22405f",
        "seq-2": "#2b5f92",
        "seq-3": "#3f76b3",
        "seq-4": "#8dbbec",
        "seq-5": "#d6e7fb",
    },
}
"""Hex values by theme; static/css/tokens.css holds the same under `--<name>` (a test compares them)."""

PATTERNS = ("", "/", "x", "-", "|", "+", "\\", ".")
"""Plotly's pattern shapes; figures/svg.py draws the same ones."""


@dataclass(frozen=True, slots=True)
class ClaimStyle:
    """How one claim is drawn wherever it appears in a picture: index of its hue, and its pattern."""

    hue: int
    pattern: str

    @property
    def token(self) -> str:
        return f"claim-{self.hue}"


def claim_style(index: int) -> ClaimStyle:
    """The style of the *index*-th claim: the first eight differ in hue and pattern, the first 64 in at least one."""
    return ClaimStyle((index + index // HUES) % HUES, PATTERNS[index % len(PATTERNS)])


def claim_styles(claims: Iterable[ClaimId]) -> dict[ClaimId, ClaimStyle]:
    """A style for each claim; the order given does not matter, so that a redrawn picture keeps its colours."""
    return {claim: claim_style(index) for index, claim in enumerate(sorted(set(claims)))}


def variable(token: str) -> str:
    """The CSS variable of a token, which static/js/figures.js resolves for the theme in force."""
    return f"var(--{token})"
