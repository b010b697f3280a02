"""JSON to plain values: fast when the text is plain, exact about repeated keys and numbers when it is not."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from pools.wire.fields import segment
from pools.wire.text import Fault, Limits, NotThisFormat, Parsed, number, too_deep

_SPACE = re.compile(r"[ \t\n\r]*")
_JSON_START = re.compile(rb"\s*[\[{]")
_AWKWARD = (b"\\u0000", b"\\ud", b"\\uD")


def looks_like_json(data: bytes) -> bool:
    """Whether the first sign opens a JSON object or list (a YAML flow collection looks the same)."""
    return _JSON_START.match(data) is not None


def parse_json(data: bytes, limits: Limits) -> Parsed:
    """
    Read one or more JSON values, one after the other (`kubectl get -w -o json`, JSON lines).

    A repeated key, NaN, Infinity or an overlong number leaves a Fault in its place.

    Args:
        data: UTF-8 text, already checked to be such.

    Raises:
        NotThisFormat: the text is not JSON.
        Undecodable: it nests too deeply.
    """
    try:
        parsed = _fast(data)
        if parsed and b"\n" + b" " * limits.max_depth not in msgspec.json.format(data, indent=1):
            return parsed
        parsed = parsed or _exact(data.decode())
    except RecursionError:
        raise limits.too_deep() from None
    if any(too_deep(value, limits.max_depth) for value in parsed.values):
        raise limits.too_deep()
    return parsed


def _fast(data: bytes) -> Parsed | None:
    """
    The single value of the text; None where `_exact` has to look.

    Writing the value again in the shortest way never takes more bytes than the text without its spaces, and fewer if a
    key was dropped because it came twice: equal lengths prove that none did. Fractions could spoil that, so they are
    left to `_exact`, as are escapes that may stand for NUL or half a character.
    """
    fractions: list[str] = []
    decoder = msgspec.json.Decoder(float_hook=fractions.append)
    try:
        value = decoder.decode(data)
    except msgspec.DecodeError:
        return None
    if fractions or any(escape in data for escape in _AWKWARD):
        return None
    same = len(msgspec.json.format(data, indent=-1)) == len(msgspec.json.encode(value))
    return Parsed([value]) if same else None


def _exact(text: str) -> Parsed:
    parsed = Parsed([], faulty=True)
    decoder = json.JSONDecoder(
        object_pairs_hook=_mapping, parse_float=number, parse_int=number, parse_constant=_not_a_number
    )
    position = _skip(text, 0)
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            fault = Fault(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})")
            raise NotThisFormat(parsed, fault) from None
        parsed.values.append(value)
        position = _skip(text, position)
    return parsed


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                mapping[key] = Fault(f"the key {segment(key)!r} stands twice in one object")
            seen.add(key)
    return mapping


def _not_a_number(constant: str) -> Fault:
    return Fault(f"{constant} is not a number in JSON")
