"""Bad input as a value: what was wrong, where, and how bad it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


class Undecodable(Exception):
    """
    An object, or a part of one, that cannot be understood.

    Attributes:
        reason: a sentence that says what is wrong and, for a known but unsupported form, what to publish instead.
        path: where in the object, as in `spec.devices[3].consumesCounters[0].counters.memory`; empty for the whole.
        object: `Kind namespace/name`, as far as it could be read; empty if not even that.
        where: where in the input, as in `file.yaml[2].items[0]`; empty when it did not come from a reader.
    """

    def __init__(self, reason: str, path: str = "", object: str = "", where: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.object = object
        self.where = where

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.object, self.path, self.reason) if part)

    def under(self, prefix: str) -> Undecodable:
        """The same fault seen from one level up: *prefix* goes before the path."""
        joiner = "" if not self.path or self.path.startswith("[") or not prefix else "."
        return Undecodable(self.reason, f"{prefix}{joiner}{self.path}", self.object, self.where)


@dataclass(frozen=True, slots=True)
class Finding:
    """
    Something an operator or driver author should know about an object.

    `code` is a stable slug, `object` names what it is about (`driver/pool`, `driver/pool/device`, `namespace/claim`,
    a node or rule name), `message` is one sentence in plain words that says what follows from it.
    """

    code: str
    object: str
    severity: Severity
    message: str


class ScenarioError(Exception):
    """
    A what-if scenario that cannot be applied.

    Attributes:
        path: which part of the scenario, as in `release[1]`; empty for the whole.
        reason: a sentence that says what is wrong.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason
