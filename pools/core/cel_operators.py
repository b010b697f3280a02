"""Operators and conversions of the standard language: arithmetic with 64-bit bounds, text, time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

from pools.core import cel_time
from pools.core.cel_values import (
    INT64,
    MAPS,
    CelError,
    Duration,
    Opaque,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    no_overload,
    type_name,
)


def integer(number: int) -> int:
    """*number*, if it fits an int64."""
    if -INT64 <= number < INT64:
        return number
    raise CelError("integer overflow")


def unsigned(number: int) -> UInt:
    """*number*, if it fits a uint64."""
    if 0 <= number < 2 * INT64:
        return UInt(number)
    raise CelError("unsigned integer overflow")


def add(a: Value, b: Value) -> Value:
    """CEL's `+`: numbers of one type, text, bytes, lists, times and durations."""
    kind, other = type(a), type(b)
    if kind is other:
        if kind is int:
            return integer(a + b)
        if kind in (float, str, bytes, list):
            return a + b
        if kind is UInt:
            return unsigned(int(a) + int(b))
    if kind is Duration and other in (Duration, Timestamp):
        return cel_time.bounded(other, a.nano + b.nano, getattr(b, "offset", 0))
    if kind is Timestamp and other is Duration:
        return cel_time.bounded(Timestamp, a.nano + b.nano, a.offset)
    no_overload()


def subtract(a: Value, b: Value) -> Value:
    """CEL's binary `-`."""
    kind, other = type(a), type(b)
    if kind is other:
        if kind is int:
            return integer(a - b)
        if kind is float:
            return a - b
        if kind is UInt:
            return unsigned(int(a) - int(b))
        if kind is Duration or kind is Timestamp:
            return cel_time.bounded(Duration, a.nano - b.nano)
    if kind is Timestamp and other is Duration:
        return cel_time.bounded(Timestamp, a.nano - b.nano, a.offset)
    no_overload()


def multiply(a: Value, b: Value) -> Value:
    """CEL's `*`."""
    if type(a) is type(b):
        if type(a) is int:
            return integer(a * b)
        if type(a) is float:
            return a * b
        if type(a) is UInt:
            return unsigned(int(a) * int(b))
    no_overload()


def divide(a: Value, b: Value) -> Value:
    """CEL's `/`: whole numbers are cut towards zero."""
    if type(a) is not type(b):
        no_overload()
    if type(a) is float:
        if b:
            return a / b
        return math.nan if a != a or a == 0 else math.copysign(math.inf, a) * math.copysign(1.0, b)
    if type(a) not in (int, UInt):
        no_overload()
    if b == 0:
        raise CelError("division by zero")
    size = abs(int(a)) // abs(int(b))
    return integer(size if (a < 0) == (b < 0) else -size) if type(a) is int else unsigned(size)


def modulo(a: Value, b: Value) -> Value:
    """CEL's `%`: the sign is the dividend's."""
    if type(a) is not type(b) or type(a) not in (int, UInt):
        no_overload()
    if b == 0:
        raise CelError("modulus by zero")
    rest = abs(int(a)) % abs(int(b))
    return UInt(rest) if type(a) is UInt else (-rest if a < 0 else rest)


def negate(a: Value) -> Value:
    """CEL's unary `-`."""
    if type(a) is int:
        return integer(-a)
    if type(a) is float:
        return -a
    no_overload()


def invert(a: Value) -> Value:
    """CEL's `!`."""
    if type(a) is bool:
        return not a
    no_overload()


def size(a: Value) -> int:
    """Characters of text, bytes, elements or entries."""
    if type(a) in (str, bytes, list) or type(a) in MAPS:
        return len(a)
    no_overload()


