"""What a molecule publishes: its members' attributes and capacity, qualified, its type, and who its members are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from pools.core.compound_molecules import Made
from pools.core.compound_select import Chosen
from pools.domain.compound import ALL, GROUP, CompoundRule, Repeated
from pools.domain.device import AttributeKind, AttributeValue, Capacity, Scalar
from pools.domain.ids import PoolId
from pools.domain.quantity import Quantity, format_nano

MAX_TEXT = 64
_KEY = re.compile(
    r"((?=[^/]{1,63}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)[A-Za-z_][A-Za-z0-9_]{0,31}"
)
_PLURAL: dict[str, AttributeKind] = {"int": "ints", "bool": "bools", "string": "strings", "version": "versions"}
_SINGULAR = {plural: singular for singular, plural in _PLURAL.items()}

Attributes = dict[str, AttributeValue]


class Unpublishable(Exception):
    """An attribute or capacity that a molecule cannot publish; the message says which and why."""


def attributes(rule: CompoundRule, made: Made) -> Attributes:
    """
    A molecule's attributes: its type, the record of its members, then what members carry, all with their domain.

    Raises:
        Unpublishable: a name or value breaks a limit of the API, or two attributes would have one name.
    """
    found: Attributes = {rule.type_attribute: AttributeValue("string", made.type)}
    _add(found, record(made.parts))
    for key, carriers in _attribute_carriers(rule, made):
        values = [each.device.attribute(key, each.id.driver) for each in carriers]
        _add(found, _merged(key, values, rule.repeated_attributes))
    for key, value in found.items():
        _check(key, value)
    return found


def carried_keys(rule: CompoundRule, made: Made) -> tuple[str, ...]:
    """The attributes that a molecule's members carry, whether it publishes them as they are or in another form."""
    return tuple(key for key, _ in _attribute_carriers(rule, made))


def _attribute_carriers(rule: CompoundRule, made: Made) -> Iterator[tuple[str, list[Chosen]]]:
    carried = {member.name: member.attributes for member in rule.members}
    return _carriers(made.parts, carried, lambda each: each.device.attributes)


def _add(found: Attributes, more: Mapping[str, AttributeValue]) -> None:
    for key, value in more.items():
        if key in found:
            raise Unpublishable(f"two attributes would be called {key}; carry fewer, or repeat them in another form")
        found[key] = value


def _check(key: str, value: AttributeValue) -> None:
    if _KEY.fullmatch(key) is None:
        raise Unpublishable(
            f"{key!r} is no attribute's name: a domain of at most 63 characters, a slash, an identifier of at most 32"
        )
    for each in value.value if isinstance(value.value, tuple) else (value.value,):
        if isinstance(each, str) and len(each.encode()) > MAX_TEXT:
            raise Unpublishable(f"a value of {key} is longer than {MAX_TEXT} bytes: {each[:24]!r}…")
    if value.kind == "unknown":
        raise Unpublishable(f"{key} is of a kind that is not known here; list the attributes to carry, without it")


def record(parts: Sequence[Chosen]) -> Attributes:
    """
    Who the members are, in attributes of the project's own domain.

    For each member and pool: `<member>_driver`, `<member>_pool`, `<member>_devices`, and `<member>_counters` where
    counters are not called like devices. A member with devices of a second pool goes on with `<member>_1_driver`, and
    so on. Names are joined by commas; what is longer than a value may be goes on in `…_1`, `…_2`.
    """
    found: Attributes = {}
    for member, devices in groupby(parts, key=lambda each: each.member):
        by_pool: dict[PoolId, list[Chosen]] = {}
        for each in devices:
            by_pool.setdefault(each.id.pool_id, []).append(each)
        for index, (pool, chosen) in enumerate(by_pool.items()):
            stem = f"{GROUP}/{member}_{index}" if index else f"{GROUP}/{member}"
            names, labels = [each.id.name for each in chosen], [each.label for each in chosen]
            texts = {"driver": [pool.driver], "pool": _cut(pool.name), "devices": _joined(names)}
            if labels != names:
                texts["counters"] = _joined(labels)
            for what, chunks in texts.items():
                for place, chunk in enumerate(chunks):
                    key = f"{stem}_{what}_{place}" if place else f"{stem}_{what}"
                    found[key] = AttributeValue("string", chunk)
    return found


