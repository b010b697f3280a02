"""`manage.py demo`: fill an empty database with the demo fleet, and say how to look at it and how to publish."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from pools.ingest.files import payloads
from pools.ingest.publish import publish
from pools.models import Cluster, PublishToken

FOLDER = Path(settings.BASE_DIR) / "demo"
CLUSTER = "demo"
SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "curl-demo"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "a100-01",
        "pool": {"name": "curl-demo", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0", "attributes": {"model": {"string": "example"}}}],
    },
}


class Command(BaseCommand):
    """Loads the manifests right in demo/ by the ordinary ingest when nothing was ever published; safe to run again."""

    help = "Load the demo fleet into an empty database; print the address and a curl line that publishes a pool."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="do not print the address and the curl line")

    def handle(self, *args: Any, **options: Any) -> None:
        if not Cluster.objects.exists():
            self._load()
        if not options["quiet"]:
            self._tell()

    def _load(self) -> None:
        refused = []
        manifests = sorted(FOLDER.glob("*.yaml"))
        for file in (each for path in manifests for each in payloads(str(path), most=settings.MAX_BODY_MIB * 2**20)):
            report = publish(file.data, cluster=CLUSTER, source=file.source)
            refused += [outcome for outcome in report.objects if outcome.verdict == "refused"]
        for outcome in refused:
            self.stderr.write(f"refused {outcome.where}: {outcome.reason}")
        self.stdout.write(f"Loaded the demo fleet into the cluster {CLUSTER!r}.")

    def _tell(self) -> None:
        secret = demo_secret(Path(settings.VAR_DIR) / "demo-token")
        PublishToken.issue("demo", cluster=CLUSTER, secret=secret)
        address = address_of(settings.BIND)
        self.stdout.write(f"\nDashboard: {address}/\n\nPublish a pool, and watch it appear:\n")
        self.stdout.write(curl_line(address, secret) + "\n")


def address_of(bind: str) -> str:
    """Where a browser on this machine finds the server; a server on all addresses is asked for on this one."""
    host, _, port = bind.rpartition(":")
    if bind.startswith("unix:"):
        host, port = "localhost", "80"
    if host in ("0.0.0.0", "[::]"):  # noqa: S104 - recognised, not bound
        host = "127.0.0.1"
    return f"http://{host}:{port}"


def curl_line(address: str, secret: str) -> str:
    """A command that publishes one pool."""
    return (
        f"curl -sS -H {shlex.quote(f'Authorization: Bearer {secret}')} -H 'Content-Type: application/json' "
        f"-d {shlex.quote(json.dumps(SLICE, separators=(',', ':')))} "
        f"{shlex.quote(f'{address}/api/v1/publish/?cluster={CLUSTER}')}"
    )


def demo_secret(path: Path) -> str:
    """The demo token's secret, kept in *path* so that the printed line holds when the server starts again."""
    if not path.exists():
        _, secret = PublishToken.issue("demo", cluster=CLUSTER)
        path.touch(mode=0o600)
        path.write_text(secret)
    return path.read_text().strip()
