"""The heat map: one cell a card, with words in it."""

import itertools

import pytest

from pools.figures.heatmap import HeatCell, HeatRow, heatmap


def cell(level, text="x", url="/cards/1/"):
    return HeatCell(level, text, ("card", "pool"), url)


def test_rows_of_different_length_leave_the_rest_empty():
    trace = heatmap([HeatRow("a", (cell(0.5), cell(1))), HeatRow("b", (cell(0),))]).data[0]

    assert list(trace.z) == [[0.5, 1], [0, None]]
    assert list(trace.customdata) == [["/cards/1/", "/cards/1/"], ["/cards/1/", ""]]


def test_every_cell_has_words_so_that_colour_is_never_alone():
    figure = heatmap([HeatRow("a", (cell(0.42, "42 %"),))])

    assert list(figure.data[0].text) == [["42 %"]]
    assert figure.data[0].texttemplate == "%{text}"


@pytest.mark.parametrize(
    ("level", "ink"),
    [
        (None, "border"),
        (0, "seq-0"),
        (0.16, "seq-0"),
        (0.5, "seq-3"),
        (0.99, "seq-5"),
        (1, "seq-5"),
        (1.01, "over"),
        (9, "over"),
    ],
)
def test_each_level_has_its_colour(level, ink):
    trace = heatmap([HeatRow("a", (cell(level),))]).data[0]
    place = (trace.z[0][0] - trace.zmin) / (trace.zmax - trace.zmin)
    around = [(low, high) for low, high in itertools.pairwise(trace.colorscale) if low[0] <= place <= high[0]]

    assert {f"var(--{ink})"} in [{low[1], high[1]} for low, high in around]


def test_names_that_are_markup_stay_text():
    figure = heatmap([HeatRow("<b>a</b>", (cell(0, "<i>"),))])

    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;a&lt;/b&gt;",)
    assert list(figure.data[0].text) == [["&lt;i&gt;"]]


def test_no_rows_give_an_empty_figure():
    assert not heatmap([]).data[0].z
