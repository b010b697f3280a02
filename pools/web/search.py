"""Search over all names."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from pools.queries import search as queries
from pools.web import addresses
from pools.web.render import choice, page, text


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """What has the text of `?q=` in its name, by kind; `?format=json` gives the same to a program."""
    query = text(request, "q")
    hits = queries.search(request.user, query)
    if choice(request, "format", ("json",)):
        return JsonResponse({"query": query, "hits": [_told(hit) for hit in hits]})
    twin = f"{reverse('web:search')}?{urlencode({'q': query, 'format': 'json'})}"
    context = {"section": "search", "twin": twin, "query": query, "hits": hits, "limit": queries.LIMIT}
    return page(request, "web/search.html", context)


def _told(hits: queries.Hits) -> dict[str, Any]:
    """One kind's hits for a program: names as published, addresses of their pages."""
    rows = [{"name": str(row), "url": addresses.of(row)} for row in hits.rows]
    return {"kind": hits.kind, "rows": rows, "more": hits.more}
