"""Findings about one pool."""

from __future__ import annotations

from collections.abc import Sequence

from pools.core.cards import Card
from pools.core.counters import Ledger
from pools.core.shape import Shape
from pools.domain.errors import Finding
from pools.domain.pool import Pool
from pools.domain.state import DeviceReport


def lint_pool(
    pool: Pool, shape: Shape, cards: Sequence[Card], books: Ledger, reports: Sequence[DeviceReport]
) -> tuple[Finding, ...]:
    """None yet."""
    return ()
