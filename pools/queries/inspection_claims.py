"""The claims' part of an inspection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pools.domain.cluster import Snapshot
from pools.domain.state import PoolReport


def claims_section(snapshot: Snapshot, reports: Sequence[PoolReport]) -> dict[str, Any]:
    """The keys that speak of claims: `claims`, by `namespace/name`, `allocated` or `pending`."""
    return {
        "claims": {str(claim.id): "pending" if claim.allocation is None else "allocated" for claim in snapshot.claims}
    }
