"""The heat map: one cell a card, with words in it."""

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


def test_all_that_is_overcommitted_has_one_colour_of_its_own():
    figure = heatmap([HeatRow("a", (cell(1), cell(1.01), cell(9)))])
    scale = dict(reversed(figure.data[0].colorscale))

    assert figure.data[0].z[0][1] == figure.data[0].z[0][2] == figure.data[0].zmax
    assert scale[1.0] == "var(--over)"
    assert figure.data[0].z[0][0] / figure.data[0].zmax < min(
        at for at, ink in figure.data[0].colorscale if "over" in ink
    )


def test_names_that_are_markup_stay_text():
    figure = heatmap([HeatRow("<b>a</b>", (cell(0, "<i>"),))])

    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;a&lt;/b&gt;",)
    assert list(figure.data[0].text) == [["&lt;i&gt;"]]


def test_no_rows_give_an_empty_figure():
    assert not heatmap([]).data[0].z
