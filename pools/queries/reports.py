"""The core's full report of one pool, computed from its stored objects and kept while the pool stays as it is."""

from __future__ import annotations

import threading
from collections import OrderedDict

from pools.domain.ids import PoolId
from pools.domain.state import PoolReport
from pools.models import Pool
from pools.stored import Evidence

KEPT = 64
_reports: OrderedDict[int, tuple[int, PoolReport]] = OrderedDict()
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
        if kept is not None and kept[0] == pool.revision:
            _reports.move_to_end(pool.pk)
            return kept[1]
    identity = PoolId(pool.driver, pool.name)
    report = Evidence(pool.cluster).reports([identity]).get(identity)
    if report is None:
        raise PoolGone(str(identity))
    if Pool.objects.filter(pk=pool.pk, revision=pool.revision).exists():  # else it changed while it was read
        _keep(pool, report)
    return report


def _keep(pool: Pool, report: PoolReport) -> None:
    with _lock:
        _reports[pool.pk] = pool.revision, report
        _reports.move_to_end(pool.pk)
        while len(_reports) > KEPT:
            _reports.popitem(last=False)
