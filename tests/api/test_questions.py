"""Questions over REST: why a claim waits, what would help, what would be if, and what allocations waste."""

import json

import pytest
from rest_framework import serializers

from pools.api.answer_examples import VALUES
from pools.models import SavedScenario
from pools.queries.inquiry import pack
from tests.queries.test_whatif import GPU, MIG
from tests.web import objects

pytestmark = pytest.mark.django_db
WHOLE = {"class": "gpu.nvidia.com"}


@pytest.fixture
def fleet():
    """Two A100; a claim for a whole one waits, and half of each is taken."""
    objects.fleet(2)
    waiting = objects.pod("whole-0", "whole")
    waiting["status"]["conditions"] = [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes are available."}
    ]
    objects.put(MIG, GPU, objects.claim("whole", device_class="gpu.nvidia.com"), waiting)


@pytest.fixture
def get(client):
    def get(path, status=200, **query):
        response = client.get(f"/api/v1/{path}", query)
        assert response.status_code == status, response.content
        return response.json()

    return get


def matches(example, answer, path=""):
    """Every key of an example is in the answer, and the other way round, as deep as there are values."""
    if isinstance(example, dict) and isinstance(answer, dict):
        if path.endswith((".question", ".consumed")):
            return
        assert set(example) == set(answer), path
        for key, value in example.items():
            matches(value, answer[key], f"{path}.{key}")
    elif isinstance(example, list) and isinstance(answer, list) and example and answer:
        matches(example[0], answer[0], f"{path}[0]")


def test_an_explanation_has_the_sentence_the_funnel_and_the_schedulers_word(fleet, get):
    found = get("claims/default/ml/whole/explain/")

    assert found["state"] == "infeasible"
    assert found["reason"]["code"] == "counters-insufficient"
    assert "held by ml/train-0" in found["sentence"]
    assert found["scheduler"] == [{"pod": "ml/whole-0", "message": "0/2 nodes are available."}]
    (kind,) = found["nodes"]
    assert kind["names"] == ["node-0", "node-1"]
    steps = kind["requests"][0]["steps"]
    assert (steps[0]["what"], steps[-1]["left"]) == ("seen", 0)
    nearest = kind["requests"][0]["drops"][0]["examples"][0]
    assert nearest["holders"][0]["claim"] == "train-0"
    assert nearest["short"][0]["left"]


def test_a_claim_that_does_not_wait_is_explained_too(fleet, get):
    found = get("claims/default/ml/train-0/explain/")

    assert found["state"] == "allocated"
    assert "gpu-0-mig-3g20gb-9-4" in found["sentence"]
    assert get("claims/default/ml/train-0/relief/")["sets"] == []


def test_relief_names_the_claims_that_would_have_to_go(fleet, get):
    found = get("claims/default/ml/whole/relief/")

    assert found["exact"]
    assert [(each["node"], each["claims"], each["pods"]) for each in found["sets"]] == [
        ("node-0", ["ml/train-0"], ["ml/trainer-0"]),
        ("node-1", ["ml/train-1"], ["ml/trainer-1"]),
    ]
    assert found["sets"][0]["would_get"] == ["gpu.nvidia.com/node-0/gpu-0"]


def test_a_what_if_can_be_asked_by_address_and_by_document(fleet, get, client):
    by_address = get("what-if/", **{"class": "gpu.nvidia.com", "release": "ml/train-1"})
    by_document = client.post(
        "/api/v1/what-if/", {**WHOLE, "release": ["ml/train-1"]}, content_type="application/json"
    ).json()

    assert by_address == by_document
    assert by_address["fits"]
    line = by_address["outcome"]["lines"][0]
    assert (line["before"], line["state"], line["node"]) == ("infeasible", "feasible", "node-1")
    assert line["picks"][0]["device"] == "gpu-0"
    assert by_address["outcome"]["copies"] == {"count": 1, "exact": True, "nodes": [{"node": "node-1", "count": 1}]}


