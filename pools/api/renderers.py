"""How answers are written: JSON by msgspec, CSV that a spreadsheet may open without harm."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from django.utils.functional import Promise
from rest_framework.renderers import BaseRenderer

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class JsonRenderer(BaseRenderer):
    """UTF-8 JSON, as compact as it gets."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else msgspec.json.encode(data, enc_hook=_plain)


class CsvRenderer(BaseRenderer):
    """Marks a list as available in CSV; the view streams the rows itself (see `csv_lines`)."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"".join(line.encode() for line in csv_lines(list(data[0]) if data else [], data))


def csv_lines(columns: list[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """
    A header and one line a row (RFC 4180).

    Texts that a spreadsheet would take for a formula get an apostrophe in front; nested values are written as JSON.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([safe_cell(row.get(column)) for column in columns])
        if buffer.tell() > 65536:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def safe_cell(value: Any) -> str | int | float:
    """One value as a spreadsheet may show it without ever running it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=_plain).decode()
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _plain(value: Any) -> Any:
    """Lazy translations and the containers of Django REST framework as plain values."""
    if isinstance(value, Promise):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"cannot be written as JSON: {type(value).__name__}")
