"""Quantities are read exactly as Kubernetes reads them, ordered by amount, and written back without loss."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.domain.quantity import (
    MAX_EXPONENT,
    NANO,
    UNKNOWN,
    Quantity,
    family,
    format_nano,
    human,
    parse_quantity,
)

MAX_INT64 = 2**63 - 1

# Each row was compared with apimachinery 0.37.2.
READ = {
    "0": 0,
    "1": 1,
    "-2": -2,
    "+3k": 3000,
    "1.5": Fraction(3, 2),
    ".5": Fraction(1, 2),
    "5.": 5,
    "1.2345": Fraction(12345, 10000),
    "100m": Fraction(1, 10),
    "0.1m": Fraction(1, 10000),
    "7u": Fraction(7, 10**6),
    "1E": 10**18,
    "1E3": 1000,
    "1e3": 1000,
    "12e6": 12_000_000,
    "1e-3": Fraction(1, 1000),
    "1E-2": Fraction(1, 100),
    "1e+2": 100,
    "01": 1,
    "1Ki": 1024,
    "0.5Ki": 512,
    "1.5Gi": 3 * 2**29,
    "40Gi": 40 * 2**30,
    "4864Mi": 4864 * 2**20,
    "18446744073709551616": 2**64,
    "1e19": 10**19,
    "7Ei": 7 * 2**60,
    "8Ei": MAX_INT64,
    "-9Ei": -MAX_INT64,
    "999999999999999999999999Ki": MAX_INT64,
    "0.9n": Fraction(1, NANO),
    "0.1n": Fraction(1, NANO),
    "-0.1n": Fraction(-1, NANO),
    "-1.5n": Fraction(-2, NANO),
    "1e-10": Fraction(1, NANO),
    "0.0001Ki": Fraction(1024, 10000),
    " 1": 1,
    "1 ": 1,
}
REFUSED = [
    "",
    " ",
    "1K",
    "1ki",
    "1 Gi",
    "Gi",
    "k",
    "-",
    ".",
    "1e",
    "1e1.5",
    "1_000",
    "1,5",
    "NaN",
    "Infinity",
    "٣",
    "0x10",
    "1.2.3",
    "++1",
    "1mm",
    "1GiB",
    "1\n2",
]


@pytest.mark.parametrize(("text", "amount"), READ.items())
def test_a_quantity_is_read_exactly(text: str, amount: int | Fraction) -> None:
    assert parse_quantity(text).value == amount
    assert parse_quantity(text).text == text.strip()


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_quantity_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ValueError, match="quantity"):
        parse_quantity(text)


def test_length_and_exponent_are_bounded() -> None:
    assert parse_quantity("1" * 64).value == int("1" * 64)
    with pytest.raises(ValueError, match="longer than 64"):
        parse_quantity("1" * 65)
    assert parse_quantity(f"1e{MAX_EXPONENT}").value == 10**MAX_EXPONENT
    for text in ("1e100", "1e-100", "1e999999999"):
        with pytest.raises(ValueError, match="exponent beyond"):
            parse_quantity(text)


def test_equality_order_and_hash_go_by_amount_alone() -> None:
    one, same, more = parse_quantity("40Gi"), parse_quantity("40960Mi"), parse_quantity("41Gi")
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same, more}) == 2
    assert one < more
    assert more > same
    assert one <= same <= more
    assert more >= one
    assert one != "40Gi"


def test_an_amount_not_published_counts_as_zero_and_is_told_apart() -> None:
    assert parse_quantity("0") == UNKNOWN
    assert UNKNOWN.is_unknown
    assert not parse_quantity("0").is_unknown
    assert str(UNKNOWN) == "unknown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40Gi", "binary"),
        ("1k", "decimal"),
        ("1", "decimal"),
        ("1E", "decimal"),
        ("1e3", "exponent"),
        ("1E-3", "exponent"),
    ],
)
def test_the_family_is_told_by_the_suffix(text: str, expected: str) -> None:
    assert family(text) == expected


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.5Gi", "1536Mi"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("1024Ki", "1Mi"),
        ("1000", "1k"),
        ("512", "512"),
        ("0Gi", "0"),
        ("-2048Ki", "-2Mi"),
    ],
)
def test_amounts_are_written_with_the_largest_suffix_that_leaves_an_integer(text: str, canonical: str) -> None:
    assert format_nano(parse_quantity(text).nano, like=text) == canonical


SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "E-2", "e0"]
TEXTS = st.builds(
    lambda sign, whole, part, suffix: f"{sign}{whole}{part}{suffix}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**12),
    st.sampled_from(["", ".", ".5", ".125", ".000000001", ".999"]),
    st.sampled_from(SUFFIXES),
)
AMOUNTS = st.integers(-(10**40), 10**40)


@given(TEXTS)
def test_whatever_is_read_is_written_back_to_the_same_amount(text: str) -> None:
    quantity = parse_quantity(text)
    assert parse_quantity(format_nano(quantity.nano, like=text)) == quantity


@given(AMOUNTS, st.sampled_from(["", "1Gi", "1e3"]))
def test_any_amount_survives_writing_and_reading(nano: int, like: str) -> None:
    written = format_nano(nano, like)
    if family(like) != "binary" or abs(nano) <= MAX_INT64 * NANO:
        assert parse_quantity(written).nano == nano


@given(TEXTS, TEXTS)
def test_the_order_is_that_of_the_numbers(left: str, right: str) -> None:
    a, b = parse_quantity(left), parse_quantity(right)
    assert (a < b) == (a.value < b.value)
    assert (a == b) == (a.value == b.value)
    assert (a >= b) == (not a < b)


@given(st.integers(0, 10**30), st.integers(1, 10**20))
def test_finer_than_a_billionth_is_rounded_away_from_zero(whole: int, below: int) -> None:
    fraction = f"{below:020d}"
    positive, negative = parse_quantity(f"{whole}.{fraction}"), parse_quantity(f"-{whole}.{fraction}")
    exact = Fraction(f"{whole}.{fraction}")
    assert 0 <= positive.value - exact < Fraction(1, NANO)
    assert negative.nano == -positive.nano


@given(st.text(max_size=70))
def test_no_text_makes_the_reader_fail_otherwise(text: str) -> None:
    try:
        assert isinstance(parse_quantity(text), Quantity)
    except ValueError as fault:
        assert str(fault)  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("40Gi", "40 Gi"),
        ("19968Mi", "19.5 Gi"),
        ("42949672960", "40 Gi"),
        ("98", "98"),
        ("0", "0"),
        ("500m", "500 m"),
        ("12345", "12.35 k"),
        ("-40Gi", "-40 Gi"),
    ],
)
def test_people_see_few_digits(text: str, shown: str) -> None:
    assert human(parse_quantity(text).nano, like=text) == shown


@given(AMOUNTS, st.sampled_from(["", "1Gi", "1e3", "42949672960"]))
def test_any_amount_can_be_shown(nano: int, like: str) -> None:
    assert human(nano, like)
