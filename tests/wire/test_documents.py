"""Payloads are taken apart into objects; what is wrong with one does not harm the others, and limits hold."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.domain.errors import Undecodable
from pools.wire.documents import Document, Limits, read

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}


def raws(data: bytes | str, **options: Any) -> list[Any]:
    found = read(data.encode() if isinstance(data, str) else data, **options)
    return [entry.raw if isinstance(entry, Document) else entry for entry in found]


def refusal(data: bytes | str, **options: Any) -> str:
    with pytest.raises(Undecodable) as caught:
        read(data.encode() if isinstance(data, str) else data, **options)
    return str(caught.value)


def faults(data: str) -> list[tuple[str, str, str, str]]:
    return [
        (entry.where, entry.object, entry.path, entry.reason)
        for entry in read(data.encode(), source="f")
        if isinstance(entry, Undecodable)
    ]


def assert_read_or_refused(data: bytes) -> None:
    try:
        found = read(data)
    except Undecodable as fault:
        found = [fault]
    assert all(isinstance(entry, Document) or entry.reason for entry in found)


class TestTakingApart:
    def test_a_single_object_is_called_by_its_source(self) -> None:
        assert read(json.dumps(POD).encode(), source="pod.json") == [Document(POD, "pod.json")]

    def test_a_stream_counts_documents_and_skips_empty_ones(self) -> None:
        found = read(b"---\n---\na: 1\n---\n# nothing\n---\nb: 2\n", source="s.yaml")
        assert found == [Document({"a": 1}, "s.yaml[1]"), Document({"b": 2}, "s.yaml[3]")]

    def test_an_empty_payload_holds_nothing(self) -> None:
        assert read(b"") == read(b" \n# only a comment\n") == read(b"---\n") == []

    def test_lists_within_lists_are_flattened_in_order(self) -> None:
        inner = {"kind": "List", "apiVersion": "v1", "items": [{**POD, "n": 2}]}
        outer = {"kind": "List", "apiVersion": "v1", "items": [{**POD, "n": 1}, inner, {**POD, "n": 3}]}
        found = read(json.dumps(outer).encode(), source="l")
        assert [entry.where for entry in found] == ["l.items[0]", "l.items[1].items[0]", "l.items[2]"]
        assert [entry.raw["n"] for entry in found] == [1, 2, 3]

    def test_items_of_a_typed_list_get_its_kind_and_version(self) -> None:
        data = "apiVersion: resource.k8s.io/v1\nkind: ResourceSliceList\nlistMeta: {}\nitems: [{metadata: {name: a}}]"
        assert raws(data) == [
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}},
        ]

    def test_what_an_item_says_itself_wins(self) -> None:
        data = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSliceList", "items": [POD]}
        assert raws(json.dumps(data)) == [POD]

    def test_a_list_without_items_holds_nothing(self) -> None:
        assert raws("{kind: List, apiVersion: v1}") == raws("{kind: PodList, apiVersion: v1, items: null}") == []

    def test_sequences_at_the_top_are_taken_apart(self) -> None:
        found = read(b"- a: 1\n- [{b: 2}]\n", source="f")
        assert found == [Document({"a": 1}, "f[0]"), Document({"b": 2}, "f[1][0]")]

    def test_json_values_may_follow_each_other(self) -> None:
        assert raws('{"a":1}\n{"b":2} {"c":3}') == [{"a": 1}, {"b": 2}, {"c": 3}]

    def test_json_documents_may_stand_between_yaml_separators(self) -> None:
        assert raws('{"a":1}\n---\n{"b":2}\n') == [{"a": 1}, {"b": 2}]

    def test_a_flow_mapping_in_yaml_is_not_mistaken_for_json(self) -> None:
        assert raws("{kind: Pod, metadata: {name: p}}") == [{"kind": "Pod", "metadata": {"name": "p"}}]

    def test_what_is_no_object_is_refused_alone(self) -> None:
        data = '[{"a":1}, 5, null, "x", {"kind": "List", "items": 7}]'
        assert faults(data) == [
            ("f[1]", "", "", "expected an object, got the number 5"),
            ("f[2]", "", "", "expected an object, got null"),
            ("f[3]", "", "", "expected an object, got the string 'x'"),
            ("f[4]", "List", "items", "expected a list, got the number 7"),
        ]
        assert raws(data)[0] == {"a": 1}


class TestOneFaultDoesNotHarmOthers:
    def test_a_repeated_key_in_json_names_object_and_path(self) -> None:
        good, bad = json.dumps(POD), '{"kind":"Pod","metadata":{"name":"q","labels":{"a":"1","b":"2","a":"3"}}}'
        data = f'{{"kind":"List","items":[{good},{bad},{good}]}}'
        assert faults(data) == [
            ("f.items[1]", "Pod q", "metadata.labels.a", "the key 'a' stands twice in one object"),
        ]
        assert raws(data)[::2] == [POD, POD]

    def test_a_repeated_key_in_yaml_tells_the_line(self) -> None:
        data = "kind: Pod\nmetadata: {name: q}\nspec:\n  a: 1\n  b: 2\n  a: 3\n---\nkind: Pod\n"
        assert faults(data) == [("f[0]", "Pod q", "spec.a", "the key 'a' stands twice in one mapping (line 6)")]
        assert raws(data)[1] == {"kind": "Pod"}

    def test_keys_that_differ_only_in_spelling_are_the_same_key(self) -> None:
        assert "stands twice" in faults(r'{"a":1,"\u0061":2}')[0][3]
        assert "stands twice" in faults("{1: a, '1': b}")[0][3]

    def test_a_repeated_key_is_found_however_numbers_are_written(self) -> None:
        assert "stands twice" in faults('{"a":1,"a":2,"x":1E2,"y":1E2,"z":1E2}')[0][3]

    def test_a_repeated_items_key_is_told_once_for_the_list(self) -> None:
        assert faults('{"kind":"List","items":[],"items":[{"a":1}]}') == [
            ("f", "List", "items", "the key 'items' stands twice in one object"),
        ]

    def test_a_fault_beside_the_items_is_told_and_the_items_kept(self) -> None:
        data = '{"kind":"List","metadata":{"a":1,"a":2},"items":[{"a":1}]}'
        assert [fault[2] for fault in faults(data)] == ["metadata.a"]
        assert raws(data)[1:] == [{"a": 1}]

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_json_constants_that_are_no_numbers_are_refused(self, constant: str) -> None:
        data = f'[{{"a":1}},{{"kind":"Pod","x":[{constant}]}}]'
        assert faults(data) == [("f[1]", "Pod", "x[0]", f"{constant} is not a number in JSON")]
        assert raws(data)[0] == {"a": 1}

    @pytest.mark.parametrize("constant", [".nan", ".NaN", ".inf", "-.INF", "+.Inf"])
    def test_yaml_constants_that_are_no_numbers_are_refused(self, constant: str) -> None:
        assert faults(f"kind: Pod\nx: {constant}") == [
            ("f", "Pod", "x", f"{constant} is not a number in JSON (line 2)"),
        ]

    def test_a_syntax_error_leaves_the_documents_before_it(self) -> None:
        data = "a: 1\n---\nb: 2\n---\nc: [1,\nd: }\n---\ne: 5\n"
        assert raws(data)[:2] == [{"a": 1}, {"b": 2}]
        ((where, _, _, reason),) = faults(data)
        assert where == "f[2]"
        assert reason.startswith("not YAML: ")
        assert "(line 6, " in reason

    def test_a_broken_json_stream_leaves_the_values_before_it(self) -> None:
        data = '{"a":1}\n{"b":2,}\n{"c":'
        assert raws(data)[0] == {"a": 1}
        assert "not JSON" in faults(data)[-1][3]
        assert "line" in faults(data)[-1][3]

    def test_an_anchor_that_never_was_is_told_with_its_line(self) -> None:
        assert faults("kind: Pod\nx: *gone\n") == [("f", "Pod", "x", "alias *gone has no finished anchor (line 2)")]

    def test_an_anchor_inside_itself_is_refused(self) -> None:
        assert "has no finished anchor" in faults("x: &x\n  y: *x\n")[0][3]

    def test_tags_beyond_json_are_refused(self) -> None:
        assert "tag" in faults("x: !!python/object:os.system {}")[0][3]
        assert "tag" in faults("x: !!set {a, b}")[0][3]
        assert "tag" in faults("x: !!binary aGVsbG8=")[0][3]
        assert "tag" in faults("x: !mine 5")[0][3]

    def test_keys_that_are_no_text_are_refused(self) -> None:
        assert faults("kind: Pod\n? [a, b]\n: 5\n")[0][3] == "a key must be text (line 2)"
        assert faults("kind: Pod\n~: 5\n")[0][3] == "a key must be text (line 2)"

    def test_nul_is_refused_wherever_it_is_hidden(self) -> None:
        assert faults(r'{"kind":"Pod","x":"a\u0000b"}')[0][2] == "x"
        assert faults('kind: Pod\nx: "a\\0b"\n')[0][2:] == ("x", "the text holds U+0000 (line 2)")
        assert "U+0000" in faults(r'{"kind":"Pod","a\u0000b":1}')[0][3]

    def test_half_a_character_is_refused(self) -> None:
        assert faults(r'{"kind":"Pod","x":"\ud83d"}')[0][2] == "x"
        assert raws(r'{"x":"\ud83d\ude00"}') == [{"x": "😀"}]


class TestWholePayloads:
    def test_what_is_not_utf8_is_refused_with_its_place(self) -> None:
        assert refusal(b"a: 1\nb: \xff\n", source="f") == "f: not UTF-8: byte 0xff at offset 8 (line 2)"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
    def test_other_unicode_encodings_are_named(self, encoding: str) -> None:
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        assert "publish UTF-8" in refusal(mark + "a: 1".encode(encoding))

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert raws(b"\xef\xbb\xbf" + b'{"a":1}') == raws(b"\xef\xbb\xbfa: 1") == [{"a": 1}]

    @pytest.mark.parametrize("sign", ["\0", "\x01", "\x07", "\x1b", "\x0b"])
    def test_control_characters_are_refused_with_their_line(self, sign: str) -> None:
        for text in (f"a: 1\nb: x{sign}\n", f'{{"a":\n"x{sign}"}}'):
            assert refusal(text) == f"control character U+{ord(sign):04X} in the text (line 2)"

    def test_signs_that_yaml_forbids_are_refused_with_their_line(self) -> None:
        assert refusal("a: 1\nb: \x7f\n") == "control character U+007F in the text (line 2)"
        assert refusal("a: 1\nb: \ufeff\n") == "control character U+FEFF in the text (line 2)"

    def test_json_is_complained_about_as_json(self) -> None:
        assert refusal('{"a": 1,\n "b" 2}').startswith("not JSON: ")
        assert "(line 2, " in refusal('{"a": 1,\n "b" 2}')

    def test_yaml_is_complained_about_as_yaml(self) -> None:
        assert refusal("a: [1, 2\nb: 3").startswith("not YAML: ")


class TestLimits:
    def test_bytes(self) -> None:
        assert refusal("a: 1234567", limits=Limits(max_bytes=9)) == "10 bytes are more than the 9 accepted at once"

    def test_objects(self) -> None:
        limits = Limits(max_objects=3)
        assert len(raws("[{}, {}, {}]", limits=limits)) == 3
        assert refusal("[{}, {}, {}, {}]", limits=limits) == "more than 3 objects at once"
        assert refusal("--- {}\n" * 4, limits=limits) == "more than 3 objects at once"

    @pytest.mark.parametrize("opener", ["[", '{"a":'])
    def test_depth_of_json(self, opener: str) -> None:
        limits = Limits(max_depth=10)
        closer = "]" if opener == "[" else "}"
        assert raws(opener * 9 + "{}" + closer * 9, limits=limits)
        assert "nest deeper than 10" in refusal(opener * 10 + "{}" + closer * 10, limits=limits) or opener == "["
        assert "nest deeper than 10" in refusal(opener * 11 + "1" + closer * 11, limits=limits)

    def test_depth_of_yaml(self) -> None:
        limits = Limits(max_depth=10)
        nested = "".join(" " * level + "a:\n" for level in range(10))
        assert raws(nested, limits=limits)
        assert "nest deeper than 10" in refusal(nested + " " * 10 + "a:\n" + " " * 11 + "b: 1\n", limits=limits)

    @pytest.mark.parametrize("opener", ["[", '{"a":', "{a: ", "- ", "? "])
    def test_a_million_levels_neither_crash_nor_take_long(self, opener: str) -> None:
        started = time.process_time()
        assert "nest deeper than" in refusal(opener * (200_000 if opener == "{a: " else 1_000_000))
        assert time.process_time() - started < 10

    def test_a_million_levels_inside_a_list_of_json_are_refused(self) -> None:
        assert "nest deeper than" in refusal('{"kind":"List","items":[' + "[" * 1_000_000 + "]" * 1_000_000 + "]}")

    def test_aliases(self) -> None:
        data = "a: &a 1\nb: [" + "*a, " * 11 + "]"
        assert refusal(data, limits=Limits(max_aliases=10)) == "more than 10 YAML aliases"
        assert raws(data, limits=Limits(max_aliases=11))[0]["b"] == [1] * 11

    def test_a_billion_laughs_are_cut_short(self) -> None:
        lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
        lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 12)]
        started = time.process_time()
        assert "expand to more than" in refusal("\n".join(lines))
        assert time.process_time() - started < 5

    def test_a_billion_merges_are_cut_short(self) -> None:
        lines = ["a0: &a0 {x: [1, 2, 3, 4, 5, 6, 7, 8, 9]}"]
        lines += [
            f"a{level}: &a{level} {{" + ", ".join(f"k{i}: *a{level - 1}" for i in range(9)) + f", <<: *a{level - 1}}}"
            for level in range(1, 12)
        ]
        assert "expand to more than" in refusal("\n".join(lines))

    @pytest.mark.parametrize("digits", ["9" * 101, "9" * 5000, "0x" + "f" * 200, "1" * 200 + ".5", "-" + "9" * 101])
    def test_numbers_of_any_length_do_no_harm(self, digits: str) -> None:
        assert "number of more than 100" in faults(f"kind: Pod\nx: {digits}")[0][3]

    @pytest.mark.parametrize("digits", ["9" * 5000, "1" * 200 + ".5", "1e" + "9" * 120])
    def test_json_numbers_of_any_length_do_no_harm(self, digits: str) -> None:
        assert "number of more than 100" in faults(f'{{"kind":"Pod","x":{digits}}}')[0][3]

    def test_exponents_of_any_size_do_no_harm(self) -> None:
        assert raws('{"x":1e999999999,"y":1e-999999999}') == [{"x": "1e999999999", "y": "1e-999999999"}]
        assert raws("{x: 1e99999999999999999999}") == [{"x": "1e99999999999999999999"}]


class TestNumbersInJson:
    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("5", 5),
            ("-0", 0),
            ("123456789012345678901234567890", 123456789012345678901234567890),
            ("0.1", 0.1),
            ("1.50", 1.5),
            ("1e3", 1000.0),
            ("0.12345678901234567891", "0.12345678901234567891"),
            ("1e400", "1e400"),
        ],
    )
    def test_no_digit_is_lost(self, written: str, value: object) -> None:
        ((found),) = [entry["x"] for entry in raws(f'{{"x":{written}}}')]
        assert found == value
        assert type(found) is type(value)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=4), PLAIN, max_size=4), st.integers(0, 2), st.booleans())
def test_whatever_json_says_is_read_as_it_says(value: dict[str, Any], indent: int, ascii_only: bool) -> None:
    text = json.dumps([value], indent=indent or None, ensure_ascii=ascii_only)
    (found,) = raws(text) or [None]
    if isinstance(found, Undecodable):
        assert "U+0000" in found.reason
        assert "\\u0000" in json.dumps(value)
    elif found is not None and not (isinstance(value.get("kind"), str) and value["kind"].endswith("List")):
        assert found == value


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_make_the_reader_fail_otherwise(data: bytes) -> None:
    assert_read_or_refused(data)


@given(st.text(alphabet="{}[]:,-?&*!|>'\"#%@` \nab01<.", max_size=60))
def test_no_punctuation_makes_the_reader_fail_otherwise(text: str) -> None:
    assert_read_or_refused(text.encode())
