"""Every function and operator of the selector language that evaluates its arguments first, by name."""

from __future__ import annotations

from collections.abc import Callable

from pools.core import cel_kubernetes, cel_net, cel_operators, cel_text, cel_time
from pools.core.cel_compare import compare, contains, equal, lookup
from pools.core.cel_values import (
    NONE,
    CelError,
    DefaultMap,
    DeviceMap,
    Duration,
    Optional,
    UInt,
    Value,
    no_overload,
    unhashable,
)


def _unequal(a: Value, b: Value) -> bool:
    try:
        return not equal(a, b)
    except CelError:
        return True


def _optional_value(a: Value) -> Value:
    if type(a) is not Optional:
        no_overload()
    if not a.full:
        raise CelError("optional.none() dereference")
    return a.value


def _non_zero(value: Value) -> Optional:
    empty = value is None or (not isinstance(value, Optional) and not value if type(value) in _FALSY else False)
    return NONE if empty else Optional(True, value)


_FALSY = frozenset((bool, int, UInt, float, str, bytes, list, dict, DefaultMap, DeviceMap))


def _end(items: Value, at: int) -> Optional:
    if type(items) is not list:
        no_overload()
    return Optional(True, items[at]) if items else NONE


def _has_value(a: Value) -> bool:
    if type(a) is not Optional:
        no_overload()
    return a.full


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "_==_": equal,
    "_!=_": _unequal,
    "_<_": lambda a, b: compare(a, b) < 0,
    "_<=_": lambda a, b: compare(a, b) <= 0,
    "_>_": lambda a, b: compare(a, b) > 0,
    "_>=_": lambda a, b: compare(a, b) >= 0,
    "_+_": cel_operators.add,
    "_-_": cel_operators.subtract,
    "_*_": cel_operators.multiply,
    "_/_": cel_operators.divide,
    "_%_": cel_operators.modulo,
    "-_": cel_operators.negate,
    "!_": cel_operators.invert,
    "@in": contains,
    "_[_]": lookup,
    "_[?_]": lambda a, b: lookup(a, b, present=True),
    "_?._": lambda a, b: lookup(a, b, present=True),
    "size": cel_operators.size,
    "optional.of": lambda a: Optional(True, a),
    "optional.ofNonZeroValue": _non_zero,
    "optional.none": lambda: NONE,
    "first": lambda items: _end(items, 0),
    "last": lambda items: _end(items, -1),
    "hasValue": _has_value,
    "value": _optional_value,
    **cel_operators.CONVERSIONS,
    **cel_time.METHODS,
    **cel_text.FUNCTIONS,
    **cel_net.FUNCTIONS,
    **cel_kubernetes.FUNCTIONS,
}
SUM_ZEROS: dict[str, Value] = {
    "list<uint>.sum()": UInt(0),
    "list<double>.sum()": 0.0,
    "list<duration>.sum()": Duration(0),
}

_HASHED = frozenset((bool, int, UInt, float, str))


def in_constant(items: list[Value]) -> Callable[[Value, Value], bool]:
    """`x in [constants]`, which Kubernetes turns into a hash lookup; values without a hash make it panic."""
    if not all(type(item) in _HASHED for item in items):
        return contains

    def test(element: Value, container: Value) -> bool:
        unhashable(element)
        return any(equal(item, element) for item in container)

    return test
