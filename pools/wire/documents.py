"""Bytes to single objects: JSON or YAML, streams and lists taken apart, limits kept, faults told one by one."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pools.domain.errors import Undecodable
from pools.wire.fields import shown
from pools.wire.identity import label
from pools.wire.json_text import looks_like_json, parse_json
from pools.wire.text import Fault, Limits, NotThisFormat, Parsed, faults
from pools.wire.yaml_text import parse_yaml

__all__ = ["Document", "Limits", "read"]

_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_CONTROL = bytes(sign for sign in range(32) if sign not in b"\t\n\r")
_NOT_IN_YAML = re.compile("[\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_SECOND_TRY = 2**20


@dataclass(frozen=True, slots=True)
class Document:
    """One object as plain JSON values, and where in the input it stood (`file.yaml[2].items[0]`)."""

    raw: dict[str, Any]
    where: str


def read(data: bytes, *, source: str = "", limits: Limits | None = None) -> list[Document | Undecodable]:
    """
    Read the objects of a payload.

    JSON (one value, or several after each other) or YAML (one document or a stream); `kind: List`, typed lists and
    top-level sequences are taken apart, also inside each other; empty documents are skipped. Items of a typed list
    get the kind and apiVersion that the list implies.

    Args:
        data: UTF-8 text, with or without a byte order mark.
        source: what to call the input in `where`.
        limits: bounds on the payload.

    Returns:
        In input order, a Document for each object and an Undecodable for each that cannot be accepted (a repeated key,
        NaN, a syntax error from some document on), which does not harm the others.

    Raises:
        Undecodable: the payload as a whole is not text, not JSON or YAML, or beyond a limit.
    """
    limits = limits or Limits()
    try:
        parsed = _parse(_checked(data, limits), limits)
        return _take_apart(parsed, source, limits)
    except Undecodable as fault:
        raise Undecodable(fault.reason, fault.path, fault.object, fault.where or source) from None


def _checked(data: bytes, limits: Limits) -> bytes:
    """The payload without byte order mark, when it is UTF-8 text of acceptable size."""
    if len(data) > limits.max_bytes:
        raise Undecodable(f"{len(data)} bytes are more than the {limits.max_bytes} accepted at once")
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            raise Undecodable(f"the text is {encoding}; publish UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Undecodable(f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start} (line {line})") from None
    if len(data.translate(None, _CONTROL)) < len(data):
        position = next(index for index, sign in enumerate(data) if sign in _CONTROL)
        raise _control(data[position], data.count(b"\n", 0, position))
    return data


def _control(code: int, lines_before: int) -> Undecodable:
    return Undecodable(f"control character U+{code:04X} in the text (line {lines_before + 1})")


def _parse(data: bytes, limits: Limits) -> Parsed:
    """
    JSON when it starts like JSON, else YAML. What starts like JSON and is not may still be YAML (a flow collection, or
    JSON documents between `---`); when it is neither, JSON's complaint is the helpful one.
    """
    if not looks_like_json(data):
        return _yaml(data.decode(), limits)
    try:
        return parse_json(data, limits)
    except NotThisFormat as refusal:
        text = data.decode()
        if (len(data) <= _SECOND_TRY or b"\n---" in data) and not _NOT_IN_YAML.search(text):
            parsed = parse_yaml(text, limits)
            if not (parsed.values and isinstance(parsed.values[-1], Fault)):
                return parsed
        return Parsed([*refusal.parsed.values, refusal.fault], faulty=True)


def _yaml(text: str, limits: Limits) -> Parsed:
    if match := _NOT_IN_YAML.search(text):
        raise _control(ord(match[0]), text.count("\n", 0, match.start()))
    return parse_yaml(text, limits)


def _take_apart(parsed: Parsed, source: str, limits: Limits) -> list[Document | Undecodable]:
    values = parsed.values
    if len(values) == 1 and isinstance(values[0], Fault):
        raise Undecodable(values[0].reason)
    found: list[Document | Undecodable] = []
    for index, value in enumerate(values):
        where = f"{source}[{index}]" if len(values) > 1 else source
        for entry in () if value is None else _objects(value, where, {}, parsed.faulty):
            if len(found) >= limits.max_objects:
                raise Undecodable(f"more than {limits.max_objects} objects at once")
            found.append(entry)
    return found


def _objects(value: Any, where: str, implied: dict[str, str], faulty: bool) -> Iterator[Document | Undecodable]:
    """The objects in *value*, lists taken apart; *implied* is what a typed list says about its items."""
    if isinstance(value, Fault):
        yield Undecodable(value.reason, where=where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _objects(item, f"{where}[{index}]", implied, faulty)
    elif not isinstance(value, dict):
        yield Undecodable(f"expected an object, got {shown(value)}", where=where)
    elif _is_list(value):
        yield from _list(value, where, faulty)
    else:
        raw = {**implied, **value} if implied else value
        fault = next(faults(raw), None) if faulty else None
        if fault is None:
            yield Document(raw, where)
        else:
            yield Undecodable(fault[1].reason, fault[0], label(raw), where)


def _is_list(value: dict[str, Any]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and (kind == "List" or (kind.endswith("List") and "items" in value))


def _list(value: dict[str, Any], where: str, faulty: bool) -> Iterator[Document | Undecodable]:
    kind, version, items = value["kind"].removesuffix("List"), value.get("apiVersion"), value.get("items")
    if faulty:
        for path, fault in faults({key: inner for key, inner in value.items() if key != "items"}):
            yield Undecodable(fault.reason, path, value["kind"], where)
    if isinstance(items, list):
        implied = {"apiVersion": version, "kind": kind} if kind and isinstance(version, str) else {}
        yield from _objects(items, f"{where}.items" if where else "items", implied, faulty)
    elif isinstance(items, Fault):
        yield Undecodable(items.reason, "items", value["kind"], where)
    elif items is not None:
        yield Undecodable(f"expected a list, got {shown(items)}", "items", value["kind"], where)
