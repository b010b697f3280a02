"""One cluster as a whole: all its objects decoded, and made ready to be asked about, kept while it stays as it is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pools.core.trial import Trial
from pools.core.whatif import Scenario, stage
from pools.domain.cluster import DomainObject, Snapshot
from pools.domain.errors import Undecodable
from pools.models import Cluster, StoredObject
from pools.queries.following import rules
from pools.stored import DECODED

T = TypeVar("T")
KEPT_CLUSTERS = 4
KEPT_ANSWERS = 200
KEPT_OBJECTS = 500_000
"""Objects kept decoded over all clusters, in each process; the cluster asked for last is kept whatever its size."""
CHUNK = 500
TRIES = 5
UNSETTLED = -1
"""The revision of a reading during which the cluster never stood still."""

_State = tuple[int, datetime | None]
_Objects = Mapping[bytes, DomainObject | None]


@dataclass(frozen=True, slots=True)
class Held:
    """
    A cluster at one revision. `trial` answers questions about it as it is; what is learnt on the way is kept in it, so
    `lock` is taken while asking. `objects` are by digest; None stands for one that this version cannot decode.
    `answers` are kept by question, see `remember`.
    """

    cluster: str
    state: _State
    snapshot: Snapshot
    trial: Trial
    objects: _Objects
    lock: threading.RLock = field(default_factory=threading.RLock)
    answers: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)

    @property
    def revision(self) -> int:
        return self.state[0]

    def remember(self, question: Hashable, answer: Callable[[], T]) -> T:
        """The answer, worked out once at this revision; the last few hundred are kept. Call it with the lock held."""
        if question not in self.answers:
            self.answers[question] = answer()
            while len(self.answers) > KEPT_ANSWERS:
                self.answers.popitem(last=False)
        self.answers.move_to_end(question)
        found: T = self.answers[question]
        return found


_kept: OrderedDict[int, Held] = OrderedDict()
_making: dict[int, threading.Lock] = {}
_lock = threading.Lock()


@contextmanager
def held(cluster: Cluster) -> Iterator[Held]:
    """
    The whole cluster at its current revision, for one thread at a time.

    Cost: one query when nothing changed since it was last asked for; else four, and the decoding of what changed.
    """
    found = _current(cluster)
    with found.lock:
        yield found


def snapshot(cluster: Cluster) -> Snapshot:
    """All objects of the cluster at its current revision; those of one kind by namespace and name."""
    return _current(cluster).snapshot


def _current(cluster: Cluster) -> Held:
    with _lock:
        making = _making.setdefault(cluster.pk, threading.Lock())
    with making:  # of several threads one does the work, and the others find it done
        with _lock:
            before = _kept.get(cluster.pk)
        found = _read(cluster, before)
        with _lock:
            _kept[cluster.pk] = found
            _kept.move_to_end(cluster.pk)
            _forget()
    return found


def _forget() -> None:
    """Let the clusters go that were not asked for lately, as far as the bounds demand."""
    while len(_kept) > KEPT_CLUSTERS or (
        len(_kept) > 1 and sum(len(each.objects) for each in _kept.values()) > KEPT_OBJECTS
    ):
        gone, _ = _kept.popitem(last=False)
        _making.pop(gone, None)


def _read(cluster: Cluster, before: Held | None) -> Held:
    """The cluster as it is, from *before* where that still holds."""
    known: _Objects = before.objects if before is not None else {}
    digests: list[bytes] = []
    state = _state(cluster)
    for _ in range(TRIES):
        if before is not None and before.cluster == cluster.name and before.state == state:
            return before
        rows = StoredObject.objects.filter(cluster=cluster).order_by("kind", "namespace", "name")
        keys = {pk: bytes(digest) for pk, digest in rows.values_list("pk", "digest")}
        digests = list(keys.values())
        fresh = _decoded([pk for pk, digest in keys.items() if digest not in known])
        known = {**{digest: known[digest] for digest in digests if digest in known}, **fresh}
        after = _state(cluster)
        if after == state:
            break
        state = after  # somebody wrote meanwhile; what was decoded serves again
    else:
        state = (UNSETTLED, None)  # asked again, it is read again
    found = [item for digest in digests if (item := known.get(digest)) is not None]
    whole = Snapshot.of(found)
    return Held(cluster.name, state, whole, Trial.of(stage(whole, Scenario()), rules()), known)


def _state(cluster: Cluster) -> _State:
    state: _State = Cluster.objects.values_list("revision", "as_of").get(pk=cluster.pk)
    return state


def _decoded(keys: list[int]) -> dict[bytes, DomainObject | None]:
    """The objects of these rows, by digest."""
    found: dict[bytes, DomainObject | None] = {}
    for start in range(0, len(keys), CHUNK):
        rows = StoredObject.objects.filter(pk__in=keys[start : start + CHUNK])
        for raw, body in rows.values_list("digest", "body"):
            digest = bytes(raw)
            try:
                found[digest] = DECODED.get(digest, bytes(body))
            except Undecodable:
                found[digest] = None  # `manage.py rebuild` names it
    return found
