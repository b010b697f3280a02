"""Lists: filters, pages that stay put, tables, 304, and what they cost."""

import base64
import csv
import io
import json

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pools.api import lists
from pools.api.renderers import FORMULA_STARTS, csv_lines, safe_cell
from pools.models import Pool
from tests.manifests import (
    DRIVER,
    claim,
    counters,
    device_class,
    gpu_pool,
    node,
    partition,
    pod,
    resource_slice,
    taint_rule,
)

LISTS = {
    "clusters": lists.ClusterList,
    "pools": lists.PoolList,
    "counter-sets": lists.CounterSetList,
    "cards": lists.CardList,
    "devices": lists.DeviceList,
    "claims": lists.ClaimList,
    "allocations": lists.AllocationList,
    "nodes": lists.NodeList,
    "findings": lists.FindingList,
    "objects": lists.ObjectList,
}
QUERIES = {
    "clusters": 2,
    "pools": 3,
    "counter-sets": 3,
    "cards": 3,
    "devices": 2,
    "claims": 3,
    "allocations": 2,
    "nodes": 2,
    "findings": 2,
    "objects": 2,
}


def fleet(size):
    """A few of everything: pools, holds, pods, waiting claims, findings."""
    objects = [device_class("gpu"), taint_rule("rule", driver="nobody")]
    for index in range(size):
        name = f"node-{index:02}"
        objects += gpu_pool(name)
        objects += [
            node(name),
            claim(f"holds-{index}", holds=[(DRIVER, name, "half-0")], pods=(f"pod-{index}",)),
            claim(f"waits-{index}"),
            claim(f"left-{index}", holds=[(DRIVER, name, "gone")]),
            pod(f"pod-{index}", (f"holds-{index}",), node=name),
        ]
    return objects


@pytest.fixture
def get(client):
    def get(path, **query):
        response = client.get(f"/api/v1/{path}/", query)
        assert response.status_code == 200, response.content
        return response.json()["results"]

    return get


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("size", [1, 8])
def test_a_page_costs_the_same_queries_however_many_rows(name, size, client, fill, django_assert_num_queries):
    fill(*fleet(size), cluster="a")
    fill(*fleet(1), cluster="b")

    with django_assert_num_queries(
        QUERIES[name]
    ):  # one for the revisions, one for the rows, one for what hangs on them
        response = client.get(f"/api/v1/{name}/?page_size=1000")

    assert len(response.json()["results"]) >= (2 if name == "clusters" else size)


@pytest.mark.parametrize("name", LISTS)
def test_walking_all_pages_forth_and_back_meets_each_row_once_in_one_order(name, client, fill):
    fill(*fleet(3), cluster="a")
    fill(*fleet(2), cluster="b")
    rows = client.get(f"/api/v1/{name}/?page_size=1000").json()["results"]

    forth, back = [], []
    url = f"/api/v1/{name}/?page_size=2"
    while url:
        page = client.get(url).json()
        forth += page["results"]
        last, url = page, page["next"]
    assert forth == rows

    url = last["previous"]
    back = last["results"]
    while url:
        page = client.get(url).json()
        back = page["results"] + back
        url = page["previous"]
    assert back == rows


def test_a_page_stays_put_while_rows_come_and_go_before_it(client, fill):
    for index in range(4):
        fill(node(f"n{index}"))
    first = client.get("/api/v1/nodes/?page_size=2").json()
    fill(node("a-new-one"))

    second = client.get(first["next"]).json()

    assert [row["name"] for row in second["results"]] == ["n2", "n3"]
    assert second["next"] is None


def test_filters_and_page_size_stay_in_the_links(client, fill):
    fill(*fleet(3))

    page = client.get("/api/v1/devices/?state=blocked&page_size=1").json()

    assert "state=blocked" in page["next"]
    assert "page_size=1" in page["next"]
    assert {row["state"] for row in client.get(page["next"]).json()["results"]} == {"blocked"}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("page_size=0", "page_size"),
        ("page_size=1001", "page_size"),
        ("page_size=many", "page_size"),
        ("page_size=", "page_size"),
        ("page_size=٣", "page_size"),
        ("cursor=x", "cursor"),
        ("cursor=", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=W10", "cursor"),
        ("cursor=W3RydWUsW11d", "cursor"),
        ("cursor=ü", "cursor"),
        ("sort=name", "sort"),
        ("cluster=%00", "cluster"),
    ],
)
def test_a_bad_parameter_is_400_and_named(name, query, path, client, db):
    if path == "cluster" and name == "clusters":
        query, path = "name=%00", "name"
    response = client.get(f"/api/v1/{name}/?{query}")

    assert response.status_code == 400
    assert [detail["path"] for detail in response.json()["error"]["details"]] == [path]


@pytest.mark.parametrize("name", LISTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.lists(st.one_of(st.integers(), st.text(), st.none(), st.floats(), st.booleans()), max_size=6))
def test_no_cursor_breaks_a_list(name, key, db):
    text = json.dumps([False, key])
    cursor = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    assert Client().get(f"/api/v1/{name}/", {"cursor": cursor}).status_code in (200, 400)


