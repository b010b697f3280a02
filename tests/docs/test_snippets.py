"""The publishing snippets of the README run as they stand against a live server."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from pools.models import Pool, PublishToken

SNIPPETS = pathlib.Path(__file__).parents[2] / "docs" / "snippets"
README = SNIPPETS.parents[1] / "README.md"


@pytest.fixture
def publish(live_server, transactional_db):
    """Run a command with DRA_URL and DRA_TOKEN set; it must succeed."""
    _, secret = PublishToken.issue("snippets")

    def run(*command, cwd=SNIPPETS):
        environment = os.environ | {"DRA_URL": live_server.url, "DRA_TOKEN": secret}
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_python_snippet_publishes_a_pool(publish):
    publish(sys.executable, "publish.py")

    assert Pool.objects.get(name="node-7").state == "complete"


def test_the_python_snippet_may_run_again(publish):
    publish(sys.executable, "publish.py")

    assert "'unchanged': 2" in publish(sys.executable, "publish.py")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_snippet_publishes_a_file(publish):
    publish("sh", "publish.sh", str(SNIPPETS.parents[1] / "demo" / "34-tpu.yaml"))

    assert Pool.objects.get(name="tpu-slice-a").state == "complete"


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_the_go_snippet_publishes_a_pool(publish):
    publish("go", "run", ".", cwd=SNIPPETS / "go")

    assert Pool.objects.get(name="node-8").state == "complete"


@pytest.mark.parametrize("name", ["publish.sh", "publish.py", "go/publish.go"])
def test_the_readme_shows_the_snippet_as_it_is(name):
    assert (SNIPPETS / name).read_text().strip() in README.read_text()
