"""The core's full report of one pool, computed from its stored objects and kept while the pool stays as it is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime

from pools.domain.ids import PoolId
from pools.domain.state import PoolReport
from pools.models import Pool
from pools.stored import Evidence

KEPT = 64
_State = tuple[int, datetime]
_reports: OrderedDict[int, tuple[_State, PoolReport]] = OrderedDict()
_lock = threading.Lock()


class PoolGone(LookupError):
    """The pool's last slice was deleted between the reading of its row and of its slices."""


def pool_report(pool: Pool) -> PoolReport:
    """
    Everything that can be said of *pool* now.

    Cost: nothing when it was asked before and the pool has not changed since; else 6 queries and the core's work. The
    64 pools asked last are kept, in each process.

    Raises:
        PoolGone: no slice of it is stored any more.
    """
    with _lock:
        kept = _reports.get(pool.pk)
        if kept is not None and kept[0] == (pool.revision, pool.as_of):
            _reports.move_to_end(pool.pk)
            return kept[1]
    identity = PoolId(pool.driver, pool.name)
    report = Evidence(pool.cluster).reports([identity]).get(identity)
    if report is None:
        raise PoolGone(str(identity))
    if Pool.objects.filter(
        pk=pool.pk, revision=pool.revision, as_of=pool.as_of
    ).exists():  # it did not change meanwhile
        _keep(pool, report)
    return report


def _keep(pool: Pool, report: PoolReport) -> None:
    with _lock:
        _reports[pool.pk] = (pool.revision, pool.as_of), report
        _reports.move_to_end(pool.pk)
        while len(_reports) > KEPT:
            _reports.popitem(last=False)
