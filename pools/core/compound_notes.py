"""What comes up while a compound pool is made: findings, and the nodes that get no pool because of an error."""

from __future__ import annotations

from collections.abc import Iterable

from pools.domain.errors import Finding, Severity

EVERYWHERE = ""
"""Stands for all nodes where an error concerns no single one."""


class Notes:
    """Findings in the order in which they came up, each once; `refused` holds nodes with errors, or EVERYWHERE."""

    def __init__(self) -> None:
        self._found: dict[Finding, None] = {}
        self.refused: set[str] = set()

    def error(self, code: str, about: str, message: str, nodes: Iterable[str] | None) -> None:
        """An error: *nodes* get no pool; None refuses all."""
        self._add(code, about, "error", message)
        self.refused.update((EVERYWHERE,) if nodes is None else nodes)

    def warn(self, code: str, about: str, message: str) -> None:
        """What is probably not meant."""
        self._add(code, about, "warning", message)

    def tell(self, code: str, about: str, message: str) -> None:
        """What is good to know."""
        self._add(code, about, "info", message)

    def _add(self, code: str, about: str, severity: Severity, message: str) -> None:
        self._found[Finding(code, about, severity, message)] = None

    def refuses(self, node: str) -> bool:
        """Whether the node gets no pool."""
        return node in self.refused or EVERYWHERE in self.refused

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first."""
        order = {"error": 0, "warning": 1, "info": 2}
        return tuple(sorted(self._found, key=lambda finding: order[finding.severity]))
