"""What equals, orders, contains and indexes what among CEL values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pools.core.cel_values import (
    MAPS,
    NONE,
    NUMBERS,
    Amount,
    CelError,
    DefaultMap,
    DeviceMap,
    Duration,
    Opaque,
    Optional,
    Semver,
    Timestamp,
    UInt,
    Value,
    key,
    no_overload,
    type_name,
)


def equal(a: Value, b: Value) -> bool:
    """
    CEL's `==`.

    Raises:
        CelError: Kubernetes' own types compare with their like only.

    Source: cel-go common/types, apiserver pkg/cel.
    """
    if a is None or b is None:
        return a is b
    kind, other = type(a), type(b)
    if kind in NUMBERS:
        return bool(other in NUMBERS and a == b)
    compare = _EQUALITY.get(kind)
    if compare is not None:
        return compare(a, b)
    return bool(kind is other and a == b)


def same(a: Value, b: Value) -> bool:
    """`==`, with a failure taken as different (how membership is tested)."""
    try:
        return equal(a, b)
    except CelError:
        return False


def _alike(a: Value, b: Value) -> bool:
    """How elements of lists and maps compare: a failure does not make them different."""
    try:
        return equal(a, b)
    except CelError:
        return True


def _equal_lists(a: list[Value], b: Value) -> bool:
    return type(b) is list and len(a) == len(b) and all(map(_alike, a, b))


def _equal_maps(a: dict[Any, Value], b: Value) -> bool:
    if type(b) not in MAPS or len(a) != len(b):
        return False
    return all((k in b or type(b) is DefaultMap) and _alike(v, b.get(k, {})) for k, v in a.items())


def _equal_semvers(a: Semver, b: Value) -> bool:
    if type(b) is not Semver:
        no_overload()
    return bool(a.order == b.order)


def _equal_amounts(a: Amount, b: Value) -> bool:
    if type(b) is not Amount or b.computed:
        no_overload()
    return bool(a.nano == b.nano)


def _equal_opaque(a: Opaque, b: Value) -> bool:
    if type(b) is not Opaque or a.type != b.type:
        no_overload()
    return bool(a.identity == b.identity)


def _equal_optionals(a: Optional, b: Value) -> bool:
    if type(b) is not Optional:
        return False
    return equal(a.value, b.value) if a.full and b.full else a.full == b.full


_EQUALITY: dict[type, Callable[[Any, Value], bool]] = {
    list: _equal_lists,
    dict: _equal_maps,
    DefaultMap: _equal_maps,
    DeviceMap: _equal_maps,
    Semver: _equal_semvers,
    Amount: _equal_amounts,
    Opaque: _equal_opaque,
    Optional: _equal_optionals,
}

_ORDERED = frozenset((bool, str, bytes, Timestamp, Duration))


def compare(a: Value, b: Value) -> int:
    """
    -1, 0 or 1 for two values of one ordered type, numbers of different types included.

    Raises:
        CelError: the values have no order.
    """
    kind, other = type(a), type(b)
    if kind in NUMBERS and other in NUMBERS:
        if a != a or b != b:
            raise CelError("NaN values cannot be ordered")
        return int(a > b) - int(a < b)
    if kind is not other or kind not in _ORDERED:
        no_overload()
    if kind is Timestamp or kind is Duration:
        return int(a.nano > b.nano) - int(a.nano < b.nano)
    return int(a > b) - int(a < b)


def contains(element: Value, container: Value) -> bool:
    """CEL's `in`: an element of a list, or a key of a map."""
    if type(container) is list:
        return any(same(element, item) for item in container)
    if type(container) in MAPS:
        return (type(element) is str or not _of_device(container)) and key(element) in container
    no_overload()


def list_index(value: Value) -> int:
    """A value used as list index."""
    kind = type(value)
    if kind is int or kind is UInt:
        return int(value)
    if kind is float and value.is_integer():
        return int(value)
    raise CelError(f"unsupported index type '{type_name(value)}' in list")


_MISSING = object()
_INDICES = frozenset((str, int, UInt, float, bool))


def _of_device(container: dict[Any, Value]) -> bool:
    """Maps of a device have text keys only, and look for no others."""
    return type(container) is DefaultMap or type(container) is DeviceMap


def lookup(container: Value, index: Value, present: bool = False) -> Value:
    """
    `container[index]` or `container.index`; with *present*, an Optional of it.

    Raises:
        CelError: there is no such key or index (with *present*: only an index of the wrong kind).
    """
    kind = type(container)
    found: Value = _MISSING
    if type(index) not in _INDICES:
        raise CelError(f"invalid qualifier type: {type_name(index)}")
    if kind is dict or kind is DeviceMap:
        found = container.get(index if type(index) is str else key(index), _MISSING)
    elif kind is list:
        at = list_index(index)
        if 0 <= at < len(container):
            found = container[at]
        elif not present:
            raise CelError(f"index out of bounds: {at}")
    elif kind is DefaultMap:
        found = container.get(index, container.default)
    elif kind is Optional:
        return lookup(container.value, index, present=True) if container.full else NONE
    if found is _MISSING:
        if present:
            return NONE
        raise CelError(f"no such key: {index}")
    return Optional(True, found) if present else found
