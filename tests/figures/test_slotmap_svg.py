"""The slot map: cells, lanes, states and words, safe against any name."""

import re
from xml.etree import ElementTree

import pytest

from pools.domain.ids import CounterId
from pools.domain.state import SlotMap, SlotSpan
from pools.figures.slotmap_svg import Links, describe, pack, slotmap_svg
from tests.figures.samples import SET, holder, slot_map

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ['"><script>alert(1)</script>', "a\x00b", "a\u202eb", "]]>", "&lt;", "n" * 500, "\ud800"]


def draw(*maps, **more):
    return ElementTree.fromstring(slotmap_svg(maps, title="gpu-0", **more))


def titles(tree):
    return [title.text for title in tree.iter(f"{SVG}title")]


def test_every_cell_and_every_partition_is_named():
    told = titles(draw(slot_map({"3g.20gb@4": "ml/train"})))

    assert "memory-slice-0: free" in told
    assert "memory-slice-4: ml/train" in told
    assert "3g.20gb@4: allocated to ml/train, memory-slice 4–7" in told
    assert "1g.5gb@5: blocked, memory-slice 5" in told
    assert "1g.5gb@0: fits, memory-slice 0" in told


@pytest.mark.parametrize(("state", "word"), [("tainted", "tainted"), ("unavailable", "unusable")])
def test_a_state_is_told_in_words_and_not_by_colour_alone(state, word):
    svg = slotmap_svg([slot_map({}, {"3g.20gb@0": state})], title="x")

    assert re.search(rf"<text[^>]*>{word}</text>", svg)


def test_claims_differ_in_pattern():
    svg = slotmap_svg([slot_map({"1g.5gb@0": "ml/a", "1g.5gb@1": "ml/b"})], title="x")

    fills = set(re.findall(r'fill="(url\(#slots-claim[^"]+)"', svg))
    assert len(fills) == 2
    for fill in fills:
        assert f'<pattern id="{fill[5:-1]}"' in svg


def test_spans_of_one_type_that_overlap_lie_in_lanes_of_their_own():
    spans = [SlotSpan(name, "2g", "available", cells) for name, cells in [("a", (0, 1)), ("b", (1, 2)), ("c", (2, 3))]]
    [(name, lanes)] = pack(spans)

    assert name == "2g"
    assert [[span.device for span in lane] for lane in lanes] == [["a", "c"], ["b"]]


def test_the_widest_type_comes_first():
    assert [name for name, _ in pack(slot_map({}).spans)] == [
        "7g.40gb",
        "4g.20gb",
        "3g.20gb",
        "2g.10gb",
        "1g.10gb",
        "1g.5gb",
    ]


def test_cells_that_are_not_neighbours_are_drawn_apart_and_named_together():
    cells = tuple(CounterId(SET, f"chip-{index}") for index in range(4))
    odd = SlotMap("chip", cells, (SlotSpan("d", "pair", "available", (0, 2)),))

    assert "d: fits, chip 0, 2" in titles(draw(odd))


def test_a_cell_that_two_partitions_hold_is_marked():
    twice = slot_map({"7g.40gb@0": "ml/a", "1g.5gb@0": "ml/b"})
    svg = slotmap_svg([twice], title="x")

    assert "memory-slice-0: ml/a, ml/b" in titles(draw(twice))
    assert 'stroke-width="2.5"' in svg


def test_the_description_says_who_has_which_cells():
    assert describe([slot_map({"3g.20gb@4": "ml/a", "1g.5gb@0": "ml/b"})]) == (
        "memory-slice: 5 of 8 in use; ml/a has 4–7; ml/b has 0."
    )


def test_an_observer_with_admin_access_holds_nothing():
    span = SlotSpan("d", "t", "available", (0,), (holder("ops/watch", "d", admin=True),))
    svg = slotmap_svg([SlotMap("s", (CounterId(SET, "s-0"),), (span,))], title="x")

    assert "ops/watch" not in svg


def test_spans_lead_to_their_devices_and_nowhere_else():
    links = Links({"1g.5gb@0": "/devices/1/", "1g.5gb@1": "javascript:alert(1)", "1g.5gb@2": "//evil.example/"})
    svg = slotmap_svg([slot_map({})], title="x", links=links)

    assert re.findall(r'href="([^"]*)"', svg) == ["/devices/1/"]


def test_a_file_of_its_own_needs_no_style_sheet_and_runs_nothing():
    svg = slotmap_svg([slot_map({"3g.20gb@4": "ml/train"})], title="x", theme="dark")

    assert not re.search(r"<style|style=|<script|\son\w+=|<foreignObject", svg)
    assert re.search(r'<svg[^>]* width="\d+', svg)


def test_two_pictures_in_one_page_share_no_id():
    one, other = (slotmap_svg([slot_map({"1g.5gb@0": "a/b"})], title="x", prefix=prefix) for prefix in ("p", "q"))

    assert not set(re.findall(r'id="([^"]+)"', one)) & set(re.findall(r'id="([^"]+)"', other))


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_leaves_the_picture_well_formed_and_harmless(name):
    span = SlotSpan(name, name, "allocated", (0,), (holder(f"{name}/{name}", name),))
    picture = SlotMap(name, (CounterId(name, name), CounterId(name, f"{name}-1")), (span,))

    tree = draw(picture, links=Links({name: f"/devices/{name}"}))

    assert {element.tag for element in tree.iter()} <= {
        f"{SVG}{tag}"
        for tag in ("svg", "title", "desc", "defs", "pattern", "rect", "path", "circle", "g", "a", "text", "line")
    }


def test_many_cells_make_the_picture_wider_instead_of_thinner():
    cells = tuple(CounterId(SET, f"s-{index}") for index in range(64))
    tree = draw(SlotMap("s", cells, ()))

    assert float(tree.get("viewBox").split()[2]) > 64 * 20