def _cut(text: str) -> list[str]:
    return [text[start : start + MAX_TEXT] for start in range(0, len(text), MAX_TEXT)]


def _joined(names: Iterable[str]) -> list[str]:
    chunks: list[str] = []
    for name in names:
        if chunks and len(chunks[-1]) + 1 + len(name) <= MAX_TEXT:
            chunks[-1] += f",{name}"
        else:
            chunks.append(name)
    return chunks


def _qualified(key: str, driver: str) -> str:
    return key if "/" in key else f"{driver}/{key}"


def _carriers(
    parts: Sequence[Chosen], carried: Mapping[str, tuple[str, ...]], published: Callable[[Chosen], Iterable[str]]
) -> Iterator[tuple[str, list[Chosen]]]:
    """
    Each key to carry, with the devices that stand for it.

    Those are all devices of each member of which one publishes it: a value that only one of two GPUs has must not look
    like the value of both.
    """
    members: dict[str, dict[str, None]] = {}
    for each in parts:
        wanted = {_qualified(name, each.id.driver) for name in carried[each.member] if name != ALL}
        every = ALL in carried[each.member]
        for name in published(each):
            key = _qualified(name, each.id.driver)
            if every or key in wanted:
                members.setdefault(key, {})[each.member] = None
    for key, names in members.items():
        yield key, [each for each in parts if each.member in names]


def _merged(key: str, values: Sequence[AttributeValue | None], form: Repeated) -> Attributes:
    """One attribute when all devices agree, else what the rule wants for several."""
    first = values[0]
    if first is not None and all(value == first for value in values):
        return {key: first}
    if form == "Omit":
        return {}
    if form == "List":
        return {key: _list(key, [value for value in values if value is not None])}
    return {f"{key}_{index}": value for index, value in enumerate(values) if value is not None}


def _list(key: str, values: Sequence[AttributeValue]) -> AttributeValue:
    kinds = {_SINGULAR.get(value.kind, value.kind) for value in values}
    kind = next(iter(kinds))
    if len(kinds) > 1 or kind not in _PLURAL:
        raise Unpublishable(f"{key} has values of different kinds ({', '.join(sorted(kinds))}), which make no list")
    several: dict[Scalar, None] = {}
    for value in values:
        for each in value.value if isinstance(value.value, tuple) else (value.value,):
            if each is not None:
                several[each] = None
    return AttributeValue(_PLURAL[kind], tuple(several))


def capacity(rule: CompoundRule, made: Made) -> dict[str, Capacity]:
    """
    A molecule's capacity: what its members carry, with its domain.

    Raises:
        Unpublishable: as for attributes.
    """
    found: dict[str, Capacity] = {}
    carried = {member.name: member.capacity for member in rule.members}
    for key, carriers in _carriers(made.parts, carried, lambda each: each.device.capacity):
        for name, amount in _amounts(rule, key, [_amount(each, key) for each in carriers]).items():
            if name in found:
                raise Unpublishable(
                    f"two capacities would be called {name}; carry fewer, or repeat them in another form"
                )
            if _KEY.fullmatch(name) is None:
                raise Unpublishable(f"{name!r} is no capacity's name: its identifier may have at most 32 characters")
            found[name] = Capacity(amount)
    return found


def _amount(each: Chosen, key: str) -> Quantity | None:
    found = each.device.capacity.get(key)
    domain, _, bare = key.rpartition("/")
    if found is None and domain == each.id.driver:
        found = each.device.capacity.get(bare)
    if found is not None and found.value.is_unknown:
        raise Unpublishable(f"no amount is published for {key} of {each.id}")
    return found.value if found is not None else None


def _amounts(rule: CompoundRule, key: str, amounts: Sequence[Quantity | None]) -> dict[str, Quantity]:
    known = [amount for amount in amounts if amount is not None]
    if rule.repeated_capacity == "Sum" and len(known) > 1:
        total = sum(amount.nano for amount in known)
        return {key: Quantity(total, format_nano(total, known[0].text))}
    if len(set(amounts)) == 1 or rule.repeated_capacity == "Sum":
        return {key: known[0]}
    if rule.repeated_capacity == "Omit":
        return {}
    return {f"{key}_{index}": amount for index, amount in enumerate(amounts) if amount is not None}
