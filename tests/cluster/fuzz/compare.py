"""Where two answers to one scenario differ."""

from __future__ import annotations

from typing import Any

from pools.domain.quantity import parse_quantity

from .world import Json

_PICK = ("request", "driver", "pool", "device", "adminAccess", "consumedCapacity")
UNDECIDED = "undecided"


def disagreements(expected: Json, given: Json | None) -> set[str]:
    """
    The kinds of difference; empty when the answers agree.

    Compared: allocatable, the devices picked, whether an error ends the attempt or concerns the node only (not its
    text), the free devices. A node that upstream's time did not suffice for is left out; one that the other side left
    undecided counts as `undecided`.
    """
    if given is None:
        return {"no-answer"}
    if bool(expected.get("error")) != bool(given.get("error")):
        return {"refusal"}
    kinds: set[str] = set()
    verdicts = {node["node"]: node for node in given.get("nodes") or []}
    for node in expected.get("nodes") or []:
        if not node.get("undecided"):
            kinds |= _verdict(node, verdicts.get(node["node"]))
    free = {node["node"]: node for node in given.get("each") or []}
    for node in expected.get("each") or []:
        kinds |= _free(node, free.get(node["node"]))
    return kinds


def _verdict(expected: Json, given: Json | None) -> set[str]:
    if given is None:
        return {"node-missing"}
    if given.get("undecided"):
        return {UNDECIDED}
    kinds = set()
    if bool(given.get("allocatable")) != expected["allocatable"]:
        kinds.add("verdict")
    elif expected["allocatable"] and not same_picks(given.get("allocations"), expected.get("allocations")):
        kinds.add("picks")
    for key in ("error", "nodeOnlyError"):
        if bool(given.get(key)) != bool(expected.get(key)):
            kinds.add("error-class")
    return kinds


def same_picks(one: list[list[Json]] | None, other: list[list[Json]] | None) -> bool:
    """
    Whether both gave the same devices to each claim.

    Tolerations, conditions and share names do not count, and amounts count by value: a default published as `+2` is
    given as `+2` or as `2`.
    """
    return _picks(one) == _picks(other)


def _picks(claims: list[list[Json]] | None) -> list[list[dict[str, Any]]]:
    return [
        [{k: _plain(pick[k]) for k in _PICK if pick.get(k) not in (None, False)} for pick in c] for c in claims or []
    ]


def _plain(value: Any) -> Any:
    return {name: parse_quantity(text) for name, text in value.items()} if isinstance(value, dict) else value


def _free(expected: Json, given: Json | None) -> set[str]:
    if given is None:
        return {"node-missing"}
    kinds = set()
    if set(given.get("free") or []) != set(expected.get("free") or []):
        kinds.add("free")
    elif set(given.get("freeTolerated") or []) != set(expected.get("freeTolerated") or []):
        kinds.add("free-tolerated")
    return kinds
