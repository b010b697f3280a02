"""Kubernetes' own CEL functions: quantities, versions, lists and sets, includes(), and named formats."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from pools.core.cel_compare import compare, same
from pools.core.cel_net import parse_url
from pools.core.cel_operators import add
from pools.core.cel_text import text_index_of, text_last_index_of, typed
from pools.core.cel_time import parse_timestamp
from pools.core.cel_values import (
    INT64,
    MAPS,
    NONE,
    Amount,
    CelError,
    Opaque,
    Optional,
    Semver,
    Value,
    amount,
    approximate,
    key,
    no_overload,
    semver,
    type_name,
)

MAX_INCLUDES = 48


def _order(a: Value, b: Value) -> int:
    if type(a) is Amount and type(b) is Amount:
        return int(a.nano > b.nano) - int(a.nano < b.nano)
    if type(a) is Semver and type(b) is Semver:
        return int(a.order > b.order) - int(a.order < b.order)
    no_overload()


@typed(str)
def _quantity(text: str) -> Amount:
    try:
        return amount(text)
    except ValueError as error:
        raise CelError(str(error)) from None


def _reads(read: Callable[..., Any]) -> Callable[..., bool]:
    def test(*args: Value) -> bool:
        if type(args[0]) is not str:
            no_overload()
        try:
            read(*args)
        except CelError:
            return False
        return True

    return test


def _normalized(text: str) -> str:
    """A loose version made strict: no `v`, three numbers, no leading zeros."""
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part) > 1:
            bare = part.lstrip("0")
            parts[at] = bare if bare[:1].isdigit() else f"0{bare}"
    if len(parts) < 3 and re.search(r"[+-]", parts[-1]):
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return ".".join(parts + ["0"] * (3 - len(parts)))


@typed(str, bool)
def _semver(text: str, normalize: bool = False) -> Semver:
    try:
        return semver(_normalized(text) if normalize else text)
    except ValueError as error:
        raise CelError(str(error)) from None


def _operand(value: Value) -> Amount:
    if type(value) is Amount:
        return value
    if type(value) is int:
        return Amount(value * 10**9, (value, 0))
    no_overload()


def _add(a: Value, b: Value) -> Amount:
    if type(a) is not Amount:
        no_overload()
    return a.plus(_operand(b))


def _sub(a: Value, b: Value) -> Amount:
    if type(a) is not Amount:
        no_overload()
    return a.plus(_operand(b), -1)


@typed(Amount)
def _as_integer(value: Amount) -> int:
    number = value.whole()
    if number is None:
        raise CelError("cannot convert value to integer")
    return number


def _number(at: int) -> Callable[..., Value]:
    @typed(Semver)
    def part(version: Semver) -> int:
        number: int = version.numbers[at]
        return (number + INT64) % (2 * INT64) - INT64

    return part


def _items(value: Value) -> list[Value]:
    if type(value) is not list:
        no_overload()
    return value


def _sum(value: Value, zero: Value = 0) -> Value:
    total = zero
    for item in _items(value):
        total = add(total, item)
    return total


def _extreme(name: str, sign: int) -> Callable[[Value], Value]:
    def choose(value: Value) -> Value:
        items = _items(value)
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            if compare(best, item) == sign:
                best = item
        return best

    return choose


def _is_sorted(value: Value) -> bool:
    items = _items(value)
    return all(compare(a, b) != 1 for a, b in pairwise(items))


def _index_of(where: Value, what: Value, *offset: Value) -> int:
    if type(where) is list and not offset:
        return next((at for at, item in enumerate(where) if same(item, what)), -1)
    return int(text_index_of(where, what, *offset))


def _last_index_of(where: Value, what: Value, *offset: Value) -> int:
    if type(where) is list and not offset:
        return next((at for at in reversed(range(len(where))) if same(where[at], what)), -1)
    return int(text_last_index_of(where, what, *offset))


def _includes(target: Value, item: Value) -> bool:
    if type(target) is not list:
        return same(target, item)
    for at, member in enumerate(target):
        if at >= MAX_INCLUDES:
            raise CelError(f"'includes' function cannot be applied to lists longer than {MAX_INCLUDES} values")
        if same(member, item):
            return True
    return False


@typed(list, int, int)
def _slice(items: list[Value], start: int, end: int) -> list[Value]:
    if not 0 <= start <= end <= len(items):
        raise CelError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


@typed(list, int)
def _flatten(items: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise CelError("level must be non-negative")
    if depth == 0:
        return items
    flat: list[Value] = []
    for item in items:
        flat.extend(_flatten(item, min(depth - 1, 500)) if type(item) is list else [item])
    return flat


def _by_key(one: tuple[Value, Value], other: tuple[Value, Value]) -> int:
    return compare(one[0], other[0])


def _sort_by(value: Value, keys: Value) -> list[Value]:
    items, order = _items(value), _items(keys)
    if len(items) != len(order):
        raise CelError("@sortByAssociatedKeys() expected a list of the same size as the associated keys list")
    if order:
        compare(order[0], order[0])
        if any(type_name(item) != type_name(order[0]) for item in order) and len(order) > 1:
            raise CelError("list elements must have the same type")
    pairs: list[tuple[Value, Value]] = list(zip(order, items, strict=True))
    pairs.sort(key=cmp_to_key(_by_key))
    return [item for _, item in pairs]


def _distinct(value: Value) -> list[Value]:
    unique: list[Value] = []
    for item in _items(value):
        if not any(same(item, other) for other in unique):
            unique.append(item)
    return unique


@typed(int)
def _range(count: int) -> list[Value]:
    if count > 1_000_000:
        raise CelError("operation cancelled: actual cost limit exceeded")
    return list(range(count))


def _sets_contains(value: Value, part: Value) -> bool:
    whole = _items(value)
    return all(any(same(item, other) for other in whole) for item in _items(part))


def _map_insert(target: Value, *entry: Value) -> dict[Any, Value]:
    if type(target) not in MAPS:
        no_overload()
    added = {key(entry[0]): entry[1]} if len(entry) == 2 else entry[0]
    if any(name in target for name in added):
        raise CelError(f"insert failed: key {next(iter(added))} already exists")
    return {**target, **added}


_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*", re.ASCII)
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _matches(pattern: re.Pattern[str], longest: int) -> Callable[[str], list[str]]:
    def check(text: str) -> list[str]:
        faults = [] if len(text.encode()) <= longest else [f"must be no more than {longest} bytes"]
        return faults if pattern.fullmatch(text) else [*faults, f"must match the regex {pattern.pattern}"]

    return check


def _prefix_of(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Generated names may end in a dash, which is masked before the check."""
    return lambda text: check(f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text)


