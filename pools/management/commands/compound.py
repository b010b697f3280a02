"""`manage.py compound RULE POOLS…`: make compound pools out of the pools of other drivers; no database."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from pools.domain.errors import Finding, Undecodable
from pools.ingest.files import Payload, Unreadable, payloads
from pools.queries.compounding import as_yaml, make, read_rule
from pools.queries.inspection import undecodable


def generation(text: str) -> int:
    """A pool generation: 0 or more."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"not a generation: {text!r}; give a number from 0")
    return int(text)


class Command(BaseCommand):
    """Manifests go to standard output, findings to standard error; status 1 for errors, 2 for an unreadable file."""

    help = (
        "Read a CompoundPoolRule and the pools of its underlying drivers, and write the compound pools, one a node. "
        "Needs no database. A pool with an error is not written. Exit status 1 when any finding is an error, 2 when a "
        "file cannot be read."
    )
    requires_system_checks: list[str] = []
    output_transaction = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rule", metavar="RULE", help="a file with one CompoundPoolRule, or - for standard input")
        parser.add_argument("pools", nargs="+", metavar="POOLS", help="files or folders with slices of the drivers")
        parser.add_argument("--output", choices=("v1", "prototype"), default="v1", help="form of the manifests")
        parser.add_argument("--node", action="append", metavar="NODE", help="only this node's pool; may be repeated")
        parser.add_argument("--generation", type=generation, default=1, help="what the slices say (default: 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            (rule_file,) = self._files([options["rule"]])
            files = self._files(options["pools"])
        except Unreadable as error:
            self.stderr.write(str(error))
            sys.exit(2)
        except ValueError:
            self.stderr.write(f"{options['rule']}: give the file of one rule, not a folder")
            sys.exit(2)
        try:
            rule = read_rule(rule_file.data, rule_file.source)
        except Undecodable as fault:
            self._tell(undecodable(fault))
            sys.exit(1)
        done = make(
            rule,
            [(file.source, file.data) for file in files],
            output=options["output"],
            nodes=options["node"],
            generation=options["generation"],
        )
        for finding in done.findings:
            self._tell(finding)
        self.stdout.write(as_yaml(done.manifests), ending="")
        if done.has_errors:
            sys.exit(1)

    def _files(self, paths: list[str]) -> list[Payload]:
        return [file for path in paths for file in payloads(path, most=settings.MAX_BODY_MIB * 2**20)]

    def _tell(self, finding: Finding) -> None:
        self.stderr.write(f"{finding.severity}: {finding.object}: {finding.message} [{finding.code}]")
