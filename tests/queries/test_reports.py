"""The report of a pool: computed once for each state of it."""

import json

import pytest

from pools.ingest.publish import publish, remove
from pools.models import Pool
from pools.queries import reports
from pools.queries.reports import PoolGone, pool_report
from tests.manifests import DRIVER, claim, gpu_pool

pytestmark = pytest.mark.django_db


def send(*objects):
    publish(json.dumps(list(objects)).encode())


def test_a_report_is_computed_once_for_each_state(django_assert_num_queries):
    send(*gpu_pool())
    pool = Pool.objects.select_related("cluster").get()
    first = pool_report(pool)

    with django_assert_num_queries(0):
        assert pool_report(pool) is first

    send(claim("train", holds=[(DRIVER, "node-1", "half-0")]))
    changed = pool_report(Pool.objects.get())
    assert changed is not first
    assert {item.id.name: item.state for item in changed.devices}["half-0"] == "allocated"


def test_a_row_that_is_out_of_date_does_not_spoil_what_is_kept():
    send(*gpu_pool())
    old = Pool.objects.get()
    send(claim("train", holds=[(DRIVER, "node-1", "half-0")]))

    pool_report(old)

    assert pool_report(Pool.objects.get()).counters[0].consumed_nano == 20 * 2**30 * 10**9


def test_a_pool_without_slices_is_gone():
    send(*gpu_pool())
    pool = Pool.objects.get()
    for index in (0, 1):
        remove(cluster="default", kind="ResourceSlice", namespace="", name=f"node-1-{index}")

    with pytest.raises(PoolGone):
        pool_report(pool)


def test_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(reports, "KEPT", 2)
    for index in range(4):
        send(*gpu_pool(f"n{index}"))
        pool_report(Pool.objects.get(name=f"n{index}"))

    assert len(reports._reports) <= 2
