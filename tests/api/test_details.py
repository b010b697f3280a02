"""Single resources: found by natural keys whatever characters they hold, and complete."""

import json

import pytest

from pools.keys import KeyConverter
from pools.models import Card, Device, Pool
from tests.manifests import (
    DRIVER,
    claim,
    counters,
    device,
    device_class,
    gpu_pool,
    node,
    partition,
    pod,
    resource_slice,
    taint_rule,
)


@pytest.fixture
def get(client):
    def get(*segments, status=200, **query):
        path = "/".join(KeyConverter().to_url(segment) for segment in segments)
        response = client.get(f"/api/v1/{path}/", query)
        assert response.status_code == status, response.content
        return response.json()

    return get


@pytest.fixture
def gpu(fill):
    """One GPU of 40Gi with two halves; a claim and its pod hold the first half."""
    fill(
        *gpu_pool(),
        claim("train", holds=[(DRIVER, "node-1", "half-0")], pods=("train-0",)),
        pod("train-0", ("train",), node="node-1"),
        taint_rule(pool="node-1", device="half-1"),
        device_class(),
    )


def test_a_pool_shows_the_whole_report(gpu, get):
    pool = get("pools", "default", DRIVER, "node-1")

    assert (pool["state"], pool["node"], pool["slices"]) == ("complete", "node-1", ["node-1-0", "node-1-1"])
    (counter,) = pool["counters"]
    assert (counter["counter_set"], counter["name"], counter["available"]) == ("gpu-0", "memory", "20Gi")
    assert counter["holds"][0]["holders"][0]["claim"] == "train"
    states = {item["name"]: item["state"] for item in pool["devices"]}
    assert states == {"half-0": "allocated", "half-1": "tainted", "whole": "blocked"}
    assert pool["cards"][0]["devices"] == ["half-0", "half-1", "whole"]
    assert {fit["type"]: fit["max_more"] for fit in pool["types"]} == {"20Gi": 0, "40Gi": 0}
    assert pool["loose_devices"] == pool["stale_devices"] == pool["stale_slices"] == []


def test_a_blocked_device_names_the_counter_the_need_what_is_left_and_the_holder(gpu, get):
    found = get("devices", "default", DRIVER, "node-1", "whole")

    assert (found["state"], found["reason_code"]) == ("blocked", "counter-short")
    (reason,) = found["report"]["reasons"]
    assert (reason["counter_set"], reason["counter"]) == ("gpu-0", "memory")
    assert (reason["need"], reason["remaining"]) == (str(40 * 2**30), str(20 * 2**30))
    holder = reason["holders"][0]
    assert (holder["namespace"], holder["claim"], holder["pods"]) == ("ml", "train", ["ml/train-0"])


def test_a_tainted_device_names_the_taint_and_the_rule(gpu, get):
    (reason,) = get("devices", "default", DRIVER, "node-1", "half-1")["report"]["reasons"]

    assert (reason["code"], reason["taint"], reason["rule"]) == ("tainted", "unhealthy:NoSchedule", "rule")
    assert (reason["counter"], reason["need"]) == (None, None)


def test_a_device_shows_what_its_slice_says(fill, get):
    body = device(
        "gpu-0",
        capacity={"memory": {"value": "1.5Gi"}},
        taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}],
        allowMultipleAllocations=True,
    )
    body["attributes"] |= {"cores": {"int": 7}, "links": {"strings": ["a", "b"]}, "later": {"complex": {}}}
    fill(resource_slice(devices=[body]))

    found = get("devices", "default", DRIVER, "node-1", "gpu-0")

    assert found["shareable"]
    assert found["body"]["capacity"] == {"memory": "1.5Gi"}
    assert found["body"]["taints"] == ["k=v:NoSchedule"]
    assert found["body"]["attributes"] == {
        "model": {"kind": "string", "value": "plain"},
        "cores": {"kind": "int", "value": 7},
        "links": {"kind": "strings", "value": ["a", "b"]},
        "later": {"kind": "unknown", "value": None},
    }
    assert found["report"]["capacity_use"]["memory"]["capacity"] == "1.5Gi"


