"""The nodes a snapshot speaks of: its Node objects, or, when it has none, every node that is named anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from pools.core.reach import only_nodes
from pools.domain.cluster import Node, Snapshot
from pools.domain.pool import Meta

HOSTNAME = "kubernetes.io/hostname"
ANY = "any-node"
"""The node that stands for all where none is named: what it sees can be used from everywhere."""


def nodes_of(snapshot: Snapshot) -> tuple[Node, ...]:
    """
    Nodes by name, the given ones or those implied.

    Implied ones carry the label of their name only, so what is selected by other labels is reached by none of them.
    """
    if snapshot.nodes:
        return tuple(sorted(snapshot.nodes, key=lambda node: node.meta.name))
    names = sorted(set(_named(snapshot))) or [ANY]
    return tuple(Node(Meta(name, labels={HOSTNAME: name})) for name in names)


def _named(snapshot: Snapshot) -> Iterator[str]:
    for item in snapshot.slices:
        for reach in (item.reach, *(device.reach for device in item.devices if item.per_device_reach)):
            yield from only_nodes(reach) or ()
    for claim in snapshot.claims:
        if claim.allocation is not None and claim.allocation.node_name:
            yield claim.allocation.node_name
    for pod in snapshot.pods:
        if pod.node_name:
            yield pod.node_name
