"""Slot map: a card's indexed unit counters as cells, and every partition as a span where it would lie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pools.domain.ids import ClaimId
from pools.domain.state import SlotMap, SlotSpan
from pools.figures.palette import ClaimStyle, Theme, claim_styles
from pools.figures.svg import Sheet, attribute, element, url

LEFT, RIGHT, LANE, CELL, MIN_CELL, GAP = 168.0, 12.0, 30.0, 34.0, 22.0, 18.0
AREA = 780.0
"""Width shared by the cells when there are few; many cells make the picture wider instead of thinner."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How a span that nobody holds is drawn."""

    word: str
    ink: str
    edge: str
    line: Mapping[str, object]
    hatched: bool = False
    strokes: int = 0


LOOKS = {
    "available": _Look("fits", "claim-2", "claim-2", {"stroke_dasharray": "5 3", "stroke_width": 1.6}),
    "blocked": _Look("blocked", "muted", "border", {"stroke_width": 1.2}, hatched=True),
    "tainted": _Look("tainted", "warn", "warn", {"stroke_width": 1.2}, strokes=1),
    "unavailable": _Look("unusable", "over", "over", {"stroke_width": 1.2}, strokes=2),
}


@dataclass(frozen=True, slots=True)
class Links:
    """Where spans lead: addresses by device name and by claim. What is not named is drawn without a link."""

    devices: Mapping[str, str] = field(default_factory=dict)


def slotmap_svg(
    maps: Sequence[SlotMap],
    *,
    title: str,
    styles: Mapping[ClaimId, ClaimStyle] | None = None,
    links: Links = Links(),
    theme: Theme = "light",
    standalone: bool = True,
    lanes: bool = True,
    prefix: str = "slots",
) -> str:
    """
    Draw slot maps one under the other: the cells with who holds them, then one lane a type with its placements.

    A span is filled by claim when allocated, an outline when it still fits, hatched when blocked, crossed when tainted
    or not usable; words repeat it.

    Args:
        maps: the card's slot maps; must not be empty.
        title: what the picture shows.
        styles: hue and pattern of each claim; made from the maps when None.
        lanes: False leaves only the cells, for overviews.
        prefix: begins every id, so that several pictures fit into one page.
    """
    sheet = Sheet(theme, prefix)
    styles = claim_styles(_claims(maps)) if styles is None else styles
    left = LEFT if lanes or len(maps) > 1 else 1.0
    width = left + RIGHT + max(max(AREA, len(item.cells) * MIN_CELL) for item in maps)
    body, y = list[str](), 6.0
    for item in maps:
        drawing = _Map(sheet, styles, links, item, left, (width - left - RIGHT) / len(item.cells))
        y = drawing.draw(body, y, lanes=lanes) + (GAP if lanes else 4)
    return sheet.document(
        body,
        width=width,
        height=y - (GAP - 8 if lanes else 9),
        title=title,
        description=describe(maps),
        standalone=standalone,
    )


def describe(maps: Sequence[SlotMap]) -> str:
    """The picture in words: for each map how many cells are in use, and by which claims."""
    sentences = []
    for item in maps:
        taken = {cell for span in item.spans if span.state == "allocated" for cell in span.cells}
        held = [
            f"{holder.claim} has {_range(span.cells, item)}"
            for span in item.spans
            if span.state == "allocated"
            for holder in span.holders
            if not holder.admin
        ]
        sentence = f"{item.stem}: {len(taken)} of {len(item.cells)} in use"
        sentences.append("; ".join([sentence, *held]) + ".")
    return " ".join(sentences)


def _claims(maps: Iterable[SlotMap]) -> list[ClaimId]:
    return [holder.claim for item in maps for span in item.spans for holder in span.holders]


def _label(item: SlotMap, cell: int) -> str:
    """The index at the end of the counter's name, else the position."""
    match = re.search(r"(\d+)\D*$", item.cells[cell].counter)
    return match[1] if match else str(cell)


