"""Values of a selector while it is evaluated, and what equals, orders and indexes what among them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

from pools.domain.quantity import NANO

Value = Any
"""
What a CEL value is in Python: None, bool, int, UInt, float, str, bytes, list, dict (see `key`), or one of the classes
below. Lists and dicts are never changed once they can be seen by another expression.
"""

INT64 = 1 << 63


class CelError(Exception):
    """Evaluation failed; `||`, `&&` and the macros built on them may still absorb it."""


class CelAbort(Exception):
    """Evaluation must stop at once: the cost limit was exceeded, or Kubernetes' own evaluator would panic."""


class CelUnsupported(Exception):
    """The expression may be right, but cannot be evaluated here; never to be taken for 'no match'."""


def no_overload() -> NoReturn:
    """The function does not take values of these types."""
    raise CelError("no such overload")


class UInt(int):
    """An unsigned integer; equal to the int of the same amount, but not added to it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """
    A Kubernetes quantity.

    `nano` is the amount in billionths. `scaled` is (value, power of ten) where Kubernetes keeps the amount as a scaled
    integer, None where it keeps a decimal number: its isInteger() depends on that, not on the amount alone.
    `computed` marks results of add() and sub(): Kubernetes fails to compare with one on the right of `==`.
    """

    nano: int
    scaled: tuple[int, int] | None
    computed: bool = False

    def whole(self) -> int | None:
        """The amount as int64, as far as Kubernetes would say so."""
        if self.scaled is None:
            return None
        value, power = self.scaled
        if power < 0 or (power > 30 and value):
            return None
        number: int = value * 10**power
        return number if -INT64 <= number < INT64 else None

    def plus(self, other: Amount, sign: int = 1) -> Amount:
        """The sum (or with *sign* -1 the difference), in the form Kubernetes' Add or Sub leaves it in."""
        nano = self.nano + sign * other.nano
        if self.scaled is None or other.scaled is None:
            return Amount(nano, None, computed=True)
        if other.scaled[0] == 0:
            return Amount(nano, self.scaled, computed=True)
        if self.scaled[0] == 0:
            return Amount(nano, (sign * other.scaled[0], other.scaled[1]), computed=True)
        power = min(self.scaled[1], other.scaled[1])
        ours, theirs = (number * 10 ** (at - power) for number, at in (self.scaled, other.scaled))
        value = ours + sign * theirs
        return Amount(nano, (value, power) if -INT64 <= value < INT64 else None, computed=True)


_QUANTITY = re.compile(r"([+-]?)(\d*)(\.\d*)?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?", re.ASCII)
_MAX_DIGITS, _MAX_POWER = 300, 300
_POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BITS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


@lru_cache(maxsize=16384)
def amount(text: str) -> Amount:
    """
    Read a quantity with the form that Kubernetes' parser gives it.

    Raises:
        ValueError: the text is no quantity.
        CelUnsupported: it is one, beyond 300 digits or 10^±300.

    Source: apimachinery pkg/api/resource/quantity.go (ParseQuantity); a bare suffix or sign is 0 there.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None or not text:
        raise ValueError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
    sign = -1 if match[1] == "-" else 1
    whole, decimals, suffix = match[2].lstrip("0") or "0", (match[3] or ".")[1:], match[4] or ""
    bits = _BITS.get(suffix, 0)
    power = _POWERS.get(suffix, 0) if suffix in _POWERS or bits else int(suffix[1:])
    if len(whole) + len(decimals) > _MAX_DIGITS or abs(power) > _MAX_POWER:
        raise CelUnsupported("a quantity of this size cannot be evaluated here")
    digits = int(whole + decimals)
    power -= len(decimals)
    exact = Fraction(digits << bits) * Fraction(10) ** power * NANO
    nano = -(-exact.numerator // exact.denominator)
    if bits:
        fits = not decimals and len(whole) + 3 * bits // 10 <= 14
        nano = min(nano, (INT64 - 1) * NANO)
        return Amount(sign * nano, (sign * digits << bits, 0) if fits else None)
    fits = len(whole) + len(decimals) <= 18 and power >= -9
    return Amount(sign * nano, (sign * digits, power) if fits else None)


def approximate(value: Amount) -> float:
    """The nearest double, computed the way Kubernetes does (value times power of ten)."""
    if value.scaled is not None:
        number, power = value.scaled
        return float(number) * 10.0**power if power else float(number)
    return float(Fraction(value.nano, NANO))


@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A semantic version. Build metadata counts for nothing."""

    numbers: tuple[int, int, int]
    order: tuple[Any, ...]
    """Sorts as versions do: the numbers, then a pre-release before none."""
    text: str = ""