def test_a_saved_scenario_and_packed_objects_can_be_asked(fleet, get):
    SavedScenario.objects.create(name="free one", document={**WHOLE, "release": ["ml/train-0"]})
    assert get("what-if/", scenario="free one")["fits"]
    packed = pack(json.dumps(objects.claim("new")))
    assert get("what-if/", doc=packed)["outcome"]["lines"][0]["claims"] == ["ml/new"]
    get("what-if/", 404, scenario="none")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"release": "ml/nobody"}, "release[0]"),
        ({"claim": "nobody"}, "claim[0]"),
        ({"doc": "nonsense"}, "doc"),
        ({"layout": "1 × x"}, "layout"),
        ({}, "question"),
        ({"cluster": "none", "class": "x"}, "cluster"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_asked_is_400_and_names_the_part(fleet, get, query, path):
    error = get("what-if/", 400, **query)["error"]

    assert error["code"] == "invalid"
    assert [detail["path"] for detail in error["details"]] == [path]


@pytest.mark.parametrize("body", ["[]", '{"nonsense": 1}', '{"claim": {"a": 1}}', "{", '"text"'])
def test_a_document_that_is_no_what_if_is_400(fleet, client, body):
    response = client.post("/api/v1/what-if/", body, content_type="application/json")

    assert response.status_code == 400
    assert response.json()["error"]["status"] == 400


def test_a_layout_can_be_asked(fleet, get):
    found = get(
        "what-if/",
        pool="gpu.nvidia.com/node-0",
        card="gpu-0-counter-set",
        layout="4 × 1g.10gb + 3 × 1g.5gb",
        emptied="true",
    )

    assert not found["fits"]
    assert (found["layout"]["verdict"], found["layout"]["legal"]) == ("impossible", True)
    assert found["outcome"] is None


def test_fragmentation_of_a_card_and_of_the_fleet_agree(get):
    wrong = ("gpu-0-mig-1g5gb-19-1", "gpu-0-mig-1g5gb-19-5")
    held = [objects.claim(f"c{index}", ("n1", name)) for index, name in enumerate(wrong)]
    objects.put(*objects.mig_node("n1", 2), *held)

    card = get("cards/default/gpu.nvidia.com/n1/gpu-0-counter-set/fragmentation/")
    fleet = get("fragmentation/")

    rooms = {row["type"]: (row["now"], row["repacked"]) for row in card["types"]}
    assert rooms["3g.20gb"] == rooms["4g.20gb"] == (0, 1)
    assert {row["type"] for row in card["moves"]} <= set(rooms)
    assert len(card["moves"][0]["plans"][0]["moves"]) == 1
    sums = {row["type"]: (row["now"], row["repacked"], row["cards"]) for row in fleet["types"]}
    assert sums["3g.20gb"] == (2, 3, 1)
    assert [row["key"] for row in fleet["cards"]] == ["gpu-0-counter-set"]
    assert (fleet["cards_total"], fleet["cards_losing"], fleet["underived"]) == (2, 1, 0)
    assert get("fragmentation/", driver="none")["cards_total"] == 0


def test_upstreams_summary_stands_beside_ours_with_a_word_on_why_they_differ(fleet, get):
    found = get("pools/default/gpu.nvidia.com/node-0/status/")

    status = found["status"]
    assert status["totalDevices"] == 26
    assert status["allocatedDevices"] == 1
    assert status["availableDevices"] == 25
    assert {row["name"]: row["here"] for row in found["counts"]}["available"] < 25
    assert any("blocked" in word for word in found["words"])


@pytest.mark.parametrize(
    "path",
    [
        "claims/default/ml/none/explain/",
        "claims/default/ml/none/relief/",
        "cards/default/gpu.nvidia.com/node-0/none/fragmentation/",
        "pools/default/gpu.nvidia.com/none/status/",
    ],
)
def test_what_is_not_there_is_404(fleet, get, path):
    get(path, 404)


@pytest.mark.parametrize(
    "path",
    [
        "claims/default/ml/whole/explain/",
        "claims/default/ml/whole/relief/",
        "cards/default/gpu.nvidia.com/node-0/gpu-0-counter-set/fragmentation/",
        "pools/default/gpu.nvidia.com/node-0/status/",
        "fragmentation/",
        "what-if/?class=gpu.nvidia.com",
    ],
)
def test_an_unchanged_answer_is_not_sent_again(fleet, client, path):
    first = client.get(f"/api/v1/{path}")

    again = client.get(f"/api/v1/{path}", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    objects.put(objects.claim("late"))
    assert client.get(f"/api/v1/{path}", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_answers_have_the_keys_of_their_examples(fleet, get):
    by_name = {serializer.__name__: example for serializer, example in VALUES.items()}
    answers = {
        "ExplainRow": get("claims/default/ml/whole/explain/"),
        "ReliefRow": get("claims/default/ml/whole/relief/"),
        "WhatIfRow": get("what-if/", claim="ml/whole", release="ml/train-0"),
        "CardRoomRow": get("cards/default/gpu.nvidia.com/node-0/gpu-0-counter-set/fragmentation/"),
        "FleetRoomRow": get("fragmentation/"),
        "PoolStatusRow": get("pools/default/gpu.nvidia.com/node-0/status/"),
    }
    assert set(answers) == set(by_name)
    for name, answer in answers.items():
        matches(by_name[name], answer, name)


@pytest.mark.parametrize("serializer", VALUES, ids=lambda serializer: serializer.__name__)
def test_an_example_has_the_fields_of_its_resource(serializer):
    def check(fields, example):
        assert set(fields) == set(example)
        for name, field in fields.items():
            inner = getattr(field, "child", field)
            value = example[name][0] if isinstance(example[name], list) and example[name] else example[name]
            if isinstance(inner, serializers.Serializer) and value:
                check(inner.get_fields(), value)

    check(serializer().get_fields(), VALUES[serializer])
