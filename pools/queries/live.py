"""The state of everything as one short tag: it differs whenever anything mirrored has changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from pools.access import User, visible
from pools.models import Cluster


@dataclass(frozen=True, slots=True)
class LiveState:
    """`tag` is a quoted ETag of all cluster revisions; `as_of` the time of the latest change, None without any."""

    tag: str
    as_of: datetime | None


def live_state(user: User) -> LiveState:
    """Read every visible cluster's revision. One query."""
    rows = list(visible(user, Cluster.objects.order_by("name")).values_list("name", "revision", "as_of"))
    digest = hashlib.sha256(repr([(name, revision) for name, revision, _ in rows]).encode()).hexdigest()
    return LiveState(f'"{digest[:32]}"', max((moment for _, _, moment in rows if moment), default=None))
