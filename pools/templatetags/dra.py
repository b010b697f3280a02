"""What templates need to write names, amounts, times, states and figures."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from pools.domain.quantity import format_nano, parse_quantity
from pools.domain.quantity import human as human_nano
from pools.domain.state import DeviceReport
from pools.figures.text import visible
from pools.models import Claim
from pools.web import addresses
from pools.web.asks import asks as asks_of
from pools.web.asks import constraint_words as words_of
from pools.web.whyview import Link

register = template.Library()
_JSON = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
SHORT = 30
"""Names up to this length are never broken over two lines."""
THEMES = ("light", "dark")


@register.filter("visible")
def visible_text(value: object) -> str:
    """Plain text with what cannot be seen written out, for titles, options and labels."""
    return visible(str(value))


@register.filter
def name(value: object) -> SafeString:
    """A name as published, kept apart from the text around it; what cannot be seen is written out."""
    shown = visible(str(value))
    return format_html('<bdi class="short">{}</bdi>' if len(shown) <= SHORT else "<bdi>{}</bdi>", shown)


@register.filter
def linked(item: Link) -> SafeString:
    """A name that leads to its page, or the name alone where there is none."""
    return format_html('<a href="{}">{}</a>', item.url, name(item.name)) if item.url else name(item.name)


@register.filter
def quantity(text: str) -> SafeString:
    """A quantity in human units, with the published text on hover; one without a text is unknown."""
    if not text:
        return mark_safe('<span class="muted">unknown</span>')
    try:
        short = human_nano(parse_quantity(text).nano, text)
    except ValueError:
        return format_html("<bdi>{}</bdi>", visible(text))
    return format_html('<span class="nowrap" title="{}">{}</span>', visible(text), short)


@register.filter
def count(value: int) -> SafeString:
    """A whole number with separators; a zero stands back."""
    return mark_safe('<span class="zero">0</span>') if not value else format_html("{}", f"{value:,}")


@register.filter
def percent(value: float | None) -> str:
    """A ratio in per cent, without decimals, but never 0 or 100 when it is only near."""
    if value is None:
        return "–"
    shown = round(value * 100)
    if shown == 100 and value != 1:
        shown = 99 if value < 1 else 101
    return "<1 %" if shown == 0 and value > 0 else f"{shown:,} %"


@register.filter
def moment(value: datetime | None) -> SafeString:
    """A time in UTC, exact to the second."""
    if value is None:
        return mark_safe('<span class="muted">unknown</span>')
    text = value.astimezone(timezone.get_fixed_timezone(0)).strftime("%Y-%m-%d %H:%M:%S")
    return format_html('<time class="nowrap" datetime="{}">{} UTC</time>', value.isoformat(), text)


@register.filter
def age(value: datetime | None) -> SafeString:
    """How long ago, in one or two units, with the time itself on hover."""
    if value is None:
        return mark_safe('<span class="muted">unknown</span>')
    seconds = max(0, int((timezone.now() - value).total_seconds()))
    return format_html(
        '<time class="nowrap" datetime="{0}" title="{0}" data-age>{1}</time>',
        value.isoformat(timespec="seconds"),
        ago(seconds),
    )


def ago(seconds: int) -> str:
    """A duration in its two largest units."""
    parts: list[str] = []
    for size, unit in _UNITS:
        if seconds >= size or (unit == "s" and not parts):
            parts.append(f"{seconds // size} {unit}")
            seconds %= size
    return " ".join(parts[:2])


@register.filter
def badge(word: str) -> SafeString:
    """A state or severity as a word with its own shape and colour."""
    return format_html('<span class="badge badge-{0}">{0}</span>', word)


@register.filter
def asks(claim: Claim) -> SafeString:
    """What a claim asks for: one line a request."""
    lines = asks_of(claim.requests)
    return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines)) or mark_safe("nothing")


@register.filter
def constraint_words(constraint: dict[str, Any]) -> str:
    """A constraint as a sentence."""
    return words_of(constraint)


@register.filter
def address(row: object) -> str:
    """The page of a row."""
    return addresses.of(row)


@register.simple_tag
def meter(ratio: float | None) -> SafeString:
    """A small bar with the per cent beside it; beyond 100 % it is full and in the colour of overcommitment."""
    if ratio is None:
        return mark_safe('<span class="muted">no capacity</span>')
    width = f"{min(max(ratio, 0.0), 1.0) * 90:.1f}"
    token = "over" if ratio > 1 else "claim-0"
    return format_html(
        '<span class="meter"><svg viewBox="0 0 90 8" aria-hidden="true"><rect width="90" height="8" class="fill-free"/>'
        '<rect width="{}" height="8" class="fill-{}"/></svg><span>{}</span></span>',
        width,
        token,
        percent(ratio),
    )


@register.simple_tag
def capacity_use(report: DeviceReport, key: str) -> SafeString:
    """How much of a shareable device's capacity its shares consume."""
    use = report.capacity.get(key)
    if use is None:
        return mark_safe('<span class="muted">–</span>')
    like = use.capacity.text
    exact = format_nano(use.consumed_nano, like)
    return format_html('<span class="nowrap" title="{}">{}</span>', exact, human_nano(use.consumed_nano, like))


@register.simple_tag
def figure_json(figure: Any) -> SafeString:
    """A plotly figure as a block of JSON that cannot end its script element."""
    text = figure.to_json().translate(_JSON)
    return format_html('<script type="application/json">{}</script>', mark_safe(text))  # noqa: S308 - escaped above


@register.simple_tag(takes_context=True)
def theme_attribute(context: RequestContext) -> SafeString:
    """The theme that the reader chose, from the cookie; nothing when the system decides."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme") if request is not None else None
    return format_html(' data-theme="{}"', chosen) if chosen in THEMES else SafeString("")


@register.simple_tag(takes_context=True)
def current(context: RequestContext, *sections: str) -> SafeString:
    """Marks the navigation entry of the section that the page belongs to."""
    return SafeString(' aria-current="page"') if context.get("section") in sections else SafeString("")
