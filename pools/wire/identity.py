"""Which object a piece of JSON is: its kind, namespace and name."""

from __future__ import annotations

from typing import Any

from pools.domain.errors import Undecodable
from pools.wire.fields import MAX_LABEL, Raw, child, name, segment, text

NAMESPACED = frozenset({"ResourceClaim", "ResourceClaimTemplate", "Pod"})


def identify(raw: Raw) -> tuple[str, str, str]:
    """
    Kind, namespace and name of an object.

    A namespaced object without a namespace is in `default`, as kubectl would put it there; the namespace of a
    cluster-scoped object is empty whatever it says.

    Raises:
        Undecodable: kind or name is missing or not usable as a name.
    """
    kind = name(raw, "kind", MAX_LABEL)
    metadata = child(raw, "metadata")
    try:
        namespace = text(metadata, "namespace", MAX_LABEL) or "default"
        return kind, namespace if kind in NAMESPACED else "", name(metadata, "name")
    except Undecodable as fault:
        raise fault.under("metadata") from None


def label(raw: Any) -> str:
    """`Kind namespace/name` as far as it can be read, for error messages; never raises."""
    if not isinstance(raw, dict):
        return ""
    metadata = raw.get("metadata")
    parts = metadata if isinstance(metadata, dict) else {}
    kind, namespace, own = raw.get("kind"), parts.get("namespace"), parts.get("name")
    names = [segment(part) for part in (namespace, own) if isinstance(part, str) and part]
    return " ".join(part for part in (segment(kind) if isinstance(kind, str) else "", "/".join(names)) if part)
