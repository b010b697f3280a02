"""How many more of each type fit: alternatives side by side, never a sum."""

from pools.figures.types_remaining import Remaining, types_remaining


def rows():
    return [
        Remaining("7g", 1, 0, 0, 0),
        Remaining("3g", 2, 1, 1, 1),
        Remaining("1g", 7, 0, 5, 3),
        Remaining("x", 9, 0, 4, 4, False),
    ]


def test_each_type_has_its_own_bar_with_its_number():
    bar = types_remaining(rows()).data[0]

    assert bar.x == (0, 1, 5, 4)
    assert bar.text == ("0 – none fits", "1", "5", "≥ 4")


def test_bars_are_never_stacked():
    assert types_remaining(rows()).layout.barmode != "stack"


def test_the_scheduler_s_order_is_marked_only_where_it_places_fewer():
    mark = types_remaining(rows()).data[1]

    assert (mark.y, mark.x) == ((2,), (3,))


def test_hover_tells_all_four_numbers():
    assert types_remaining(rows()).data[0].hovertext[2] == (
        "1g<br>5 more at most<br>3 in the scheduler's order<br>0 of 7 allocated"
    )


def test_no_types_give_an_empty_figure():
    assert types_remaining([]).data[0].x == ()
