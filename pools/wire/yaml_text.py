"""YAML to plain values as Kubernetes reads it, built from the parser's events without recursion."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import yaml

from pools.domain.errors import Undecodable
from pools.wire.fields import segment
from pools.wire.text import Fault, Limits, Parsed, number, storable

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_MERGE = "<<"
_NO_KEY = object()
_MERGE_KEY = object()
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NOT_A_NUMBER = re.compile(r"[+-]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_INTEGER = re.compile(r"([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FRACTION = re.compile(r"[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][+-]?[0-9]+)?")
_BASES = {"x": 16, "b": 2, "o": 8}


def parse_yaml(text: str, limits: Limits) -> Parsed:
    """
    Read every document of a stream; an empty one is None.

    A repeated key, a tag that has no JSON meaning or an unknown alias leaves a Fault in its place. Where the syntax
    breaks, a Fault takes the place of the rest of the stream.

    Raises:
        Undecodable: nesting, aliases or what they expand to exceed the limits.
    """
    loader = _Loader(text)
    builder = _Builder(limits)
    try:
        while True:
            event = loader.get_event()
            if isinstance(event, yaml.StreamEndEvent):
                break
            builder.feed(event)
    except yaml.YAMLError as error:
        builder.parsed.values.append(builder.fault(_syntax(error)))
    finally:
        loader.dispose()
    return builder.parsed


def _syntax(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    return f"not YAML: {problem}" + (f" (line {mark.line + 1}, column {mark.column + 1})" if mark else "")


def plain(text: str) -> Any:
    """
    What an unquoted scalar stands for.

    YAML 1.1 as Go's parser reads it for Kubernetes: `yes` and `on` are true; `0x10`, `0b11`, `010`, `0o10` and `1_000`
    are integers; `1e3` is a number; times and base-60 numbers are strings. A whole number written as a fraction becomes
    an integer, as on its way through JSON. One difference: `y` and `n` stay text, since these letters are common names
    and values; Go's parser takes them for booleans, which no text field would accept.

    Source: sigs.k8s.io/yaml goyaml.v2/resolve.go.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _NOT_A_NUMBER.fullmatch(text):
        return Fault(f"{text} is not a number in JSON")
    digits = text.replace("_", "")
    if match := _INTEGER.fullmatch(digits):
        return _integer(*match.groups())
    if _FRACTION.fullmatch(digits):
        value = number(digits)
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**63 else value
    return text


_kept = lru_cache(maxsize=8192)(plain)


def _plain(text: str) -> Any:
    """`plain`, looked up when the text is short; long ones are not worth keeping."""
    return _kept(text) if len(text) <= 64 else plain(text)


def _integer(sign: str, digits: str) -> int | Fault:
    if len(digits) > 1 and digits[0] == "0":
        base = _BASES.get(digits[1].lower(), 8)
        digits = digits[1:] if base == 8 and digits[1] not in "oO" else digits[2:]
    else:
        base = 10
    if len(digits) > 100:
        return Fault(f"number of more than 100 digits: {digits[:24]}…")
    return -int(digits, base) if sign == "-" else int(digits, base)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


