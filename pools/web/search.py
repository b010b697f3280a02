"""Search over all names."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pools.queries import search as queries
from pools.web.render import page, text


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """What has the text of `?q=` in its name, by kind."""
    query = text(request, "q")
    hits = queries.search(request.user, query)
    context = {"section": "search", "query": query, "hits": hits, "limit": queries.LIMIT}
    return page(request, "web/search.html", context)
