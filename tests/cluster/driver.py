"""A driver that publishes through upstream's resourceslice controller, to any API server a kubeconfig names."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import IO

from .build import program
from .fuzz.world import Json


class Driver:
    """
    Use as a context manager; what is published stays on exit.

    Args:
        kubeconfig: the API server and the credentials.
        name: the driver's name.
        node: the node that owns the slices; empty for slices that belong to nobody.
        log: where the lines the controller wrote are kept.
    """

    def __init__(self, kubeconfig: Path, name: str, log: Path, node: str = "") -> None:
        self.log = log
        flags = [f"--kubeconfig={kubeconfig}", f"--driver={name}", f"--node={node}"]
        self._command = [str(program("driver")), *flags]
        self._process: subprocess.Popen[str] | None = None
        self._output: IO[str] | None = None

    def __enter__(self) -> Driver:
        self._output = self.log.open("w")
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=self._output, stderr=subprocess.STDOUT, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._output is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def publish(self, **pools: Json) -> None:
        """From now on the driver wants exactly these pools, each as {"Slices": [{"Devices": […]}, …], …}."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"Pools": pools}) + "\n")
        self._process.stdin.flush()

    def errors(self) -> list[str]:
        """What the controller complained about so far."""
        return [each["error"] for each in self._lines() if "error" in each]

    def counts(self) -> tuple[int, int, int]:
        """How many slices were created, updated and deleted so far."""
        stats = [each for each in self._lines() if "NumCreates" in each]
        last = stats[-1] if stats else {}
        return last.get("NumCreates", 0), last.get("NumUpdates", 0), last.get("NumDeletes", 0)

    def _lines(self) -> list[Json]:
        lines = self.log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
