"""`manage.py demo`: a newcomer's first minute."""

import os
import re
import shlex
import stat

import pytest

from pools.management.commands.demo import address_of
from pools.models import Cluster, Finding, Pool, PublishToken


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.mark.slow
def test_an_empty_database_gets_the_fleet_and_a_full_one_is_left_alone(manage):
    status, out, err = manage("demo")

    assert (status, err) == (0, "")
    assert "Loaded the demo fleet into the cluster 'demo'." in out
    assert set(Pool.objects.values_list("state", flat=True)) == {"complete", "incomplete", "invalid"}
    assert Finding.objects.filter(severity="error").exists()
    before = Cluster.objects.values().get()

    assert "Loaded" not in manage("demo")[1]
    assert Cluster.objects.values().get() == before


def test_the_curl_line_publishes_what_it_says_with_the_token_it_shows(manage, client):
    Cluster.objects.create(name="demo")
    _, out, _ = manage("demo")

    line = next(line for line in out.splitlines() if line.startswith("curl "))
    words = shlex.split(line)
    headers = dict(words[i + 1].split(": ", 1) for i, word in enumerate(words) if word == "-H")
    body = words[words.index("-d") + 1]
    path = re.sub(r"^https?://[^/]+", "", words[-1])
    response = client.post(
        path, body, content_type=headers["Content-Type"], headers={"Authorization": headers["Authorization"]}
    )

    assert response.json()["summary"]["created"] == 1
    assert Pool.objects.get().name == "curl-demo"


def test_the_printed_line_holds_when_the_server_starts_again(manage, tmp_path):
    Cluster.objects.create(name="demo")

    first, second = manage("demo")[1], manage("demo")[1]

    assert first == second
    assert stat.S_IMODE(os.stat(tmp_path / "demo-token").st_mode) == 0o600
    assert PublishToken.objects.get().cluster == "demo"


@pytest.mark.parametrize(
    ("bind", "address"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("0.0.0.0:80", "http://127.0.0.1:80"),
        ("[::]:8000", "http://127.0.0.1:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("dashboard.example.com:8000", "http://dashboard.example.com:8000"),
    ],
)
def test_the_printed_address_can_be_opened(bind, address):
    assert address_of(bind) == address
