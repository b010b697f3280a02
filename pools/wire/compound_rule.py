"""CompoundPoolRule, the project's own kind: from its JSON to a rule. Strict: a field that is not known is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar, cast, get_args

from pools.domain.compound import (
    ALL,
    GROUP,
    RULE_KIND,
    RULE_VERSION,
    CompoundRule,
    CountRange,
    Grouping,
    ListedGroup,
    MemberRule,
    MoleculeRule,
    Repeated,
    RepeatedCapacity,
)
from pools.domain.errors import Undecodable
from pools.domain.pool import Meta
from pools.wire.fields import Raw, child, each, inside, items, missing, segment, shown, wrong
from pools.wire.identity import label

T = TypeVar("T")

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,31}"
_MEMBER = "[a-z][a-z0-9]{0,14}"
_DOMAIN = rf"(?=[^/]{{1,63}}/){_SUBDOMAIN}/"


@dataclass(frozen=True, slots=True)
class Text:
    """What a text must look like: a pattern for all of it, a length, and words for the error."""

    pattern: str
    longest: int
    what: str

    def read(self, value: object, path: str = "") -> str:
        """*value* when it is such a text."""
        if not isinstance(value, str):
            raise wrong("a string", value, path)
        if len(value) > self.longest:
            raise Undecodable(f"longer than {self.longest} characters: {shown(value)}", path)
        if re.fullmatch(self.pattern, value) is None:
            raise Undecodable(f"expected {self.what}, got {shown(value)}", path)
        return value


TEXTS = {
    "name": Text(_SUBDOMAIN, 253, "a DNS subdomain such as gpu-nic"),
    "driver": Text(_SUBDOMAIN, 63, "a driver's name such as gpu.example.com"),
    "label": Text(_LABEL, 63, "a DNS label such as gpu-0"),
    "member": Text(_MEMBER, 15, "a member's name: up to 15 lower-case letters and digits, a letter first"),
    "attribute": Text(f"({_DOMAIN})?{_IDENTIFIER}", 96, "an attribute's name such as model or gpu.example.com/model"),
    "qualified": Text(f"{_DOMAIN}{_IDENTIFIER}", 96, "a qualified attribute such as compound.example.com/type"),
    "carried": Text(rf"\*|({_DOMAIN})?{_IDENTIFIER}", 96, "an attribute's name, or * for all"),
    "ofNode": Text(r"([^{}]|\{node\})+", 253, "text with no other placeholder than {node}"),
    "ofDevice": Text(
        rf"([^{{}}]|\{{({_DOMAIN})?{_IDENTIFIER}\}})+",
        253,
        "text with no other placeholders than {device} and {attribute}",
    ),
    "ofMolecule": Text(rf"([^{{}}]|\{{{_MEMBER}\}})+", 253, "text with placeholders such as {members} or {group}"),
    "type": Text(r"[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?", 64, "a word such as gpu-nic"),
    "expression": Text(r"(.|\n)+", 10240, "a CEL expression"),
}
"""Every kind of text in a rule; the JSON schema has the same patterns and lengths."""

MOST = {"members": 8, "molecules": 32, "lists": 256, "selectors": 32, "carried": 32, "devices": 64, "count": 64}
"""How many entries lists may have, and the highest count of a member in a molecule."""

PLACEHOLDERS = ("members", "group", "type", "node")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def compound_rule(raw: Raw) -> CompoundRule:
    """
    The rule in a CompoundPoolRule.

    Raises:
        Undecodable: something is missing, unknown, of the wrong form (the JSON schema refuses the same), or does not
            go together (a member that is not there, a range that runs backwards); with reason, path and object.
    """
    try:
        rule = structure(raw)
        _meaning(rule)
    except Undecodable as fault:
        raise Undecodable(fault.reason, fault.path, label(raw), fault.where) from None
    except RecursionError:
        raise Undecodable("nests too deeply", object=label(raw)) from None
    return rule


def structure(raw: Raw) -> CompoundRule:
    """The rule as far as form goes, without a look at whether its parts go together."""
    _no_null(raw)
    _only(raw, "apiVersion", "kind", "metadata", "spec")
    for key, wanted in (("apiVersion", f"{GROUP}/{RULE_VERSION}"), ("kind", RULE_KIND)):
        if raw.get(key) != wanted:
            raise wrong(wanted, raw[key], key) if key in raw else missing(key)
    own = inside(raw, "metadata", _meta)
    return inside(raw, "spec", lambda spec: _spec(own, spec))


def _no_null(value: Any, path: str = "") -> None:
    if value is None:
        raise Undecodable("null; leave the field out, or give a value", path)
    if isinstance(value, dict):
        for key, inner in value.items():
            _no_null(inner, f"{path}.{segment(key)}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _no_null(inner, f"{path}[{index}]")


def _only(raw: Raw, *known: str) -> None:
    for key in raw:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            raise Undecodable(f"unknown field; {hint}", segment(key))


def _text(raw: Raw, key: str, kind: str) -> str:
    if key not in raw:
        raise missing(key)
    return TEXTS[kind].read(raw[key], key)


def _optional(raw: Raw, key: str, kind: str, default: str) -> str:
    return TEXTS[kind].read(raw[key], key) if key in raw else default


def _choice(raw: Raw, key: str, choices: Iterable[str], default: str) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str) or value not in (known := tuple(choices)):
        raise wrong(f"one of {', '.join(choices)}", value, key)
    return next(one for one in known if one == value)


def _texts(raw: Raw, key: str, kind: str, most: int, least: int = 0) -> tuple[str, ...]:
    _sized(raw, key, most, least)
    read = tuple(TEXTS[kind].read(value, f"{key}[{index}]") for index, value in enumerate(items(raw, key)))
    for index, value in enumerate(read):
        if value in read[:index]:
            raise Undecodable(f"{value} is listed twice", f"{key}[{index}]")
    return read


def _some(raw: Raw, key: str, decode: Callable[[dict[str, Any]], T], most: int, least: int = 1) -> tuple[T, ...]:
    _sized(raw, key, most, least)
    return each(raw, key, decode)


def _sized(raw: Raw, key: str, most: int, least: int) -> None:
    size = len(items(raw, key))
    if size < least:
        raise Undecodable("at least one is needed", key) if key in raw else missing(key)
    if size > most:
        raise Undecodable(f"{size} entries; at most {most} are taken", key)


def _meta(raw: Raw) -> Meta:
    _only(raw, "name", "labels", "annotations")
    return Meta(_text(raw, "name", "name"), labels=_strings(raw, "labels"), annotations=_strings(raw, "annotations"))


def _strings(raw: Raw, key: str) -> dict[str, str]:
    values = child(raw, key)
    for inner, value in values.items():
        if not isinstance(value, str):
            raise wrong("a string", value, f"{key}.{segment(inner)}")
    return dict(values)


def _spec(own: Meta, raw: Raw) -> CompoundRule:
    _only(raw, "driver", "pool", "counterSet", "members", "grouping", "molecules", "name", "repeatedAttributes",
          "repeatedCapacity", "partitionTypeAttribute")  # fmt: skip
    members = _some(raw, "members", _member, MOST["members"])
    if "grouping" not in raw:
        raise missing("grouping")
    return CompoundRule(
        meta=own,
        driver=_text(raw, "driver", "driver"),
        members=members,
        grouping=inside(raw, "grouping", lambda entry: _grouping(entry, [member.name for member in members])),
        molecules=_some(raw, "molecules", _molecule, MOST["molecules"]),
        pool=_optional(raw, "pool", "ofNode", "{node}"),
        counter_set=_optional(raw, "counterSet", "ofNode", "devices"),
        name=_optional(raw, "name", "ofMolecule", "{members}"),
        repeated_attributes=cast(Repeated, _choice(raw, "repeatedAttributes", get_args(Repeated), "Indexed")),
        repeated_capacity=cast(
            RepeatedCapacity, _choice(raw, "repeatedCapacity", get_args(RepeatedCapacity), "Indexed")
        ),
        partition_type_attribute=_optional(raw, "partitionTypeAttribute", "qualified", ""),
    )


def _member(raw: Raw) -> MemberRule:
    _only(raw, "name", "driver", "selectors", "label", "attributes", "capacity")
    return MemberRule(
        name=_text(raw, "name", "member"),
        driver=_text(raw, "driver", "driver"),
        selectors=_some(raw, "selectors", _selector, MOST["selectors"], least=0),
        label=_optional(raw, "label", "ofDevice", "{device}"),
        attributes=_texts(raw, "attributes", "carried", MOST["carried"]) if "attributes" in raw else (ALL,),
        capacity=_texts(raw, "capacity", "carried", MOST["carried"]) if "capacity" in raw else (ALL,),
    )


def _selector(raw: Raw) -> str:
    _only(raw, "cel")
    if "cel" not in raw:
        raise missing("cel")
    return inside(raw, "cel", _expression)


def _expression(raw: Raw) -> str:
    _only(raw, "expression")
    return _text(raw, "expression", "expression")


def _grouping(raw: Raw, members: list[str]) -> Grouping:
    _only(raw, "attribute", "attributes", "lists")
    if len(raw) != 1:
        raise Undecodable("exactly one of attribute, attributes and lists is needed")
    if "attribute" in raw:
        return Grouping(dict.fromkeys(members, _text(raw, "attribute", "attribute")))
    if "attributes" in raw:
        return Grouping(inside(raw, "attributes", lambda entry: _by_member(entry, "attribute")))
    return Grouping({}, _some(raw, "lists", _listed, MOST["lists"]))


def _by_member(raw: Raw, kind: str) -> dict[str, str]:
    _filled(raw)
    return {_key(key): TEXTS[kind].read(value, segment(key)) for key, value in raw.items()}


def _key(key: str) -> str:
    return TEXTS["member"].read(key, segment(key))


def _filled(raw: Raw) -> None:
    if not 0 < len(raw) <= MOST["members"]:
        raise Undecodable(f"{len(raw)} members; 1 to {MOST['members']} are taken")


def _listed(raw: Raw) -> ListedGroup:
    _only(raw, "name", "devices")
    return ListedGroup(_text(raw, "name", "label"), inside(raw, "devices", _device_names))


def _device_names(raw: Raw) -> dict[str, tuple[str, ...]]:
    _filled(raw)
    return {_key(key): _texts(raw, key, "label", MOST["devices"], least=1) for key in raw}


def _molecule(raw: Raw) -> MoleculeRule:
    _only(raw, "count", "type")
    return MoleculeRule(inside(raw, "count", _counts), _optional(raw, "type", "type", ""))


def _counts(raw: Raw) -> dict[str, CountRange]:
    _filled(raw)
    return {_key(key): _range(value, segment(key)) for key, value in raw.items()}


def _range(value: Any, path: str) -> CountRange:
    if isinstance(value, dict):
        try:
            _only(value, "min", "max")
            for key in ("min", "max"):
                if key not in value:
                    raise missing(key)
            return CountRange(_count(value["min"], "min", 0), _count(value["max"], "max", 1))
        except Undecodable as fault:
            raise fault.under(path) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong("a number, or an object with min and max", value, path)
    exact = _count(value, path, 1)
    return CountRange(exact, exact)


def _count(value: object, path: str, least: int) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise wrong("an integer", value, path)
    number = int(cast(int, value))
    if not least <= number <= MOST["count"]:
        raise Undecodable(f"must be {least} to {MOST['count']}, is {shown(number)[len('the number ') :]}", path)
    return number


def _meaning(rule: CompoundRule) -> None:
    """Whether the parts of a rule go together."""
    names = [member.name for member in rule.members]
    for index, member in enumerate(rule.members):
        path = f"spec.members[{index}]"
        if member.name in names[:index]:
            raise Undecodable(f"another member is called {member.name} too", f"{path}.name")
        if member.name in PLACEHOLDERS:
            raise Undecodable(f"{member.name} has another meaning in templates; choose another name", f"{path}.name")
        if member.driver == rule.driver:
            raise Undecodable("the compound driver cannot take in its own devices", f"{path}.driver")
    for placeholder in _PLACEHOLDER.findall(rule.name):
        if placeholder not in (*PLACEHOLDERS, *names):
            known = ", ".join((*PLACEHOLDERS, *names))
            raise Undecodable(f"unknown placeholder {{{placeholder}}}; known are {known}", "spec.name")
    _check_grouping(rule.grouping, names)
    for index, molecule in enumerate(rule.molecules):
        _check_molecule(molecule, names, f"spec.molecules[{index}].count")
    used = {name for molecule in rule.molecules for name, count in molecule.counts.items() if count.high}
    for index, name in enumerate(names):
        if name not in used:
            raise Undecodable(f"no molecule has a {name}", f"spec.members[{index}].name")


def _check_grouping(grouping: Grouping, names: list[str]) -> None:
    if not grouping.lists:
        _known(grouping.attributes, names, "spec.grouping.attributes")
        for name in names:
            if name not in grouping.attributes:
                raise Undecodable(f"no attribute is given for member {name}", "spec.grouping.attributes")
    seen: set[str] = set()
    for index, group in enumerate(grouping.lists):
        path = f"spec.grouping.lists[{index}]"
        _known(group.devices, names, f"{path}.devices")
        if group.name in seen:
            raise Undecodable(f"another group is called {group.name} too", f"{path}.name")
        seen.add(group.name)


def _check_molecule(molecule: MoleculeRule, names: list[str], path: str) -> None:
    _known(molecule.counts, names, path)
    for name, count in molecule.counts.items():
        if count.low > count.high:
            raise Undecodable(f"the range {count.low} to {count.high} runs backwards", f"{path}.{name}")
    if not any(count.low for count in molecule.counts.values()):
        raise Undecodable("allows a molecule of nothing; one member must have a min of at least 1", path)


def _known(given: Iterable[str], names: list[str], path: str) -> None:
    for name in given:
        if name not in names:
            raise Undecodable(f"there is no member {name}; members are {', '.join(names)}", f"{path}.{segment(name)}")
