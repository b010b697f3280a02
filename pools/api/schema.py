"""How operations describe themselves in the OpenAPI schema: every one says what its errors look like."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers

REASONS = {
    400: "A parameter or the payload cannot be understood; `details` names it.",
    401: "Login or a publish token is needed, or the token is not known.",
    403: "The caller is known, but this is not allowed.",
    404: "There is no such object.",
    406: "The Accept header asks for a form that this resource does not have.",
    413: "The payload breaks a limit.",
    415: "The payload's Content-Type or Content-Encoding is not supported.",
}


EXAMPLES = {
    400: ("invalid", "page_size", "Give a whole number from 1 to 1000."),
    401: ("authentication_failed", "", "This token is not known, or has expired or been revoked."),
    403: ("permission_denied", "", "The token is bound to the driver gpu.example.com."),
    404: ("not_found", "", "There is no such pool."),
    406: ("not_acceptable", "", "Could not satisfy the request Accept header."),
    413: ("too_large", "", "The payload is larger than 64 MiB, the limit of DRA_MAX_BODY_MIB."),
    415: ("unsupported_media_type", "", "Content-Encoding 'br' is not supported; send gzip or none."),
}


class ErrorDetail(serializers.Serializer[Any]):
    """One wrong part."""

    path = serializers.CharField(help_text="A parameter's name, or a place in the payload.")
    message = serializers.CharField()


class ErrorBody(serializers.Serializer[Any]):
    """What went wrong."""

    status = serializers.IntegerField(help_text="The HTTP status.")
    code = serializers.CharField(help_text="A stable slug.")
    message = serializers.CharField(help_text="One sentence for a person.")
    details = ErrorDetail(many=True)


class Error(serializers.Serializer[Any]):
    """The one shape of every error."""

    error = ErrorBody()


class Schema(AutoSchema):
    """Adds the errors that any operation of its kind may answer with."""

    def error_statuses(self) -> list[int]:
        """Which errors this operation may answer with; a view's `error_statuses` adds to the usual ones."""
        usual = [400, 401, 406] if self.method == "GET" else [400, 401, 403, 406]
        return usual + list(getattr(self.view, "error_statuses", []))

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in sorted(self.error_statuses()):
            answer = OpenApiResponse(Error, REASONS[status], [_example(status)])
            body = self._get_response_for_code(answer, str(status), ["application/json"], direction)  # type: ignore[no-untyped-call]
            bodies.setdefault(str(status), body)
        table = bodies.get("200", {}).get("content", {}).get("text/csv")
        if table is not None:
            table.clear()
            table["schema"] = {"type": "string", "description": "A header and a line for each row (RFC 4180)."}
        return bodies


def _example(status: int) -> OpenApiExample:
    code, path, message = EXAMPLES[status]
    details = [{"path": path, "message": message}] if path else []
    told = f"{path}: {message}" if path else message
    error = {"status": status, "code": code, "message": told, "details": details}
    return OpenApiExample(code, {"error": error}, response_only=True)
