"""What an open page asks again and again: has anything changed?"""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from pools.queries.live import live_state


@require_safe
def live(request: HttpRequest) -> HttpResponseBase:
    """304 while nothing has changed since the tag in If-None-Match, else the new tag. One query."""
    state = live_state(request.user)
    response = get_conditional_response(request, etag=state.tag) or JsonResponse({"as_of": state.as_of})
    response.headers["ETag"] = state.tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
