"""What the JSON and the YAML reader share: limits, exact numbers, and the mark for a value that cannot be accepted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pools.domain.errors import Undecodable
from pools.wire.fields import segment

MAX_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """
    Bounds on one payload; beyond any of them the whole payload is refused.

    `max_bytes` counts the text as received (after decompression), `max_objects` the objects after lists are taken
    apart, `max_depth` nested lists and mappings, `max_aliases` uses of YAML anchors, `max_expansion` the values that
    those uses stand for together.
    """

    max_bytes: int = 64 * 2**20
    max_objects: int = 50_000
    max_depth: int = 64
    max_aliases: int = 10_000
    max_expansion: int = 1_000_000

    def too_deep(self) -> Undecodable:
        """The error for a payload that nests too deeply."""
        return Undecodable(f"lists and mappings nest deeper than {self.max_depth} levels")


@dataclass(frozen=True, slots=True)
class Fault:
    """Stands in a parsed tree in place of a value that cannot be accepted, so that only its object is refused."""

    reason: str


@dataclass(slots=True)
class Parsed:
    """The values of a stream, in order; `faulty` tells that a Fault stands somewhere among them."""

    values: list[Any]
    faulty: bool = False


class NotThisFormat(Exception):
    """The text is not what a reader expects; `parsed` holds what came before, `fault` says where it went wrong."""

    def __init__(self, parsed: Parsed, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.parsed = parsed
        self.fault = fault


def number(digits: str) -> int | float | str | Fault:
    """
    A decimal number as the plain JSON value that loses nothing of it.

    An integer stays one; a fraction becomes the double that names the same amount or, when none does, stays text
    (which is just as good a quantity).
    """
    if len(digits) > MAX_DIGITS:
        return Fault(f"number of more than {MAX_DIGITS} characters: {digits[:24]}…")
    if digits.lstrip("+-").isdecimal():
        return int(digits)
    double = float(digits)
    try:
        exact = math.isfinite(double) and Decimal(repr(double)) == Decimal(digits)
    except ArithmeticError:
        exact = False
    return double if exact else digits


def faults(value: Any, path: str = "") -> Iterator[tuple[str, Fault]]:
    """Every Fault in a tree with its path, in document order; also NUL and lone surrogates, which no store can keep."""
    match value:
        case Fault():
            yield path, value
        case dict():
            for key, inner in value.items():
                if not storable(key):
                    yield f"{path}.{segment(key)}".lstrip("."), Fault("a key holds U+0000 or half a character")
                yield from faults(inner, f"{path}.{segment(key)}".lstrip("."))
        case list():
            for index, inner in enumerate(value):
                yield from faults(inner, f"{path}[{index}]")
        case str() if not storable(value):
            yield path, Fault("the text holds U+0000 or half a character")


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> bool:
    """Whether every store can keep the text: no NUL, no half of a surrogate pair."""
    return _UNSTORABLE.search(text) is None


def too_deep(value: Any, max_depth: int) -> bool:
    """Whether lists and mappings nest deeper than *max_depth*; found level by level, without recursion."""
    level = [value]
    for _ in range(max_depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer if type(outer) is list else ())
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return False
    return any(type(value) in _CONTAINERS for value in level)


_CONTAINERS = (dict, list)
