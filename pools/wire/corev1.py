"""Kubernetes v1 Node and Pod: only the fields that device allocation needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pools.domain.cluster import Node, Pod, PodClaim
from pools.domain.errors import Undecodable
from pools.domain.pool import Meta
from pools.domain.quantity import Quantity, format_nano
from pools.wire.fields import (
    MAX_LABEL_KEY,
    MAX_NAME,
    Raw,
    as_quantity,
    child,
    each,
    flag,
    inside,
    name,
    named,
    quantity,
    strings,
    text,
)
from pools.wire.meta import condition, meta

_IMPLICIT = "deviceclass.resource.kubernetes.io/"


def node(raw: Raw) -> Node:
    """A Node: name, labels, taints, and the amounts that device plugins offer among others."""
    return Node(
        meta=meta(raw),
        allocatable=inside(raw, "status", lambda status: inside(status, "allocatable", _amounts)),
        declared_features=inside(raw, "status", lambda status: strings(status, "declaredFeatures")),
        unschedulable=inside(raw, "spec", lambda spec: flag(spec, "unschedulable")),
        taints=inside(raw, "spec", lambda spec: each(spec, "taints", _taint)),
    )


def _amounts(raw: Raw) -> dict[str, Quantity]:
    return named(raw, as_quantity)


def _taint(raw: Raw) -> tuple[str, str, str]:
    return name(raw, "key", MAX_LABEL_KEY), text(raw, "value"), text(raw, "effect")


def pod(raw: Raw) -> Pod:
    """A Pod: where it runs, which claims it uses, which extended resources it asks for."""
    own = meta(raw)
    status = inside(raw, "status", _status)
    return inside(raw, "spec", lambda spec: _pod(own, spec, *status))


Status = tuple[Raw, dict[str, str | None]]


def _status(raw: Raw) -> Status:
    statuses = each(raw, "resourceClaimStatuses", lambda entry: (name(entry, "name"), _claim_name(entry)))
    fields = {
        "phase": text(raw, "phase"),
        "conditions": each(raw, "conditions", condition),
        "extended_claim": inside(
            raw, "extendedResourceClaimStatus", lambda entry: text(entry, "resourceClaimName", MAX_NAME)
        ),
    }
    return fields, dict(statuses)


def _claim_name(raw: Raw) -> str | None:
    return text(raw, "resourceClaimName", MAX_NAME) or None


def _pod(own: Meta, spec: Raw, fields: Raw, statuses: dict[str, str | None]) -> Pod:
    return Pod(
        meta=own,
        node_name=text(spec, "nodeName", MAX_NAME),
        claims=each(spec, "resourceClaims", _pod_claim),
        claim_statuses=statuses,
        extended_requests=_extended(spec),
        scheduling_gates=each(spec, "schedulingGates", lambda gate: name(gate, "name", MAX_LABEL_KEY)),
        **fields,
    )


def _pod_claim(raw: Raw) -> PodClaim:
    """By name or template; until 1.30 both stood one level down, under `source`."""
    own_name = name(raw, "name")
    level = "source" if isinstance(raw.get("source"), dict) else ""
    body = child(raw, "source") if level else raw
    try:
        claim, template = text(body, "resourceClaimName", MAX_NAME), text(body, "resourceClaimTemplateName", MAX_NAME)
    except Undecodable as fault:
        raise fault.under(level) from None
    return PodClaim(own_name, claim, template)


def _extended(spec: Raw) -> dict[str, Quantity]:
    """
    What the pod needs of each extended resource: its containers and sidecars together, or the init container that needs
    most beside the sidecars started before it (source: component-helpers PodRequests).
    """
    running = _sum(each(spec, "containers", _limits))
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for sidecar, limits in each(spec, "initContainers", _init_container):
        needed = _sum([sidecars, limits])
        if sidecar:
            sidecars = needed
        peak = {key: max(peak.get(key, 0), needed.get(key, 0)) for key in peak | needed}
    running = _sum([running, sidecars])
    most = {key: max(running.get(key, 0), peak.get(key, 0)) for key in running | peak}
    return {key: Quantity(nano, format_nano(nano)) for key, nano in most.items()}


def _init_container(raw: Raw) -> tuple[bool, dict[str, int]]:
    return text(raw, "restartPolicy") == "Always", _limits(raw)


def _sum(amounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for amount in amounts:
        for key, nano in amount.items():
            total[key] = total.get(key, 0) + nano
    return total


def _limits(container: Raw) -> dict[str, int]:
    """Extended resources of a container, in billionths; a request alone counts as its limit."""

    return inside(container, "resources", lambda raw: inside(raw, "requests", _nanos) | inside(raw, "limits", _nanos))


def _nanos(amounts: Raw) -> dict[str, int]:
    return {resource: quantity(amounts, resource).nano for resource in amounts if _is_extended(resource)}


def _is_extended(resource: str) -> bool:
    """Has a domain that is not Kubernetes' own (source: v1helper.IsExtendedResourceName); classes by name count too."""
    return resource.startswith(_IMPLICIT) or ("/" in resource and "kubernetes.io/" not in resource)
