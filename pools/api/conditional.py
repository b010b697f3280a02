"""Answers that have not changed are not sent again: ETags made of cluster revisions and the question asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from rest_framework.request import Request

import pools
from pools.access import visible
from pools.models import Cluster


def revisions(request: Request) -> list[tuple[str, int]]:
    """Name and revision of the clusters that the question is about, in one query."""
    clusters = visible(request.user, Cluster.objects.all())
    name = request.query_params.get("cluster", "")
    if name and "\x00" not in name:
        clusters = clusters.filter(name=name)
    return list(clusters.order_by("name").values_list("name", "revision"))


def etag_of(request: Request, state: Iterable[tuple[str, int]]) -> str:
    """A strong tag: the same question of the same caller at the same state in the same form."""
    parts = (
        pools.__version__,
        request.get_full_path(),
        request.accepted_renderer.format,
        request.user.pk,
        request.auth.pk if request.auth is not None else None,
        list(state),
    )
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def conditional(request: Request, tag: str, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """304 when the caller already has what *tag* stands for, else *answer*, marked with it."""
    unchanged = get_conditional_response(request._request, etag=tag)
    response = unchanged if unchanged is not None else answer()
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    return response
