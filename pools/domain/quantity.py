"""Kubernetes quantities, exact: the number in billionths, and the text as published."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

NANO = 10**9
MAX_TEXT = 64
MAX_EXPONENT = 99
_CAP = (2**63 - 1) * NANO
_GRAMMAR = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)([A-Za-z]{0,2}|[eE][+-]?\d+)", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

Family = Literal["decimal", "binary", "exponent"]


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """
    An exact amount.

    `nano` is the amount times 10⁹ (a quantity is never finer than that); `text` is what was published, kept for
    display only. An empty text means that no amount was published: it counts as 0, as in the scheduler, and is
    shown as unknown. Equality, order and hash go by the amount alone.
    """

    nano: int
    text: str = ""

    @property
    def value(self) -> Fraction:
        return Fraction(self.nano, NANO)

    @property
    def is_unknown(self) -> bool:
        return self.text == ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nano == other.nano

    def __hash__(self) -> int:
        return hash(self.nano)

    def __lt__(self, other: Quantity) -> bool:
        return self.nano < other.nano

    def __le__(self, other: Quantity) -> bool:
        return self.nano <= other.nano

    def __gt__(self, other: Quantity) -> bool:
        return self.nano > other.nano

    def __ge__(self, other: Quantity) -> bool:
        return self.nano >= other.nano

    def __str__(self) -> str:
        return self.text or "unknown"


UNKNOWN = Quantity(0, "")


@lru_cache(maxsize=65536)
def parse_quantity(text: str) -> Quantity:
    """
    Read a quantity as Kubernetes does.

    Finer than a billionth is rounded away from zero; a binary suffix caps at 2⁶³-1. Surrounding white space is
    dropped, as JSON decoding of the Go type does.

    Args:
        text: at most 64 characters, exponent at most 99.

    Raises:
        ValueError: the text is no quantity, or beyond the limits; the message says which and quotes it.

    Source: apimachinery pkg/api/resource/quantity.go.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"quantity is longer than {MAX_TEXT} characters: {text[:24]!r}…")
    match = _GRAMMAR.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a quantity: {text!r}")
    sign, digits, suffix = match.groups()
    magnitude = Fraction(digits.rstrip(".") if digits.endswith(".") else digits) * _scale(suffix, text)
    scaled = magnitude * NANO
    nano = -(-scaled.numerator // scaled.denominator)
    if suffix in _BINARY:
        nano = min(nano, _CAP)
    return Quantity(-nano if sign == "-" else nano, text.strip())


def _scale(suffix: str, text: str) -> Fraction:
    if suffix in _BINARY:
        return Fraction(2 ** _BINARY[suffix])
    if suffix in _DECIMAL:
        return Fraction(10) ** _DECIMAL[suffix]
    exponent = re.fullmatch(r"[eE]([+-]?\d+)", suffix, re.ASCII)
    if exponent is None:
        raise ValueError(f"unknown suffix {suffix!r} in quantity {text!r}")
    if abs(int(exponent[1])) > MAX_EXPONENT:
        raise ValueError(f"exponent beyond ±{MAX_EXPONENT} in quantity {text!r}")
    return Fraction(10) ** int(exponent[1])


def family(text: str) -> Family:
    """Which way *text* is written: with a binary suffix, an exponent, or plain decimal."""
    stripped = text.strip()
    if stripped[-2:] in _BINARY:
        return "binary"
    return "exponent" if re.search(r"[eE][+-]?\d+$", stripped) else "decimal"


def format_nano(nano: int, like: str = "") -> str:
    """
    Write an amount as Kubernetes would: the largest suffix of the family that leaves an integer.

    Args:
        nano: the amount in billionths.
        like: a published text whose family (binary, decimal) is taken over.
    """
    if nano == 0:
        return "0"
    if family(like) == "binary" and nano % NANO == 0 and abs(nano) >= 1024 * NANO:
        whole = nano // NANO
        for suffix, bits in reversed(_BINARY.items()):
            if whole % (1 << bits) == 0:
                return f"{whole >> bits}{suffix}"
        return str(whole)
    for suffix, power in reversed(_DECIMAL.items()):
        unit = 10 ** (power + 9)
        if nano % unit == 0:
            return f"{nano // unit}{suffix}"
    raise AssertionError("every integer is a multiple of one billionth")


def human(nano: int, like: str = "") -> str:
    """
    Write an amount for a person: at most four significant digits, in the family of *like*, rounded for display only.

    Amounts written plainly stay plain below 10,000 (98 engines stay 98); bytes written without a suffix are shown
    binary from 1 MiB on, which is how every published memory counter means them.
    """
    sign, size = ("-", -nano) if nano < 0 else ("", nano)
    value = Fraction(size, NANO)
    if family(like) == "binary" or (like.isdecimal() and value >= 2**20 and int(value) % 1024 == 0):
        for suffix, bits in reversed(_BINARY.items()):
            if value >= 2**bits:
                return f"{sign}{_digits(value / 2**bits)} {suffix}"
        return f"{sign}{_digits(value)}"
    if value == 0 or (value.denominator == 1 and value < 10_000):
        return f"{sign}{int(value)}"
    for suffix, power in reversed(_DECIMAL.items()):
        if value >= Fraction(10) ** power:
            return f"{sign}{_digits(value / Fraction(10) ** power)}{' ' + suffix if suffix else ''}"
    return f"{sign}{_digits(value)}"


def _digits(value: Fraction) -> str:
    text = f"{float(value):.4g}" if value < 10_000 else f"{int(value):,}"
    return text
