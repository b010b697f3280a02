"""Fixtures of page tests."""

import pytest

from pools.models import Pool
from pools.queries import reports
from tests.web import objects


@pytest.fixture(autouse=True)
def _no_kept_reports():
    """Rolled-back tests reuse primary keys, so what an earlier test computed must not be found by a later one."""
    reports._reports.clear()


@pytest.fixture
def one_node(db):
    """One A100 node: half of its card is held by a claim, another claim waits."""
    objects.fleet(1)
    return Pool.objects.get()
