"""POST /api/v1/publish/ and DELETE of an object: statuses, limits, tokens."""

import gzip
import io
import json
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from pools.models import Cluster, Device, Pool, PublishToken, StoredObject
from tests.manifests import DRIVER, claim, device, gpu_pool, node, resource_slice

BAD = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
URL = "/api/v1/publish/"


def error(response, status):
    assert response.status_code == status, response.content
    return response.json()["error"]


def test_the_answer_tells_each_objects_fate(post):
    response = post([resource_slice(devices=[device("gpu-0")]), BAD])

    assert response.status_code == 200
    answer = response.json()
    assert answer["cluster"] == "default"
    assert answer["revision"] == 1
    assert answer["summary"] == {"created": 1, "changed": 0, "unchanged": 0, "refused": 1, "deleted": 0}
    created, refused = answer["objects"]
    assert created == {
        "outcome": "created",
        "kind": "ResourceSlice",
        "namespace": "",
        "name": "slice-0",
        "where": "[0]",
        "reason": "",
        "path": "",
    }
    assert (refused["outcome"], refused["name"], refused["where"]) == ("refused", "web", "[1]")
    assert "is not accepted" in refused["reason"]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}'),
        ("application/json; charset=utf-8", b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}'),
        ("application/yaml", b"kind: Node\napiVersion: v1\nmetadata: {name: n}\n---\n"),
        ("text/yaml", b"kind: Node\napiVersion: v1\nmetadata: {name: n}"),
        ("application/x-yaml", b"- {kind: Node, apiVersion: v1, metadata: {name: n}}"),
        (
            "APPLICATION/JSON",
            b'{"kind":"List","apiVersion":"v1","items":[{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}]}',
        ),
    ],
)
def test_json_and_yaml_are_understood(post, content_type, body):
    response = post(body, content_type=content_type)

    assert response.status_code == 200, response.content
    assert response.json()["objects"][0]["name"] == "n"


def test_gzip_is_understood_in_one_member_or_several(post):
    body = json.dumps(gpu_pool()).encode()
    packed = gzip.compress(body[:100]) + gzip.compress(body[100:])

    response = post(packed, headers={"Content-Encoding": "gzip"})

    assert response.json()["summary"]["created"] == 2


def test_everything_refused_is_422_with_the_error_and_the_report(post):
    response = post(BAD)

    told = error(response, 422)
    assert told["code"] == "refused"
    assert told["details"] == [{"path": "", "message": response.json()["objects"][0]["reason"]}]
    assert response.json()["summary"]["refused"] == 1
    assert not Cluster.objects.exists()


def test_an_atomic_call_with_a_bad_object_is_422_and_changes_nothing(post):
    response = post([node("n"), BAD], "?atomic=true")

    assert error(response, 422)["message"].startswith("All 2 objects were refused")
    assert not StoredObject.objects.exists()


def test_an_unchanged_payload_is_fine(post):
    post(node("n"))

    response = post(node("n"))

    assert (response.status_code, response.json()["summary"]["unchanged"]) == (200, 1)


def test_replace_is_split_at_the_first_slash(post):
    post(resource_slice("old", pool="rack/1", devices=[device("a")]))

    response = post(resource_slice("new", pool="rack/1", devices=[device("b")]), f"?replace={DRIVER}/rack/1")

    assert response.json()["summary"] == {"created": 1, "changed": 0, "unchanged": 0, "refused": 0, "deleted": 1}
    assert Device.objects.get().name == "b"


