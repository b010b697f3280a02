"""Typed access to the fields of a decoded JSON object; a wrong type becomes Undecodable with the path of the field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from pools.domain.errors import Undecodable
from pools.domain.quantity import UNKNOWN, Quantity, parse_quantity

Raw = Mapping[str, Any]
T = TypeVar("T")

MAX_NAME = 253
MAX_LABEL = 63
MAX_LABEL_KEY = MAX_NAME + 1 + MAX_LABEL
_SHOWN = 40
_INT64 = 2**63
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def shown(value: object) -> str:
    """A value for an error message: its type, and the start of it when it is a scalar."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return f"the string {_short(repr(value))}"
        case _:
            return f"the number {_short(str(value))}" if abs(float_or_zero(value)) < 1e60 else "a huge number"


def float_or_zero(value: object) -> float:
    """The rough size of a number; infinity when it is too big for a float, 0 for what is no number."""
    if not isinstance(value, int | float):
        return 0.0
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def segment(key: str) -> str:
    """A key as part of a path: shortened, and quoted when it holds signs that do not print."""
    return _short(key if key.isprintable() else repr(key))


def wrong(expected: str, value: object, path: str = "") -> Undecodable:
    """The error for a value of the wrong type."""
    return Undecodable(f"expected {expected}, got {shown(value)}", path)


def missing(path: str) -> Undecodable:
    """The error for a required field that is absent, null or empty."""
    return Undecodable("required, but missing", path)


def check_name(value: str, path: str, limit: int = MAX_NAME) -> str:
    """*value* when it can serve as a name: not too long, and nothing in it that does not print."""
    if len(value) > limit:
        raise Undecodable(f"longer than {limit} characters: {_short(value)!r}", path)
    if not value.isprintable():
        raise Undecodable(f"holds control or invisible characters: {_short(repr(value))}", path)
    return value


def text(raw: Raw, key: str, limit: int | None = None) -> str:
    """An optional string; absent and null are empty. With *limit* it must also serve as a name."""
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong("a string", value, key)
    return value if limit is None else check_name(value, key, limit)


def name(raw: Raw, key: str, limit: int = MAX_NAME) -> str:
    """A required name: a string, not empty, at most *limit* characters, all of which print."""
    value = raw.get(key)
    if value is None or value == "":
        raise missing(key)
    if not isinstance(value, str):
        raise wrong("a string", value, key)
    return check_name(value, key, limit)


def phrase(raw: Raw, key: str) -> str:
    """A required text of any length and content, such as a CEL expression."""
    value = text(raw, key)
    if not value:
        raise missing(key)
    return value


def flag(raw: Raw, key: str) -> bool:
    """An optional boolean; absent and null are False."""
    value = raw.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise wrong("true or false", value, key)
    return value


def as_integer(value: object, path: str = "") -> int:
    """*value* when it is an integer of 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong("an integer", value, path)
    if not -_INT64 <= value < _INT64:
        raise Undecodable("beyond 64 bits", path)
    return value


def integer(raw: Raw, key: str, default: int = 0, *, minimum: int | None = None) -> int:
    """An optional 64-bit integer; absent and null give *default*. Below *minimum* it is refused."""
    value = raw.get(key)
    if value is None:
        return default
    number = as_integer(value, key)
    if minimum is not None and number < minimum:
        raise Undecodable(f"must be at least {minimum}, is {number}", key)
    return number


def as_object(value: object, path: str = "") -> dict[str, Any]:
    """*value* when it is an object; null is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong("an object", value, path)
    return value


def child(raw: Raw, key: str) -> dict[str, Any]:
    """The object under *key*; absent and null are an empty one."""
    return as_object(raw.get(key), key)


def items(raw: Raw, key: str) -> list[Any]:
    """The list under *key*; absent and null are an empty one."""
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong("a list", value, key)
    return value


def strings(raw: Raw, key: str) -> tuple[str, ...]:
    """A list of strings; absent and null are an empty one."""
    values = items(raw, key)
    for index, value in enumerate(values):
        if not isinstance(value, str):
            raise wrong("a string", value, f"{key}[{index}]")
    return tuple(values)


def inside(raw: Raw, key: str, decode: Callable[[dict[str, Any]], T]) -> T:
    """What *decode* makes of the object under *key*, with *key* before the path of its errors."""
    value = child(raw, key)
    try:
        return decode(value)
    except Undecodable as fault:
        raise fault.under(key) from None


def each(raw: Raw, key: str, decode: Callable[[dict[str, Any]], T]) -> tuple[T, ...]:
    """What *decode* makes of each object in the list under *key*, with `key[i]` before the path of its errors."""
    values = items(raw, key)
    done: list[T] = []
    try:
        for value in values:
            if not isinstance(value, dict):
                raise wrong("an object", value)
            done.append(decode(value))
    except Undecodable as fault:
        raise fault.under(f"{key}[{len(done)}]") from None
    return tuple(done)


def as_quantity(value: object) -> Quantity:
    """
    A quantity, published as a string or a bare number; null is an amount that was not published.

    Raises:
        Undecodable: it is neither, or not a quantity by the grammar.
    """
    if isinstance(value, str):
        written = value
    elif value is None:
        return UNKNOWN
    elif isinstance(value, bool) or not isinstance(value, int | float) or float_or_zero(value) in _INFINITIES:
        raise wrong("a quantity such as 40Gi", value)
    else:
        written = str(value).removesuffix(".0")
    try:
        return parse_quantity(written)
    except ValueError as fault:
        raise Undecodable(str(fault)) from None


def quantity(raw: Raw, key: str) -> Quantity:
    """The quantity under *key*; absent and null mean that no amount was published."""
    try:
        return as_quantity(raw.get(key))
    except Undecodable as fault:
        raise fault.under(key) from None


_INFINITIES = (float("inf"), float("-inf"))


def named(raw: Raw, decode: Callable[[Any], T]) -> dict[str, T]:
    """A mapping from names to what *decode* makes of the values, with the name before the path of its errors."""
    done: dict[str, T] = {}
    key = ""
    try:
        for key, value in raw.items():
            if len(key) > MAX_NAME or not key.isprintable():
                check_name(key, "")
            done[key] = decode(value)
    except Undecodable as fault:
        raise fault.under(segment(key)) from None
    return done


def time(raw: Raw, key: str) -> str:
    """An optional RFC 3339 time, as text; absent and null are empty."""
    value = text(raw, key)
    if not value:
        return ""
    try:
        if _TIME.fullmatch(value):
            datetime.fromisoformat(value.upper())
            return value
    except ValueError:
        pass
    raise Undecodable(f"not a time such as 2026-12-01T10:00:00Z: {_short(repr(value))}", key)


_KEPT = 8192
_KEPT_BYTES = 4096


def interned(decode: Callable[[Any], T]) -> Callable[[Any], T]:
    """
    *decode*, but equal JSON gives the very same object, made once.

    Nodes of one model publish the same consumption and capacity over and over; finding the one already made costs a
    third of making it, and keeps one copy in memory. What *decode* returns must never be changed by anyone. The last
    8192 are kept, none of more than 4 KiB, so that hostile input cannot fill the memory.
    """

    @lru_cache(maxsize=_KEPT)
    def by_content(content: bytes) -> T:
        return decode(msgspec.json.decode(content))

    def by_value(value: Any) -> T:
        content = msgspec.json.encode(value)
        return by_content(content) if len(content) <= _KEPT_BYTES else decode(value)

    return by_value
