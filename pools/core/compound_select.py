"""The devices that go into compounds: selected by driver and CEL, whole and unshared, each on one node."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pools.core.amounts import listed
from pools.core.cel import CelCompileError
from pools.core.cel_program import Facts, Program, program
from pools.core.cel_values import CelError, CelUnsupported
from pools.core.compound_notes import Notes
from pools.core.reach import only_nodes
from pools.domain.claim import TaintRule
from pools.domain.compound import CompoundRule, MemberRule
from pools.domain.device import Device, NodeReach, Taint
from pools.domain.ids import DeviceId
from pools.domain.pool import Pool, PooledDevice

MAX_LABEL = 63
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A device that takes part: as which member, under which label; `device` has the taints of rules added."""

    member: str
    id: DeviceId
    label: str
    device: Device

    def __hash__(self) -> int:
        return hash(self.id)


def choose(
    rule: CompoundRule, pools: Sequence[Pool], taint_rules: Sequence[TaintRule], notes: Notes
) -> dict[str, tuple[Chosen, ...]]:
    """
    The devices that take part, by node, in the order of members, pools and publication.

    A node is there as soon as a pool of an underlying driver is published for it, with devices or not. What cannot take
    part becomes an error of its node: pools that are not complete, devices that are partitions or shared, that fail a
    selector, that two members select, or that are reached from no node or several.
    """
    programs = {member.name: _programs(rule, member, notes) for member in rule.members}
    found: dict[str, list[Chosen]] = defaultdict(list)
    drivers = {member.driver for member in rule.members}
    used = [pool for pool in pools if pool.id.driver in drivers]
    for pool in used:
        nodes = nodes_of(pool)
        for node in nodes or ():
            found[node] += ()
        if not pool.usable:
            _not_whole(pool, nodes, notes)
    for member in rule.members:
        for pool in used:
            if pool.id.driver == member.driver and pool.usable:
                for node, chosen in _of_pool(member, programs[member.name], pool, taint_rules, notes):
                    found[node].append(chosen)
    for node, devices in found.items():
        _check_node(rule, node, devices, notes)
    return {node: tuple(devices) for node, devices in sorted(found.items())}


def nodes_of(pool: Pool) -> frozenset[str] | None:
    """The nodes that a pool's slices and devices are bound to; None when some are bound to none in particular."""
    reaches = [item.reach for item in pool.slices[: pool.slices_seen] if not item.per_device_reach]
    reaches += [item.reach for item in pool.devices]
    named = [only_nodes(reach) for reach in dict.fromkeys(reaches) if reach.is_set]
    if not named or any(nodes is None for nodes in named):
        return None
    return frozenset(node for nodes in named for node in nodes or ())


def _not_whole(pool: Pool, nodes: frozenset[str] | None, notes: Notes) -> None:
    text = f"The pool is {pool.state} ({pool.reason}): no compounds are made of it until that is mended."
    notes.error("compound-pool-not-complete", str(pool.id), text, nodes)


def _programs(rule: CompoundRule, member: MemberRule, notes: Notes) -> tuple[Program, ...]:
    compiled = tuple(program(text) for text in member.selectors)
    for index, each in enumerate(compiled):
        if each.error or each.unsupported:
            text = f"Selector {index + 1} of member {member.name}: {each.error or each.unsupported}"
            notes.error("compound-selector-invalid", rule.meta.name, text, None)
    return tuple(each for each in compiled if not each.error and not each.unsupported)


def _of_pool(
    member: MemberRule, programs: Sequence[Program], pool: Pool, taint_rules: Sequence[TaintRule], notes: Notes
) -> Iterator[tuple[str, Chosen]]:
    rules = [each for each in taint_rules if each.matches(pool.id.driver, pool.id.name, each.device or "")]
    for item in pool.devices:
        own = DeviceId(*pool.id, item.name)
        if not _selected(member, programs, own, item, notes):
            continue
        node = _node(own, item.reach, notes)
        if node and _is_plain(own, item.device, node, notes):
            added = tuple(each.taint for each in rules if each.device in (None, item.name))
            device = replace(item.device, taints=(*item.device.taints, *added)) if added else item.device
            yield node, Chosen(member.name, own, _label(member, own, device, node, notes), device)