def test_a_device_that_left_its_slice_is_still_found(fill, get):
    fill(*gpu_pool(), claim("train", holds=[(DRIVER, "node-1", "gone")], pods=("p",)))

    found = get("devices", "default", DRIVER, "node-1", "gone")

    assert (found["published"], found["body"], found["state"]) == (False, None, "allocated")
    assert found["report"]["holders"][0]["claim"] == "train"


def test_a_card_shows_its_counters_devices_types_and_slots(fill, get):
    slots = {f"slot-{index}": {"value": "1"} for index in range(4)}
    sets = [
        {"name": "gpu-0", "counters": {**counters(memory="40Gi"), **slots}},
        {"name": "gpu-1", "counters": counters(memory="40Gi")},
    ]
    left, right = partition("left"), partition("right")
    left["consumesCounters"][0]["counters"] |= {"slot-0": {"value": "1"}, "slot-1": {"value": "1"}}
    right["consumesCounters"][0]["counters"] |= {"slot-2": {"value": "1"}, "slot-3": {"value": "1"}}
    devices = [left, right, partition("other", counter_set="gpu-1")]
    fill(
        resource_slice("a", sets=sets, count=2),
        resource_slice("b", devices=devices, count=2),
        claim("train", holds=[(DRIVER, "node-1", "left")], pods=("p",)),
    )

    card = get("cards", "default", DRIVER, "node-1", "gpu-0")

    assert [item["name"] for item in card["devices"]] == ["left", "right"]
    assert {item["counter_set"] for item in card["counters"]} == {"gpu-0"}
    assert card["slots"] == [{"stem": "slot", "cells": [["ml/train"], ["ml/train"], [], []]}]
    (slot_map,) = card["slot_maps"]
    assert [span["cells"] for span in slot_map["spans"]] == [[0, 1], [2, 3]]
    assert slot_map["spans"][0]["holders"][0]["claim"] == "train"
    assert card["mixes"] is None

    mixes = get("cards", "default", DRIVER, "node-1", "gpu-0", mixes=10)["mixes"]
    assert mixes == {
        "feasible": 1,
        "cut": False,
        "maximal": [{"devices": ["right"], "types": [{"type": "20 Gi memory + 2 slot", "count": 1}]}],
    }


@pytest.mark.parametrize("value", ["0", "5001", "all", "-1", ""])
def test_mixes_is_a_number_within_bounds(gpu, get, value):
    told = get("cards", "default", DRIVER, "node-1", "gpu-0", status=400, mixes=value)

    assert told["error"]["details"][0]["path"] == "mixes"


def test_a_claim_shows_requests_allocation_pods_and_findings(fill, get):
    fill(
        *gpu_pool(),
        claim("left", holds=[(DRIVER, "node-1", "half-0"), (DRIVER, "node-1", "gone")]),
        pod("user", ("left",)),
    )

    found = get("claims", "default", "ml", "left")

    assert [item["device_published"] for item in found["allocations"]] == [True, False]
    assert found["requests"][0]["alternatives"][0]["device_class"] == "gpu"
    assert found["pods"] == ["ml/user"]
    assert [item["code"] for item in found["findings"]] == ["allocated-not-reserved"]


def test_a_node_shows_its_pools_and_claims(gpu, fill, get):
    held = claim("bound", holds=[(DRIVER, "node-1", "half-1")], pods=("p",))
    held["status"]["allocation"]["nodeSelector"] = {
        "nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]},
        ]
    }
    fill(node("node-1", zone="a"), held)

    found = get("nodes", "default", "node-1")

    assert (found["observed"], found["labels"]) == (True, {"zone": "a"})
    assert [item["name"] for item in found["pools"]] == ["node-1"]
    assert [item["name"] for item in found["claims"]] == ["bound"]


def test_a_cluster_counts_what_it_holds(gpu, get):
    found = get("clusters", "default")

    assert (found["revision"], found["pools_total"], found["nodes_total"], found["claims_total"]) == (1, 1, 1, 1)


