"""The maximal mixes of a card, computed once for each state of its pool."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from pools.core.mixes import mixes
from pools.domain.state import Mixes, PoolReport

KEPT = 256
LIMIT = 2000
_kept: OrderedDict[tuple[int, str], tuple[PoolReport, Mixes]] = OrderedDict()
_lock = Lock()


def card_mixes(report: PoolReport, card_key: str) -> Mixes:
    """
    The card's maximal mixes, at most 2,000; `cut` tells when there are more.

    They are kept as long as the report that they were made from: the same report object gives the same answer.
    """
    key = (id(report), card_key)
    with _lock:
        if key in _kept and _kept[key][0] is report:
            _kept.move_to_end(key)
            return _kept[key][1]
    answer = mixes(report, card_key, limit=LIMIT)
    with _lock:
        _kept[key] = (report, answer)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return answer