def _range(cells: Sequence[int], item: SlotMap) -> str:
    return ", ".join(
        _label(item, run[0]) if len(run) == 1 else f"{_label(item, run[0])}–{_label(item, run[-1])}"
        for run in _runs(cells)
    )


def _runs(cells: Sequence[int]) -> list[list[int]]:
    """Neighbouring cells together."""
    runs: list[list[int]] = []
    for cell in sorted(cells):
        if runs and cell == runs[-1][-1] + 1:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return runs


def pack(spans: Sequence[SlotSpan]) -> list[tuple[str, list[list[SlotSpan]]]]:
    """
    Lay spans into lanes: one group a type, widest type first; spans of one type that overlap go into further lanes.
    """
    by_type: dict[str, list[SlotSpan]] = {}
    for span in spans:
        by_type.setdefault(span.type, []).append(span)
    order = sorted(by_type.items(), key=lambda pair: -max(len(span.cells) for span in pair[1]))
    return [(name, _lanes(members)) for name, members in order]


def _lanes(spans: Sequence[SlotSpan]) -> list[list[SlotSpan]]:
    lanes: list[tuple[set[int], list[SlotSpan]]] = []
    for span in sorted(spans, key=lambda span: (min(span.cells, default=0), len(span.cells), span.device)):
        cells = set(range(min(span.cells), max(span.cells) + 1)) if span.cells else set()
        for used, members in lanes:
            if not used & cells:
                used |= cells
                members.append(span)
                break
        else:
            lanes.append((cells, [span]))
    return [members for _, members in lanes]


