"""How operations describe themselves in the OpenAPI schema: every one says what its errors look like."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
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
            body = self._get_response_for_code(Error, str(status), ["application/json"], direction)  # type: ignore[no-untyped-call]
            bodies.setdefault(str(status), {**body, "description": REASONS[status]})
        return bodies
