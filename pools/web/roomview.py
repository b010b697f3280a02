"""What the card page says about room that its allocations waste."""

from __future__ import annotations

from typing import Any

from pools.core.repack import Move
from pools.domain.quantity import format_nano
from pools.domain.state import PoolReport
from pools.models import Pool
from pools.queries.fragmentation import card_room
from pools.web import addresses
from pools.web.whyview import Link


def card_context(pool: Pool, report: PoolReport, key: str) -> dict[str, Any]:
    """
    Gather the section.

    Returns:
        `room`; `rooms`, for each type of which more would fit its row with the moves of the cheapest plan as
        (from, to, claims); `stranded`, each waste with its amount as a text.
    """
    found = card_room(report, key)
    plans = {plans.plans[0].type: plans.plans[0].moves for plans in found.plans if plans.plans}
    return {
        "room": found,
        "rooms": [
            (row, [_move(pool.cluster.name, move) for move in plans.get(row.type, ())]) for row in found.room.lost
        ],
        "stranded": [
            (waste, format_nano(waste.stranded_nano, waste.like)) for waste in found.room.wastes if waste.stranded_nano
        ],
    }


def _move(cluster: str, move: Move) -> tuple[str, str, list[Link]]:
    claims = dict.fromkeys(hold.claim for hold in move.holders)
    return move.source, move.target, [Link(str(claim), addresses.claim(cluster, claim)) for claim in claims]
