"""`manage.py rebuild`: derive every row anew from the stored objects."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.ingest.rebuild import rebuild
from pools.models import Cluster


class Command(BaseCommand):
    """Needed after an upgrade that judges better; harmless at any time. Status 1 if an object could not be read."""

    help = "Derive every row anew from the stored objects, one transaction a cluster."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--cluster", default="", help="only this cluster (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        names = list(Cluster.objects.order_by("name").values_list("name", flat=True))
        if options["cluster"]:
            if options["cluster"] not in names:
                raise CommandError(f"there is no cluster {options['cluster']!r}")
            names = [options["cluster"]]
        faults = [fault for name in names for fault in self._rebuild(name)]
        for fault in faults:
            self.stderr.write(f"cannot be read: {fault}")
        if faults:
            sys.exit(1)

    def _rebuild(self, name: str) -> list[str]:
        faults = rebuild(name, lambda what, done, total: self.stdout.write(f"{name}: {done} of {total} {what}"))
        self.stdout.write(f"{name}: rebuilt, now at revision {Cluster.objects.get(name=name).revision}")
        return faults
