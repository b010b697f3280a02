"""`manage.py simulate [FILE…|-]`: what the scheduler's allocator would answer to scenarios, one JSON object a line."""

from __future__ import annotations

import gc
import gzip
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from pools.core.release import RELEASES, release
from pools.queries.simulation import simulate

RECORDED = "1.36"
"""Whose answers the scenario format was made with; what holds unless DRA_KUBERNETES_VERSION is set."""
SELDOM = 200_000
"""Objects made between two looks for unreachable ones. A scenario makes some ten thousand, and few refer in circles."""


class Command(BaseCommand):
    """Reads scenarios and writes answers, line by line; needs no database."""

    help = "Answer allocation scenarios as the kube-scheduler would; one JSON object a line in, one a line out."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", default=["-"], help="scenario files, .gz or not; - is standard input")
        parser.add_argument("--no-each", action="store_true", help="leave out which single devices are free")
        parser.add_argument(
            "--kubernetes-version",
            choices=list(RELEASES),
            default=os.environ.get("DRA_KUBERNETES_VERSION") or RECORDED,
            help="whose scheduler to follow (default: DRA_KUBERNETES_VERSION if set, else %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rules = release(options["kubernetes_version"])
        with _seldom_collected():
            for where, line in _lines(options["files"]):
                answer = {"id": None, **_answer(where, line, rules, not options["no_each"])}
                sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
                sys.stdout.buffer.flush()


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for unreachable objects seldom, and not among those that were there before: a sixth of the time else."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _answer(where: str, line: bytes, rules: Any, each: bool) -> dict[str, Any]:
    try:
        entry = msgspec.json.decode(line)
        if not isinstance(entry, dict) or not isinstance(entry.get("scenario"), dict):
            raise ValueError('a line is an object with "id" and "scenario"')
        return {"id": entry.get("id"), **simulate(entry["scenario"], rules, each=each)}
    except (msgspec.DecodeError, ValueError, TypeError, AttributeError) as error:
        raise CommandError(f"{where}: {error}") from None


def _lines(names: list[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        with _open(name) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"{'standard input' if name == '-' else name}:{number}", line


def _open(name: str) -> IO[bytes]:
    try:
        if name == "-":
            return sys.stdin.buffer
        return gzip.open(name) if name.endswith(".gz") else open(name, "rb")  # type: ignore[return-value]
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
