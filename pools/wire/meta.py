"""What all kinds share: metadata, conditions, node selection, taints and tolerations."""

from __future__ import annotations

from pools.domain.claim import Condition, Toleration
from pools.domain.device import NodeReach, NodeRequirement, NodeSelectorTerm, Taint
from pools.domain.errors import Undecodable
from pools.domain.pool import Meta
from pools.wire.fields import (
    MAX_LABEL,
    MAX_LABEL_KEY,
    Raw,
    child,
    each,
    flag,
    inside,
    integer,
    name,
    segment,
    strings,
    text,
    time,
    wrong,
)
from pools.wire.identity import identify


def meta(raw: Raw) -> Meta:
    """The metadata of a whole object; see `identify` for the namespace."""
    _, namespace, own_name = identify(raw)
    try:
        return _metadata(child(raw, "metadata"), namespace, own_name)
    except Undecodable as fault:
        raise fault.under("metadata") from None


def _metadata(metadata: Raw, namespace: str, own_name: str) -> Meta:
    return Meta(
        name=own_name,
        namespace=namespace,
        uid=text(metadata, "uid", 64),
        resource_version=text(metadata, "resourceVersion", 64),
        created=time(metadata, "creationTimestamp"),
        deleted=time(metadata, "deletionTimestamp"),
        labels=_texts(metadata, "labels"),
        annotations=_texts(metadata, "annotations"),
        owners=each(metadata, "ownerReferences", _owner),
    )


def _texts(raw: Raw, key: str) -> dict[str, str]:
    values = child(raw, key)
    for inner, value in values.items():
        if value is not None and not isinstance(value, str):
            raise wrong("a string", value, f"{key}.{segment(inner)}")
    return {inner: value or "" for inner, value in values.items()}


def _owner(raw: Raw) -> tuple[str, str, str]:
    return text(raw, "kind"), text(raw, "name"), text(raw, "uid")


def condition(raw: Raw) -> Condition:
    """A Kubernetes condition."""
    return Condition(
        type=name(raw, "type", MAX_LABEL_KEY),
        status=text(raw, "status"),
        reason=text(raw, "reason"),
        message=text(raw, "message"),
        since=time(raw, "lastTransitionTime"),
    )


def reach(raw: Raw) -> NodeReach:
    """nodeName, nodeSelector and allNodes; an empty name and false are as good as absent."""
    return NodeReach(text(raw, "nodeName", 253), node_selector(raw, "nodeSelector"), flag(raw, "allNodes"))


def node_selector(raw: Raw, key: str) -> tuple[NodeSelectorTerm, ...] | None:
    """The terms of a core/v1 NodeSelector; None when it is absent or null."""
    if raw.get(key) is None:
        return None
    return inside(raw, key, lambda selector: each(selector, "nodeSelectorTerms", _term))


def _term(raw: Raw) -> NodeSelectorTerm:
    return NodeSelectorTerm(each(raw, "matchExpressions", _requirement), each(raw, "matchFields", _requirement))


def _requirement(raw: Raw) -> NodeRequirement:
    return NodeRequirement(name(raw, "key", MAX_LABEL_KEY), name(raw, "operator", MAX_LABEL), strings(raw, "values"))


def only_node(node_name: str) -> tuple[NodeSelectorTerm, ...]:
    """A selector that matches the one node of that name."""
    return (NodeSelectorTerm(fields=(NodeRequirement("metadata.name", "In", (node_name,)),)),)


def taint(raw: Raw) -> Taint:
    """A device taint; an effect that this program does not know is kept."""
    return Taint(
        key=name(raw, "key", MAX_LABEL_KEY),
        value=text(raw, "value", 253),
        effect=name(raw, "effect", MAX_LABEL),
        time_added=time(raw, "timeAdded"),
    )


def toleration(raw: Raw) -> Toleration:
    """A toleration of device taints; absent parts match anything they can."""
    return Toleration(
        key=text(raw, "key", MAX_LABEL_KEY),
        operator=text(raw, "operator"),
        value=text(raw, "value"),
        effect=text(raw, "effect"),
        seconds=integer(raw, "tolerationSeconds") if raw.get("tolerationSeconds") is not None else None,
    )
