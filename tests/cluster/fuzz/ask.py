"""Ask a program that reads scenarios and writes answers, one a line."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .world import Json


@dataclass
class Program:
    """
    A command, with the time it has taken and what it last complained about.

    `limit`: seconds for one start of it, after which all that is left stays unanswered; by default ten a scenario,
    after which it is started again behind the scenario that took too long.
    """

    command: Sequence[str]
    folder: Path
    limit: float | None = None
    seconds: float = 0.0
    asked: int = 0
    complaint: str = field(default="", repr=False)

    def answers(self, scenarios: Sequence[Json]) -> list[Json | None]:
        """One answer a scenario, in order; None where none came (a crash, a hang, a line that is no JSON)."""
        answers: list[Json | None] = []
        began = time.monotonic()
        while len(answers) < len(scenarios):
            answers += self._first_answers(scenarios[len(answers) :])
            if len(answers) < len(scenarios):
                answers.append(None)  # the one it did not survive; go on behind it
            if self.limit is not None and time.monotonic() - began > self.limit:
                answers += [None] * (len(scenarios) - len(answers))
        self.seconds += time.monotonic() - began
        self.asked += len(scenarios)
        return answers

    def _first_answers(self, scenarios: Sequence[Json]) -> list[Json | None]:
        """The answers up to the first that did not come."""
        lines = [json.dumps({"id": str(number), "scenario": each}) + "\n" for number, each in enumerate(scenarios)]
        found: list[Json | None] = []
        for line in self._run("".join(lines), limit=self.limit or 60 + 10 * len(lines)).splitlines():
            try:
                answer = json.loads(line)
            except ValueError:
                answer = None
            if not isinstance(answer, dict) or answer.get("id") != str(len(found)):
                self.complaint = f"not the next answer: {line[:300]}"
                break
            found.append(answer)
        return found

    def _run(self, text: str, limit: float) -> str:
        try:
            done = subprocess.run(
                self.command, cwd=self.folder, input=text, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired as error:
            self.complaint = f"no end after {limit:.0f} s"
            output = error.stdout or b""
            return output.decode(errors="replace") if isinstance(output, bytes) else output
        if done.returncode:
            self.complaint = done.stderr[-2000:]
        return done.stdout
