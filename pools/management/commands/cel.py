"""`manage.py cel`: evaluate selectors, a line of JSON each; no database."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandParser

from pools.queries.cel_lines import answer_line


class Command(BaseCommand):
    """Exit status 1 when a line is no question, 2 for an unreadable file."""

    help = (
        "Evaluate CEL selectors of resource.k8s.io. Each line of the input is "
        '{"expression", "driver", "device"}; each line of the answer is {"result": true or false}, {"error": why} when '
        'the selector fails on this device, {"compileError": why} when Kubernetes would refuse it, or '
        '{"unsupported": why} when it cannot be evaluated here. Needs no database.'
    )
    requires_system_checks = []
    output_transaction = False

    def add_arguments(self, parser: CommandParser) -> None:
        """The files."""
        parser.add_argument("files", nargs="*", metavar="FILE", help="lines of JSON; none or - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer line by line, in order."""
        status = 0
        for name in options["files"] or ["-"]:
            if name == "-":
                status = max(status, self._answer(sys.stdin.buffer))
                continue
            try:
                with Path(name).open("rb") as lines:
                    status = max(status, self._answer(lines))
            except OSError as error:
                self.stderr.write(f"{name}: cannot be read: {error.strerror or error}")
                status = 2
        if status:
            sys.exit(status)

    def _answer(self, lines: Iterable[bytes]) -> int:
        status = 0
        for line in lines:
            if line.strip():
                answer = answer_line(line)
                status = max(status, int("invalid" in answer))
                self.stdout.write(msgspec.json.encode(answer).decode())
        return status
