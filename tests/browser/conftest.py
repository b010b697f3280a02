"""A Chromium, a served dashboard, and pages that fail their test when the console complains."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.web import objects

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    path = os.environ.get("DRA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        reason = "no Chromium found: install the distribution's or name one in DRA_CHROMIUM"
        if os.environ.get("DRA_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Dashboard:
    """A dashboard as it runs in production: a server of its own, with its own SQLite file."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DRA_")}
        self._environment = {**kept, "DRA_VAR_DIR": str(folder), "DRA_BIND": f"127.0.0.1:{port}"}
        self._manage("migrate", "--verbosity=0")
        self._log = (folder / "server.log").open("w")
        command = [sys.executable, "-m", "gunicorn", "--threads=8", f"--bind=127.0.0.1:{port}", "dra_dashboard.wsgi"]
        self._server = subprocess.Popen(
            command, cwd=ROOT, env=self._environment, stdout=self._log, stderr=subprocess.STDOUT
        )
        self._wait()

    def put(self, *items, cluster="default"):
        """Ingest objects; returns when they are in the mirror."""
        payload = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        self._manage("ingest", "-", f"--cluster={cluster}", text=payload)

    def demo(self):
        """Load the demo fleet, which only an empty database takes."""
        self._manage("demo", "--quiet")

    def stop(self):
        self._server.terminate()
        self._server.wait(10)
        self._log.close()

    def _manage(self, *arguments, text=""):
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, input=text, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def _wait(self):
        for _ in range(100):
            try:
                urlopen(f"{self.url}/live/", timeout=30).close()
            except OSError:  # refused, or slow on a busy machine
                time.sleep(0.2)
            else:
                return
        self.stop()
        pytest.fail(f"the server did not start: {Path(self._log.name).read_text()}")


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory):
    """
    Two nodes with two A100 each, claims of all kinds, a taint, a device that is gone, an incomplete pool. Tests may add
    objects under names of their own, and expect that others do.
    """
    served = Dashboard(tmp_path_factory.mktemp("dashboard"))
    served.put(
        objects.node("node-0"),
        *objects.mig_node("node-0", 2),
        *objects.mig_node("node-1", 2, tainted={1: {"key": "example.com/check", "effect": "NoSchedule"}}),
        *objects.mig_node("node-2", 2)[:2],
        objects.claim("train-0", ("node-0", "gpu-0-mig-3g20gb-9-4"), reserved="trainer-0"),
        objects.claim("notebook", ("node-0", "gpu-0-mig-1g5gb-19-0")),
        objects.claim("gone", ("node-1", "gpu-0-mig-9g-absent")),
        objects.claim("whole", ("node-1", "gpu-0"), reserved="whole-0"),
        objects.claim("waiting"),
        objects.pod("trainer-0", "train-0", node="node-0"),
        objects.pod("waiter", "waiting"),
    )
    yield served
    served.stop()


class Watched:
    """A page that remembers what its console and its network complained about."""

    def __init__(self, page, base):
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        page.on("console", lambda message: self._hear(message))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("response", lambda answer: self._see(answer))

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _see(self, answer):
        if answer.status >= 400:
            self.complaints.append(f"{answer.status}: {answer.url}")

    def open(self, path, *, drawn=True):
        self.page.goto(f"{self.base}{path}")
        if drawn:
            self.page.wait_for_function(
                "() => [...document.querySelectorAll('.figure')].every((figure) => figure.dataset.drawn === 'yes')"
            )
        return self.page


@pytest.fixture
def visit(chromium, dashboard):
    """Make watched pages; whatever their consoles said is asserted to be nothing when the test ends."""
    contexts, pages = [], []

    def make(**options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = chromium.new_context(**options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        pages.append(Watched(context.new_page(), dashboard.url))
        return pages[-1]

    yield make
    complaints = [complaint for page in pages for complaint in page.complaints]
    for context in contexts:
        context.close()
    assert complaints == []
