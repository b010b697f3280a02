"""Publishing: what becomes of each object of a payload, decided and written in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from pools.access import may_publish
from pools.domain.errors import Undecodable
from pools.domain.ids import PoolId
from pools.domain.pool import Slice
from pools.ingest.changes import Change, Known, known, known_of_pool
from pools.ingest.intake import Candidate, Key, candidates
from pools.ingest.mirror import Mirror, current_revision, locked, stored_fields
from pools.ingest.outcome import Outcome, PublishReport
from pools.models import Cluster, PublishToken
from pools.wire.documents import Limits

_CLUSTER = re.compile(r"[^\W_](?:[\w.:/@-]{0,61}\w)?")


@dataclass(frozen=True, slots=True)
class Rules:
    """How one call is to be taken. `token` None means that the caller may do everything (the command line)."""

    cluster: str
    atomic: bool = False
    replace: PoolId | None = None
    token: PublishToken | None = None

    def allows(self, driver: str | None) -> bool:
        return self.token is None or may_publish(self.token, self.cluster, driver or None)


def limits() -> Limits:
    """The limits that the settings ask for."""
    return Limits(
        max_bytes=settings.MAX_BODY_MIB * 2**20,
        max_objects=settings.MAX_OBJECTS,
        max_depth=settings.MAX_DEPTH,
        max_aliases=settings.MAX_ALIASES,
    )


def check_cluster(name: str) -> str:
    """
    *name*, when it can name a cluster.

    Raises:
        ValueError: it cannot; the message says what can.
    """
    if not _CLUSTER.fullmatch(name):
        raise ValueError(
            "a cluster's name has 1 to 63 letters, digits and . _ : / @ -, and starts and ends with a letter or digit"
        )
    return name


def publish(
    payload: bytes,
    *,
    cluster: str = "default",
    atomic: bool = False,
    replace: PoolId | None = None,
    source: str = "",
    token: PublishToken | None = None,
) -> PublishReport:
    """
    Apply the objects of *payload* to the mirror, in one transaction.

    An object whose content is stored already is `unchanged`, and so is one with a lower resourceVersion than the stored
    object of the same uid: it is late news. One that cannot be taken is `refused` and does not lose the others. The
    cluster's revision grows by one if anything changed, else nothing is written at all.

    Args:
        atomic: refuse everything when anything is refused.
        replace: the payload is the whole truth of this pool: only its slices are taken, and those of its slices that
            are not in the payload are deleted. Nothing is deleted while the payload holds an object that could not be
            identified, since that may be one of them.
        source: what to call the payload in `where`.
        token: what the caller may publish; None for everything.

    Raises:
        Undecodable: the payload as a whole cannot be read, or breaks a limit of the settings.
        ValueError: *cluster* is no name for a cluster.
    """
    rules = Rules(check_cluster(cluster), atomic, replace, token)
    found = candidates(payload, source=source, limits=limits())
    early = Cluster.objects.filter(name=cluster).first()
    decided = _decide(found, rules, early)  # decodes what is new before the lock is taken
    if not decided.changes:
        return decided.report(current_revision(cluster))
    with transaction.atomic():
        row = locked(cluster)
        decided = _decide(found, rules, row)
        if decided.changes:
            Mirror(row).apply(decided.changes)
        return decided.report(row.revision)


def remove(
    *, cluster: str, kind: str, namespace: str, name: str, token: PublishToken | None = None
) -> PublishReport | None:
    """
    Delete one stored object.

    Returns:
        The report, with the object `deleted`, or `refused` when the token does not cover it; None when there is none.
    """
    rules = Rules(cluster, token=token)
    key = (kind, namespace, name)
    with transaction.atomic():
        if not Cluster.objects.filter(name=cluster).exists():
            return None
        row = locked(cluster)
        old = known(row, [key]).get(key)
        if old is None:
            return None
        if not rules.allows(old.driver):
            refusal = Outcome("refused", *key, reason=_not_covered(rules, old.driver))
            return PublishReport(cluster, row.revision, (refusal,))
        Mirror(row).apply([Change(key, old, None)])
        return PublishReport(cluster, row.revision, (Outcome("deleted", *key),))


@dataclass(frozen=True, slots=True)
class _Decided:
    rules: Rules
    outcomes: list[Outcome]
    changes: list[Change]
    note: str = ""

    def report(self, revision: int) -> PublishReport:
        return PublishReport(self.rules.cluster, revision, tuple(self.outcomes), self.note)


def _decide(found: list[Candidate], rules: Rules, cluster: Cluster | None) -> _Decided:
    """What would become of each object, were it written now; the same object twice is taken in order."""
    stored = known(cluster, [item.key for item in found if item.name]) if cluster is not None else {}
    first = dict(stored)
    outcomes: list[Outcome] = []
    changes: dict[Key, Change] = {}
    for candidate in found:
        outcome = _fate(candidate, stored.get(candidate.key), rules)
        outcomes.append(outcome)
        if outcome.verdict in ("created", "changed"):
            stored[candidate.key] = _as_known(candidate)
            changes[candidate.key] = Change(candidate.key, first.get(candidate.key), candidate)
    refused = next((item for item in outcomes if item.verdict == "refused"), None)
    if rules.atomic and refused is not None:
        return _Decided(rules, [_not_applied(item, refused) for item in outcomes], [])
    note = ""
    if rules.replace is not None and cluster is not None:
        note = _nameless(found)
        for change in () if note else _left_out(found, rules.replace, cluster):
            changes[change.key] = change
            outcomes.append(Outcome("deleted", *change.key, reason=f"not in the payload that replaces {rules.replace}"))
    return _Decided(rules, outcomes, list(changes.values()), note)


def _fate(candidate: Candidate, old: Known | None, rules: Rules) -> Outcome:
    if candidate.fault is not None:
        return candidate.refused()
    same = old is not None and old.digest == candidate.digest
    item = None if same else candidate.item()
    if candidate.fault is not None:
        return candidate.refused()
    pool = old.pool_id if same and old else item.pool_id if isinstance(item, Slice) else None
    driver = pool.driver if pool else None
    if not rules.allows(driver):
        return candidate.refused(_not_covered(rules, driver))
    if old is not None and not rules.allows(old.driver):
        return candidate.refused(f"an object of {old.driver or 'no driver'} has this name: {_not_covered(rules, '')}")
    if rules.replace is not None and pool != rules.replace:
        return candidate.refused(f"does not belong to the pool {rules.replace}, which this call replaces")
    if old is None:
        return Outcome("created", *candidate.key, candidate.where)
    late = "" if same or item is None else _late(item.meta.uid, item.meta.resource_version, old)
    return Outcome("unchanged" if same or late else "changed", *candidate.key, candidate.where, late)


def _late(uid: str, version: str, old: Known) -> str:
    """Why this version of an object is older than the stored one; empty when it is not, or when that cannot be told."""
    both_numbers = version.isdecimal() and old.resource_version.isdecimal()
    if uid and uid == old.uid and both_numbers and int(version) < int(old.resource_version):
        return f"stale: resourceVersion {version} is older than the stored {old.resource_version}"
    return ""


def _as_known(candidate: Candidate) -> Known:
    fields = stored_fields(candidate.item(), candidate.digest, candidate.body)
    return Known(None, **{name: fields[name] for name in ("uid", "resource_version", "digest", "driver", "pool")})


def _not_covered(rules: Rules, driver: str | None) -> str:
    token = rules.token
    if token is None:
        return "not allowed"
    if token.cluster not in ("", rules.cluster):
        return f"the token is bound to the cluster {token.cluster}"
    what = "slices of other drivers" if driver else "other objects"
    return f"the token is bound to the driver {token.driver}, and does not cover {what}"


def _not_applied(outcome: Outcome, refused: Outcome) -> Outcome:
    if outcome.verdict == "refused":
        return outcome
    because = refused.where or refused.object or "another object"
    key = outcome.kind, outcome.namespace, outcome.name
    return Outcome("refused", *key, outcome.where, f"not applied because {because} was refused and the call is atomic")


def _nameless(found: list[Candidate]) -> str:
    """Why nothing may be deleted: an object of the payload could not be identified."""
    for candidate in found:
        if candidate.fault is not None and not candidate.digest:
            return (
                f"No slice was deleted: {candidate.where or 'an object'} could not be read, and may be one of the pool."
            )
    return ""


def _left_out(found: list[Candidate], pool: PoolId, cluster: Cluster) -> Iterator[Change]:
    given = {candidate.key for candidate in found}
    for key, old in sorted(known_of_pool(cluster, pool).items()):
        if key not in given:
            yield Change(key, old, None)


def whole_payload_refused(fault: Undecodable, *, cluster: str, source: str) -> PublishReport:
    """A report for a payload that cannot be read at all."""
    outcome = Outcome("refused", name=fault.object, where=source, reason=fault.reason, path=fault.path)
    return PublishReport(cluster, current_revision(cluster), (outcome,))
