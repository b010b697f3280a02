"""What can be told of a node selection without knowing any node's labels."""

from __future__ import annotations

from pools.domain.device import NodeReach, NodeSelectorTerm


def only_nodes(reach: NodeReach) -> frozenset[str] | None:
    """
    The only nodes that could be meant, by name; None when labels, or all nodes, decide.

    An empty set means that no node whatsoever matches, as for a selector without terms.
    """
    if reach.node_name:
        return frozenset((reach.node_name,))
    if reach.all_nodes or reach.selector is None:
        return None
    names: frozenset[str] = frozenset()
    for term in reach.selector:
        named = _named(term)
        if named is None:
            return None
        names |= named
    return names


def _named(term: NodeSelectorTerm) -> frozenset[str] | None:
    if not term.expressions and not term.fields:
        return frozenset()  # a term without requirements matches nothing
    named: frozenset[str] | None = None
    for line in term.fields:
        if line.key == "metadata.name" and line.operator == "In":
            named = frozenset(line.values) if named is None else named & frozenset(line.values)
    return named


def disjoint(one: NodeReach, other: NodeReach) -> bool:
    """Whether certainly no node reaches both."""
    first, second = only_nodes(one), only_nodes(other)
    return first is not None and second is not None and not first & second