@dataclass(slots=True)
class _Map:
    """One slot map on its sheet: `left` is where its cells begin, `cell` the width of one."""

    sheet: Sheet
    styles: Mapping[ClaimId, ClaimStyle]
    links: Links
    item: SlotMap
    left: float
    cell: float

    def draw(self, body: list[str], y: float, *, lanes: bool) -> float:
        """Add everything from *y* on to *body*; returns where it ends."""
        if self.left == LEFT:
            body.append(
                self.sheet.text(LEFT - 10, y + 22, self.item.stem, room=LEFT - 16, text_anchor="end", font_weight=600)
            )
        body.extend(self._cells(y))
        y += CELL + 6
        for name, group in pack(self.item.spans) if lanes else []:
            for number, lane in enumerate(group):
                if number == 0:
                    label = name or "without a type"
                    place = {"text_anchor": "end", "ink": "muted"}
                    body.append(self.sheet.text(self.left - 10, y + LANE / 2 + 4, label, room=self.left - 16, **place))
                body.append(self._rail(y))
                body.extend(self._span(span, y) for span in lane)
                y += LANE
        return y

    def _cells(self, y: float) -> Iterable[str]:
        """The strip itself: a cell is filled by the claim whose partition lies on it."""
        taken: dict[int, list[SlotSpan]] = {}
        for span in self.item.spans:
            for cell in span.cells if span.state == "allocated" else ():
                taken.setdefault(cell, []).append(span)
        for index, counter in enumerate(self.item.cells):
            x = self.left + index * self.cell
            spans = taken.get(index, [])
            holders = sorted({holder.claim for span in spans for holder in span.holders if not holder.admin})
            told = f"{counter.counter}: {', '.join(map(str, holders)) or ('in use' if spans else 'free')}"
            yield element("g", element("title", attribute(told)) + self._one_cell(x, y, index, spans, holders))

    def _one_cell(self, x: float, y: float, index: int, spans: Sequence[SlotSpan], holders: Sequence[ClaimId]) -> str:
        size = {"x": x + 1, "y": y, "width": self.cell - 2, "height": CELL, "rx": 4}
        ground = element("rect", **size, **self.sheet.paint("free", "border"))
        label = self.sheet.text(
            x + self.cell / 2, y + 22, _label(self.item, index), text_anchor="middle", font_weight=600
        )
        if not spans:
            return ground + label
        style = self.styles.get(holders[0]) if len(holders) == 1 else None
        fill = self.sheet.claim_fill(style) if style else self.sheet.hatch()
        token = style.token if style else "muted"
        many = len(spans) > 1
        edge = self.sheet.paint(stroke="over" if many else token)
        taken = element("rect", **size, fill=fill, stroke_width=2.5 if many else 1.5, **edge)
        halo = self.sheet.plate(x + self.cell / 2, y + CELL / 2, 22)
        return ground + taken + halo + label

    def _rail(self, y: float) -> str:
        end = self.left + self.cell * len(self.item.cells)
        line = {"x1": self.left, "x2": end, "y1": y + LANE / 2, "y2": y + LANE / 2}
        return element("line", **line, stroke_dasharray="1 5", **self.sheet.paint(stroke="border"))

    def _span(self, span: SlotSpan, y: float) -> str:
        runs = _runs(span.cells)
        body = "".join(self._run(span, run, y, first=number == 0) for number, run in enumerate(runs))
        told = f"{span.device}: {self._words(span)}, {self.item.stem} {_range(span.cells, self.item)}"
        content = element("title", attribute(told)) + body
        address = url(self.links.devices.get(span.device, ""))
        if not address:
            return element("g", content)
        return f'<a href="{address}" aria-label="{attribute(told)}">{content}</a>'

    def _words(self, span: SlotSpan) -> str:
        claims = sorted({str(holder.claim) for holder in span.holders if not holder.admin})
        if span.state == "allocated":
            return f"allocated to {', '.join(claims)}" if claims else "allocated"
        return LOOKS[span.state].word

    def _run(self, span: SlotSpan, run: Sequence[int], y: float, *, first: bool) -> str:
        x, width = self.left + run[0] * self.cell + 2, len(run) * self.cell - 4
        box = {"x": x, "y": y + 3, "width": width, "height": LANE - 6, "rx": 5}
        if span.state == "allocated":
            return self._allocated(span, box, first=first)
        look = LOOKS[span.state]
        ground = element("rect", **box, **self.sheet.paint("surface", look.edge), **look.line)
        hatch = element("rect", **box, fill=self.sheet.hatch()) if look.hatched else ""
        cross = self._cross(box, look.ink, look.strokes) if look.strokes else ""
        return (
            ground + hatch + cross + self._caption(box, look.word if first else "", look.ink, 12 if look.strokes else 0)
        )

    def _cross(self, box: dict[str, float], ink: str, strokes: int) -> str:
        """One stroke for tainted, two for not usable, at the left end."""
        left, right = box["x"] + 4, box["x"] + min(box["width"], box["height"]) - 4
        top, bottom = box["y"] + 4, box["y"] + box["height"] - 4
        path = f"M{left:.1f} {bottom:.1f} L{right:.1f} {top:.1f}"
        if strokes > 1:
            path += f" M{left:.1f} {top:.1f} L{right:.1f} {bottom:.1f}"
        return element("path", d=path, stroke_width=1.6, **self.sheet.paint(stroke=ink))

    def _allocated(self, span: SlotSpan, box: dict[str, float], *, first: bool) -> str:
        claims = sorted({holder.claim for holder in span.holders if not holder.admin})
        style = self.styles.get(claims[0]) if len(claims) == 1 else None
        token = style.token if style else "muted"
        fill = self.sheet.claim_fill(style) if style else self.sheet.hatch()
        edge = {**self.sheet.paint(stroke=token), "stroke_width": 1.8}
        name = claims[0].name if len(claims) == 1 else f"{len(claims)} claims" if claims else "allocated"
        ground = element("rect", **box, **self.sheet.paint("surface"))
        return ground + element("rect", **box, fill=fill, **edge) + (self._caption(box, name, "text") if first else "")

    def _caption(self, box: dict[str, float], words: str, ink: str, shift: float = 0) -> str:
        """Words in the middle of a span; nothing where there is no room for them."""
        middle = box["x"] + (box["width"] + shift) / 2
        return self.sheet.plate_text(middle, box["y"] + 12, words, box["width"] - shift, ink)
