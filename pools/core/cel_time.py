"""Timestamps and durations of the selector language: reading, writing, and the parts of a date."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pools.core.cel_values import INT64, CelError, Duration, Timestamp, Value, no_overload

SECOND = 10**9
_Time = TypeVar("_Time", Timestamp, Duration)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62135596800 * SECOND, 253402300800 * SECOND
_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_DURATION_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)


def bounded(kind: type[_Time], nano: int, offset: int = 0) -> _Time:
    """A value of *kind*, if it is one that Kubernetes can hold."""
    inside = -INT64 <= nano < INT64 if kind is Duration else _FIRST <= nano < _LAST
    if not inside:
        raise CelError("timestamp overflow" if kind is Timestamp else "integer overflow")
    return Timestamp(nano, offset) if kind is Timestamp else kind(nano)  # type: ignore[return-value]


def parse_timestamp(text: str) -> Timestamp:
    """Read RFC 3339, to the nanosecond."""
    match = _RFC3339.fullmatch(text)
    if match:
        year, month, day, hour, minute, second = map(int, match.groups()[:6])
        try:
            whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _EPOCH
        except ValueError:
            match = None
    if not match or int(match[9] or 0) > 24 or int(match[10] or 0) > 59:
        raise CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
    nano = (whole.days * 86400 + whole.seconds) * SECOND + int((match[7] or "")[:9].ljust(9, "0"))
    offset = int(f"{match[8] or '+'}1") * (int(match[9] or 0) * 60 + int(match[10] or 0))
    return bounded(Timestamp, nano - offset * 60 * SECOND, offset)


def parse_duration(text: str) -> Duration:
    """Read a duration as Go writes it: `1h30m`, `-1.5s`, `0`."""
    failure = CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
    body = text[1:] if text[:1] in ("+", "-") else text
    total = Fraction(0)
    at = 0
    while at < len(body):
        match = _DURATION_PART.match(body, at)
        if match is None:
            break
        total += int(Fraction(match[1].rstrip(".")) * _UNITS[match[2]])
        at = match.end()
    if body != "0" and (not body or at < len(body)):
        raise failure
    nano = int(-total if text[:1] == "-" else total)
    if not -INT64 <= nano < INT64:
        raise failure
    return Duration(nano)


def text(value: Timestamp | Duration) -> str:
    """Write a timestamp as RFC 3339 in its own zone, a duration in seconds."""
    if isinstance(value, Duration):
        whole, rest = divmod(abs(value.nano), SECOND)
        return f"{'-' if value.nano < 0 else ''}{whole}{_decimals(rest)}s"
    whole, rest = divmod(value.nano, SECOND)
    moment = (_EPOCH + timedelta(seconds=whole + value.offset * 60)).strftime("%Y-%m-%dT%H:%M:%S").zfill(19)
    hours, minutes = divmod(abs(value.offset), 60)
    zone = f"{'-' if value.offset < 0 else '+'}{hours:02d}:{minutes:02d}" if value.offset else "Z"
    return f"{moment}{_decimals(rest)}{zone}"


def _decimals(rest: int) -> str:
    return f".{rest:09d}".rstrip("0") if rest else ""


def _zone(name: Value) -> tzinfo:
    if type(name) is not str:
        no_overload()
    match = re.fullmatch(r"([+-]?)(\d+):(\d+)", name, re.ASCII)
    try:
        if match:
            minutes = int(match[2]) * 60 + int(match[3])
            if int(match[3]) > 59:
                raise ValueError("timezone offset minutes out of range")
            return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
        return UTC if name in ("", "UTC") else ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise CelError(f"unknown time zone {name}") from error


def _part(read: Callable[[datetime], int], of_duration: int = 0) -> Callable[..., int]:
    def method(value: Value, zone: Value = "UTC") -> int:
        if type(value) is Duration and of_duration and zone == "UTC":
            size = abs(value.nano) // of_duration
            return -size if value.nano < 0 else size
        if type(value) is not Timestamp:
            no_overload()
        moment = _EPOCH + timedelta(seconds=value.nano // SECOND, microseconds=value.nano % SECOND // 1000)
        try:
            return read(moment.astimezone(_zone(zone)))
        except OverflowError as error:
            raise CelError("timestamp overflow") from error

    return method


METHODS: dict[str, Callable[..., Any]] = {
    "getFullYear": _part(lambda moment: moment.year),
    "getMonth": _part(lambda moment: moment.month - 1),
    "getDate": _part(lambda moment: moment.day),
    "getDayOfMonth": _part(lambda moment: moment.day - 1),
    "getDayOfWeek": _part(lambda moment: moment.isoweekday() % 7),
    "getDayOfYear": _part(lambda moment: moment.timetuple().tm_yday - 1),
    "getHours": _part(lambda moment: moment.hour, 3600 * SECOND),
    "getMinutes": _part(lambda moment: moment.minute, 60 * SECOND),
    "getSeconds": _part(lambda moment: moment.second, SECOND),
    "getMilliseconds": _part(lambda moment: moment.microsecond // 1000, 10**6),
}
