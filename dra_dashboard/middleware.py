"""Small changes to Django's own middleware."""

from __future__ import annotations

from django.http import HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware as DjangoCommonMiddleware


class SameRequestRedirect(HttpResponsePermanentRedirect):
    """308: ask again at the new address with the same method and body."""

    status_code = 308


class CommonMiddleware(DjangoCommonMiddleware):
    """Leads to the address with a slash by 308, so that a POST to the address without it is not lost."""

    response_redirect_class = SameRequestRedirect
