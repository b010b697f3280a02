"""One shape for every error under /api/, and the right to read where login is required."""

import importlib
import json

import pytest
from django.test import Client

from pools.api import errors as errors_module
from tests.manifests import node

SHAPE = {"status": int, "code": str, "message": str, "details": list}


def check(response, status):
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/json"
    error = response.json()["error"]
    assert {key: type(value) for key, value in error.items()} == SHAPE
    assert error["status"] == status
    assert error["message"]
    assert all(set(detail) == {"path", "message"} for detail in error["details"])
    return error


class Broken(Exception):
    """Stands for a mistake of ours."""


def unauthenticated(client, token, monkeypatch):
    return client.post("/api/v1/publish/", "[]", content_type="application/json")


def bad_token(client, token, monkeypatch):
    return client.get("/api/v1/nodes/", headers={"Authorization": "Bearer dra_no"})


def forbidden(client, token, monkeypatch):
    return client.post(
        "/api/v1/publish/?cluster=west", "[]", content_type="application/json", headers=token(cluster="east")
    )


def no_such_row(client, token, monkeypatch):
    return client.get("/api/v1/nodes/default/none/")


def no_such_address(client, token, monkeypatch):
    return client.get("/api/v1/none/")


def no_such_address_at_all(client, token, monkeypatch):
    return client.get("/api/")


def wrong_method(client, token, monkeypatch):
    return client.put("/api/v1/nodes/", "{}", content_type="application/json")


def not_acceptable(client, token, monkeypatch):
    return client.get("/api/v1/nodes/", headers={"Accept": "image/png"})


def bad_filter(client, token, monkeypatch):
    return client.get("/api/v1/pools/?state=x")


def bad_json(client, token, monkeypatch):
    return client.post("/api/v1/publish/", "{", content_type="application/json", headers=token())


def wrong_type(client, token, monkeypatch):
    return client.post("/api/v1/publish/", "x", content_type="text/plain", headers=token())


def too_large(client, token, monkeypatch):
    monkeypatch.setattr("django.conf.settings.MAX_BODY_MIB", 0)
    return client.post("/api/v1/publish/", "[1]", content_type="application/json", headers=token())


def refused(client, token, monkeypatch):
    return client.post("/api/v1/publish/", '{"kind":"X"}', content_type="application/json", headers=token())


def unknown_host(client, token, monkeypatch):
    return client.get("/api/v1/nodes/", headers={"Host": "evil.example.com"})


def our_mistake(client, token, monkeypatch):
    def fail(*arguments):
        raise Broken

    monkeypatch.setattr("pools.api.lists.revisions", fail)
    return Client(raise_request_exception=False).get("/api/v1/nodes/")


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (unauthenticated, 401),
        (bad_token, 401),
        (forbidden, 403),
        (no_such_row, 404),
        (no_such_address, 404),
        (no_such_address_at_all, 404),
        (wrong_method, 405),
        (not_acceptable, 406),
        (bad_filter, 400),
        (bad_json, 400),
        (wrong_type, 415),
        (too_large, 413),
        (refused, 422),
        (unknown_host, 400),
        (our_mistake, 500),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
def test_every_error_has_the_one_shape(call, status, client, token, monkeypatch):
    error = check(call(client, token, monkeypatch), status)

    assert "Traceback" not in json.dumps(error)


def test_an_address_without_its_slash_leads_to_the_one_with_it(client, db):
    response = client.get("/api/v1/nodes?name=x")

    assert response.status_code == 308
    assert response.headers["Location"] == "/api/v1/nodes/?name=x"


def test_what_is_posted_without_the_slash_is_not_lost(client, token):
    body = json.dumps(node("n"))

    response = client.post("/api/v1/publish", body, content_type="application/json", headers=token(), follow=True)

    assert response.redirect_chain == [("/api/v1/publish/", 308)]
    assert response.json()["summary"]["created"] == 1


def test_errors_elsewhere_are_pages(client, db):
    response = client.get("/none/")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")


@pytest.fixture
def login_required(settings):
    settings.LOGIN_REQUIRED = True
    before = "django.contrib.messages.middleware.MessageMiddleware"
    index = settings.MIDDLEWARE.index(before)
    settings.MIDDLEWARE = [
        *settings.MIDDLEWARE[:index],
        "django.contrib.auth.middleware.LoginRequiredMiddleware",
        *settings.MIDDLEWARE[index:],
    ]


READABLE = ["/api/v1/nodes/", "/api/v1/revision/", "/api/v1/nodes/default/n/", "/api/schema/", "/api/docs/"]


@pytest.mark.usefixtures("login_required")
class TestWhereLoginIsRequired:
    @pytest.fixture(autouse=True)
    def one_node(self, fill):
        fill(node("n"))

    @pytest.mark.parametrize("path", READABLE)
    def test_nobody_reads_without_it(self, client, path):
        error = check(client.get(path), 401)

        assert error["message"] == "Log in, or send a publish token."

    @pytest.mark.parametrize("path", READABLE)
    def test_a_session_reads(self, client, django_user_model, path):
        client.force_login(django_user_model.objects.create_user("alice"))

        assert client.get(path).status_code == 200

    @pytest.mark.parametrize("path", READABLE)
    def test_a_publish_token_reads(self, client, token, path):
        assert client.get(path, headers=token(driver="gpu.example.com")).status_code == 200

    def test_pages_lead_to_the_login(self, client):
        response = client.get("/")

        assert response.status_code == 302
        assert response.headers["Location"] == "/login/?next=/"

    def test_the_login_works(self, client, django_user_model):
        django_user_model.objects.create_user("alice", password="correct horse")
        assert client.get("/login/").status_code == 200

        response = client.post("/login/?next=/api/v1/nodes/", {"username": "alice", "password": "correct horse"})

        assert response.headers["Location"] == "/api/v1/nodes/"
        assert client.get("/api/v1/nodes/").status_code == 200
        assert client.post("/logout/").status_code in (200, 302)
        assert client.get("/api/v1/nodes/").status_code == 401


def test_a_page_of_another_site_deletes_nothing_with_the_visitors_session(django_user_model, fill):
    fill(node("n"))
    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_user("alice"))

    check(client.delete("/api/v1/objects/default/Node/-/n/"), 403)


def test_the_shape_is_made_in_one_place():
    assert importlib.import_module("dra_dashboard.errors").plain_error is errors_module.plain_error