def _conversion_error(value: Value, target: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{target}'")


def to_int(value: Value) -> int:
    """`int(x)`."""
    match value:
        case bool():
            raise _conversion_error(value, "int")
        case int():
            return integer(int(value))
        case float():
            if math.isnan(value) or not -INT64 < value < INT64:
                raise CelError("integer overflow")
            return int(value)
        case str():
            if re.fullmatch(r"[+-]?\d+", value, re.ASCII) and -INT64 <= int(value) < INT64:
                return int(value)
        case Timestamp():
            return value.nano // cel_time.SECOND
        case Duration():
            return value.nano
    raise _conversion_error(value, "int")


def to_uint(value: Value) -> UInt:
    """`uint(x)`."""
    match value:
        case bool():
            raise _conversion_error(value, "uint")
        case int():
            return unsigned(int(value))
        case float():
            if math.isnan(value) or not 0 <= value < 2 * INT64:
                raise CelError("unsigned integer overflow")
            return UInt(int(value))
        case str():
            if re.fullmatch(r"\d+", value, re.ASCII) and int(value) < 2 * INT64:
                return UInt(int(value))
    raise _conversion_error(value, "uint")


_DIGITS = r"\d+(?:_\d+)*"
_FLOAT = re.compile(
    rf"[+-]?(?:(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:e[+-]?{_DIGITS})?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)
_HEX_FLOAT = re.compile(r"[+-]?0x[0-9a-f]*\.?[0-9a-f]*p[+-]?\d+", re.ASCII | re.IGNORECASE)


def to_double(value: Value) -> float:
    """`double(x)`."""
    match value:
        case bool():
            raise _conversion_error(value, "double")
        case int() | float():
            return float(value)
        case str():
            if _FLOAT.fullmatch(value) and (not math.isinf(float(value)) or "n" in value.lower()):
                return float(value)
            if _HEX_FLOAT.fullmatch(value):
                with suppress(ValueError, OverflowError):
                    return float.fromhex(value)
    raise _conversion_error(value, "double")


_BOOLS = {
    text: truth
    for truth, texts in ((True, "1 t T TRUE true True"), (False, "0 f F FALSE false False"))
    for text in texts.split()
}


def to_bool(value: Value) -> bool:
    """`bool(x)`."""
    if type(value) is bool:
        return value
    if type(value) is str and value in _BOOLS:
        return _BOOLS[value]
    raise _conversion_error(value, "bool")


def to_bytes(value: Value) -> bytes:
    """`bytes(x)`."""
    if type(value) is bytes:
        return value
    if type(value) is str:
        return value.encode()
    raise _conversion_error(value, "bytes")


def double_text(value: float) -> str:
    """A double as Go's %g writes it: the shortest digits, with an exponent below -4 and from 6 on."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    power = len(text) + int(exponent) - 1
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0"
    if power < -4 or power >= 6:
        mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
        return f"{minus}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return minus + format(abs(Decimal(repr(value))).normalize(), "f")


def to_string(value: Value) -> str:
    """`string(x)`."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return double_text(value)
        case str():
            return value
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
        case Timestamp() | Duration():
            return cel_time.text(value)
        case Opaque() if value.type in ("net.IP", "net.CIDR"):
            return str(value.content)
        case TypeValue():
            return value.name
    raise _conversion_error(value, "string")


def to_timestamp(value: Value) -> Timestamp:
    """`timestamp(x)`."""
    match value:
        case Timestamp():
            return value
        case bool():
            pass
        case int():
            return cel_time.bounded(Timestamp, int(value) * cel_time.SECOND)
        case str():
            return cel_time.parse_timestamp(value)
    raise _conversion_error(value, "google.protobuf.Timestamp")


def to_duration(value: Value) -> Duration:
    """`duration(x)`."""
    match value:
        case Duration():
            return value
        case str():
            return cel_time.parse_duration(value)
    raise _conversion_error(value, "google.protobuf.Duration")


def type_of(value: Value) -> TypeValue:
    """`type(x)`."""
    return TypeValue(type_name(value))


CONVERSIONS: dict[str, Callable[[Any], Value]] = {
    "int": to_int,
    "uint": to_uint,
    "double": to_double,
    "bool": to_bool,
    "bytes": to_bytes,
    "string": to_string,
    "timestamp": to_timestamp,
    "duration": to_duration,
    "type": type_of,
    "dyn": lambda value: value,
}
"""Applied to a constant, these are computed when the expression is compiled; a failure then is a compile error."""
