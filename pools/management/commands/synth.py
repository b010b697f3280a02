"""`manage.py synth`: make a fleet of any size, as files or straight into the database."""

from __future__ import annotations

import argparse
import gzip
import json
import secrets
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.ingest.publish import check_cluster, publish
from pools.management.progress import Progress
from pools.synth.boards import BOARDS
from pools.synth.fleet import Objects, Plan, churn, classes, node_objects, pending

_AT_ONCE = 20
"""Nodes in one file and one transaction: some 5 MB of JSON."""


def models(text: str) -> tuple[tuple[str, int], ...]:
    """`h100-80=3,a100-40` as boards with weights."""
    found = []
    for part in text.split(","):
        key, equals, weight = part.strip().partition("=")
        if key not in BOARDS:
            raise argparse.ArgumentTypeError(f"no model {key!r}; there are {', '.join(BOARDS)}")
        if equals and not (weight.isdecimal() and int(weight) > 0):
            raise argparse.ArgumentTypeError(f"{part!r}: a weight is a whole number above 0")
        found.append((key, int(weight) if equals else 1))
    return tuple(found)


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def count(least: int) -> Any:
    """A parser of whole numbers from *least* on."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} on")
        return int(text)

    return whole


class Command(BaseCommand):
    """Equal options and seeds make equal fleets. Status 1 if the database refused an object."""

    help = (
        "Make a fleet of nodes with dynamic MIG, claims and pods, as files (--output) or in the database (--publish)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--nodes", type=count(1), default=50, help="how many nodes (default: 50)")
        parser.add_argument("--gpus", type=count(1), default=8, help="GPUs on each node (default: 8)")
        parser.add_argument(
            "--models",
            type=models,
            default=models("h100-80=5,a100-40=3,h200-141=2"),
            metavar="MODEL[=WEIGHT],…",
            help=f"boards and how often each comes, of {', '.join(BOARDS)} (default: h100-80=5,a100-40=3,h200-141=2)",
        )
        parser.add_argument("--used", type=share, default=0.6, help="share of memory slices in use (default: 0.6)")
        parser.add_argument("--pending", type=count(0), help="claims that wait (default: one for five nodes)")
        parser.add_argument("--churn", type=count(0), default=0, help="changes to make after the fleet (default: 0)")
        parser.add_argument("--seed", default="", help="makes the fleet repeatable (default: random, and printed)")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--output", metavar="FOLDER", help="write gzipped JSON files into this new or empty folder")
        where.add_argument("--publish", action="store_true", help="publish straight into the database")
        parser.add_argument("--cluster", default="default", help="with --publish: the cluster (default: default)")

    def handle(self, *args: Any, **options: Any) -> None:
        seed = options["seed"] or secrets.token_hex(4)
        waiting = options["nodes"] // 5 + 1 if options["pending"] is None else options["pending"]
        plan = Plan(options["nodes"], options["gpus"], options["models"], options["used"], waiting, seed)
        if plan.gpus > 8:
            raise CommandError("--gpus: at most 8, since a slice holds at most 8 counter sets")
        put = self._publisher(options["cluster"]) if options["publish"] else _writer(options["output"])
        progress = Progress("nodes", plan.nodes, self.stderr)
        for name, objects, nodes in _fleet(plan):
            put(name, objects)
            progress.add(nodes)
        progress.close()
        changes = Progress("changes", options["churn"], self.stderr)
        for number, objects in enumerate(churn(plan, options["churn"])):
            put(f"90-churn-{number:06d}", objects)
            changes.add()
        if options["churn"]:
            changes.close()
        self.stdout.write(f"{plan.nodes} nodes of {plan.gpus} GPUs, {plan.pending} claims that wait; seed {seed}")

    def _publisher(self, cluster: str) -> Any:
        try:
            check_cluster(cluster)
        except ValueError as error:
            raise CommandError(str(error)) from None

        def put(name: str, objects: Objects) -> None:
            report = publish(_bytes(objects), cluster=cluster, source=name)
            refused = [outcome for outcome in report.objects if outcome.verdict == "refused"]
            if refused:
                raise CommandError(f"{refused[0].where}: {refused[0].object}: {refused[0].reason}")

        return put


def _fleet(plan: Plan) -> Iterator[tuple[str, Objects, int]]:
    """(name of the portion, its objects, how many nodes it holds), in the order to publish them."""
    yield "00-classes", classes(), 0
    for first in range(0, plan.nodes, _AT_ONCE):
        portion = range(first, min(first + _AT_ONCE, plan.nodes))
        yield f"10-nodes-{first:06d}", [item for index in portion for item in node_objects(plan, index)], len(portion)
    yield "20-waiting", pending(plan), 0


def _writer(folder: str) -> Any:
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise CommandError(f"{folder}: is not empty")
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror}") from None

    def put(name: str, objects: Objects) -> None:
        with gzip.GzipFile(place / f"{name}.json.gz", "wb", mtime=0) as stream:
            stream.write(_bytes(objects))

    return put


def _bytes(objects: Objects) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, separators=(",", ":")).encode()
