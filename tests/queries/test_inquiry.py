"""What-ifs as texts: read, written again, and refused with the part that is wrong."""

import json
from contextlib import suppress
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.domain.device import Taint
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.queries.inquiry import MOST_TEXT, as_json, as_query, layout_of, pack, read_json, read_values, unpack
from tests.web import objects


def values(**parts):
    return {key.rstrip("_"): [text] if isinstance(text, str) else text for key, text in parts.items()}


def test_every_part_is_understood():
    found = read_values(
        values(
            cluster="demo",
            claim="ml/a",
            pod=["ml/p", "ml/q"],
            template="ml/t",
            class_="mig",
            type="1g.5gb",
            count="2",
            selector="true",
            copies="3",
            release=["ml/a", "ml/b"],
            drain="n1",
            taint=["d/p/x", "d/a/b/y=k=v:NoExecute", "d/p/z=k"],
            untaint="d/p/x",
            grow=["n1:2", "n2"],
            swap="d/p/q",
            pool="d/p",
            card="c/1",
            layout="2 × 1g.5gb",
            emptied="1",
        )
    )

    assert (found.cluster, found.claims, found.pods) == (
        "demo",
        (ClaimId("ml", "a"),),
        (ClaimId("ml", "p"), ClaimId("ml", "q")),
    )
    assert (found.plain.device_class, found.plain.type, found.plain.count) == ("mig", "1g.5gb", 2)
    assert found.copies == 3
    assert found.scenario.taint == (
        (DeviceId("d", "p", "x"), Taint("what-if", effect="NoSchedule")),
        (DeviceId("d", "a/b", "y"), Taint("k", "v", "NoExecute")),
        (DeviceId("d", "p", "z"), Taint("k", effect="NoSchedule")),
    )
    assert found.scenario.grow == (("n1", 2), ("n2", 1))
    assert found.scenario.swap == PoolId("d", "p/q")
    assert (found.layout.card, found.layout.emptied, found.layout.wanted) == ("c/1", True, (("1g.5gb", 2),))


@pytest.mark.parametrize(
    ("given_", "path"),
    [
        (values(claim="nothing"), "claim[0]"),
        (values(release=["ml/a", "x"]), "release[1]"),
        (values(taint="d/p"), "taint[0]"),
        (values(taint="d/p/x=k:Later"), "taint[0]"),
        (values(grow="n1:0"), "grow[0]"),
        (values(grow="n1:many"), "grow[0]"),
        (values(swap="d"), "swap"),
        (values(copies="0", claim="ml/a"), "copies"),
        (values(copies="1e9"), "copies"),
        (values(type="1g.5gb"), "type"),
        (values(layout="2 × x"), "layout"),
        (values(layout="many", pool="d/p", card="c"), "layout"),
        (values(layuot="2 × x"), "layuot"),
        (values(cluster=["a", "b"]), "cluster"),
        (values(release=["ml/a"] * 101), "release"),
        (values(drain="x" * 2000), "drain[0]"),
        (values(drain="x\x00"), "drain[0]"),
        (values(objects="kind: [unclosed"), "objects"),
        (values(objects='{"kind": "Nonsense", "apiVersion": "v1", "metadata": {"name": "x"}}'), "objects"),
    ],
)
def test_what_cannot_be_understood_is_named(given_, path):
    with pytest.raises(ScenarioError) as caught:
        read_values(given_)

    assert caught.value.path.startswith(path)
    assert caught.value.reason


@pytest.mark.parametrize(
    "document", [[], "text", {"claim": {"a": 1}}, {"claim": [["x"]]}, {"nonsense": 1}, {"copies": 1.5}]
)
def test_json_that_is_no_what_if_is_refused(document):
    with pytest.raises(ScenarioError):
        read_json(document)


def test_numbers_flags_and_lists_may_be_json():
    found = read_json({"claim": "ml/a", "copies": 2, "release": ["ml/b"], "drain": None})

    assert (found.claims, found.copies, found.scenario.release) == ((ClaimId("ml", "a"),), 2, (ClaimId("ml", "b"),))


def test_objects_may_be_text_or_json():
    claim = objects.claim("wanted")

    for given_ in (json.dumps(claim), [claim], claim):
        assert [item.id for item in read_json({"objects": given_}).scenario.objects] == [ClaimId("ml", "wanted")]


def test_a_what_if_survives_its_address_and_its_document():
    text = json.dumps(objects.claim("wanted"))
    inquiry = read_values(values(cluster="demo", release=["ml/a", "ml/b"], objects=text, copies="2"))

    query = parse_qs(as_query(inquiry))
    query["objects"] = [unpack(each) for each in query.pop("doc")]
    assert read_values(query) == inquiry
    assert read_json(as_json(inquiry)) == inquiry


def test_parts_of_an_address_can_be_changed():
    inquiry = read_values(values(claim="ml/a", release=["ml/b"]))

    assert as_query(inquiry, release=[]) == "claim=ml%2Fa"
    assert as_query(inquiry, copies=["2"]) == "claim=ml%2Fa&release=ml%2Fb&copies=2"


@given(st.text(max_size=200))
def test_packed_text_is_unpacked_as_it_was(text):
    assert unpack(pack(text)) == text


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_what_was_not_packed_is_refused_or_harmless(text):
    with suppress(ScenarioError):
        assert isinstance(unpack(text), str)


def test_a_bomb_does_not_unpack():
    with pytest.raises(ScenarioError, match="MiB"):
        unpack(pack("x" * (MOST_TEXT + 1)))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("4 × 1g.10gb + 3 × 1g.5gb", (("1g.10gb", 4), ("1g.5gb", 3))),
        ("4x1g.10gb, 3 * 1g.5gb", (("1g.10gb", 4), ("1g.5gb", 3))),
        ("1 × 1g.5gb+me\n2 2x4", (("1g.5gb+me", 1), ("2x4", 2))),
        ("1 × 2 gpu + nic + 1 × gpu + nic", (("2 gpu + nic", 1), ("gpu + nic", 1))),
    ],
)
def test_layouts_are_read_as_people_write_them(text, entries):
    assert layout_of(text) == entries