@pytest.mark.parametrize(
    ("name", "query", "words"),
    [
        ("pools", "state=broken", "complete, incomplete, invalid"),
        ("devices", "state=free", "allocated, available, blocked, tainted, unavailable"),
        ("cards", "state=free", "allocated, available, blocked, tainted, unavailable"),
        ("claims", "state=done", "pending, allocated, reserved, deleting"),
        ("findings", "severity=fatal", "error, warning, info"),
        ("devices", "shareable=maybe", "true or false"),
        ("counter-sets", "overcommitted=1", "true or false"),
    ],
)
def test_a_value_that_is_none_of_the_choices_is_400_and_tells_them(name, query, words, client, db):
    response = client.get(f"/api/v1/{name}/?{query}")

    assert response.status_code == 400
    assert words in response.json()["error"]["message"]


def names(rows, key="name"):
    return [row[key] for row in rows]


class TestFilters:
    @pytest.fixture(autouse=True)
    def two_clusters(self, fill):
        fill(*gpu_pool("n1"), *gpu_pool("n2", driver="other.example.com"), node("n1"), node("n2"), cluster="east")
        fill(*gpu_pool("n1"), cluster="west")
        fill(
            claim("a", holds=[(DRIVER, "n1", "half-0")], pods=("p",)),
            claim("b", holds=[("other.example.com", "n2", "whole")], namespace="lab"),
            claim("c"),
            cluster="east",
        )

    def test_pools(self, get):
        assert len(get("pools", cluster="east")) == 2
        assert names(get("pools", driver="other.example.com")) == ["n2"]
        assert names(get("pools", node="n1", cluster="east")) == ["n1"]
        assert names(get("pools", name="n2")) == names(get("pools", pool="n2")) == ["n2"]
        assert get("pools", state="invalid") == []
        assert len(get("pools", type="20Gi")) == 3
        assert get("pools", model="none") == []
        assert len(get("pools", form="v1")) == 3

    def test_counter_sets(self, get):
        assert names(get("counter-sets", cluster="west", pool="n1"), "pool") == ["n1"]
        (found,) = get("counter-sets", cluster="east", driver=DRIVER)
        assert found["counters"][0]["consumed"] == "20Gi"
        assert found["counters"][0]["holds"][0]["claims"][0] == {
            "namespace": "ml",
            "name": "a",
            "request": "r0",
            "pods": ["ml/p"],
        }
        assert get("counter-sets", overcommitted="true") == []
        assert len(get("counter-sets", overcommitted="false")) == 3

    def test_cards(self, get):
        assert len(get("cards", state="blocked")) == 2
        assert names(get("cards", fits="40Gi"), "cluster") == ["west"]
        assert len(get("cards", type="40Gi")) == 3
        assert len(get("cards", key="gpu-0", node="n1")) == 2
        assert get("cards", card="gpu-1") == []

    def test_devices(self, get):
        assert names(get("devices", cluster="east", driver=DRIVER, state="allocated")) == ["half-0"]
        assert names(get("devices", cluster="west", type="40Gi")) == ["whole"]
        assert len(get("devices", name="whole")) == len(get("devices", device="whole")) == 3
        assert len(get("devices", reason="counter-short")) == 3
        assert get("devices", shareable="true") == []
        assert len(get("devices", published="true", pool="n1", card="gpu-0")) == 6

    def test_claims_and_allocations(self, get):
        assert names(get("claims", state="pending")) == ["c"]
        assert names(get("claims", namespace="lab")) == ["b"]
        assert names(get("claims", driver=DRIVER)) == ["a"]
        assert names(get("claims", allocated="true")) == ["b", "a"]
        assert names(get("allocations", driver=DRIVER), "claim") == ["a"]
        assert names(get("allocations", pool="n2", device="whole"), "claim") == ["b"]
        assert get("allocations", admin="true") == []

    def test_nodes(self, get):
        assert names(get("nodes", observed="false"), "cluster") == ["west"]
        assert names(get("nodes", driver="other.example.com")) == ["n2"]
        assert len(get("nodes", name="n1")) == len(get("nodes", node="n1")) == 2

    def test_findings(self, get):
        assert names(get("findings", code="allocated-not-reserved"), "claim") == ["b"]
        assert names(get("findings", code="device-class-missing"), "object") == ["gpu"]
        assert {row["severity"] for row in get("findings", severity="warning")} == {"warning"}
        assert names(get("findings", namespace="lab"), "namespace") == ["lab"]

    def test_objects(self, get):
        assert names(get("objects", kind="ResourceClaim", cluster="east")) == ["b", "a", "c"]
        assert len(get("objects", driver="other.example.com", pool="n2")) == 2


def test_findings_come_errors_first(client, fill):
    fill(
        resource_slice("a", devices=[partition("d", counter_set="missing")], count=1),
        claim("left", holds=[(DRIVER, "node-1", "d")]),
    )

    severities = names(client.get("/api/v1/findings/").json()["results"], "severity")

    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert severities[0] == "error"


