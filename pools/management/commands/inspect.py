"""`manage.py inspect`: read files and say what is in them; no database."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pools.ingest.files import Unreadable, read_file
from pools.queries.inspection import has_errors, inspect, load
from pools.queries.inspection_text import as_text


class Command(BaseCommand):
    """Exit status 1 when any finding is an error (an object that cannot be read is one), 2 for an unreadable file."""

    help = (
        "Read files (JSON or YAML, gzipped when named .gz, - for standard input) and show their pools, counters, "
        "device states, what still fits, claims and findings. Needs no database. Exit status 1 when any finding is an "
        "error, 2 when a file cannot be read."
    )
    requires_system_checks = []
    output_transaction = False

    def add_arguments(self, parser: CommandParser) -> None:
        """The files, and the form of the answer."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer file by file; the JSON form is one list, an object for each file in the order given."""
        answers: list[tuple[str, dict[str, Any]]] = []
        unreadable = False
        for name in options["files"]:
            try:
                data = sys.stdin.buffer.read() if name == "-" else read_file(Path(name))
            except Unreadable as error:
                self.stderr.write(f"{name}: cannot be read: {str(error).removeprefix(f'{name}: ')}")
                unreadable = True
                continue
            answers.append((name, inspect(*load(data, source="standard input" if name == "-" else name))))
        if options["format"] == "json":
            self.stdout.write(json.dumps([answer for _, answer in answers], indent=1, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(as_text(name, answer) for name, answer in answers))
        if unreadable or any(has_errors(answer) for _, answer in answers):
            sys.exit(2 if unreadable else 1)