def test_an_object_comes_back_as_it_was_received(fill, get):
    item = claim("train", holds=[(DRIVER, "node-1", "half-0")])
    item["spec"]["futureField"] = {"z": [1, None], "a": "ü"}
    fill(item)

    assert get("objects", "default", "ResourceClaim", "ml", "train") == item


HOSTILE = [
    '"><script>alert(1)</script>',
    "=cmd|' /C calc'!A0",
    "日本-🎉",
    "a/b",
    "a/../b",
    "..",
    ".",
    "~1",
    "a%2Fb?x=1#y",
    "ａ",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_every_resource_is_found_under_any_name_by_the_url_it_gives(name, fill, client):
    fill(
        resource_slice(
            name, pool=name, driver=name, node=name, sets=[{"name": name, "counters": counters(memory="1Gi")}], count=2
        ),
        resource_slice(
            name + "2", pool=name, driver=name, node=name, count=2, devices=[partition(name, counter_set=name)]
        ),
        claim(name, holds=[(name, name, name)], pods=(name,)),
        node(name),
    )

    for kind in ("clusters", "pools", "cards", "devices", "claims", "nodes", "objects"):
        row = client.get(f"/api/v1/{kind}/").json()["results"][0]
        found = client.get(row["url"])
        assert found.status_code == 200, (row["url"], found.content)
        if kind != "objects":
            assert found.json()["url"] == row["url"]


@pytest.mark.parametrize(
    "path",
    [
        "clusters/none",
        "pools/default/d/none",
        "pools/none/gpu.example.com/node-1",
        "cards/default/gpu.example.com/node-1/none",
        "devices/default/gpu.example.com/node-1/none",
        "claims/default/ml/none",
        "nodes/default/none",
        "objects/default/Node/-/none",
        "nodes/default/%00",
        "nodes/default/" + "x" * 300,
    ],
)
def test_what_is_not_there_is_404(gpu, client, path):
    response = client.get(f"/api/v1/{path}/")

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "path",
    [
        "clusters/default",
        "pools/default/gpu.example.com/node-1",
        "cards/default/gpu.example.com/node-1/gpu-0",
        "devices/default/gpu.example.com/node-1/whole",
        "claims/default/ml/train",
        "nodes/default/node-1",
        "objects/default/ResourceClaim/ml/train",
    ],
)
def test_an_unchanged_resource_is_304_and_a_change_shows(gpu, fill, client, path):
    first = client.get(f"/api/v1/{path}/")
    tag = {"If-None-Match": first.headers["ETag"]}
    assert client.get(f"/api/v1/{path}/", headers=tag).status_code == 304

    fill(claim("train"))

    assert client.get(f"/api/v1/{path}/", headers=tag).status_code == 200


@pytest.mark.parametrize("parts", [2, 40])
def test_a_pool_costs_the_same_queries_however_large_and_none_for_its_report_when_asked_again(
    parts, fill, client, django_assert_max_num_queries
):
    fill(*gpu_pool(parts=parts), *(claim(f"c{i}", holds=[(DRIVER, "node-1", f"half-{i}")]) for i in range(parts)))
    url = Pool.objects.get(), Card.objects.get(), Device.objects.first()
    assert all(url)

    with django_assert_max_num_queries(10):
        client.get(f"/api/v1/pools/default/{DRIVER}/node-1/")
    with django_assert_max_num_queries(3):
        client.get(f"/api/v1/pools/default/{DRIVER}/node-1/")
    with django_assert_max_num_queries(2):
        client.get(f"/api/v1/cards/default/{DRIVER}/node-1/gpu-0/")
    with django_assert_max_num_queries(1):
        client.get(f"/api/v1/devices/default/{DRIVER}/node-1/whole/")


def test_of_devices_with_one_name_in_an_invalid_pool_the_first_is_shown(fill, get):
    fill(resource_slice(devices=[device("twin", taints=[{"key": "first", "effect": "None"}]), device("twin")]))

    found = get("devices", "default", DRIVER, "node-1", "twin")

    assert (found["position"], found["state"], found["body"]["taints"]) == (0, "unavailable", ["first:None"])
    assert json.dumps(found)