class TestNotModified:
    def test_an_unchanged_list_is_304_and_a_change_shows(self, client, fill, django_assert_num_queries):
        fill(node("n1"))
        first = client.get("/api/v1/nodes/")
        tag = {"If-None-Match": first.headers["ETag"]}

        with django_assert_num_queries(1):
            again = client.get("/api/v1/nodes/", headers=tag)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]

        fill(node("n2"))
        assert client.get("/api/v1/nodes/", headers=tag).status_code == 200

    def test_a_tag_holds_for_its_question_only(self, client, fill):
        fill(node("n1"))
        tag = {"If-None-Match": client.get("/api/v1/nodes/").headers["ETag"]}

        assert client.get("/api/v1/nodes/?name=n1", headers=tag).status_code == 200
        assert client.get("/api/v1/nodes/?format=csv", headers=tag).status_code == 200

    def test_another_clusters_change_does_not_end_a_tag(self, client, fill):
        fill(node("n1"), cluster="east")
        tag = {"If-None-Match": client.get("/api/v1/nodes/?cluster=east").headers["ETag"]}

        fill(node("n1"), cluster="west")

        assert client.get("/api/v1/nodes/?cluster=east", headers=tag).status_code == 304

    def test_caches_ask_again_and_keep_callers_apart(self, client, fill):
        response = client.get("/api/v1/nodes/")

        assert response.headers["Cache-Control"] == "private, no-cache"
        assert {"Accept", "Authorization", "Cookie"} <= {part.strip() for part in response.headers["Vary"].split(",")}

    def test_an_unchanged_revision_costs_one_query(self, client, fill, django_assert_num_queries):
        fill(node("n1"), cluster="east")
        first = client.get("/api/v1/revision/")
        assert first.json()["clusters"][0]["revision"] == 1

        with django_assert_num_queries(1):
            again = client.get("/api/v1/revision/", headers={"If-None-Match": first.headers["ETag"]})

        assert again.status_code == 304
        assert client.get("/api/v1/revision/?cluster=west").json() == {"clusters": []}


class TestCsv:
    def table(self, response):
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))

    @pytest.mark.parametrize("name", LISTS)
    def test_each_list_is_a_table_of_all_its_rows(self, name, client, fill):
        fill(*fleet(3))
        rows = client.get(f"/api/v1/{name}/?page_size=1000").json()["results"]

        table = self.table(client.get(f"/api/v1/{name}/?format=csv"))

        assert len(table) == len(rows)
        assert list(table[0]) == list(rows[0])

    def test_it_is_filtered_and_has_no_pages(self, client, fill):
        fill(*fleet(3))

        table = self.table(client.get("/api/v1/devices/?format=csv&state=blocked&page_size=1"))

        assert {row["state"] for row in table} == {"blocked"}
        assert len(table) == 3

    def test_the_accept_header_will_do(self, client, fill):
        fill(node("n1"))

        assert self.table(client.get("/api/v1/nodes/", headers={"Accept": "text/csv"}))[0]["name"] == "n1"

    def test_it_downloads_under_a_name(self, client, db):
        response = client.get("/api/v1/claims/?format=csv")

        assert response.headers["Content-Disposition"] == 'attachment; filename="claim.csv"'

    def test_an_error_is_json_all_the_same(self, client, db):
        response = client.get("/api/v1/nodes/?format=csv&observed=maybe")

        assert response.status_code == 400
        assert response.headers["Content-Type"] == "application/json"
        assert response.json()["error"]["details"][0]["path"] == "observed"

    @pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x")', "＝1"])
    def test_a_name_is_never_a_formula(self, name, client, fill):
        fill(node(name))

        assert self.table(client.get("/api/v1/nodes/?format=csv"))[0]["name"] == f"'{name}"

    @given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text()), st.dictionaries(st.text(), st.text())))
    def test_no_cell_starts_a_formula(self, value):
        cell = safe_cell(value)

        assert not (isinstance(cell, str) and cell.startswith(FORMULA_STARTS))

    @given(st.lists(st.dictionaries(st.sampled_from(["a", "b"]), st.text(st.characters(codec="utf-8"))), max_size=5))
    def test_what_is_written_can_be_read(self, rows):
        text = "".join(csv_lines(["a", "b"], rows))

        read = list(csv.reader(io.StringIO(text, newline="")))

        assert len(read) == len(rows) + 1
        assert all(len(line) == 2 for line in read)


def test_a_huge_pool_list_is_streamed_in_few_queries(client, fill, django_assert_max_num_queries):
    fill(*(item for index in range(30) for item in gpu_pool(f"n{index}")))
    assert Pool.objects.count() == 30

    with django_assert_max_num_queries(4):
        response = client.get("/api/v1/pools/?format=csv")
        assert len(b"".join(response.streaming_content).splitlines()) == 31


def test_counters_show_exact_amounts_as_published(client, fill):
    sets = [{"name": "gpu-0", "counters": {**counters(memory="42991616Ki"), "n": {"value": "0.5"}}}]
    fill(resource_slice("a", sets=sets, count=1))

    (found,) = client.get("/api/v1/counter-sets/").json()["results"]

    assert {row["name"]: row["capacity"] for row in found["counters"]} == {"memory": "42991616Ki", "n": "0.5"}
