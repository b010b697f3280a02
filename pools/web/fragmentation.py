"""The fragmentation page: what the fleet's allocations waste, and the cards on which moving would help."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pools.queries import fleet as fleet_queries
from pools.queries.fragmentation import fleet_room
from pools.web import twins
from pools.web.render import page, scope


@require_safe
def fragmentation(request: HttpRequest) -> HttpResponse:
    """Types now and repacked, stranded amounts, and the cards that lose most, in the scope of the query string."""
    wanted = scope(request)
    room = fleet_room(request.user, wanted)
    context = {
        "section": "fragmentation",
        "twin": twins.fragmentation(wanted),
        "scope": wanted,
        "filtered": not wanted.is_all,
        "choices": fleet_queries.choices(request.user),
        "room": room,
        "losing_types": [row for row in room.types if row.lost],
        "cards": [(card, room.lost_types.get(card.pk, [])) for card in room.cards],
    }
    return page(request, "web/fragmentation.html", context)
