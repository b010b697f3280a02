"""Unquoted YAML scalars stand for what Kubernetes' own reader takes them for."""

from __future__ import annotations

import pytest

from pools.domain.quantity import parse_quantity
from pools.wire.documents import Document, read
from pools.wire.fields import as_quantity
from pools.wire.yaml_text import plain

# Compared with sigs.k8s.io/yaml 1.6.0 for each row; y and n are the one wanted difference (text here, booleans there).
SCALARS = {
    "true": True,
    "True": True,
    "yes": True,
    "YES": True,
    "on": True,
    "false": False,
    "no": False,
    "Off": False,
    "tRue": "tRue",
    "y": "y",
    "N": "N",
    "": None,
    "~": None,
    "Null": None,
    "none": "none",
    "0": 0,
    "-0": 0,
    "+3": 3,
    "12": 12,
    "010": 8,
    "0o17": 15,
    "08": 8,
    "0x10": 16,
    "0X1f": 31,
    "-0b101": -5,
    "1_000": 1000,
    "0x_0A": 10,
    "_1": "_1",
    "0b2": "0b2",
    "0xg": "0xg",
    "1:30": "1:30",
    "190:20:30.15": "190:20:30.15",
    "2001-12-14": "2001-12-14",
    "2026-12-01T10:00:00Z": "2026-12-01T10:00:00Z",
    "1e3": 1000,
    "1E3": 1000,
    "5e-1": 0.5,
    "1.0": 1,
    "0.10": 0.1,
    ".5": 0.5,
    "5.": 5,
    "-1.50": -1.5,
    "4_4.4": 44.4,
    "1e": "1e",
    "1E": "1E",
    "1.2.3": "1.2.3",
    "40Gi": "40Gi",
    "500m": "500m",
    ".": ".",
    "+": "+",
    "NaN": "NaN",
    "=": "=",
}


@pytest.mark.parametrize(("written", "value"), SCALARS.items())
def test_an_unquoted_scalar(written: str, value: object) -> None:
    assert plain(written) == value
    assert type(plain(written)) is type(value)


@pytest.mark.parametrize("written", [text for text in SCALARS if text not in ("", "=")])
def test_quoted_or_tagged_as_string_it_stays_text(written: str) -> None:
    for spelling in (f"'{written}'", f'"{written}"', f"!!str {written}", f"! {written}"):
        (document,) = read(f"x: {spelling}".encode())
        assert isinstance(document, Document)
        assert document.raw == {"x": written}


def test_tags_of_json_types_read_quoted_text() -> None:
    (document,) = read(
        b"{a: !!int '0x10', b: !!float '1.5', c: !!bool 'yes', d: !!null '', e: !!float 1, f: !!seq [1]}"
    )
    assert document.raw == {"a": 16, "b": 1.5, "c": True, "d": None, "e": 1, "f": [1]}


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("1e3", "1000"),
        ("0x10", "16"),
        ("1_000", "1000"),
        ("0.1", "0.1"),
        ("12345678901234567890", "12345678901234567890"),
        ("0.12345678901234567891", "0.12345678901234567891"),
        ("9007199254740993", "9007199254740993"),
        ("1E", "1E"),
        ("12e6", "12e6"),
        ("1.5Gi", "1.5Gi"),
        ("-2", "-2"),
        ("5.", "5"),
        (".5", "500m"),
        ("010", "8"),
    ],
)
def test_an_unquoted_quantity_loses_nothing(written: str, amount: str) -> None:
    (document,) = read(f"value: {written}".encode())
    assert isinstance(document, Document)
    assert as_quantity(document.raw["value"]) == parse_quantity(amount)


def test_keys_become_text() -> None:
    (document,) = read(b"{1: a, 1.5: b, yes: c, 0x10: d, '<<': e, 2001-01-01: f}")
    assert document.raw == {"1": "a", "1.5": "b", "true": "c", "16": "d", "<<": "e", "2001-01-01": "f"}


def test_anchors_and_merges_are_resolved() -> None:
    text = """
base: &base {a: 1, b: 2}
more: &more {b: 3, c: 4}
one: {<<: *base, b: 5}
both: {<<: [*more, *base], d: 6}
"""
    (document,) = read(text.encode())
    assert document.raw["one"] == {"a": 1, "b": 5}
    assert document.raw["both"] == {"a": 1, "b": 3, "c": 4, "d": 6}


def test_anchors_end_with_their_document() -> None:
    first, second = read(b"a: &x 1\nb: *x\n---\nc: *x\n")
    assert first.raw == {"a": 1, "b": 1}
    assert "has no finished anchor" in second.reason


def test_a_merge_of_anything_but_mappings_is_refused() -> None:
    (fault,) = read(b"x: {<<: [1]}")
    assert fault.path == "x.<<"
    assert "must be given mappings" in fault.reason


def test_block_scalars_keep_their_lines() -> None:
    (document,) = read(b"x: |\n  a\n  b\ny: >-\n  c\n  d\n")
    assert document.raw == {"x": "a\nb\n", "y": "c d"}
