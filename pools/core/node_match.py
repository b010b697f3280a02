"""Node selection: does a node match a name, a selector, or all nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

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
    fault = _fault(terms)
    if fault:
        raise SelectorError(f"node selector: {fault}")
    return any(_term(term, node) for term in terms)


def _term(term: NodeSelectorTerm, node: Node) -> bool:
    return bool(term.expressions or term.fields) and (
        all(_requirement(line, node.meta.labels) for line in term.expressions)
        and all(_field(line, node.meta.name) for line in term.fields)
    )


def _requirement(line: NodeRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(line.key)
    match line.operator:
        case "In":
            return value in line.values
        case "NotIn":
            return value not in line.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    number, bound = _number(value or ""), _number(line.values[0])
    if number is None or bound is None:
        return False
    return number > bound if line.operator == "Gt" else number < bound


def _field(line: NodeRequirement, name: str) -> bool:
    found = name if line.key == "metadata.name" else ""
    return (found == line.values[0]) == (line.operator == "In")


def _number(text: str) -> int | None:
    """A 64-bit integer in plain decimal digits, else None."""
    if _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


@lru_cache(maxsize=4096)
def _fault(terms: tuple[NodeSelectorTerm, ...]) -> str:
    """What of a selector cannot be parsed; empty when everything can."""
    for term in terms:
        for line in term.expressions:
            if not _well_formed(line):
                return f"{line.operator} on {line.key} with the values {list(line.values)} cannot be parsed"
        for line in term.fields:
            if line.operator not in ("In", "NotIn") or len(line.values) != 1:
                return f"field {line.key} {line.operator} with {len(line.values)} values cannot be parsed"
    return ""


def _well_formed(line: NodeRequirement) -> bool:
    """Source: NewRequirement in apimachinery pkg/labels/selector.go."""
    match line.operator:
        case "In" | "NotIn":
            fits = len(line.values) > 0
        case "Exists" | "DoesNotExist":
            fits = not line.values
        case "Gt" | "Lt":
            fits = len(line.values) == 1 and _number(line.values[0]) is not None
        case _:
            return False
    prefix, slash, name = line.key.rpartition("/")
    domain = not slash or (len(prefix) <= _MOST_DOMAIN and _DOMAIN.fullmatch(prefix) is not None)
    return fits and domain and bool(name) and all(map(_label_value, (name, *line.values)))


def _label_value(text: str) -> bool:
    return not text or (len(text) <= _MOST_VALUE and _VALUE.fullmatch(text) is not None)


_MOST_VALUE, _MOST_DOMAIN = 63, 253
_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