def test_replace_by_nothing_ends_the_pool(post):
    post(gpu_pool())

    assert post([], f"?replace={DRIVER}/node-1").json()["summary"]["deleted"] == 2
    assert not Pool.objects.exists()


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("?atomic=yes", "atomic"),
        ("?atomic=", "atomic"),
        ("?replace=noslash", "replace"),
        ("?replace=/pool", "replace"),
        ("?replace=driver/", "replace"),
        ("?replace=d/" + "x" * 254, "replace"),
        ("?replace=d/a%00b", "replace"),
        ("?cluster=", "cluster"),
        ("?cluster=a%20b", "cluster"),
        ("?cluster=a%00b", "cluster"),
        ("?dry_run=true", "dry_run"),
    ],
)
def test_a_bad_parameter_is_400_and_named(post, query, path):
    told = error(post(node("n"), query), 400)

    assert [detail["path"] for detail in told["details"]] == [path]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"[]", "no objects"),
        (b"---\n---\n", "no objects"),
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "UTF-16"),
        (b"\xc3\x28", "not UTF-8"),
        (b"[" * 100, "deeper than 64"),
        (b"[" * 100_000, "deeper than 64"),
    ],
)
def test_a_body_that_cannot_be_read_is_400_with_the_reason(post, body, reason):
    assert reason in error(post(body), 400)["message"]


def test_more_objects_than_the_limit_are_refused_as_a_whole(post):
    item = json.dumps(node("n")).encode()

    told = error(post(b"[" + b",".join([item] * 20_001) + b"]"), 400)

    assert "more than 20000 objects" in told["message"]


def test_a_body_beyond_the_limit_is_413_by_its_length_alone(client, token, settings):
    settings.MAX_BODY_MIB = 1

    response = client.generic("POST", URL, b"x" * (2**20 + 1), content_type="application/json", headers=token())

    assert "larger than 1 MiB" in error(response, 413)["message"]


def test_a_gzip_bomb_is_413_long_before_it_is_unpacked(post, settings):
    settings.MAX_BODY_MIB = 1
    bomb = gzip.compress(b"[" + b" " * (200 * 2**20) + b"]", 9)
    assert len(bomb) < 2**20

    assert error(post(bomb, headers={"Content-Encoding": "gzip"}), 413)["code"] == "too_large"


@pytest.mark.parametrize("cut", [10, 40, -4])
def test_a_cut_gzip_stream_is_400(post, cut):
    packed = gzip.compress(json.dumps(gpu_pool()).encode())

    assert "gzip" in error(post(packed[:cut], headers={"Content-Encoding": "gzip"}), 400)["message"]


def test_what_is_not_gzip_is_400(post):
    assert "not gzip" in error(post(node("n"), headers={"Content-Encoding": "gzip"}), 400)["message"]


@pytest.mark.parametrize(
    ("content_type", "headers", "named"),
    [
        ("application/x-www-form-urlencoded", {}, "x-www-form-urlencoded"),
        ("multipart/form-data; boundary=x", {}, "multipart/form-data"),
        ("text/plain", {}, "text/plain"),
        ("", {}, "none"),
        ("application/json; charset=latin-1", {}, "latin-1"),
        ("application/json", {"Content-Encoding": "br"}, "br"),
        ("application/json", {"Content-Encoding": "gzip, gzip"}, "gzip, gzip"),
    ],
)
def test_a_type_that_is_not_understood_is_415_and_says_what_is(post, content_type, headers, named):
    told = error(post(node("n"), content_type=content_type, headers=headers), 415)

    assert named in told["message"]
    assert "send" in told["message"]


def test_a_chunked_body_is_read_to_its_end(rf, token):
    """A server that takes chunked bodies gives no length, and ends the stream itself (wsgi.input_terminated)."""
    from pools.api.publish import PublishView

    body = json.dumps(node("n")).encode()
    request = rf.post(URL, content_type="application/json", headers=token())
    request.environ |= {"wsgi.input": io.BytesIO(body), "wsgi.input_terminated": True}
    del request.environ["CONTENT_LENGTH"]
    request.META.pop("CONTENT_LENGTH", None)

    response = PublishView.as_view()(request)

    assert response.status_code == 200, response.data


