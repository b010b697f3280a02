"""Who may read and who may publish, in the terms of Django REST framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from pools.models import PublishToken

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which itself loads this module


class MayRead(BasePermission):
    """Everybody, or, where login is required, sessions and publish tokens."""

    message = "Log in, or send a publish token."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return not settings.LOGIN_REQUIRED or bool(request.user and request.user.is_authenticated)


class MayPublish(BasePermission):
    """Only publish tokens; what one may publish is asked of `pools.access` for each object."""

    message = "Publishing needs a token: Authorization: Bearer dra_…"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return isinstance(request.auth, PublishToken)
