"""Programs that answer scenario lines, asked in conversation: upstream's allocator and ours."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tests.cluster.build import CannotBuild, program

from .fleet import Json

ROOT = Path(__file__).resolve().parents[2]
NOTHING: Json = {"slices": [], "classes": [], "allocated": [], "nodes": [], "claims": []}


def upstream(*flags: str) -> list[str] | str:
    """The command of the program around upstream's allocator, or why there is none."""
    try:
        return [str(program("allocate")), *flags]
    except CannotBuild as error:
        return str(error).splitlines()[0]


def ours(*flags: str) -> list[str]:
    """The command that answers the same lines; the release is the one upstream's program is built from."""
    return [sys.executable, "manage.py", "simulate", "--kubernetes-version", "1.37", *flags]


class Talk:
    """A running program; `started` is how many seconds it took to answer an empty scenario."""

    def __init__(self, command: Sequence[str]) -> None:
        began = time.perf_counter()
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask([line(NOTHING)])
        self.started = time.perf_counter() - began

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._process.kill()
        self._process.communicate()

    def ask(self, lines: Sequence[bytes]) -> tuple[float, list[bytes]]:
        """
        Seconds from the first line written to the last answer read, and the answers.

        Raises:
            RuntimeError: the program ended before it had answered everything.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None

        def write() -> None:
            try:
                stdin.writelines(lines)
                stdin.flush()
            except BrokenPipeError:
                pass  # the reader below tells it

        began = time.perf_counter()
        writer = threading.Thread(target=write)
        writer.start()
        answers = [stdout.readline() for _ in lines]
        seconds = time.perf_counter() - began
        writer.join()
        if not all(answers):
            raise RuntimeError(f"{self._process.args!r} ended after {sum(map(bool, answers))} of {len(lines)} answers")
        return seconds, answers


def line(scenario: Json, identity: str = "") -> bytes:
    """A scenario as both programs read it."""
    return json.dumps({"id": identity, "scenario": scenario}, separators=(",", ":")).encode() + b"\n"