_IDENTIFIER = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    rf"(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


@lru_cache(maxsize=16384)
def semver(text: str) -> Semver:
    """
    Read a strict semantic version (semver 2.0.0).

    Raises:
        ValueError: with the first fault, in the words of the parser that Kubernetes uses.
    """
    if not text:
        raise ValueError("Version string empty")
    if text.count(".") < 2:
        raise ValueError("No Major.Minor.Patch elements found")
    match = _SEMVER.fullmatch(text)
    numbers = tuple(map(int, match.groups()[:3])) if match else ()
    if match is None or any(number >= 1 << 64 for number in numbers):
        raise ValueError(f"Invalid character(s) or number found in version {text!r}")
    major, minor, patch = numbers
    pre = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in (match[4] or "").split(".") if part)
    return Semver((major, minor, patch), (major, minor, patch, 0 if pre else 1, pre), text)


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Nanoseconds since 1970, UTC. `offset` (minutes) only shows when it is written out."""

    nano: int
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Duration:
    """Nanoseconds."""

    nano: int


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value, as `type(x)` gives it."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """An optional value; `full` False is optional.none()."""

    full: bool
    value: Value = None


NONE = Optional(False)


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A value of one of Kubernetes' own types (`net.IP`, `net.CIDR`, `kubernetes.URL`, `kubernetes.NamedFormat`)."""

    type: str
    content: Any
    identity: Any
    """What makes two of them equal."""


class DefaultMap(dict[Any, Any]):
    """
    `device.attributes` and `device.capacity`: looking up an unknown domain gives an empty map, yet the domain is not
    `in` the map and iteration does not meet it. `default` is something else in the maps of the 2024 prototype.
    """

    __slots__ = ("default",)

    def __init__(self, items: Any = (), default: Any = None) -> None:
        super().__init__(items)
        self.default = {} if default is None else default


class DeviceMap(dict[Any, Any]):
    """The attributes or capacities of one domain of a device."""


_TYPE_NAMES: dict[type, str] = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "map",
    DefaultMap: "map",
    DeviceMap: "map",
    Amount: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    TypeValue: "type",
    Optional: "optional_type",
}


def type_name(value: Value) -> str:
    """The CEL name of a value's type."""
    return value.type if isinstance(value, Opaque) else _TYPE_NAMES[type(value)]


NUMBERS = frozenset((int, UInt, float))
MAPS = frozenset((dict, DefaultMap, DeviceMap))


@dataclass(frozen=True, slots=True)
class Key:
    """A map key that Python would confuse with another (True with 1), or compare otherwise than Kubernetes does."""

    kind: str
    value: Value = field(compare=False)
    identity: Any


def key(value: Value) -> Any:
    """
    The dict key for a CEL map key.

    Raises:
        CelAbort: Kubernetes' evaluator panics on such a key.
    """
    kind = type(value)
    if kind is str or kind is int or kind is UInt:
        return value
    if kind is float:
        return int(value) if value == value and value.is_integer() else value
    unhashable(value)
    same_value = kind is bool or value is None or kind in (Timestamp, Duration, TypeValue)
    return Key(type_name(value), value, value if same_value else id(value))


def unhashable(value: Value) -> None:
    """
    Do as Kubernetes' evaluator does when it must hash a value that has no hash.

    Raises:
        CelAbort: the value is one of those.
    """
    if type_name(value) in ("bytes", "kubernetes.Semver", "kubernetes.NamedFormat"):
        raise CelAbort(f"internal error: runtime error: hash of unhashable type {type_name(value)}")


def unkey(stored: Any) -> Value:
    """The CEL value of a dict key."""
    return stored.value if isinstance(stored, Key) else stored