@dataclass(slots=True)
class _Frame:
    """A list or mapping under construction; `size` counts the values in it, aliases expanded."""

    value: dict[str, Any] | list[Any]
    line: int
    anchor: str | None
    bad: Fault | None = None
    key: Any = _NO_KEY
    bad_key: Fault | None = None
    size: int = 1
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Builder:
    """Turns events into values with a stack of its own, so that no depth of nesting can exhaust the C stack."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.parsed = Parsed([])
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.aliases = 0
        self.expanded = 0
        self.handlers: dict[type[yaml.Event], Callable[[Any], None]] = {
            yaml.ScalarEvent: self.scalar,
            yaml.MappingStartEvent: self.start,
            yaml.SequenceStartEvent: self.start,
            yaml.MappingEndEvent: self.end,
            yaml.SequenceEndEvent: self.end,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
        }

    def feed(self, event: yaml.Event) -> None:
        handler = self.handlers.get(type(event))
        if handler:
            handler(event)

    def fault(self, reason: str) -> Fault:
        self.parsed.faulty = True
        return Fault(reason)

    def document(self, event: yaml.Event) -> None:
        self.anchors.clear()

    def scalar(self, event: yaml.ScalarEvent) -> None:
        line = _line(event)
        value = self.resolve(event, line)
        if isinstance(value, str) and not storable(value):
            value = self.fault(f"the text holds U+0000 (line {line})")
        if event.anchor is not None:
            self.anchors[event.anchor] = value, 1
        self.place(value, 1, line, event.implicit[0])

    def resolve(self, event: yaml.ScalarEvent, line: int) -> Any:
        """The scalar's value by its tag, or by its looks when it is plain and has none."""
        tag = event.tag
        if not tag:
            value = _plain(event.value) if event.implicit[0] else event.value
        elif tag in ("!", f"{_TAG}str", f"{_TAG}timestamp"):
            value = event.value
        else:
            value = _plain(event.value)
            kind = {bool: "bool", int: "int", float: "float", type(None): "null"}.get(type(value))
            if tag != f"{_TAG}{kind}" and not (tag == f"{_TAG}float" and kind == "int"):
                value = Fault(f"{segment(event.value)!r} cannot be read with tag {segment(tag)}")
        if isinstance(value, Fault):
            return self.fault(f"{value.reason} (line {line})")
        return value

    def start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self.stack) >= self.limits.max_depth:
            raise self.limits.too_deep()
        sequence = isinstance(event, yaml.SequenceStartEvent)
        frame = _Frame([] if sequence else {}, _line(event), event.anchor)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        if event.tag not in (None, "!", f"{_TAG}{'seq' if sequence else 'map'}"):
            frame.bad = self.fault(f"tag {segment(event.tag)} has no JSON meaning (line {frame.line})")
        self.stack.append(frame)

    def end(self, event: yaml.Event) -> None:
        frame = self.stack.pop()
        value: Any = frame.bad or frame.value
        if isinstance(frame.value, dict):
            for merged in frame.merged:
                for key, inner in merged.items():
                    frame.value.setdefault(key, inner)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = value, frame.size
        self.place(value, frame.size, frame.line, False)

    def alias(self, event: yaml.AliasEvent) -> None:
        line = _line(event)
        self.aliases += 1
        if self.aliases > self.limits.max_aliases:
            raise Undecodable(f"more than {self.limits.max_aliases} YAML aliases")
        anchor = event.anchor or ""
        value, size = self.anchors.get(anchor, (None, 0))
        if size == 0:
            value, size = self.fault(f"alias *{segment(anchor)} has no finished anchor (line {line})"), 1
        self.expanded += size
        if self.expanded > self.limits.max_expansion:
            raise Undecodable(f"YAML aliases expand to more than {self.limits.max_expansion} values")
        self.place(value, size, line, False)

    def place(self, value: Any, size: int, line: int, bare: bool) -> None:
        """Put a finished value where it belongs: the document, the list, or the mapping's key or value."""
        if not self.stack:
            self.parsed.values.append(value)
            return
        frame = self.stack[-1]
        frame.size += size
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is _NO_KEY:
            frame.key, frame.bad_key = self.key(value, line, bare)
        else:
            self.entry(frame, frame.value, value, line)
            frame.key = _NO_KEY

    def key(self, value: Any, line: int, bare: bool) -> tuple[Any, Fault | None]:
        """A mapping key as text; numbers and booleans are written as in JSON. Anything else spoils the entry."""
        if isinstance(value, str):
            return (_MERGE_KEY if bare and value == _MERGE else value), None
        if isinstance(value, bool):
            return ("true" if value else "false"), None
        if isinstance(value, int | float):
            return str(value), None
        return f"line {line}", self.fault(f"a key must be text (line {line})")

    def entry(self, frame: _Frame, mapping: dict[str, Any], value: Any, line: int) -> None:
        key = frame.key
        if frame.bad_key is not None:
            mapping[key] = frame.bad_key
        elif key is _MERGE_KEY:
            sources = value if isinstance(value, list) else [value]
            if all(isinstance(source, dict) for source in sources):
                frame.merged.extend(sources)
            else:
                mapping[_MERGE] = self.fault(f"<< must be given mappings (line {line})")
        elif key in mapping:
            mapping[key] = self.fault(f"the key {segment(key)!r} stands twice in one mapping (line {line})")
        else:
            mapping[key] = value
