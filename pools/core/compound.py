"""Compound pools: pools of other drivers and a rule in, one pool a node out, whose devices are the valid molecules."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pools.core.amounts import listed
from pools.core.compound_attributes import Unpublishable, attributes, capacity, carried_keys
from pools.core.compound_groups import Grouped, group
from pools.core.compound_layout import TooLarge, consumption, counter_sets, named_sets, slices, split_note
from pools.core.compound_molecules import Made, molecules
from pools.core.compound_notes import Notes
from pools.core.compound_select import Chosen, choose, merged_taints
from pools.core.lint_slices import MAX_POOL, MAX_PROPERTIES, MAX_TAINTS, MAX_VALUES
from pools.domain.claim import TaintRule
from pools.domain.compound import ALL, GROUP, CompoundPool, CompoundRule, Compounds, Group, Molecule, Part
from pools.domain.device import Device
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.pool import CounterSet, Pool, Slice

RULE_ANNOTATION = f"{GROUP}/compound-pool-rule"
"""Names the rule that a slice was made by."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def compound(
    rule: CompoundRule,
    pools: Sequence[Pool],
    *,
    taint_rules: Sequence[TaintRule] = (),
    generation: int = 1,
    nodes: Collection[str] | None = None,
) -> Compounds:
    """
    Make the compound pools of all nodes for which the rule's underlying drivers publish.

    Every underlying device is a counter of capacity 1 and every molecule takes one of each of its devices, so that no
    device is given out twice. The same pools and rule always give the same slices.

    Args:
        pools: what is published, in any order; pools of other drivers are passed over.
        taint_rules: those that taint underlying devices taint the molecules.
        generation: what the slices say.
        nodes: make no pools but for these.

    Returns:
        The pools and what came up. A node with an error gets no pool: what is published for it should stay as it is.
    """
    notes = Notes()
    chosen = choose(rule, sorted(pools, key=lambda pool: pool.id), taint_rules, notes)
    _check_carried(rule, chosen, notes)
    made = [
        _pool(rule, node, devices, generation, notes)
        for node, devices in chosen.items()
        if (nodes is None or node in nodes) and not notes.refuses(node)
    ]
    _check_pool_names(rule, [each for each in made if each is not None], notes)
    return Compounds(
        pools=tuple(each for each in made if each is not None and not notes.refuses(each.node)),
        findings=notes.findings,
        refused=tuple(node for node in chosen if notes.refuses(node)),
    )


def _check_carried(rule: CompoundRule, chosen: Mapping[str, Sequence[Chosen]], notes: Notes) -> None:
    """A name to carry that no device at all publishes is probably misspelt."""
    for member in rule.members:
        devices = [each.device for every in chosen.values() for each in every if each.member == member.name]
        missing = [
            f"attribute {name}"
            for name in member.attributes
            if name != ALL and not any(device.attribute(name, member.driver) for device in devices)
        ]
        missing += [
            f"capacity {name}"
            for name in member.capacity
            if name != ALL and not any(_has_capacity(device, name, member.driver) for device in devices)
        ]
        if missing and devices:
            text = f"No {member.name} publishes {listed(missing)}, so molecules do not carry it."
            notes.warn("compound-nothing-to-carry", rule.meta.name, text)


def _has_capacity(device: Device, name: str, driver: str) -> bool:
    other = name.removeprefix(f"{driver}/") if "/" in name else f"{driver}/{name}"
    return name in device.capacity or other in device.capacity


def _pool(
    rule: CompoundRule, node: str, devices: Sequence[Chosen], generation: int, notes: Notes
) -> CompoundPool | None:
    """One node's pool; None, with an error noted, when it cannot be made or published."""
    name = _named(rule, node, notes)
    groups = group(rule, node, devices, notes)
    made = molecules(rule, node, groups, notes)
    used = {each.id for one in made for each in one.parts}
    _check_unused(rule, node, groups, used, made, notes)
    counters = [each.label for each in devices if each.id in used]
    try:
        spread = counter_sets(counters, [[each.label for each in one.parts] for one in made])
    except TooLarge as error:
        notes.error("compound-limit", f"{rule.meta.name}/{node}", str(error), (node,))
        return None
    sets = named_sets(rule.counter_set.replace("{node}", node), spread)
    _check_sets(rule, node, sets, notes)
    homes = {counter: one.name for one in sets for counter in one.counters}
    published = slices(
        rule.driver,
        name,
        node,
        sets,
        _devices(rule, node, made, homes, notes),
        generation=generation,
        type_attribute=rule.partition_type_attribute,
        annotations={RULE_ANNOTATION: rule.meta.name},
    )
    if split := split_note(sets, published):
        text = f"Too large for one slice of counters and one of devices: {split}."
        notes.tell("compound-split", f"{rule.driver}/{name}", text)
    return None if notes.refuses(node) else _told(PoolId(rule.driver, name), node, groups, made, homes, published)


