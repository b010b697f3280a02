"""Names, amounts, times and ratios as they are written on pages."""

import pytest
import time_machine
from django.utils.dateparse import parse_datetime

from pools.templatetags import dra


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a<b", "a&lt;b"), ("a\u202eb", "a[U+202E]b"), ("a\x07b", "a[U+0007]b"), ("é", "é")],
)
def test_a_name_is_escaped_isolated_and_visible(value, shown):
    assert dra.name(value) == f'<bdi class="short">{shown}</bdi>'


def test_a_long_name_may_be_broken():
    assert dra.name("x" * 200) == f"<bdi>{'x' * 200}</bdi>"


@pytest.mark.parametrize(
    ("text", "shown"), [("40192Mi", ">39.25 Gi<"), ("98", ">98<"), ("", "unknown"), ("not a number", "not a number")]
)
def test_a_quantity_is_human_and_keeps_its_text(text, shown):
    html = dra.quantity(text)
    assert shown in html
    assert text in html


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (None, "–"),
        (0, "0 %"),
        (0.001, "<1 %"),
        (0.5, "50 %"),
        (0.999, "99 %"),
        (1, "100 %"),
        (1.001, "101 %"),
        (2.5, "250 %"),
    ],
)
def test_a_ratio_is_never_rounded_to_empty_or_full(ratio, shown):
    assert dra.percent(ratio) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h"), (90_000, "1 d 1 h")]
)
def test_a_duration_has_its_two_largest_units(seconds, shown):
    assert dra.ago(seconds) == shown


@time_machine.travel("2026-12-01T12:00:00Z", tick=False)
def test_an_age_counts_from_now_and_keeps_the_time():
    html = dra.age(parse_datetime("2026-12-01T10:30:00Z"))
    assert ">1 h 30 min<" in html
    assert 'title="2026-12-01T10:30:00+00:00"' in html


def test_a_meter_beyond_its_capacity_is_full_and_says_how_far():
    html = dra.meter(1.5)
    assert "150 %" in html
    assert 'width="90.0"' in html
    assert "fill-over" in html
