"""One shape for every error under /api/: what went wrong, for a program and for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback

from pools.api.renderers import JsonRenderer


class TooLarge(exceptions.APIException):
    """The payload breaks a limit; the message says which."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


def error_body(
    status: int, code: str, message: str, details: list[dict[str, str]] | None = None
) -> dict[str, dict[str, Any]]:
    """
    The shape.

    Args:
        status: the HTTP status, again, for those who only keep bodies.
        code: a stable slug.
        message: one sentence for a person.
        details: for each wrong part its `path` (a parameter's name or a place in the payload) and a `message`.
    """
    return {"error": {"status": int(status), "code": code, "message": message, "details": details or []}}


def handle(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Turn an exception of a view into the shape; None for faults of our own, which become a 500."""
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(str(exc) if exc.args else None)
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    elif isinstance(exc, exceptions.NotAuthenticated):
        exc.detail = _what_is_needed(context["view"], exc)  # type: ignore[assignment]
    if not isinstance(exc, exceptions.APIException):
        return None
    set_rollback()
    challenge = getattr(exc, "auth_header", None)
    headers = {"WWW-Authenticate": challenge} if challenge else {}
    request = context.get("request")
    if request is not None:  # an error is JSON even where CSV was asked for
        request.accepted_renderer, request.accepted_media_type = JsonRenderer(), JsonRenderer.media_type
    return Response(_body_of(exc), status=exc.status_code, headers=headers)


def _what_is_needed(view: APIView, exc: exceptions.NotAuthenticated) -> str:
    """The view's own word on who may call it."""
    messages = [message for each in view.get_permissions() if (message := getattr(each, "message", None))]
    return messages[0] if messages else str(exc.detail)


def _body_of(exc: exceptions.APIException) -> dict[str, dict[str, Any]]:
    details = list(_details(exc.detail)) if isinstance(exc.detail, list | dict) else []
    if isinstance(exc, exceptions.ValidationError):
        message = "; ".join(f"{d['path']}: {d['message']}" if d["path"] else d["message"] for d in details)
        return error_body(exc.status_code, "invalid", message, details)
    code = getattr(exc.detail, "code", exc.default_code)
    return error_body(exc.status_code, code, str(exc.detail), details)


def _details(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            own = "" if key == "non_field_errors" else str(key)
            yield from _details(value, f"{path}.{own}" if path and own else path or own)
    elif isinstance(detail, list):
        for value in detail:
            yield from _details(value, path)
    else:
        yield {"path": path, "message": str(detail)}


_MESSAGES = {
    400: ("bad_request", "The request cannot be understood."),
    403: ("permission_denied", "This is not allowed."),
    404: ("not_found", "There is nothing at this address. Addresses of the API end in a slash."),
    500: ("internal_error", "The server made a mistake; its log has the details."),
}


def plain_error(request: HttpRequest, status: int) -> HttpResponse:
    """The shape for errors that never reached a view of the API."""
    code, message = _MESSAGES[status]
    body = msgspec.json.encode(error_body(status, code, message))
    return HttpResponse(body, status=status, content_type=JsonRenderer.media_type)
