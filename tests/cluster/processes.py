"""Start programs on loopback, wait until they are ready, stop them by their process id."""

from __future__ import annotations

import ctypes
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class NotReady(Exception):
    """Something did not come up in time; the text says what, and the end of its log."""


def free_port() -> int:
    """A port on loopback that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until(check: Callable[[], object], seconds: float, what: str, *, every: float = 0.1) -> object:
    """The first true answer of `check`; NotReady when none came in time."""
    end = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        if time.monotonic() > end:
            raise NotReady(f"{what}: not within {seconds:.0f} s")
        time.sleep(every)


@dataclass
class Process:
    """One program: its command, its log, and the process while it runs."""

    name: str
    command: Sequence[str]
    log: Path
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it dies with this process, however that ends."""
        with self.log.open("ab") as output:
            self.running = subprocess.Popen(
                self.command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                preexec_fn=_die_with_parent,
            )

    def stop(self, *, seconds: float = 20, kill: bool = False) -> None:
        """End it, with SIGKILL when asked to or when it takes too long."""
        if self.running is None:
            return
        if self.running.poll() is None:
            self.running.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            try:
                self.running.wait(seconds)
            except subprocess.TimeoutExpired:
                self.running.kill()
                self.running.wait()
        self.running = None

    def check_alive(self) -> None:
        """Raise NotReady when it ended by itself."""
        if self.running is not None and self.running.poll() is not None:
            raise NotReady(f"{self.name} ended with {self.running.returncode}:\n{self.last_lines()}")

    def last_lines(self, number: int = 20) -> str:
        """The end of its log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-number:])

    def wait_for_page(self, url: str, context: ssl.SSLContext, seconds: float) -> None:
        """Wait until a health page answers 200."""

        def answers() -> bool:
            self.check_alive()
            try:
                with urllib.request.urlopen(url, context=context, timeout=5) as page:
                    return bool(page.status == 200)
            except (urllib.error.URLError, OSError):
                return False

        try:
            wait_until(answers, seconds, f"{self.name} at {url}")
        except NotReady as error:
            raise NotReady(f"{error}\n{self.last_lines()}") from None


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
