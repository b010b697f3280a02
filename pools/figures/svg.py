"""SVG by hand: escaping, colours as attributes, the patterns that plotly has. Nothing here needs a style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from pools.figures.palette import TOKENS, ClaimStyle, Theme
from pools.figures.text import shorten, visible

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
LETTER = 6.7
"""Width of a letter at 12 px, on the safe side."""
_STROKES = {
    "/": "M-2 10 L10 -2 M-2 2 L2 -2 M6 10 L10 6",
    "\\": "M-2 -2 L10 10 M6 -2 L10 2 M-2 6 L2 10",
    "x": "M0 0 L8 8 M8 0 L0 8",
    "-": "M0 4 L8 4",
    "|": "M4 0 L4 8",
    "+": "M4 0 L4 8 M0 4 L8 4",
}


def attribute(value: object) -> str:
    """Text safe inside a quoted attribute or between tags, whatever it holds."""
    return escape(visible(str(value)), quote=True)


def url(address: str) -> str:
    """An address safe inside a quoted attribute; anything but a path of this site or http(s) becomes empty."""
    if address.startswith("//") or not address.startswith(("/", "https://", "http://")):
        return ""
    return escape(quote(address, safe="/:?#[]@!$&'()*+,;=%~", errors="replace"), quote=True)


def element(tag: str, content: str | None = None, /, **attributes: object) -> str:
    """
    One element. Attribute names are written with `_` for `-`; those whose value is None are left out.

    Args:
        content: markup, already safe; None makes an empty element.
    """
    pairs = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{attribute(_number(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{pairs}/>" if content is None else f"<{tag}{pairs}>{content}</{tag}>"


def _number(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


class Sheet:
    """
    Draws in one theme: knows its colours, gathers the patterns in use, and names things so that several pictures can
    share one page.
    """

    def __init__(self, theme: Theme, prefix: str) -> None:
        self.theme = theme
        self.prefix = prefix
        self._patterns: dict[str, str] = {}

    def colour(self, token: str) -> str:
        return TOKENS[self.theme][token]

    def paint(self, fill: str | None = None, stroke: str | None = None) -> dict[str, str]:
        """Attributes that paint with tokens; their classes let a page's style sheet follow its own theme."""
        inks = {role: token for role, token in (("fill", fill), ("stroke", stroke)) if token}
        return {role: self.colour(token) for role, token in inks.items()} | {
            "class_": " ".join(f"{role}-{token}" for role, token in inks.items())
        }

    def text(
        self, x: float, y: float, words: str, *, ink: str = "text", room: float | None = None, **more: object
    ) -> str:
        """One line of text, cut to *room* pixels."""
        shown = visible(words)
        if room is not None:
            letters = int(room / LETTER)
            if letters < 2:
                return ""
            shown = shorten(shown, max(letters, 3)) if letters >= 3 else shown[:letters]
        return element("text", escape(shown), x=x, y=y, font_size=12, **self.paint(ink), **more)

    def plate(self, x: float, y: float, width: float) -> str:
        """A calm ground for text on a pattern, around (x, y)."""
        place = {"x": x - width / 2, "y": y - 9, "width": width, "height": 18, "rx": 4}
        return element("rect", **place, fill_opacity=0.82, **self.paint("surface"))

    def plate_text(self, x: float, y: float, words: str, room: float, ink: str = "text") -> str:
        """Words around (x, y) on a calm ground, cut to *room* pixels; nothing when that is too little."""
        letters = int((room - 18) / LETTER)
        if not words or letters < 3:
            return ""
        shown = shorten(visible(words), letters)
        plate = self.plate(x, y, len(shown) * LETTER + 6)
        return plate + self.text(x, y + 4, shown, ink=ink, text_anchor="middle")

    def claim_fill(self, style: ClaimStyle) -> str:
        """Reference to the fill of a claim."""
        return self._reference(f"{style.token}-{'plain' if not style.pattern else f'{ord(style.pattern):x}'}", style)

    def hatch(self) -> str:
        """Reference to the fill of what is blocked."""
        name = f"{self.prefix}-hatch"
        stroke = element("path", d=_STROKES["/"], stroke_width=1, stroke_opacity=0.35, **self.paint(stroke="muted"))
        self._patterns[name] = _tile(name, stroke)
        return f"url(#{name})"

    def _reference(self, key: str, style: ClaimStyle) -> str:
        name = f"{self.prefix}-{key}"
        ground = element("rect", width=8, height=8, fill_opacity=0.22, **self.paint(style.token))
        if style.pattern == ".":
            mark = element("circle", cx=4, cy=4, r=1.6, fill_opacity=0.6, **self.paint(style.token))
        elif style.pattern:
            mark = element(
                "path",
                d=_STROKES[style.pattern],
                stroke_width=1.4,
                stroke_opacity=0.6,
                fill="none",
                **self.paint(stroke=style.token),
            )
        else:
            mark = ""
        self._patterns[name] = _tile(name, ground + mark)
        return f"url(#{name})"

    @property
    def patterns(self) -> list[str]:
        """The patterns referred to so far."""
        return list(self._patterns.values())

    def document(
        self, body: Iterable[str], *, width: float, height: float, title: str, description: str, standalone: bool
    ) -> str:
        """
        The whole picture.

        Args:
            standalone: a file of its own, with a background; otherwise a part of a page, which scales to its place.
        """
        names = {"title": f"{self.prefix}-title", "desc": f"{self.prefix}-desc"}
        ground = element("rect", width=width, height=height, fill=self.colour("surface")) if standalone else ""
        content = (
            element("title", attribute(title), id=names["title"])
            + element("desc", attribute(description), id=names["desc"])
            + ground
            + "".join(body)
        )
        defs = element("defs", "".join(self.patterns)) if self.patterns else ""
        return element(
            "svg",
            defs + content,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_number(float(width))} {_number(float(height))}",
            width=width if standalone else None,
            height=height if standalone else None,
            class_="drawing",
            role="group",
            aria_labelledby=names["title"],
            aria_describedby=names["desc"],
            font_family=FONT,
        )


def _tile(name: str, content: str) -> str:
    return element("pattern", content, id=name, width=8, height=8, patternUnits="userSpaceOnUse")


def swatch(style: ClaimStyle, *, prefix: str, theme: Theme = "light") -> str:
    """A small sample of a claim's hue and pattern, for a legend."""
    sheet = Sheet(theme, prefix)
    fill = sheet.claim_fill(style)
    box = {"x": 1, "y": 1, "width": 26, "height": 14, "rx": 3}
    body = element("rect", **box, fill=fill, stroke_width=1.6, **sheet.paint(stroke=style.token))
    return element(
        "svg",
        element("defs", "".join(sheet.patterns)) + body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox="0 0 28 16",
        aria_hidden="true",
    )