def _selected(member: MemberRule, programs: Sequence[Program], own: DeviceId, item: PooledDevice, notes: Notes) -> bool:
    facts = Facts(own.driver, item.device)
    for each in programs:
        try:
            if not each.matches(facts):
                return False
        except (CelError, CelUnsupported, CelCompileError) as error:
            text = f"A selector of member {member.name} fails on it: {error}"
            notes.error("compound-selector-failed", str(own), text, only_nodes(item.reach))
            return False
    return True


def _node(own: DeviceId, reach: NodeReach, notes: Notes) -> str:
    nodes = only_nodes(reach) if reach.is_set else None
    if nodes is not None and len(nodes) == 1:
        return next(iter(nodes))
    where = f"from {listed(sorted(nodes))}" if nodes else "not from one named node"
    text = f"Is reached {where}: only devices of a single node can be part of a compound."
    notes.error("compound-member-not-local", str(own), text, nodes)
    return ""


def _is_plain(own: DeviceId, device: Device, node: str, notes: Notes) -> bool:
    """Whether a device can be part of a compound at all, by the limits that the proposal states."""
    if device.consumes:
        what = "consumes shared counters, so it is a partition, or competes with partitions"
        code = "compound-member-partitionable"
    elif device.allow_multiple_allocations:
        what, code = "can be shared by several claims", "compound-member-shareable"
    elif device.binds_to_node or device.binding_conditions or device.binding_failure_conditions:
        what, code = "has binding conditions, which only its own driver could meet", "compound-member-binding"
    else:
        return True
    text = f"It {what}: compounds are made of whole, unshared devices only. Leave it out by a selector."
    notes.error(code, str(own), text, (node,))
    return False


def _label(member: MemberRule, own: DeviceId, device: Device, node: str, notes: Notes) -> str:
    """What the device is called inside the compound; empty, with an error noted, when that is no DNS label."""
    gone: list[str] = []

    def fill(match: re.Match[str]) -> str:
        if match[1] == "device":
            return device.name
        value = device.attribute(match[1], own.driver)
        if value is None or value.value is None or isinstance(value.value, tuple):
            gone.append(match[1])
            return ""
        return str(value.value).lower() if value.kind == "bool" else str(value.value)

    label = _PLACEHOLDER.sub(fill, member.label)
    if gone:
        text = f"Has no single value of {listed(gone)}, which the label {member.label!r} of {member.name} asks for."
        notes.error("compound-label-invalid", str(own), text, (node,))
    elif _LABEL.fullmatch(label) is None:
        text = (
            f"Would be called {label!r} inside the compound, which is no DNS label of at most {MAX_LABEL} characters; "
            f"give member {member.name} another label."
        )
        notes.error("compound-label-invalid", str(own), text, (node,))
    return label


def _check_node(rule: CompoundRule, node: str, devices: Sequence[Chosen], notes: Notes) -> None:
    by_device: dict[DeviceId, Chosen] = {}
    by_label: dict[str, Chosen] = {}
    for each in devices:
        other = by_device.setdefault(each.id, each)
        if other is not each:
            text = f"Members {other.member} and {each.member} both select it; a device can be one of them only."
            notes.error("compound-member-twice", str(each.id), text, (node,))
            continue
        namesake = by_label.setdefault(each.label, each)
        if namesake is not each:
            text = (
                f"It and {namesake.id} would both be called {each.label} inside the compound; give one another label."
            )
            notes.error("compound-label-twice", str(each.id), text, (node,))
    for member in rule.members:
        if not any(each.member == member.name for each in devices):
            text = f"No device of {member.driver} on {node} is a {member.name}: its compounds there are made without."
            notes.warn("compound-member-missing", f"{rule.meta.name}/{node}", text)


def merged_taints(devices: Sequence[Device]) -> tuple[Taint, ...]:
    """The taints of all devices; of equal ones (key, value, effect) the one that was there first, by its time."""
    kept: dict[tuple[str, str, str], Taint] = {}
    for device in devices:
        for taint in device.taints:
            key = (taint.key, taint.value, taint.effect)
            known = kept.setdefault(key, taint)
            if taint.time_added and (not known.time_added or taint.time_added < known.time_added):
                kept[key] = taint
    return tuple(kept.values())
