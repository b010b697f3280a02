"""Which devices of a node may be in one compound: by lists, or by equal values of an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pools.core.amounts import listed
from pools.core.compound_notes import Notes
from pools.core.compound_select import Chosen
from pools.domain.compound import CompoundRule, ListedGroup
from pools.domain.device import AttributeValue, Scalar

_KINDS = {"ints": "int", "bools": "bool", "strings": "string", "versions": "version"}
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Grouped:
    """A group's devices, by member in the rule's order; `name` as shown, `word` as it goes into molecule names."""

    name: str
    devices: tuple[tuple[str, tuple[Chosen, ...]], ...]

    @property
    def word(self) -> str:
        return _NOT_IN_NAMES.sub("-", self.name.lower()).strip("-")


def group(rule: CompoundRule, node: str, devices: Sequence[Chosen], notes: Notes) -> tuple[Grouped, ...]:
    """
    The groups of one node: lists in the rule's order, values in the order in which devices have them.

    A device may be in several groups: in several lists, or by an attribute with several values. Devices in none are
    told; names on lists that no device has, too.
    """
    if rule.grouping.lists:
        found = [_of_list(rule, node, each, devices, notes) for each in rule.grouping.lists]
    else:
        found = _by_value(rule, devices)
    inside = {each.id for one in found for _, members in one.devices for each in members}
    left = [str(each.id) for each in devices if each.id not in inside]
    if left:
        why = "on no list" if rule.grouping.lists else "without a value of the attribute that groups go by"
        text = f"{listed(left)}: {why}, so in no compound, and no claim can get hold of it."
        notes.warn("compound-device-ungrouped", f"{rule.meta.name}/{node}", text)
    return tuple(each for each in found if any(members for _, members in each.devices))


def _of_list(rule: CompoundRule, node: str, wanted: ListedGroup, devices: Sequence[Chosen], notes: Notes) -> Grouped:
    found: dict[str, tuple[Chosen, ...]] = {}
    missing: list[str] = []
    for member in rule.members:
        names = wanted.devices.get(member.name, ())
        by_name: dict[str, Chosen] = {}
        for each in devices:
            if each.member != member.name or each.id.name not in names:
                continue
            other = by_name.setdefault(each.id.name, each)
            if other is not each:
                text = f"Group {wanted.name} lists {each.id.name}, but {other.id} has that name too."
                notes.error("compound-device-ambiguous", str(each.id), text, (node,))
        found[member.name] = tuple(by_name[name] for name in names if name in by_name)
        missing += [f"{member.name} {name}" for name in names if name not in by_name]
    if missing:
        text = f"Group {wanted.name} lists {listed(missing)}, not there on {node}: compounds with it are not made."
        notes.warn("compound-device-missing", f"{rule.meta.name}/{node}", text)
    return Grouped(wanted.name, tuple(found.items()))


def _by_value(rule: CompoundRule, devices: Sequence[Chosen]) -> list[Grouped]:
    found: dict[tuple[str, Scalar], dict[str, list[Chosen]]] = {}
    for each in devices:
        value = each.device.attribute(rule.grouping.attributes[each.member], each.id.driver)
        for key in values(value):
            members = found.setdefault(key, {member.name: [] for member in rule.members})
            members[each.member].append(each)
    return [
        Grouped(_shown(value), tuple((name, tuple(each)) for name, each in members.items()))
        for (_, value), members in found.items()
    ]


def values(value: AttributeValue | None) -> Iterator[tuple[str, Scalar]]:
    """
    The (kind, scalar) pairs of an attribute: two devices are aligned when they have one in common.

    Source: dra-api.md 3.8: matchAttribute wants the same type and value; a scalar is a list of one.
    """
    if value is None or value.value is None:
        return
    kind = _KINDS.get(value.kind, str(value.kind))
    for each in dict.fromkeys(value.value) if isinstance(value.value, tuple) else (value.value,):
        yield kind, each


def _shown(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
