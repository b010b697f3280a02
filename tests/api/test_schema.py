"""The OpenAPI schema says what the API does, and the API does what it says."""

import json
import subprocess
import sys

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pools.api import examples
from pools.api.publish import RefusedReport, ReportRow
from pools.ingest.publish import publish
from tests.manifests import DRIVER, claim, gpu_pool, node, pod

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


@pytest.fixture
def schema(client, db):
    return client.get("/api/schema/?format=json").json()


def operations(schema):
    return [(path, method, op) for path, methods in schema["paths"].items() for method, op in methods.items()]


def test_it_is_valid_and_generated_without_a_warning(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "spectacular",
            "--validate",
            "--fail-on-warn",
            "--file",
            str(tmp_path / "s.yaml"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_every_operation_is_described_with_an_example_and_its_errors(schema):
    for path, method, operation in operations(schema):
        assert operation["summary"], path
        good = operation["responses"]["200"]["content"]["application/json"]
        assert good.get("examples"), (path, method)
        errors = {status: body for status, body in operation["responses"].items() if status >= "400"}
        assert {"400", "401"} <= set(errors), (path, method)
        for status, body in errors.items():
            content = body["content"]["application/json"]
            assert content["schema"]["$ref"].endswith(("/Error", "/RefusedReport")), (path, status)
            assert content["examples"], (path, status)


def test_every_parameter_of_a_query_says_what_it_does(schema):
    for path, _, operation in operations(schema):
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and parameter["name"] != "format":
                assert parameter.get("description"), (path, parameter["name"])


@pytest.mark.parametrize("serializer", examples.VALUES, ids=lambda serializer: serializer.__name__)
def test_an_example_has_the_fields_of_its_resource(serializer):
    assert set(examples.VALUES[serializer]) == set(serializer().get_fields())


def test_examples_of_reports_have_the_fields_of_reports():
    assert set(examples.REPORT) == set(ReportRow().get_fields())
    assert set(examples.REFUSED_REPORT) == set(RefusedReport().get_fields())


def test_the_page_works_under_the_strict_policy(client, db):
    page = client.get("/api/docs/")

    assert page.status_code == 200
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    text = page.content.decode()
    assert "<style" not in text
    assert "style=" not in text
    assert "http" not in text.replace("http-equiv", "")
    for tag in text.split("<script")[1:]:
        assert tag.startswith(' src="/'), "a script of its own would not run"
    script = client.get("/api/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert "/api/schema/" in script.content.decode()


def fill():
    objects = [
        *gpu_pool(),
        node("node-1"),
        claim("train", holds=[(DRIVER, "node-1", "half-0")], pods=("p",)),
        claim("waits"),
        claim("left", holds=[(DRIVER, "node-1", "gone")]),
        pod("p", ("train",)),
    ]
    publish(json.dumps(objects).encode())


@pytest.mark.slow
def test_answers_conform_to_the_schema_whatever_is_asked(transactional_db, token):
    """Bounded random calls of every operation, in process; bodies included."""
    fill()
    api = schemathesis.openapi.from_wsgi("/api/schema/?format=json", get_wsgi_application())
    headers = {**token(), "Accept-Encoding": "identity"}
    asked = set()

    for result in api.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=12,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def call(case):
            response = case.call(headers=headers)
            case.validate_response(response, checks=CHECKS)

        call()
        asked.add(operation.label)

    assert len(asked) >= 20


KEYS = {"cluster": "default", "driver": DRIVER, "pool": "node-1"}
SINGLE = [
    ("clusters/{cluster}", {"cluster": "default"}, {}),
    ("pools/{cluster}/{driver}/{pool}", KEYS, {}),
    ("cards/{cluster}/{driver}/{pool}/{card}", {**KEYS, "card": "gpu-0"}, {}),
    ("cards/{cluster}/{driver}/{pool}/{card}", {**KEYS, "card": "gpu-0"}, {"mixes": 5}),
    ("devices/{cluster}/{driver}/{pool}/{device}", {**KEYS, "device": "whole"}, {}),
    ("devices/{cluster}/{driver}/{pool}/{device}", {**KEYS, "device": "gone"}, {}),
    ("claims/{cluster}/{namespace}/{name}", {"cluster": "default", "namespace": "ml", "name": "train"}, {}),
    ("nodes/{cluster}/{name}", {"cluster": "default", "name": "node-1"}, {}),
    (
        "objects/{cluster}/{kind}/{namespace}/{name}",
        {"cluster": "default", "kind": "Node", "namespace": "-", "name": "node-1"},
        {},
    ),
]


@pytest.mark.parametrize(("path", "keys", "query"), SINGLE)
def test_each_single_resource_conforms_to_the_schema(path, keys, query, transactional_db):
    fill()
    api = schemathesis.openapi.from_wsgi("/api/schema/?format=json", get_wsgi_application())
    case = api[f"/api/v1/{path}/"]["GET"].Case(path_parameters=keys, query=query)

    response = case.call(headers={"Accept-Encoding": "identity"})

    assert response.status_code == 200
    case.validate_response(response, checks=CHECKS)
