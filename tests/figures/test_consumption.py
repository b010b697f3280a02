"""Bars of counters: who has how much, what is free, and what is too much."""

import json

import pytest

from pools.domain.ids import ClaimId
from pools.figures.consumption import CounterBar, consumption
from pools.figures.palette import claim_styles
from tests.figures.samples import counter, holder


def draw(*uses):
    styles = claim_styles(held.claim for use in uses for hold in use.holds for held in hold.holders)
    return consumption([CounterBar(use.id.counter, use) for use in uses], styles=styles)


def bars(figure):
    return {trace.name: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}


def notes(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def test_each_claim_has_its_part_and_the_rest_is_free():
    figure = draw(counter("memory", "40Gi", ("ml/a", "gpu-0", "10Gi"), ("ml/b", "gpu-1", "20Gi")))

    assert bars(figure) == {"ml/a": {0: 25}, "ml/b": {0: 50}, "free": {0: 25}}


def test_a_claim_has_one_hue_and_pattern_over_all_counters():
    figure = draw(counter("a", "4", ("ml/x", "d", "1")), counter("b", "4", ("ml/x", "d", "2"), ("ml/y", "e", "1")))

    assert bars(figure)["ml/x"] == {0: 25, 1: 50}
    looks = {(trace.marker.color, trace.marker.pattern.shape) for trace in figure.data if trace.name != "free"}
    assert len(looks) == 2


def test_two_devices_of_one_claim_are_one_part_that_names_both():
    figure = draw(counter("memory", "4", ("ml/x", "gpu-0", "1"), ("ml/x", "gpu-1", "1")))

    assert bars(figure)["ml/x"] == {0: 50}
    assert "gpu-0, gpu-1" in figure.data[0].hovertext[0]


def test_a_shared_device_is_drawn_once_for_all_its_claims():
    use = counter("memory", "4", ("ml/x", "gpu-0", "2"))
    hold = use.holds[0]
    shared = type(hold)(hold.device, hold.nano, (*hold.holders, holder("ml/y", "gpu-0")))

    figure = draw(type(use)(use.id, use.capacity, use.consumed_nano, (shared,)))

    assert bars(figure) == {"shared by 2 claims": {0: 50}, "free": {0: 50}}
    assert figure.data[0].hovertext[0].startswith("ml/x<br>ml/y<br>")
    assert figure.data[0].marker.color == "var(--muted)"


def test_use_beyond_capacity_runs_past_the_line_and_says_by_how_much():
    figure = draw(counter("memory", "40Gi", ("ml/x", "gpu-0", "50Gi")))

    assert bars(figure) == {"ml/x": {0: 125}, "free": {}}
    assert notes(figure) == ["10 Gi over"]
    assert figure.layout.xaxis.range[1] > 125


@pytest.mark.parametrize(
    ("capacity", "note"),
    [("0", "capacity 0, 2 drawn"), ("-3", "capacity -3, 2 drawn"), ("", "capacity unknown, 2 drawn")],
)
def test_a_counter_without_capacity_says_so_in_words(capacity, note):
    assert notes(draw(counter("odd", capacity, ("ml/x", "gpu-0", "2")))) == [note]


def test_a_bar_that_is_only_a_lower_bound_says_so():
    assert notes(draw(counter("memory", "4", uncertain=True))) == ["at least: a device in use is gone"]


def test_the_published_text_stands_behind_the_human_amount():
    text = draw(counter("memory", "40192Mi", ("ml/x", "gpu-0", "19968Mi"))).data[0].hovertext[0]

    assert "19.5 Gi (19968Mi) of 39.25 Gi (40192Mi)" in text


def test_no_name_can_bring_markup_into_the_figure():
    figure = draw(counter("<b>m</b>", "4", ("n/<script>alert(1)</script>", "<i>d</i>", "1")))

    text = json.dumps(figure.to_plotly_json(), default=str)
    assert all(markup not in text for markup in ("<script", "<b>", "<i>"))


def test_an_empty_list_is_an_empty_figure():
    assert bars(draw()) == {"free": {}}


def test_the_style_of_a_claim_is_known_for_every_holder():
    with pytest.raises(KeyError):
        consumption([CounterBar("m", counter("m", "4", ("ml/x", "d", "1")))], styles={ClaimId("a", "b"): None})
