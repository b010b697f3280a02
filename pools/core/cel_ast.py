"""The checked expression as the CEL engine serialises it (cel.expr.CheckedExpr), read into small immutable nodes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

ConstantKind = Literal["null", "bool", "int", "uint", "double", "string", "bytes"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; `kind` tells an int from a uint and a bool."""

    id: int
    kind: ConstantKind
    value: bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Ident:
    """A variable; a dotted name when the checker resolved a qualified one."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`, or with `test_only` the macro `has(operand.field)`."""

    id: int
    operand: Node
    field: str
    test_only: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A function, operator (`_+_`, `_[_]`, …) or method (then `target` is set)."""

    id: int
    function: str
    target: Node | None
    args: tuple[Node, ...]

    @property
    def operands(self) -> tuple[Node, ...]:
        return self.args if self.target is None else (self.target, *self.args)


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list literal; `optional` holds the indices of `?x` elements."""

    id: int
    elements: tuple[Node, ...]
    optional: frozenset[int]


@dataclass(frozen=True, slots=True)
class MapNode:
    """A map literal of (key, value, whether the entry is optional)."""

    id: int
    entries: tuple[tuple[Node, Node, bool], ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A comprehension: all macros over lists and maps end up here. `second` is empty but for the two-variable forms."""

    id: int
    first: str
    second: str
    over: Node
    accumulator: str
    start: Node
    condition: Node
    step: Node
    result: Node


Node = Constant | Ident | Select | Call | ListNode | MapNode | Fold


@dataclass(frozen=True, slots=True)
class TypeName:
    """A static type: `name` (`int`, `list`, `map`, `dyn`, `kubernetes.Quantity`, …) and its parameters."""

    name: str
    params: tuple[TypeName, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.params))})" if self.params else self.name


@dataclass(frozen=True, slots=True)
class Checked:
    """A parsed and type-checked expression. `types` and `overloads` are keyed by node id."""

    root: Node
    types: dict[int, TypeName]
    overloads: dict[int, tuple[str, ...]]


DYN = TypeName("dyn")
_PRIMITIVE = ("dyn", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN = ("dyn", "any", "timestamp", "duration")


def decode(data: bytes) -> Checked:
    """
    Read a serialised CheckedExpr, wrapped in google.protobuf.Any as the engine hands it out.

    Raises:
        ValueError: the bytes hold a node that no selector can have (a message literal).

    Source: google/api/expr/v1alpha1 checked.proto and syntax.proto.
    """
    names: dict[int, str] = {}
    overloads: dict[int, tuple[str, ...]] = {}
    types: dict[int, TypeName] = {}
    root = b""
    for number, value in _fields(dict(_fields(data))[2]):
        if number == 2:
            key, entry = _entry(value)
            reference = list(_fields(entry))
            overloads[key] = tuple(_text(item) for field, item in reference if field == 3)
            name = "".join(_text(item) for field, item in reference if field == 1)
            if name and not overloads[key]:
                names[key] = name
        elif number == 3:
            key, entry = _entry(value)
            types[key] = _type(entry)
        elif number == 4:
            root = _bytes(value)
    return Checked(_node(root, names), types, overloads)


def walk(node: Node) -> Iterator[Node]:
    """Every node of the tree, parents first."""
    yield node
    for child in children(node):
        yield from walk(child)


def children(node: Node) -> tuple[Node, ...]:
    """The node's direct parts, in order of evaluation."""
    match node:
        case Select():
            return (node.operand,)
        case Call():
            return node.operands
        case ListNode():
            return node.elements
        case MapNode():
            return tuple(part for key, value, _ in node.entries for part in (key, value))
        case Fold():
            return (node.over, node.start, node.condition, node.step, node.result)
        case _:
            return ()


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, at
        shift += 7


def _fields(data: bytes | int) -> Iterator[tuple[int, bytes | int]]:
    data = _bytes(data)
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                number, at = _varint(data, at)
                yield tag >> 3, number
            case 1:
                yield tag >> 3, data[at : at + 8]
                at += 8
            case 5:
                yield tag >> 3, data[at : at + 4]
                at += 4
            case _:
                size, at = _varint(data, at)
                yield tag >> 3, data[at : at + size]
                at += size


def _bytes(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where the expression should have a message")
    return value


def _int(value: bytes | int) -> int:
    if not isinstance(value, int):
        raise ValueError("a message where the expression should have a number")
    return value


def _text(value: bytes | int) -> str:
    return _bytes(value).decode()


def _entry(value: bytes | int) -> tuple[int, bytes]:
    parts = dict(_fields(value))
    return _int(parts.get(1, 0)), _bytes(parts.get(2, b""))


def _type(data: bytes | int) -> TypeName:  # noqa: C901 - one branch a kind
    for number, value in _fields(data):
        match number:
            case 2:
                return TypeName("null_type")
            case 3:
                return TypeName(_PRIMITIVE[_int(value)])
            case 4:
                return TypeName("wrapper", (TypeName(_PRIMITIVE[_int(value)]),))
            case 5:
                return TypeName(_WELL_KNOWN[_int(value)])
            case 6:
                return TypeName("list", tuple(_type(item) for _, item in _fields(value)) or (DYN,))
            case 7:
                parts = dict(_fields(value))
                return TypeName("map", (_type(parts.get(1, b"")), _type(parts.get(2, b""))))
            case 9 | 10:
                return TypeName(_text(value))
            case 11:
                return TypeName("type", (_type(value),))
            case 14:
                items = list(_fields(value))
                name = "".join(_text(item) for field, item in items if field == 1)
                return TypeName(name, tuple(_type(item) for field, item in items if field == 2))
    return DYN


def _signed(value: bytes | int) -> int:
    number = _int(value)
    return number - (1 << 64) if number >= 1 << 63 else number


def _constant(id: int, data: bytes | int) -> Constant:
    for number, value in _fields(data):
        match number:
            case 2:
                return Constant(id, "bool", bool(value))
            case 3:
                return Constant(id, "int", _signed(value))
            case 4:
                return Constant(id, "uint", _int(value))
            case 5:
                return Constant(id, "double", struct.unpack("<d", _bytes(value))[0])
            case 6:
                return Constant(id, "string", _text(value))
            case 7:
                return Constant(id, "bytes", _bytes(value))
    return Constant(id, "null", None)


def _node(data: bytes | int, names: dict[int, str]) -> Node:  # noqa: C901 - one branch a kind
    id = 0
    kind, body = 0, b""
    for number, value in _fields(data):
        if number == 2:
            id = _int(value)
        else:
            kind, body = number, _bytes(value)
    if id in names and kind in (4, 5):
        return Ident(id, names[id])
    match kind:
        case 3:
            return _constant(id, body)
        case 4:
            return Ident(id, "".join(_text(value) for _, value in _fields(body)))
        case 5:
            parts = dict(_fields(body))
            return Select(id, _node(parts[1], names), _text(parts.get(2, b"")), bool(parts.get(3, 0)))
        case 6:
            return _call(id, body, names)
        case 7:
            return _list(id, body, names)
        case 8:
            return _map(id, body, names)
        case 9:
            return _fold(id, body, names)
    raise ValueError(f"unknown kind of expression: {kind}")


def _call(id: int, body: bytes, names: dict[int, str]) -> Call:
    target: Node | None = None
    function = ""
    args = []
    for number, value in _fields(body):
        if number == 1:
            target = _node(value, names)
        elif number == 2:
            function = _text(value)
        else:
            args.append(_node(value, names))
    return Call(id, function, target, tuple(args))


def _list(id: int, body: bytes, names: dict[int, str]) -> ListNode:
    elements, optional = [], set()
    for number, value in _fields(body):
        if number == 1:
            elements.append(_node(value, names))
        elif isinstance(value, int):
            optional.add(value)
        else:
            at = 0
            while at < len(value):
                index, at = _varint(value, at)
                optional.add(index)
    return ListNode(id, tuple(elements), frozenset(optional))


def _map(id: int, body: bytes, names: dict[int, str]) -> MapNode:
    entries = []
    for number, value in _fields(body):
        if number == 1:
            raise ValueError("message literals are not part of the selector language")
        parts = dict(_fields(value))
        entries.append((_node(parts[3], names), _node(parts[4], names), bool(parts.get(5, 0))))
    return MapNode(id, tuple(entries))


def _fold(id: int, body: bytes, names: dict[int, str]) -> Fold:
    parts = dict(_fields(body))
    name = {number: _text(parts.get(number, b"")) for number in (1, 3, 8)}
    node = {number: _node(parts[number], names) for number in (2, 4, 5, 6, 7)}
    return Fold(id, name[1], name[8], node[2], name[3], node[4], node[5], node[6], node[7])
