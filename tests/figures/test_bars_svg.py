"""Counter bars as SVG: the picture of cards without slots."""

import re
from xml.etree import ElementTree

import pytest

from pools.figures.bars_svg import amount, bars_svg, words
from tests.figures.samples import counter


def widths(svg):
    return [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)" height="20"', svg)]


def test_parts_are_as_wide_as_their_share():
    ground, part = widths(bars_svg([counter("memory", "40Gi", ("ml/a", "gpu-0", "10Gi"))], title="x"))

    assert part == pytest.approx(ground / 4)


def test_use_beyond_capacity_runs_past_the_mark():
    ground, part = widths(bars_svg([counter("memory", "4", ("ml/a", "gpu-0", "5"))], title="x"))

    assert part > ground


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (counter("m", "40Gi", ("a/b", "d", "10Gi")), "10 Gi of 40 Gi"),
        (counter("m", "4", ("a/b", "d", "5")), "5 of 4, 1 over"),
        (counter("m", "4", uncertain=True), "at least 0 of 4"),
        (counter("m", ""), "0 of unknown"),
    ],
)
def test_amounts_are_words_too(use, text):
    assert amount(use) == text


def test_each_bar_names_its_holders():
    assert words(counter("m", "4", ("a/b", "d", "1"))) == "m: 1 of 4; 1 by a/b"


@pytest.mark.parametrize("name", ['"><script>alert(1)</script>', "a\x00b", "a\u202eb", "n" * 500])
def test_any_name_leaves_the_picture_well_formed(name):
    tree = ElementTree.fromstring(bars_svg([counter(name, "4", (f"{name}/{name}", name, "1"))], title=name))

    assert not [element for element in tree.iter() if element.tag.endswith("script")]


@pytest.mark.parametrize("capacity", ["0", "-3"])
def test_a_capacity_of_nothing_is_drawn_without_an_error(capacity):
    assert "<svg" in bars_svg([counter("m", capacity, ("a/b", "d", "1"))], title="x")
