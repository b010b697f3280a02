"""The core's report of a pool, or a 404 when the pool has just gone."""

from __future__ import annotations

from django.http import Http404

from pools.domain.state import PoolReport
from pools.models import Pool
from pools.queries.reports import PoolGone, pool_report


def report_of(pool: Pool) -> PoolReport:
    """
    Everything that can be said of *pool* now.

    Raises:
        Http404: its last slice was deleted between the reading of its row and of its slices.
    """
    try:
        return pool_report(pool)
    except PoolGone as gone:
        raise Http404(f"no pool {gone}") from gone