class TestTokens:
    def test_nobody_publishes_without_one(self, client, db):
        response = client.post(URL, json.dumps(node("n")), content_type="application/json")

        assert error(response, 401)["message"] == "Publishing needs a token: Authorization: Bearer dra_…"
        assert response.headers["WWW-Authenticate"].startswith("Bearer")

    @pytest.mark.parametrize("secret", ["dra_wrong", "", "dra_" + "x" * 5000, "ü"])
    def test_an_unknown_one_is_401(self, client, db, secret):
        response = client.post(
            URL, "[]", content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
        )

        assert error(response, 401)["code"] == "authentication_failed"

    def test_an_expired_one_is_401(self, post):
        with time_machine.travel(timezone.now() - timedelta(days=1)):
            pass
        PublishToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

        assert error(post(node("n")), 401)["code"] == "authentication_failed"

    def test_a_login_alone_does_not_publish(self, client, django_user_model):
        client.force_login(django_user_model.objects.create_user("alice"))

        response = client.post(URL, json.dumps(node("n")), content_type="application/json")

        assert response.status_code in (401, 403)
        assert not StoredObject.objects.exists()

    def test_one_bound_to_a_cluster_publishes_there_by_default_and_nowhere_else(self, client, token):
        headers = token(cluster="east")
        body = json.dumps(node("n"))

        here = client.post(URL, body, content_type="application/json", headers=headers)
        there = client.post(f"{URL}?cluster=west", body, content_type="application/json", headers=headers)

        assert here.json()["cluster"] == "east"
        assert error(there, 403)["message"] == "The token is bound to the cluster east."

    def test_one_bound_to_a_driver_is_told_so_per_object(self, client, token):
        body = json.dumps([resource_slice("mine"), claim("c")])

        response = client.post(URL, body, content_type="application/json", headers=token(driver=DRIVER))

        assert [item["outcome"] for item in response.json()["objects"]] == ["created", "refused"]

    def test_one_bound_to_a_driver_replaces_no_pool_of_another(self, client, token):
        response = client.post(
            f"{URL}?replace=nic.example.com/nics", "[]", content_type="application/json", headers=token(driver=DRIVER)
        )

        assert error(response, 403)["message"] == f"The token is bound to the driver {DRIVER}."

    def test_its_use_is_noted_at_most_once_a_minute(self, post):
        start = timezone.now()
        with time_machine.travel(start, tick=False):
            post(node("n"))
        with time_machine.travel(start + timedelta(seconds=59), tick=False):
            post(node("n"))
        assert PublishToken.objects.get().last_used_at == start
        with time_machine.travel(start + timedelta(seconds=60), tick=False):
            post(node("n"))
        assert PublishToken.objects.get().last_used_at == start + timedelta(seconds=60)


class TestDelete:
    def test_an_object_goes_with_what_was_derived_from_it(self, client, token, fill):
        fill(*gpu_pool(), claim("train", holds=[(DRIVER, "node-1", "half-0")]))

        response = client.delete("/api/v1/objects/default/ResourceClaim/ml/train/", headers=token())

        assert response.status_code == 200
        assert response.json()["summary"]["deleted"] == 1
        assert response.json()["revision"] == 2
        assert Device.objects.get(name="half-0").state == "available"

    def test_a_dash_stands_for_no_namespace(self, client, token, fill):
        fill(node("n"))

        assert client.delete("/api/v1/objects/default/Node/-/n/", headers=token()).status_code == 200
        assert not StoredObject.objects.exists()

    def test_what_is_not_there_is_404(self, client, token, fill):
        fill(node("n"))

        for path in ("default/Node/-/other/", "elsewhere/Node/-/n/", "default/Node/ns/n/"):
            error(client.delete(f"/api/v1/objects/{path}", headers=token()), 404)

    def test_it_needs_a_token_that_covers_the_object(self, client, token, fill):
        fill(node("n"))
        path = "/api/v1/objects/default/Node/-/n/"

        error(client.delete(path), 401)
        error(client.delete(path, headers=token(driver=DRIVER)), 403)
        error(client.delete(path, headers=token(cluster="west")), 403)
        assert StoredObject.objects.exists()

    def test_a_name_with_slashes_is_one_segment(self, client, token, fill):
        fill(node("a/b"))

        assert client.delete("/api/v1/objects/default/Node/-/a~1b/", headers=token()).status_code == 200
