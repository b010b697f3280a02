"""Counter bars as SVG: the picture of a card that has no slots, and of any card where no script runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pools.domain.ids import ClaimId
from pools.domain.quantity import human
from pools.domain.state import CounterHold, CounterUse
from pools.figures.palette import ClaimStyle, Theme, claim_styles
from pools.figures.svg import Sheet, attribute, element

LEFT, AREA, RIGHT, ROW, HEIGHT = 190.0, 520.0, 250.0, 30.0, 20.0


def bars_svg(
    counters: Sequence[CounterUse],
    *,
    title: str,
    styles: Mapping[ClaimId, ClaimStyle] | None = None,
    theme: Theme = "light",
    standalone: bool = True,
    prefix: str = "bars",
) -> str:
    """
    Draw each counter as a bar: what each claim holds, then what is free; use beyond capacity runs past the mark.

    Args:
        counters: drawn top to bottom in this order.
        title: what the picture shows.
        styles: hue and pattern of each claim; made from the counters when None.
        prefix: begins every id, so that several pictures fit into one page.
    """
    sheet = Sheet(theme, prefix)
    if styles is None:
        styles = claim_styles(holder.claim for use in counters for hold in use.holds for holder in hold.holders)
    longest = max((float(use.ratio or 1) for use in counters), default=1.0)
    unit = AREA / max(1.0, longest)
    body = _rows(sheet, styles, counters, unit)
    line = {"x1": LEFT + unit, "x2": LEFT + unit, "y1": 4, "y2": 8 + len(counters) * ROW}
    body.append(element("line", **line, stroke_width=1.5, **sheet.paint(stroke="muted")))
    return sheet.document(
        body,
        width=LEFT + AREA + RIGHT,
        height=12 + len(counters) * ROW,
        title=title,
        description=" ".join(f"{words(use)}." for use in counters),
        standalone=standalone,
    )


def _rows(sheet: Sheet, styles: Mapping[ClaimId, ClaimStyle], counters: Sequence[CounterUse], unit: float) -> list[str]:
    one_set = len({use.id.counter_set for use in counters}) == 1
    body: list[str] = []
    for row, use in enumerate(counters):
        y = 8 + row * ROW
        label = use.id.counter if one_set else str(use.id)
        ink = "over" if use.overcommitted_nano else "muted"
        body.append(sheet.text(LEFT - 10, y + 15, label, room=LEFT - 16, text_anchor="end"))
        body.append(element("g", element("title", attribute(words(use))) + _bar(sheet, styles, use, y, unit)))
        body.append(sheet.text(LEFT + AREA + 10, y + 15, amount(use), ink=ink, room=RIGHT - 16))
    return body


def amount(use: CounterUse) -> str:
    """`28 Gi of 40 Gi`, and by how much it is too much."""
    like = use.capacity.text
    text = f"{human(use.consumed_nano, like)} of {human(use.capacity.nano, like) if like else 'unknown'}"
    if use.overcommitted_nano:
        return f"{text}, {human(use.overcommitted_nano, like)} over"
    return f"at least {text}" if use.uncertain else text


def words(use: CounterUse) -> str:
    """The bar as a sentence, with the holding claims."""
    held = [
        f"{human(hold.nano, use.capacity.text)} by {', '.join(_claims(hold)) or hold.device.name}" for hold in use.holds
    ]
    return "; ".join([f"{use.id.counter}: {amount(use)}", *held])


def _claims(hold: CounterHold) -> list[str]:
    return sorted({str(holder.claim) for holder in hold.holders})


def _bar(sheet: Sheet, styles: Mapping[ClaimId, ClaimStyle], use: CounterUse, y: float, unit: float) -> str:
    """Ground, then a part for each device in use; a capacity of 0 or less is filled by whatever is drawn on it."""
    base = use.capacity.nano if use.capacity.nano > 0 else max(use.consumed_nano, 1)
    ground = sheet.paint("free", "border")
    parts = [element("rect", x=LEFT, y=y, width=unit, height=HEIGHT, rx=3, **ground)]
    x = LEFT
    for hold in use.holds:
        width = max(hold.nano / base * unit, 0)
        claims = sorted({holder.claim for holder in hold.holders})
        style = styles.get(claims[0]) if len(claims) == 1 else None
        fill = sheet.claim_fill(style) if style else sheet.hatch()
        place = {"x": x, "y": y, "width": width, "height": HEIGHT}
        line = sheet.paint(stroke=style.token if style else "muted")
        parts.append(element("rect", **place, fill=fill, stroke_width=1.2, **line))
        if len(claims) > 1:
            parts.append(sheet.plate_text(x + width / 2, y + HEIGHT / 2, f"shared by {len(claims)} claims", width))
        x += width
    return "".join(parts)
