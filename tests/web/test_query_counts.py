"""A page costs the same number of queries however much there is to show."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pools.queries import reports
from tests.web import objects
from tests.web.test_pages import PAGES

ALLOWED = 3
SMALL, LARGE = 1, 50


def queries_of(client, address):
    reports._reports.clear()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.mark.slow
def test_fifty_times_the_fleet_costs_at_most_three_queries_more(client, db):
    pages = {**PAGES, "search": "/search?q=node", "live": "/live/"}
    objects.fleet(SMALL)
    small = {name: queries_of(client, address) for name, address in pages.items()}

    objects.fleet(LARGE)
    large = {name: queries_of(client, address) for name, address in pages.items()}

    assert {name: (small[name], large[name]) for name in pages if large[name] > small[name] + ALLOWED} == {}
    assert max(large.values()) < 30, large


def test_asking_for_news_costs_one_query(client, one_node, django_assert_num_queries):
    tag = client.get("/live/").headers["ETag"]

    with django_assert_num_queries(1):
        client.get("/live/", headers={"If-None-Match": tag})
