"""Names are made safe to show without losing what tells them apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.figures.text import plain, shorten, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gpu-0", "gpu-0"),
        ("a\u202eb", "a[U+202E]b"),
        ("a\x00b", "a[U+0000]b"),
        ("a\u200bb", "a[U+200B]b"),
        ("größe", "größe"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


def test_a_long_name_loses_its_middle():
    assert shorten("gpu-0-mig-1g5gb-19-3", 11) == "gpu-0-…19-3"


@given(st.text(max_size=80), st.integers(3, 40))
def test_a_shortened_name_is_never_longer_than_asked(text, length):
    short = shorten(text, length)
    assert len(short) <= length or short == text
    assert short == text or "…" in short


def test_plotly_gets_nothing_to_interpret():
    assert plain("<b>x</b> & <a href='/'>y</a>") == "&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href='/'&gt;y&lt;/a&gt;"
