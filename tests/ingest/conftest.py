"""Publishing in tests: Python objects in, report out."""

import json

import pytest

from pools.ingest.publish import publish


@pytest.fixture
def send(db):
    """Publish objects; a single one stands for itself."""

    def send(*objects, **options):
        payload = json.dumps(objects[0] if len(objects) == 1 else list(objects))
        return publish(payload.encode(), **options)

    return send


def verdicts(report):
    return [outcome.verdict for outcome in report.objects]
