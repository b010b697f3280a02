"""The JSON twin that a page names answers, and says the same as the page."""

import re

import pytest
from django.urls import reverse

from tests.web import objects
from tests.web.test_pages import PAGES

LISTS = [
    ("pools", "contains=node-1", "name=node-1"),
    ("pools", "state=incomplete", "state=incomplete"),
    ("pools", "has=unavailable", "has=unavailable"),
    ("pools", "node=node-1", "node=node-1"),
    ("devices", "state=blocked&pool=node-0", "state=blocked&pool=node-0"),
    ("devices", "contains=3g", "name=3g"),
    ("claims", "state=pending", "state=pending"),
    ("claims", "contains=train", "name=train"),
    ("nodes", "contains=-0", "name=-0"),
    ("findings", "severity=info", "severity=info"),
    ("findings", "contains=node-1", "text=node-1"),
]


def twin_of(page):
    return re.search(r'rel="alternate" type="application/json" href="([^"]+)"', page)[1].replace("&amp;", "&")


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES.keys())
def test_the_twin_of_every_page_answers_in_json(client, one_node, address):
    answer = client.get(twin_of(client.get(address).content.decode()))

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(("view", "filters", "query"), LISTS)
def test_a_filtered_list_and_its_twin_have_the_same_rows(client, db, view, filters, query):
    objects.fleet(2)
    objects.put(
        *objects.mig_node("node-7")[:1], *objects.mig_node("node-8", tainted={0: {"key": "k", "effect": "NoExecute"}})
    )
    page = client.get(f"{reverse(f'web:{view}')}?{query}")
    twin = twin_of(page.content.decode())

    assert filters.split("&")[0] in twin
    rows, address = 0, twin
    while address:
        answer = client.get(address).json()
        rows, address = rows + len(answer["results"]), answer.get("next")
    assert rows == page.context["page"].paginator.count > 0


@pytest.mark.parametrize("view", ["pools", "devices", "claims", "nodes", "findings"])
def test_the_table_of_a_list_can_be_downloaded(client, one_node, view):
    page = client.get(reverse(f"web:{view}")).content.decode()
    address = re.search(r'href="([^"]+)">Download as CSV', page)[1].replace("&amp;", "&")

    assert client.get(address).headers["Content-Type"].startswith("text/csv")
