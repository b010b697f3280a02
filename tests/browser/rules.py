"""What every page has to keep: the rules of accessibility, and the width of the window."""

from __future__ import annotations

import json
from pathlib import Path

AXE = Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js"
WIDTHS = (390, 768, 1280, 2560)
RULES = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}


def _unfolded(watched, path):
    page = watched.open(path)
    for detail in page.locator("details").all():
        detail.evaluate("node => { node.open = true }")
    return page


def violations(visit, theme, pages):
    """The rules of accessibility that are broken, by page; each with the elements that break it."""
    watched = visit(color_scheme=theme, bypass_csp=True)  # only so that the checker itself may be put into the page
    found = {}
    for name, path in pages.items():
        page = _unfolded(watched, path)
        page.evaluate(AXE.read_text())
        result = page.evaluate(f"axe.run(document, {json.dumps(RULES)})")
        broken = [(rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in result["violations"]]
        if broken:
            found[name] = broken
    return found


def too_wide(visit, pages):
    """By page and width of the window, in pixels, by how much the page is wider."""
    watched = visit()
    wide = {}
    for name, path in pages.items():
        page = _unfolded(watched, path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            excess = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if excess > 0:
                wide[name, width] = excess
    return wide
