"""Pods that ask for an extended resource for which a device class stands: the claim that the scheduler would make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pools.core.amounts import listed
from pools.core.cluster_nodes import nodes_of
from pools.domain.claim import Claim, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Pod, Snapshot
from pools.domain.pool import Meta

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""With a class's name behind it, a resource that every class stands for."""
_ONE = 10**9


@dataclass(frozen=True, slots=True)
class Extended:
    """
    The claim for a pod's extended resources. On the nodes `elsewhere` a device plugin offers them, so that there the
    scheduler makes no claim for them; `note` says so.
    """

    claim: Claim
    about: str
    elsewhere: frozenset[str]
    note: str


def class_for(classes: Iterable[DeviceClass], resource: str) -> DeviceClass | None:
    """
    The class that stands for an extended resource; of several the newest, then the first by name.

    Source: ExtendedResourceCache of dynamic-resource-allocation.
    """
    found = [
        each
        for each in classes
        if each.extended_resource == resource or (each.meta.name and resource == f"{IMPLICIT}{each.meta.name}")
    ]
    newest = max((each.meta.created for each in found), default="")
    return min((each for each in found if each.meta.created == newest), key=lambda each: each.meta.name, default=None)


def extended(snapshot: Snapshot, pod: Pod) -> Extended | None:
    """
    The claim that the scheduler would make for a pod's extended resources; None when no class stands for any.

    The scheduler writes a request for each container; here the containers' requests for one resource are one, which
    takes the same devices.

    Source: createRequestsAndMappings and filterExtendedResources of the scheduler plugin.
    """
    wanted = dict(_wanted(snapshot, pod))
    if not wanted:
        return None
    requests = tuple(
        Request(f"resource-{index}", (DeviceRequest("", wanted[name][0], count=wanted[name][1]),))
        for index, name in enumerate(wanted)
    )
    claim = Claim(Meta(f"{pod.meta.name}-extended-resources", pod.meta.namespace), "v1", requests)
    about = listed([f"{count} × {name} by class {kind}" for name, (kind, count) in wanted.items()])
    elsewhere = frozenset(
        node.meta.name
        for node in nodes_of(snapshot)
        if any(name in node.allocatable and node.allocatable[name].nano > 0 for name in wanted)
    )
    many = f"{len(elsewhere)} node{'' if len(elsewhere) == 1 else 's'}"
    note = (
        f"On {many} a device plugin offers {listed(list(wanted))}: there pod {pod.id} needs no claim, and whether the "
        "plugin has any left is not known here."
    )
    return Extended(claim, about, elsewhere, note if elsewhere else "")


def _wanted(snapshot: Snapshot, pod: Pod) -> Iterable[tuple[str, tuple[str, int]]]:
    """For each resource by name the class and how many devices."""
    amounts: Mapping[str, int] = {name: amount.nano for name, amount in pod.extended_requests.items()}
    for name in sorted(amounts):
        found = class_for(snapshot.classes, name)
        if found is not None and amounts[name] >= _ONE and amounts[name] % _ONE == 0:
            yield name, (found.meta.name, amounts[name] // _ONE)
