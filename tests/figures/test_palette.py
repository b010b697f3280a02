"""Colours are the same in figures and style sheets, and can be told apart and read."""

import re
from pathlib import Path

import pytest

from pools.domain.ids import ClaimId
from pools.figures.palette import HUES, TOKENS, claim_style, claim_styles

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
NAMED = {"light": 1, "dark": 2}


def declared(theme):
    """Custom properties of the theme's blocks in tokens.css: light once, dark for the system and for the choice."""
    blocks = re.findall(r"color-scheme: (\w+);\n(.*?)\}", (CSS / "tokens.css").read_text(), flags=re.S)
    return [dict(re.findall(r"--([\w-]+): ([^;]+);", body)) for name, body in blocks if name == theme]


def luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_style_sheet_has_every_colour_of_the_figures(theme):
    blocks = declared(theme)
    assert len(blocks) == NAMED[theme]
    for block in blocks:
        assert {name: block.get(name) for name in TOKENS[theme]} == TOKENS[theme]


def test_the_style_sheet_lets_drawings_follow_every_colour():
    text = (CSS / "drawing.css").read_text()
    for token in TOKENS["light"]:
        assert f".fill-{token} {{ fill: var(--{token}); }}" in text
        assert f".stroke-{token} {{ stroke: var(--{token}); }}" in text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable_and_shapes_stand_out(theme):
    colours = TOKENS[theme]
    for ink in ("text", "muted", "over", "warn"):
        assert contrast(colours[ink], colours["surface"]) >= 4.5, ink
    for hue in range(HUES):
        assert contrast(colours[f"claim-{hue}"], colours["surface"]) >= 3, hue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_step_of_the_heat_map_carries_readable_text(theme):
    steps = [TOKENS[theme][f"seq-{step}"] for step in range(6)]
    for step in steps:
        assert max(contrast(step, "#ffffff"), contrast(step, "#444444")) >= 4.5, step
    shades = [luminance(step) for step in steps]
    assert shades in (sorted(shades), sorted(shades, reverse=True))


def test_the_first_eight_claims_differ_in_hue_and_pattern_and_the_first_64_in_one():
    styles = [claim_style(index) for index in range(64)]

    assert len({style.hue for style in styles[:8]}) == len({style.pattern for style in styles[:8]}) == 8
    assert len(set(styles)) == 64


def test_a_claim_keeps_its_style_in_whatever_order_claims_come():
    claims = [ClaimId("ml", name) for name in "abc"]
    assert claim_styles(claims) == claim_styles(reversed(claims))
