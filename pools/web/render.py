"""How every page is answered: whole, or for an open page that follows changes only the part that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from pools.queries.live import live_state
from pools.queries.scope import DEVICE_STATES, Scope

PER_PAGE = 50
LONGEST = 330


def page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """
    Render *template*, or its partial `live` for htmx.

    Adds to the context what every page has: the revision that it shows, where to ask for news and how often. The
    revision is read before the context's own lazy queries run, so that a change in between is noticed, never missed.
    """
    live = live_state(request.user)
    context = {
        "as_of": live.as_of,
        "live_tag": live.tag,
        "live_seconds": settings.POLL_SECONDS,
        "login_required": settings.LOGIN_REQUIRED,
        **context,
    }
    part = getattr(request, "htmx", None)
    response = render(request, f"{template}#live" if part else template, context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie"])
    return response


def text(request: HttpRequest, name: str) -> str:
    """
    A value of the query string, empty when absent.

    Raises:
        BadRequest: it is longer than any name, or holds a null character.
    """
    value = request.GET.get(name, "").strip()
    if len(value) > LONGEST or "\x00" in value:
        raise BadRequest(f"{name}: not a value that anything could have")
    return value


def choice(request: HttpRequest, name: str, allowed: Sequence[str], default: str = "") -> str:
    """
    A value of the query string that must be one of *allowed*; *default* when absent or empty.

    Raises:
        BadRequest: it is something else.
    """
    value = text(request, name)
    if value and value not in allowed:
        raise BadRequest(f"{name}: must be one of {', '.join(allowed)}")
    return value or default


def number(request: HttpRequest, name: str) -> int:
    """A page number of the query string, 1 when absent or no number."""
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def scope(request: HttpRequest, *, state: str = "state") -> Scope:
    """
    The part of the fleet that the query string names.

    Args:
        state: the parameter that holds the device state.
    """
    return Scope(
        cluster=text(request, "cluster"),
        driver=text(request, "driver"),
        node=text(request, "node"),
        model=text(request, "model"),
        state=choice(request, state, DEVICE_STATES),
    )


def scope_query(wanted: Scope, **changed: str) -> str:
    """The query string that carries a scope to another list, with some values changed; empty ones are left out."""
    values = {**asdict(wanted), **changed}
    query = urlencode({name: value for name, value in values.items() if value})
    return f"?{query}" if query else ""


def paginate(request: HttpRequest, rows: QuerySet[Any]) -> Page[Any]:
    """The page of a list that `?page=` asks for; beyond the end gives the last."""
    return Paginator(rows, PER_PAGE).get_page(number(request, "page"))
