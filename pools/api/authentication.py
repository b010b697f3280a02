"""Who is calling: a publish token in the Authorization header, else a browser session."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from pools.models import PublishToken

STAMP_EVERY = timedelta(minutes=1)


class Publisher(AnonymousUser):
    """The caller behind a publish token: no account, but known."""

    is_authenticated = True  # type: ignore[assignment]

    def __init__(self, token: PublishToken) -> None:
        super().__init__()
        self.token = token

    def __str__(self) -> str:
        return f"publish token {self.token}"


class PublishTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer dra_…`. A token that is unknown or expired is refused, never taken as nobody."""

    def authenticate(self, request: Request) -> tuple[Publisher, PublishToken] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = PublishToken.objects.matching(secret.strip())
        if token is None:
            raise exceptions.AuthenticationFailed("This token is not known, or has expired or been revoked.")
        _stamp(token)
        return Publisher(token), token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


def _stamp(token: PublishToken) -> None:
    """Note when the token was last used, at most once in `STAMP_EVERY`: reading must not turn into writing."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= STAMP_EVERY:
        PublishToken.objects.filter(pk=token.pk).update(last_used_at=now)


class PublishTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes the token."""

    target_class = PublishTokenAuthentication
    name = "publishToken"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A publish token: `manage.py token create NAME`."}
