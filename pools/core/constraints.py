"""Constraints over the devices of a claim: equal attributes, or attributes that differ, scalars and lists alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pools.domain.claim import Constraint
from pools.domain.device import AttributeValue, Device

Values = tuple[str, frozenset[object]]
"""(scalar kind, values): a scalar attribute is a set of one."""
Lookup = Callable[[str], AttributeValue | None]


def values_of(attribute: AttributeValue | None, lists: bool = True) -> Values | None:
    """
    The attribute as a set; None when there is none, or nothing in it that can be compared.

    Args:
        lists: whether lists are compared; where not, what is no scalar is an empty set: good for a first device only.
    """
    if attribute is None:
        return None
    if attribute.kind == "unknown" or isinstance(attribute.value, tuple):
        if not lists:
            return "", frozenset()
        values = attribute.value if isinstance(attribute.value, tuple) else ()
        return (attribute.kind.removesuffix("s"), frozenset(values)) if values else None
    return attribute.kind, frozenset((attribute.value,))


def lookup(device: Device, driver: str, name: str) -> AttributeValue | None:
    """
    The attribute of a fully qualified name: as published, else the bare id when the domain is the driver's.

    Source: lookupAttribute of the allocator.
    """
    found = device.attributes.get(name)
    if found is not None:
        return found
    domain, slash, bare = name.partition("/")
    return device.attributes.get(bare) if slash and domain == driver else None


@dataclass(slots=True)
class Tie:
    """
    One constraint during a search: devices are added in order and taken back in reverse.

    For equal attributes the running intersection must stay non-empty; for distinct ones each device must be disjoint
    from all others.
    """

    attribute: str
    distinct: bool
    requests: frozenset[str]
    _stack: list[Values] = field(default_factory=list)

    @classmethod
    def of(cls, constraint: Constraint) -> Tie | None:
        """The constraint, ready for a search; None for a kind that is not known."""
        name = constraint.match_attribute or constraint.distinct_attribute
        if not name:
            return None
        return cls(name, not constraint.match_attribute, frozenset(constraint.requests))

    def fresh(self) -> Tie:
        """The same constraint with no device added."""
        return Tie(self.attribute, self.distinct, self.requests)

    def concerns(self, request: str, full_name: str) -> bool:
        """Whether it ties this request; *full_name* is `request/sub` for an alternative."""
        return not self.requests or request in self.requests or full_name in self.requests

    def admits(self, values: Values | None) -> Values | None:
        """What to remember if a device with these values may be added, else None."""
        if values is None:
            return None
        if not self._stack:
            return values
        if self.distinct:
            return values if values[1] and not any(_common(values, other) for other in self._stack) else None
        kind, common = self._stack[-1]
        left = common & values[1] if kind == values[0] else frozenset()
        return (kind, left) if left else None

    def push(self, values: Values) -> None:
        """Add a device by what `admits` returned for it."""
        self._stack.append(values)

    def pop(self) -> None:
        """Take the last device back."""
        self._stack.pop()


def _common(one: Values, other: Values) -> bool:
    return one[0] == other[0] and bool(one[1] & other[1])
