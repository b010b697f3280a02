"""All molecules that a rule allows in the groups of a node, in the order in which the scheduler should try them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod

from pools.core.compound_groups import Grouped
from pools.core.compound_notes import Notes
from pools.core.compound_select import MAX_LABEL, Chosen
from pools.domain.compound import CompoundRule, CountRange, MoleculeRule

MAX_MOLECULES = 4096
"""How many molecules a node may have before the rule is refused as a mistake: 64 full slices."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_HYPHENS = re.compile("-{2,}")

_NONE = CountRange(0, 0)

_Parts = tuple[tuple[Chosen, ...], ...]
"""Devices by member, in the rule's order."""


_Rank = tuple[int, tuple[int, ...], int, tuple[tuple[int, ...], ...]]
"""How many devices, how many by member, the group's place, the devices' places in it."""


@dataclass(frozen=True, slots=True)
class Made:
    """A molecule before it is published: its name, type, group, and its devices in the order of members."""

    name: str
    type: str
    group: Grouped
    parts: tuple[Chosen, ...]


def molecules(rule: CompoundRule, node: str, groups: Sequence[Grouped], notes: Notes) -> tuple[Made, ...]:
    """
    The molecules of one node, small before large.

    The fewest devices first, then the fewest of the first member, of the second and so on, then by group and place: a
    molecule that is part of another always stands before it, and the scheduler, which takes the first that fits, keeps
    large ones free. The same devices are one molecule only, whatever groups and lines allow it: the first counts.
    """
    wanted = sum(_expected(rule, each) for each in groups)
    if wanted > MAX_MOLECULES:
        text = (
            f"The rule allows {wanted} molecules on {node}; at most {MAX_MOLECULES} are published. "
            "Narrow the counts, or make the groups smaller."
        )
        notes.error("compound-limit", f"{rule.meta.name}/{node}", text, (node,))
        return ()
    found: dict[frozenset[Chosen], tuple[_Rank, Made]] = {}
    for place, each in enumerate(groups):
        for line in rule.molecules:
            for parts, rank in _of_line(rule, each, line):
                flat = tuple(device for devices in parts for device in devices)
                if frozenset(flat) not in found:
                    kind = line.type or _type(rule, parts)
                    made = Made(_name(rule, node, each, kind, parts), kind, each, flat)
                    found[frozenset(flat)] = ((len(flat), rank[0], place, rank[1]), made)
    ordered = tuple(one for _, one in sorted(found.values(), key=lambda entry: entry[0]))
    _check_names(rule, node, ordered, notes)
    return ordered


def _expected(rule: CompoundRule, group: Grouped) -> int:
    """How many combinations the lines ask for, repeated ones counted again; told without making them."""
    sizes = [len(devices) for _, devices in group.devices]
    return sum(
        prod(
            sum(comb(size, count) for count in counts)
            for size, counts in zip(sizes, _counts(rule, line, group), strict=True)
        )
        for line in rule.molecules
    )


def _counts(rule: CompoundRule, line: MoleculeRule, group: Grouped) -> list[range]:
    """For each member the counts that the line allows and the group can serve."""
    ranges = []
    for member, (_, devices) in zip(rule.members, group.devices, strict=True):
        count = line.counts.get(member.name, _NONE)
        ranges.append(range(count.low, min(count.high, len(devices)) + 1))
    return ranges


def _of_line(
    rule: CompoundRule, group: Grouped, line: MoleculeRule
) -> Iterator[tuple[_Parts, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]]:
    """Each combination of devices with its rank: counts by member, then places in the group."""
    for counts in product(*_counts(rule, line, group)):
        choices = [
            combinations(range(len(devices)), count) for (_, devices), count in zip(group.devices, counts, strict=True)
        ]
        for places in product(*choices):
            parts = tuple(
                tuple(devices[place] for place in chosen)
                for (_, devices), chosen in zip(group.devices, places, strict=True)
            )
            yield parts, (counts, places)


def _type(rule: CompoundRule, parts: _Parts) -> str:
    """`2gpu-1nic` for two GPUs and a NIC."""
    return "-".join(
        f"{len(devices)}{member.name}" for member, devices in zip(rule.members, parts, strict=True) if devices
    )


def _name(rule: CompoundRule, node: str, group: Grouped, kind: str, parts: _Parts) -> str:
    by_member = [[each.label for each in devices] for devices in parts]
    words = {
        "members": "-".join(label for labels in by_member for label in labels),
        "group": group.word,
        "type": kind.lower(),
        "node": node,
    }
    words |= {member.name: "-".join(labels) for member, labels in zip(rule.members, by_member, strict=True)}
    blank = False

    def fill(match: re.Match[str]) -> str:
        nonlocal blank
        blank |= not words[match[1]]
        return words[match[1]]

    name = _PLACEHOLDER.sub(fill, rule.name)
    return _HYPHENS.sub("-", name).strip("-") if blank else name


def _check_names(rule: CompoundRule, node: str, made: Sequence[Made], notes: Notes) -> None:
    where = f"{rule.meta.name}/{node}"
    wrong = [one for one in made if _LABEL.fullmatch(one.name) is None]
    if wrong:
        text = (
            f"{_told(wrong[0])} would be called {wrong[0].name!r}{_more(len(wrong))}, "
            f"which is no DNS label of at most {MAX_LABEL} characters; give members shorter labels, or change the name."
        )
        notes.error("compound-name-invalid", where, text, (node,))
    known: dict[str, Made] = {}
    for one in made:
        other = known.setdefault(one.name, one)
        if other is not one:
            text = f"{_told(other)} and {_told(one)} would both be called {one.name}; change the name or the labels."
            notes.error("compound-name-twice", where, text, (node,))
            return


def _told(one: Made) -> str:
    return "+".join(each.label for each in one.parts)


def _more(count: int) -> str:
    return f" (and {count - 1} more like it)" if count > 1 else ""
