"""Any name is one path segment, and comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.keys import KeyConverter

NAMES = st.text(st.characters(exclude_characters="\x00"))


@given(NAMES)
def test_a_name_comes_back_as_it_was(name):
    converter = KeyConverter()

    assert converter.to_python(converter.to_url(name)) == name


@given(NAMES)
def test_a_name_is_one_segment_that_no_client_resolves(name):
    segment = KeyConverter().to_url(name)

    assert "/" not in segment
    assert segment not in ("", ".", "..")


@pytest.mark.parametrize(
    ("name", "segment"), [("a/b", "a~1b"), ("a~b", "a~0b"), ("~2", "~02"), ("..", "~2~2"), ("a.b", "a.b")]
)
def test_the_form_is_fixed(name, segment):
    assert KeyConverter().to_url(name) == segment


def test_nul_is_in_no_name():
    with pytest.raises(ValueError, match="NUL"):
        KeyConverter().to_python("a\x00b")