def _told(
    own: PoolId,
    node: str,
    groups: Sequence[Grouped],
    made: Sequence[Made],
    homes: Mapping[str, str],
    published: tuple[Slice, ...],
) -> CompoundPool:
    def part(each: Chosen) -> Part:
        return Part(each.member, each.id, CounterId(homes[each.label], each.label) if each.label in homes else None)

    return CompoundPool(
        id=own,
        node=node,
        groups=tuple(
            Group(each.name, tuple(part(one) for _, members in each.devices for one in members)) for each in groups
        ),
        molecules=tuple(
            Molecule(one.name, one.type, one.group.name, tuple(part(each) for each in one.parts)) for one in made
        ),
        slices=published,
    )


def _named(rule: CompoundRule, node: str, notes: Notes) -> str:
    name = rule.pool.replace("{node}", node)
    if len(name) > MAX_POOL or not all(_SUBDOMAIN.fullmatch(part) for part in name.split("/")):
        text = f"The pool would be called {name!r}: pool names are DNS subdomains joined by '/', {MAX_POOL} characters."
        notes.error("compound-name-invalid", f"{rule.meta.name}/{node}", text, (node,))
    return name


def _check_sets(rule: CompoundRule, node: str, sets: Sequence[CounterSet], notes: Notes) -> None:
    for one in sets:
        if _LABEL.fullmatch(one.name) is None:
            text = f"A counter set would be called {one.name!r}, which is no DNS label; give the rule a counterSet."
            notes.error("compound-name-invalid", f"{rule.meta.name}/{node}", text, (node,))


def _check_unused(
    rule: CompoundRule,
    node: str,
    groups: Sequence[Grouped],
    used: Collection[DeviceId],
    made: Sequence[Made],
    notes: Notes,
) -> None:
    grouped = {each.id: each for one in groups for _, members in one.devices for each in members}
    idle = [str(each.id) for each in grouped.values() if each.id not in used]
    if made and idle:
        text = f"{listed(idle)}: in no molecule that the rule allows, so no claim can get hold of it."
        notes.warn("compound-device-unused", f"{rule.meta.name}/{node}", text)
    elif not made and not notes.refuses(node):
        text = f"No molecule can be made of the {len(grouped)} devices on {node}: its pool is empty."
        notes.warn("compound-empty", f"{rule.meta.name}/{node}", text)


def _devices(
    rule: CompoundRule, node: str, made: Sequence[Made], homes: Mapping[str, str], notes: Notes
) -> tuple[Device, ...]:
    """The molecules as devices; what breaks a limit is an error, told once a kind, for the first molecule."""
    published: list[Device] = []
    told: dict[str, list[str]] = {}
    for one in made:
        try:
            device = Device(
                name=one.name,
                attributes=attributes(rule, one),
                capacity=capacity(rule, one),
                consumes=consumption([each.label for each in one.parts], homes),
                taints=merged_taints([each.device for each in one.parts]),
            )
        except Unpublishable as error:
            told.setdefault(str(error), []).append(one.name)
            continue
        for text in _over(device):
            told.setdefault(text, []).append(one.name)
        published.append(device)
    for text, names in told.items():
        about = f"{rule.meta.name}/{node}"
        notes.error("compound-limit", about, f"Molecule {listed(names)} cannot be published: {text}.", (node,))
    if not told:
        _tell_uneven(rule, made, published, notes)
    return tuple(published)


def _tell_uneven(rule: CompoundRule, made: Sequence[Made], published: Sequence[Device], notes: Notes) -> None:
    """Attributes that some molecules have as they are and others in another form: a selector has to expect both."""
    plain = {key for device in published for key in device.attributes}
    lacking: dict[str, str] = {}
    for one, device in zip(made, published, strict=True):
        for key in carried_keys(rule, one):
            if key in plain and key not in device.attributes:
                lacking.setdefault(key, one.name)
    if lacking:
        example = next(iter(lacking.values()))
        text = (
            f"Members differ in {listed(list(lacking))}, so molecules such as {example} do not have it under that "
            "name: a selector that reads it there without asking first fails."
        )
        notes.tell("compound-attribute-uneven", rule.meta.name, text)


def _over(device: Device) -> list[str]:
    """The limits that a device would break."""
    properties = len(device.attributes) + len(device.capacity)
    values = sum(len(each.value) if isinstance(each.value, tuple) else 1 for each in device.attributes.values())
    broken = []
    if properties > MAX_PROPERTIES:
        broken.append(f"more than {MAX_PROPERTIES} attributes and capacities; name fewer to carry")
    if values > MAX_VALUES:
        broken.append(f"more than {MAX_VALUES} values in its attributes; name fewer to carry")
    if len(device.taints) > MAX_TAINTS:
        broken.append(f"more than {MAX_TAINTS} taints come together on it")
    return broken


def _check_pool_names(rule: CompoundRule, made: Sequence[CompoundPool], notes: Notes) -> None:
    known: dict[PoolId, CompoundPool] = {}
    for each in made:
        other = known.setdefault(each.id, each)
        if other is not each:
            text = (
                f"The pools of {other.node} and {each.node} would both be called {each.id.name}; use {{node}} in pool."
            )
            notes.error("compound-name-twice", rule.meta.name, text, (other.node, each.node))
