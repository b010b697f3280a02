"""What evaluation may cost: Kubernetes' runtime cost units, so that a runaway selector fails here as it fails there."""

from __future__ import annotations

import math

from pools.core.cel_values import MAPS, CelAbort, Optional, Value

LIMIT = 1_000_000
"""Units per evaluation (resource.k8s.io CELSelectorExpressionMaxCost)."""
_TENTH = frozenset(("startsWith", "endsWith", "bytes", "strings.quote", "format"))
_BOTH = frozenset(("_<_", "_>_", "_<=_", "_>=_", "_==_", "_!=_"))
_TRAVERSE = frozenset(("sum", "min", "max", "isSorted", "indexOf", "lastIndexOf", "includes"))
_SQUARE = frozenset(("sort", "distinct"))
_OUTPUT = frozenset(("slice", "reverse", "lists.range", "flatten"))


class Meter:
    """Adds up the cost of one evaluation and stops it at the limit."""

    __slots__ = ("spent",)

    def __init__(self) -> None:
        self.spent = 0

    def spend(self, units: int) -> None:
        self.spent += units
        if self.spent > LIMIT:
            raise CelAbort("operation cancelled: actual cost limit exceeded")


def _size(value: Value) -> int:
    if type(value) in (str, bytes, list) or type(value) in MAPS:
        return len(value)
    if type(value) is Optional and value.full:
        return _size(value.value)
    return 1


def _tenth(size: int) -> int:
    return math.ceil(size / 10)


def call_price(name: str, args: list[Value], result: Value) -> int:  # noqa: C901 - a table in words
    """
    The units one call costs.

    Source: cel-go interpreter/runtimecost.go, ext/lists.go; apiserver pkg/cel/library/cost.go.
    """
    if not args:
        return 1
    size = _size(args[0])
    if name in _TENTH:
        return _tenth(size)
    if name == "@in":
        return _size(args[1]) if type(args[1]) is list else 1
    if name in _BOTH:
        return _tenth(min(size, _size(args[1])))
    if name == "_+_" and type(args[0]) in (str, bytes):
        return _tenth(size + _size(args[1]))
    if name in ("matches", "find", "findAll") and len(args) > 1:
        return _tenth(1 + size) * math.ceil(_size(args[1]) / 4)
    if name == "contains":
        return _tenth(size) * _tenth(_size(args[1]))
    if name in _TRAVERSE:
        return size if type(args[0]) is list else _tenth(size)
    if name in _SQUARE or name == "@sortByAssociatedKeys":
        return 11 + 2 * size * size
    if name in _OUTPUT:
        return 11 + _size(result)
    if name.startswith("sets."):
        return 1 + size * _size(args[1]) * (2 if name == "sets.equivalent" else 1)
    return 1
