"""Progress of long work: a bar that moves on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import Protocol

_BAR_CELLS = 30
_BAR_SECONDS, _LINE_SECONDS = 0.1, 10.0


class Stream(Protocol):
    """What is written to: a text stream, or a command's own output."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> None: ...
    def isatty(self) -> bool: ...


class Progress:
    """
    Tells how much of some work is done.

    Args:
        what: what is counted, in the plural, as in `slices`.
        total: how many there are; None when nobody knows.
        stream: where to write, usually standard error.
    """

    def __init__(self, what: str, total: int | None, stream: Stream) -> None:
        self._what, self._total, self._stream = what, total, stream
        self._bar = stream.isatty()
        self._told = time.monotonic()
        self.done = 0

    def add(self, count: int = 1) -> None:
        """*count* more are done."""
        self.done += count
        if time.monotonic() - self._told >= (_BAR_SECONDS if self._bar else _LINE_SECONDS):
            self._tell(end="")

    def close(self) -> None:
        """Tell the last state."""
        self._tell(end="\n" if self._bar else "")

    def _tell(self, end: str) -> None:
        self._told = time.monotonic()
        self._stream.write(f"\r\033[K{self._drawn()}{self._text()}{end}" if self._bar else f"{self._text()}\n")
        self._stream.flush()

    def _text(self) -> str:
        known = f" of {self._total:,}" if self._total is not None else ""
        return f"{self.done:,}{known} {self._what}"

    def _drawn(self) -> str:
        if not self._total:
            return ""
        cells = min(_BAR_CELLS, _BAR_CELLS * self.done // self._total)
        return f"[{'█' * cells}{'·' * (_BAR_CELLS - cells)}] "
