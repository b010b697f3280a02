"""`manage.py ingest PATH…`: publish manifests from files, folders or standard input."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from pools.domain.errors import Undecodable
from pools.domain.ids import PoolId
from pools.ingest.files import Payload, Unreadable, payloads
from pools.ingest.outcome import VERDICTS, Outcome, PublishReport
from pools.ingest.publish import check_cluster, publish, whole_payload_refused


def pool_id(text: str) -> PoolId:
    """`driver/pool`, split at the first slash: pool names may hold more."""
    driver, slash, name = text.partition("/")
    if not driver or not slash or not name:
        raise ValueError(f"not a pool: {text!r}; give driver/pool")
    return PoolId(driver, name)


class Command(BaseCommand):
    """Publishes each file in a transaction of its own; status 1 if anything was refused."""

    help = "Publish manifests from files, folders (all .yaml, .yml, .json and .gz of these) or standard input (-)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for standard input")
        parser.add_argument("--cluster", default="default", help="which cluster the objects are of (default: default)")
        parser.add_argument("--atomic", action="store_true", help="refuse a whole file when anything in it is refused")
        parser.add_argument(
            "--replace", metavar="DRIVER/POOL", help="the file is the whole truth of this pool: drop its other slices"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            replace = pool_id(options["replace"]) if options["replace"] else None
            cluster = check_cluster(options["cluster"])
        except ValueError as error:
            raise CommandError(str(error)) from None
        try:
            files = [file for path in options["paths"] for file in payloads(path, most=settings.MAX_BODY_MIB * 2**20)]
        except Unreadable as error:
            raise CommandError(str(error)) from None
        if replace is not None and len(files) != 1:
            raise CommandError("--replace takes exactly one file: it is the whole truth of the pool")
        reports = [self._publish(file, cluster, options["atomic"], replace) for file in files]
        total = {verdict: sum(report.summary[verdict] for report in reports) for verdict in VERDICTS}
        told = ", ".join(f"{count} {verdict}" for verdict, count in total.items())
        self.stdout.write(f"{told} in cluster {cluster}, revision {reports[-1].revision}")
        if total["refused"]:
            sys.exit(1)

    def _publish(self, file: Payload, cluster: str, atomic: bool, replace: PoolId | None) -> PublishReport:
        try:
            report = publish(file.data, cluster=cluster, atomic=atomic, replace=replace, source=file.source)
        except Undecodable as fault:
            report = whole_payload_refused(fault, cluster=cluster, source=file.source)
        for outcome in report.objects:
            (self.stderr if outcome.verdict == "refused" else self.stdout).write(line(outcome))
        if report.note:
            self.stderr.write(report.note)
        return report


def line(outcome: Outcome) -> str:
    """One object's fate on one line."""
    parts = [outcome.where, outcome.object, outcome.path, outcome.reason]
    told = ": ".join(
        part.encode("unicode_escape").decode() if not part.isprintable() else part for part in parts if part
    )
    return f"{outcome.verdict:9} {told}"
