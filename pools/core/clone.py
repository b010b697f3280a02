"""More nodes like one, and a pool in the place of another: slices written anew under other names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pools.core.cluster_nodes import HOSTNAME
from pools.core.reach import only_nodes
from pools.domain.cluster import Node
from pools.domain.device import Device, NodeReach, NodeRequirement, NodeSelectorTerm
from pools.domain.errors import ScenarioError
from pools.domain.ids import PoolId
from pools.domain.pool import Meta, Slice

MOST_NODES = 200
"""Nodes that a scenario may add."""


@dataclass(frozen=True, slots=True)
class Clones:
    """New nodes with their slices. `left_out` are pools that the node shares with others: these stay as they are."""

    nodes: tuple[Node, ...]
    slices: tuple[Slice, ...]
    left_out: tuple[PoolId, ...]


def clones(slices: Sequence[Slice], nodes: Sequence[Node], like: str, count: int, path: str) -> Clones:
    """
    *count* more nodes like one: its labels, and copies of the pools that it alone reaches, with nothing allocated.

    What selects nodes by other labels, or all of them, reaches the new nodes without a copy.

    Raises:
        ScenarioError: there is no such node, or the number is out of bounds.
    """
    model = next((node for node in nodes if node.meta.name == like), None)
    if model is None:
        raise ScenarioError(path, f"there is no node {like}")
    if not 1 <= count <= MOST_NODES:
        raise ScenarioError(path, f"from 1 to {MOST_NODES} nodes can be added, not {count}")
    own, left_out = _own_pools(slices, like)
    known = {node.meta.name for node in nodes}
    pools = {item.pool_id for item in slices}
    new_nodes: list[Node] = []
    new_slices: list[Slice] = []
    for name in _names(like, known, count):
        new_nodes.append(_node(model, name))
        for item in own:
            pool = _fresh(_renamed(item.pool, like, name), item.driver, pools)
            new_slices.append(
                replace(
                    item,
                    meta=Meta(_renamed(item.meta.name, like, name), labels=item.meta.labels),
                    pool=pool,
                    reach=_moved(item.reach, like, name),
                    devices=_devices(item, like, name),
                )
            )
    return Clones(tuple(new_nodes), tuple(new_slices), left_out)


def in_place_of(target: PoolId, old: Sequence[Slice], new: Sequence[Slice]) -> tuple[Slice, ...]:
    """
    The slices of one pool, written as if they were another's: its name, and its node where both are bound to one.

    Raises:
        ScenarioError: they are not of one pool, or of another driver, or there is no pool to replace.
    """
    pools = sorted({item.pool_id for item in new})
    if not old:
        raise ScenarioError("swap", f"there is no pool {target}")
    if len(pools) != 1:
        found = ", ".join(map(str, pools)) or "none"
        raise ScenarioError("swap", f"the objects must hold slices of exactly one pool; they hold {found}")
    if pools[0].driver != target.driver:
        raise ScenarioError("swap", f"the slices are of driver {pools[0].driver}, the pool is of {target.driver}")
    here, there = _only(new), _only(old)
    return tuple(
        replace(
            item,
            pool=target.name,
            reach=_moved(item.reach, here, there) if here and there else item.reach,
            devices=_devices(item, here, there) if here and there else item.devices,
        )
        for item in new
    )


def bound_nodes(item: Slice) -> frozenset[str] | None:
    """The only nodes from which a slice's devices can be reached; None when labels or all nodes decide."""
    reaches = [device.reach for device in item.devices] if item.per_device_reach else [item.reach]
    names: set[str] = set()
    for reach in reaches:
        only = only_nodes(reach)
        if only is None:
            return None
        names |= only
    return frozenset(names)


def _only(slices: Sequence[Slice]) -> str:
    """The one node to which all the slices are bound, or empty."""
    bound = {bound_nodes(item) for item in slices}
    only = bound.pop() if len(bound) == 1 else None
    return next(iter(only)) if only is not None and len(only) == 1 else ""


def _own_pools(slices: Sequence[Slice], node: str) -> tuple[list[Slice], tuple[PoolId, ...]]:
    """The newest slices of pools that the node alone reaches, and the pools that it shares with others by name."""
    by_pool: dict[PoolId, list[Slice]] = defaultdict(list)
    for item in slices:
        by_pool[item.pool_id].append(item)
    own: list[Slice] = []
    shared: list[PoolId] = []
    for identity, each in by_pool.items():
        newest = max(item.generation for item in each)
        current = [item for item in each if item.generation == newest]
        bound = [bound_nodes(item) for item in current]
        if all(names == frozenset((node,)) for names in bound):
            own += current
        elif any(names is not None and node in names for names in bound):
            shared.append(identity)
    return own, tuple(sorted(shared))


def _names(like: str, known: Collection[str], count: int) -> Iterator[str]:
    """Names that no node has."""
    number, made = 0, 0
    while made < count:
        number += 1
        name = f"{like[:240]}-new-{number}"
        if name not in known:
            made += 1
            yield name


def _node(model: Node, name: str) -> Node:
    labels = {key: name if key == HOSTNAME else value for key, value in model.meta.labels.items()}
    return replace(model, meta=Meta(name, labels=labels), unschedulable=False, taints=())


def _renamed(text: str, old: str, new: str) -> str:
    """The name with the node's name replaced, or added where it is not part of it."""
    return text.replace(old, new, 1) if old in text else f"{text}-{new}"


def _fresh(name: str, driver: str, known: Collection[PoolId]) -> str:
    while PoolId(driver, name) in known:
        name = f"{name}-new"
    return name


def _moved(reach: NodeReach, old: str, new: str) -> NodeReach:
    """The selection with one node's name written as another's."""
    return NodeReach(
        new if reach.node_name == old else reach.node_name,
        None if reach.selector is None else tuple(_moved_term(term, old, new) for term in reach.selector),
        reach.all_nodes,
    )


def _moved_term(term: NodeSelectorTerm, old: str, new: str) -> NodeSelectorTerm:
    def moved(line: NodeRequirement) -> NodeRequirement:
        if line.key not in ("metadata.name", HOSTNAME):
            return line
        return replace(line, values=tuple(new if value == old else value for value in line.values))

    return NodeSelectorTerm(tuple(map(moved, term.expressions)), tuple(map(moved, term.fields)))


def _devices(item: Slice, old: str, new: str) -> tuple[Device, ...]:
    if not item.per_device_reach:
        return item.devices
    return tuple(replace(device, reach=_moved(device.reach, old, new)) for device in item.devices)