def _qualified(text: str) -> list[str]:
    prefix, slash, name = text.rpartition("/")
    faults = _matches(_SUBDOMAIN, 253)(prefix) if slash else []
    return faults + _matches(_NAME, 63)(name)


def _quietly(read: Callable[[str], Any], fault: str) -> Callable[[str], list[str]]:
    def check(text: str) -> list[str]:
        try:
            read(text)
        except (CelError, ValueError, binascii.Error):
            return [fault]
        return []

    return check


def _date(text: str) -> None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(text)
    date.fromisoformat(text)


def _date_time(text: str) -> None:
    if not _DATE_TIME.fullmatch(text):
        raise ValueError(text)
    parse_timestamp(text.upper())


def _base64(text: str) -> None:
    if not text or len(text) % 4:
        raise ValueError(text)
    base64.b64decode(text, validate=True)


_dns_label, _dns_subdomain, _dns_1035 = _matches(_LABEL, 63), _matches(_SUBDOMAIN, 253), _matches(_LABEL_1035, 63)
FORMATS: dict[str, Callable[[str], list[str]]] = {
    "dns1123Label": _dns_label,
    "dns1123Subdomain": _dns_subdomain,
    "dns1035Label": _dns_1035,
    "qualifiedName": _qualified,
    "dns1123LabelPrefix": _prefix_of(_dns_label),
    "dns1123SubdomainPrefix": _prefix_of(_dns_subdomain),
    "dns1035LabelPrefix": _prefix_of(_dns_1035),
    "labelValue": lambda text: _matches(_NAME, 63)(text) if text else [],
    "uri": _quietly(parse_url, "invalid URI for request"),
    "uuid": _matches(_UUID, 36),
    "byte": _quietly(_base64, "invalid base64"),
    "date": _quietly(_date, "invalid date"),
    "datetime": _quietly(_date_time, "invalid datetime"),
}


def _format(name: str) -> Opaque:
    return Opaque("kubernetes.NamedFormat", FORMATS[name], name)


def _named(name: Value) -> Optional:
    if type(name) is not str:
        no_overload()
    return Optional(True, _format(name)) if name in FORMATS else NONE


def _validate(form: Value, text: Value) -> Optional:
    if not isinstance(form, Opaque) or form.type != "kubernetes.NamedFormat" or type(text) is not str:
        no_overload()
    faults = form.content(text)
    return Optional(True, faults) if faults else NONE


def _constant_format(name: str) -> Callable[[], Opaque]:
    return lambda: _format(name)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quantity": _quantity,
    "isQuantity": _reads(_quantity),
    "semver": _semver,
    "isSemver": _reads(_semver),
    "compareTo": _order,
    "isGreaterThan": lambda a, b: _order(a, b) > 0,
    "isLessThan": lambda a, b: _order(a, b) < 0,
    "add": _add,
    "sub": _sub,
    "sign": typed(Amount)(lambda value: (value.nano > 0) - (value.nano < 0)),
    "asInteger": _as_integer,
    "isInteger": typed(Amount)(lambda value: value.whole() is not None),
    "asApproximateFloat": typed(Amount)(approximate),
    "major": _number(0),
    "minor": _number(1),
    "patch": _number(2),
    "sum": _sum,
    "min": _extreme("min", 1),
    "max": _extreme("max", -1),
    "isSorted": _is_sorted,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "includes": _includes,
    "slice": _slice,
    "flatten": _flatten,
    "sort": lambda items: _sort_by(items, items),
    "@sortByAssociatedKeys": _sort_by,
    "reverse": lambda items: _items(items)[::-1],
    "distinct": _distinct,
    "lists.range": _range,
    "sets.contains": _sets_contains,
    "sets.intersects": lambda a, b: any(any(same(item, other) for other in _items(b)) for item in _items(a)),
    "sets.equivalent": lambda a, b: _sets_contains(a, b) and _sets_contains(b, a),
    "cel.@mapInsert": _map_insert,
    "format.named": _named,
    "validate": _validate,
    **{f"format.{name}": _constant_format(name) for name in FORMATS},
}
