"""Bytes to candidates: each object of a payload identified, packed for storage, and decoded when that is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pools.domain.cluster import DomainObject
from pools.domain.errors import Undecodable
from pools.ingest.outcome import Outcome
from pools.stored import DECODED, pack
from pools.wire.documents import Document, Limits, read
from pools.wire.registry import decode, identify

Key = tuple[str, str, str]
"""(kind, namespace, name) within a cluster."""


@dataclass(slots=True)
class Candidate:
    """
    One object of a payload. `fault` is set when it cannot be taken; `item` holds the decoded object once asked for.
    """

    where: str
    raw: dict[str, Any]
    kind: str = ""
    namespace: str = ""
    name: str = ""
    digest: bytes = b""
    body: bytes = b""
    fault: Undecodable | None = None
    _item: DomainObject | None = field(default=None, repr=False)

    @property
    def key(self) -> Key:
        return self.kind, self.namespace, self.name

    def item(self) -> DomainObject | None:
        """The decoded object; None when it cannot be decoded, and `fault` then says why."""
        if self._item is None and self.fault is None:
            try:
                item = decode(self.raw)
            except Undecodable as fault:
                self.fault = fault
                return None
            self._item = item
            DECODED.put(self.digest, item, len(self.body))
        return self._item

    def refused(self, reason: str = "", path: str = "") -> Outcome:
        """This object's refusal, for its own fault unless *reason* gives another."""
        if not reason and self.fault is not None:
            reason, path = self.fault.reason, self.fault.path
        name = self.name or (self.fault.object if self.fault else "")
        return Outcome("refused", self.kind, self.namespace, name, self.where, reason, path)


def candidates(payload: bytes, *, source: str, limits: Limits) -> list[Candidate]:
    """
    The objects of a payload, in order.

    Raises:
        Undecodable: the payload as a whole cannot be read, or breaks a limit.
    """
    found = []
    for document in read(payload, source=source, limits=limits):
        if isinstance(document, Document):
            found.append(_candidate(document))
        else:
            found.append(Candidate(where=document.where, raw={}, fault=document))
    return found


def _candidate(document: Document) -> Candidate:
    candidate = Candidate(where=document.where, raw=document.raw)
    try:
        candidate.kind, candidate.namespace, candidate.name = identify(document.raw)
        candidate.body, candidate.digest = pack(document.raw)
    except Undecodable as fault:
        candidate.fault = _better(document.raw, fault)
    return candidate


def _better(raw: dict[str, Any], fault: Undecodable) -> Undecodable:
    """The decoder's word on an object without a name, where it knows the form and says what to publish instead."""
    try:
        decode(raw)
    except Undecodable as known:
        return known
    return fault
