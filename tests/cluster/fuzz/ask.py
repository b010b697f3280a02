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
    """A command, with the time it has taken and what it last complained about."""

    command: Sequence[str]
    folder: Path
    seconds: float = 0.0
    asked: int = 0
    complaint: str = field(default="", repr=False)

    def answers(self, scenarios: Sequence[Json]) -> list[Json | None]:
        """One answer a scenario, in order; None where none came (a crash, a hang, a line that is no JSON)."""
        lines = [json.dumps({"id": str(number), "scenario": each}) + "\n" for number, each in enumerate(scenarios)]
        began = time.monotonic()
        text = self._run("".join(lines), limit=60 + 10 * len(lines))
        self.seconds += time.monotonic() - began
        self.asked += len(lines)
        found: dict[str, Json] = {}
        for line in text.splitlines():
            try:
                answer = json.loads(line)
                found[answer["id"]] = answer
            except (ValueError, KeyError, TypeError):
                self.complaint = f"not an answer: {line[:300]}"
        return [found.get(str(number)) for number in range(len(lines))]

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
