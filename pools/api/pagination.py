"""Pages that stay put while rows come and go: each begins after the last row of the one before, found by its key."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

DEFAULT_SIZE = 100
MAX_SIZE = 1000
Key = list[Any]


class KeysetPagination(BasePagination):
    """
    `cursor` and `page_size`. The view's `keyset` names the columns that order its rows; together they are unique.

    Cost: one query a page, however far into the list it is.
    """

    def paginate_queryset(  # type: ignore[override]
        self, queryset: QuerySet[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.columns: tuple[str, ...] = getattr(view, "keyset", ("pk",))
        self.address = request.build_absolute_uri()
        size = self._size(request)
        self.backward, key = self._cursor(request)
        rows = self._rows(queryset, key)[: size + 1]
        try:
            found = list(rows)
        except (ValueError, TypeError, OverflowError):  # a cursor whose values do not suit the columns
            raise _bad_cursor() from None
        self.more = len(found) > size
        self.page = found[:size][::-1] if self.backward else found[:size]
        self.continued = key is not None
        return self.page

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self._next(), "previous": self._previous(), "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        address = "http://127.0.0.1:8000/api/v1/pools/?cursor=WzAsMV0"
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "The next page, null on the last.", "example": address},
                "previous": {**link, "description": "The page before, null on the first.", "example": address},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            {
                "name": "cursor",
                "in": "query",
                "required": False,
                "description": "Where the page begins; taken from `next` or `previous` of another page.",
                "schema": {"type": "string"},
            },
            {
                "name": "page_size",
                "in": "query",
                "required": False,
                "description": "Rows on a page.",
                "schema": {"type": "integer", "minimum": 1, "maximum": MAX_SIZE, "default": DEFAULT_SIZE},
            },
        ]

    def _size(self, request: Request) -> int:
        raw = request.query_params.get("page_size", str(DEFAULT_SIZE))
        if not raw.isascii() or not raw.isdecimal() or len(raw) > 6 or not 1 <= int(raw) <= MAX_SIZE:
            raise ValidationError({"page_size": [f"Give a whole number from 1 to {MAX_SIZE}."]})
        return int(raw)

    def _cursor(self, request: Request) -> tuple[bool, Key | None]:
        raw = request.query_params.get("cursor")
        if raw is None:
            return False, None
        try:
            padded = raw.encode("ascii") + b"=" * (-len(raw) % 4)
            backward, key = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        except (ValueError, TypeError, RecursionError, binascii.Error):
            raise _bad_cursor() from None
        good = isinstance(backward, bool) and isinstance(key, list) and len(key) == len(self.columns)
        if not good or not all(_is_plain(value) for value in key):
            raise _bad_cursor()
        return backward, key

    def _rows(self, queryset: QuerySet[Any], key: Key | None) -> QuerySet[Any]:
        sign, side = ("-", "lt") if self.backward else ("", "gt")
        ordered = queryset.order_by(*(f"{sign}{column}" for column in self.columns))
        if key is None:
            return ordered
        beyond = Q()
        for index, column in enumerate(self.columns):
            equal = {name: value for name, value in zip(self.columns[:index], key, strict=False)}
            beyond |= Q(**equal, **{f"{column}__{side}": key[index]})
        try:
            return ordered.filter(beyond, **{f"{self.columns[0]}__{side}e": key[0]})  # the index begins here
        except (ValueError, TypeError):
            raise _bad_cursor() from None

    def _next(self) -> str | None:
        return self._link(False, self.page[-1:]) if self.more or self.backward else None

    def _previous(self) -> str | None:
        return self._link(True, self.page[:1]) if (self.more if self.backward else self.continued) else None

    def _link(self, backward: bool, rows: Sequence[Model]) -> str | None:
        if not rows:
            return remove_query_param(self.address, "cursor") if backward else None
        key = [getattr(rows[0], column) for column in self.columns]
        text = json.dumps([backward, key], separators=(",", ":"), ensure_ascii=False)
        return replace_query_param(self.address, "cursor", base64.urlsafe_b64encode(text.encode()).decode().rstrip("="))


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" not in value and value.isprintable()
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _bad_cursor() -> ValidationError:
    return ValidationError({"cursor": ["Not a cursor of this list; take it from next or previous."]})
