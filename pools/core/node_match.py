"""Node selection: does a node match a name, a selector, or all nodes."""

from __future__ import annotations

from collections.abc import Mapping

from pools.domain.cluster import Node
from pools.domain.device import NodeReach, NodeRequirement, NodeSelectorTerm


class SelectorError(ValueError):
    """A node selector that the API machinery cannot parse; it ends the whole attempt."""


def reaches(reach: NodeReach, node: Node) -> bool:
    """
    Whether *node* is among the nodes of *reach*; False when nothing is set.

    Raises:
        SelectorError: the selector holds something that cannot be parsed.

    Source: NodeMatches of the allocator; component-helpers scheduling/corev1/nodeaffinity.
    """
    if reach.node_name:
        return reach.node_name == node.meta.name
    if reach.all_nodes:
        return True
    return reach.selector is not None and selected(reach.selector, node)


def selected(terms: tuple[NodeSelectorTerm, ...], node: Node) -> bool:
    """Whether one of the terms matches; an empty term matches nothing. Raises SelectorError for any faulty term."""
    matches = [_term(term, node) for term in terms if term.expressions or term.fields]
    return any(matches)


def _term(term: NodeSelectorTerm, node: Node) -> bool:
    labels = [_requirement(line, node.meta.labels) for line in term.expressions]
    fields = [_field(line, node.meta.name) for line in term.fields]
    return all(labels) and all(fields)


def _requirement(line: NodeRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(line.key)
    match line.operator:
        case "In" if line.values:
            return value in line.values
        case "NotIn" if line.values:
            return value not in line.values
        case "Exists" if not line.values:
            return value is not None
        case "DoesNotExist" if not line.values:
            return value is None
        case "Gt" | "Lt" if len(line.values) == 1:
            return _compare(line.operator, value, _number(line.values[0]))
    raise SelectorError(f"node selector: {line.operator} on {line.key} with {len(line.values)} values cannot be parsed")


def _compare(operator: str, value: str | None, bound: int) -> bool:
    try:
        number = _number(value or "")
    except SelectorError:
        return False
    return number > bound if operator == "Gt" else number < bound


def _number(text: str) -> int:
    if not (text.isascii() and text.lstrip("+-").isdigit() and len(text) - len(text.lstrip("+-")) <= 1):
        raise SelectorError(f"node selector: {text!r} is no integer")
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise SelectorError(f"node selector: {text!r} is no 64-bit integer")
    return number


def _field(line: NodeRequirement, name: str) -> bool:
    if line.key != "metadata.name" or line.operator not in ("In", "NotIn") or len(line.values) != 1:
        raise SelectorError(f"node selector: field {line.key} {line.operator} cannot be parsed")
    return (name == line.values[0]) == (line.operator == "In")
