"""Which form the answer takes: JSON, or CSV where `?format=csv` or the Accept header asks for it."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class Negotiation(DefaultContentNegotiation):
    """As usual, except that an unknown `?format=` is a bad value of that parameter rather than a page not found."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderers = list(renderers)
        wanted = request.query_params.get("format")
        known = [renderer.format for renderer in renderers]
        if wanted is not None and wanted not in known:
            raise ValidationError({"format": [f"Not a format of this resource; choose from {', '.join(known)}."]})
        chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        return chosen
