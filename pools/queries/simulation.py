"""Scenarios in, the allocator's answers out: the line format of `manage.py simulate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pools.core.allocate import Answer, Pick, allocate, free_devices
from pools.core.holds import holds
from pools.core.node_match import SelectorError
from pools.core.nodeview import Slices
from pools.core.release import Release
from pools.core.world import InUse, World
from pools.domain.claim import Claim, DeviceClass, TaintRule
from pools.domain.cluster import Node
from pools.domain.errors import Undecodable
from pools.domain.pool import Slice
from pools.domain.quantity import Quantity, format_nano
from pools.wire.fields import interned
from pools.wire.registry import decode


def simulate(scenario: Mapping[str, Any], rules: Release, *, each: bool = True) -> dict[str, Any]:
    """
    Answer one scenario.

    Args:
        scenario: `slices`, `classes`, `allocated`, `nodes`, `claims`, and if wanted `taintRules` and `features`.
        rules: the release to follow; the scenario's `features` switch parts of it off.
        each: also list, per node, which single devices are free.

    Returns:
        {"nodes": [{node, allocatable, allocations?, error?, nodeOnlyError?, undecided?}], "each"?: [...]}, or
        {"nodes": [], "error"} when an object cannot be decoded.

    Raises:
        ValueError: the scenario names an unknown feature.
    """
    rules = rules.without(scenario.get("features") or {})
    try:
        world, nodes, claims = _read(scenario, rules)
    except Undecodable as error:
        return {"nodes": [], "error": str(error)}
    answer: dict[str, Any] = {"nodes": [_node(allocate(world, node, claims)) for node in nodes]}
    if each:
        answer["each"] = [_each(world, node) for node in nodes]
    return answer


def _read(scenario: Mapping[str, Any], rules: Release) -> tuple[World, list[Node], list[Claim]]:
    slices = cast(list[Slice], _decoded(scenario, "slices"))
    allocated = cast(list[Claim], _decoded(scenario, "allocated"))
    world = World(
        Slices(slices, rules),
        cast(list[DeviceClass], _decoded(scenario, "classes", _known)),
        InUse.of(holds(allocated, slices), rules),
        cast(list[TaintRule], _decoded(scenario, "taintRules")),
    )
    return world, cast(list[Node], _decoded(scenario, "nodes")), cast(list[Claim], _decoded(scenario, "claims"))


_known = interned(decode)
"""Scenarios share their few classes."""


def _decoded(scenario: Mapping[str, Any], key: str, read: Callable[[Any], Any] = decode) -> list[Any]:
    found = []
    for index, raw in enumerate(scenario.get(key) or ()):
        try:
            found.append(read(raw))
        except Undecodable as error:
            raise error.under(f"{key}[{index}]") from None
    return found


def _node(answer: Answer) -> dict[str, Any]:
    line: dict[str, Any] = {"node": answer.node, "allocatable": answer.verdict == "allocatable"}
    if answer.verdict == "allocatable":
        line["allocations"] = [[_pick(pick) for pick in claim] for claim in answer.picks]
    elif answer.verdict == "error":
        line["error"] = answer.message
        if answer.node_only:
            line["nodeOnlyError"] = True
    elif answer.verdict == "undecided":
        line["undecided"] = answer.message
    return line


def _pick(pick: Pick) -> dict[str, Any]:
    line: dict[str, Any] = {
        "request": pick.request,
        "driver": pick.device.driver,
        "pool": pick.device.pool,
        "device": pick.device.name,
    }
    if pick.admin:
        line["adminAccess"] = True
    if pick.consumed:
        line["consumedCapacity"] = {name: _text(amount) for name, amount in pick.consumed.items()}
    return line


def _text(amount: Quantity) -> str:
    return format_nano(amount.nano, amount.text)


def _each(world: World, node: Node) -> dict[str, Any]:
    try:
        free = [str(device) for device in free_devices(world, node, tolerate=False)]
        tolerated = [str(device) for device in free_devices(world, node, tolerate=True) if str(device) not in free]
    except SelectorError as error:
        return {"node": node.meta.name, "free": [], "freeTolerated": [], "error": str(error)}
    return {"node": node.meta.name, "free": free, "freeTolerated": tolerated}
