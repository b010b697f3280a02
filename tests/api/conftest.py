"""Calling the API in tests."""

import json

import pytest

from pools.ingest.publish import publish
from pools.models import PublishToken


@pytest.fixture
def token(db):
    """Make a publish token with these bounds; gives the headers that carry it."""

    def token(name="test", **bounds):
        _, secret = PublishToken.issue(name, **bounds)
        return {"Authorization": f"Bearer {secret}"}

    return token


@pytest.fixture
def post(client, token):
    """Publish a payload as a client would."""
    headers = token()

    def post(body, query="", *, content_type="application/json", **more):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {**headers, **more.pop("headers", {}), "Content-Type": content_type}  # the client drops it for no body
        return client.post(f"/api/v1/publish/{query}", data, content_type=content_type, headers=given)

    return post


@pytest.fixture
def fill(db):
    """Publish objects without the API."""

    def fill(*objects, **options):
        report = publish(json.dumps(list(objects)).encode(), **options)
        assert report.summary["refused"] == 0, report
        return report

    return fill
