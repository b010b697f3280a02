"""Functions on text: the strings library (version 2), format(), and Kubernetes' find and findAll."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from pools.core.cel_operators import to_string
from pools.core.cel_values import (
    MAPS,
    CelError,
    CelUnsupported,
    Duration,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    no_overload,
    type_name,
    unkey,
)

MAX_RESULT = 1 << 20
"""Longest text that a replacement, join or format may make here, in characters."""


def typed(*kinds: type) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Let a function be called only with as many arguments, of these types; else there is no such overload."""

    def wrap(function: Callable[..., Value]) -> Callable[..., Value]:
        def checked(*args: Value) -> Value:
            if len(args) > len(kinds) or any(type(arg) is not kind for arg, kind in zip(args, kinds, strict=False)):
                no_overload()
            return function(*args)

        return checked

    return wrap


def _short(text: str) -> str:
    if len(text) > MAX_RESULT:
        raise CelUnsupported(f"the text made is longer than {MAX_RESULT} characters")
    return text


def _range(text: str, index: int) -> int:
    if not 0 <= index <= len(text):
        raise CelError(f"index out of range: {index}")
    return index


@typed(str, int)
def _char_at(text: str, index: int) -> str:
    return text[_range(text, index) :][:1]


@typed(str, str, int)
def _index_of(text: str, part: str, offset: int = 0) -> int:
    if not part:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return text.find(part, offset) if offset < len(text) else -1


@typed(str, str, int)
def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if not part:
        return len(text) if offset is None else offset
    if offset is None:
        return text.rfind(part)
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


@typed(str)
def _lower(text: str) -> str:
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


@typed(str)
def _upper(text: str) -> str:
    return "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in text)


@typed(str, str, str, int)
def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    if len(new) * (len(text) + 1) > MAX_RESULT:
        raise CelUnsupported(f"the replacement may make a text longer than {MAX_RESULT} characters")
    return text.replace(old, new, max(count, -1))


@typed(str, str, int)
def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    if 0 < limit < len(text):
        return [*text[: limit - 1], text[limit - 1 :]]
    return list(text)


@typed(str, int, int)
def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        return text[_range(text, start) :]
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    return text[_range(text, start) : _range(text, end)]


@typed(str)
def _trim(text: str) -> str:
    return text.strip(
        " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
    )


_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


@typed(str)
def _quote(text: str) -> str:
    return f'"{"".join(_ESCAPES.get(c, c) for c in text)}"'


@typed(list, str)
def _join(parts: list[Value], separator: str = "") -> str:
    for part in parts:
        if type(part) is not str:
            raise CelError(f"join: invalid input: {part}")
    return _short(separator.join(parts))


@typed(str, str)
def _contains(text: str, part: str) -> bool:
    return part in text


@typed(str, str)
def _starts_with(text: str, part: str) -> bool:
    return text.startswith(part)


@typed(str, str)
def _ends_with(text: str, part: str) -> bool:
    return text.endswith(part)


CLAUSE = re.compile(r"%(?:(%)|(?:\.(\d*))?(.)?)", re.DOTALL | re.ASCII)
"""A clause of a format string: a doubled percent sign, or precision and verb."""
VERBS: dict[str, tuple[str, ...]] = {
    "d": ("int", "uint"),
    "f": ("double", "string"),
    "e": ("double", "string"),
    "b": ("int", "uint", "bool"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
    "o": ("int", "uint"),
}
"""Types each verb takes (`s` takes all that can be written)."""


def _literal(value: Value) -> str:
    """A member of a list or map, as format() writes it."""
    match value:
        case None:
            return "null"
        case float():
            text = f"{value:.6f}".replace("inf", "+Inf").replace("nan", "NaN").replace("-+", "-")
            return json.dumps(text) if not math.isfinite(value) else text
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes():
            return f"b{json.dumps(to_string(value), ensure_ascii=False)}"
        case Timestamp():
            return f'timestamp("{to_string(value)}")'
        case Duration():
            return f'duration("{to_string(value)}")'
    return _written(value)


def _written(value: Value) -> str:
    """The verb %s."""
    if value is None:
        return "null"
    if type(value) is list:
        return f"[{', '.join(map(_literal, value))}]"
    if type(value) in MAPS:
        pairs = sorted((_literal(unkey(k)), _literal(v)) for k, v in value.items())
        return f"{{{', '.join(f'{k}:{v}' for k, v in pairs)}}}"
    if type(value) in (bool, int, UInt, float, str, bytes, Timestamp, Duration, TypeValue):
        return to_string(value)
    raise CelError(f"error during formatting: string clause cannot be used on {type_name(value)}")


def _fixed(precision: str | None, value: Value) -> str:
    """The verb %f in the locale en_US, which Kubernetes always uses."""
    if type(value) is str:
        if value not in ("NaN", "Infinity", "-Infinity"):
            raise CelError("error during formatting: fixed-point clause can only be used on doubles, was given string")
        value = float(value)
    digits = int(precision or 6)
    if digits > 100:
        raise CelUnsupported("format() with more than 100 decimals cannot be evaluated here")
    return f"{value:,.{digits}f}".replace("inf", "∞").replace("nan", "NaN")


def _clause(verb: str, precision: str | None, value: Value) -> str:
    if verb == "s":
        return _written(value)
    if type_name(value) not in VERBS[verb]:
        raise CelError(f"error during formatting: %{verb} cannot be used on {type_name(value)}")
    if verb == "f":
        return _fixed(precision, value)
    if verb == "e":
        raise CelUnsupported("format() with %e, whose digits depend on a locale, cannot be evaluated here")
    if verb in ("x", "X"):
        data = value.encode() if type(value) is str else value
        return (
            data.hex().upper()
            if verb == "X" and type(data) is bytes
            else data.hex()
            if type(data) is bytes
            else f"{int(data):{verb}}"
        )
    return f"{int(value):{verb}}"


@typed(str, list)
def _format(template: str, args: list[Value]) -> str:
    done, at, used = [], 0, 0
    for match in CLAUSE.finditer(template):
        done.append(template[at : match.start()])
        at = match.end()
        if match[1]:
            done.append("%")
            continue
        if used >= len(args):
            raise CelError(f"index {used} out of range")
        if match[3] is None or (match[3] not in VERBS and match[3] != "s") or match[2] == "":
            raise CelError("could not parse formatting clause")
        done.append(_clause(match[3], match[2], args[used]))
        used += 1
    return _short("".join([*done, template[at:]]))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "charAt": _char_at,
    "contains": _contains,
    "endsWith": _ends_with,
    "format": _format,
    "join": _join,
    "lowerAscii": _lower,
    "replace": _replace,
    "split": _split,
    "startsWith": _starts_with,
    "strings.quote": _quote,
    "substring": _substring,
    "trim": _trim,
    "upperAscii": _upper,
}
text_index_of, text_last_index_of = _index_of, _last_index_of
