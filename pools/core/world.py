"""What a search runs against: slices, classes, what is in use, and taints, prepared once for many nodes and claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pools.core.cel import CelCompileError
from pools.core.cel_program import Facts, Program, program
from pools.core.cel_values import CelError, CelUnsupported
from pools.core.holds import holds
from pools.core.nodeview import NodePool, Seat, Slices
from pools.core.release import Release, release
from pools.domain.claim import Claim, DeviceClass, TaintRule, Toleration
from pools.domain.cluster import Node, Snapshot
from pools.domain.device import AttributeValue, Device, Taint
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.state import Holder

PROTOTYPE = "prototype"
"""The form of classes and claims whose selectors are written in the dialect of 2024."""


NODE_OPERATIONS = "DRAOptionalNodeOperations"
"""What a node declares that can leave out operations for some devices (component-helpers nodedeclaredfeatures)."""


class Fatal(Exception):
    """An error that ends the attempt on all nodes, in the scheduler's words."""


class Unsupported(Exception):
    """Something that cannot be evaluated here, so that no verdict is possible."""


@dataclass(slots=True)
class InUse:
    """
    Devices in use, as the scheduler counts them: whole devices, shared ones, and what shares consume (billionths).

    A share is counted as use of the whole device where consumable capacity is off.
    """

    whole: set[DeviceId] = field(default_factory=set)
    shared: set[DeviceId] = field(default_factory=set)
    capacity: dict[DeviceId, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, held: Iterable[Holder], rules: Release) -> InUse:
        """Collect the holds that are not for admin access."""
        found = cls()
        for hold in held:
            if hold.admin:
                continue
            if not (hold.share_id and rules.consumable):
                found.whole.add(hold.device)
                continue
            found.shared.add(hold.device)
            sums = found.capacity.setdefault(hold.device, {})
            for name, amount in hold.consumed.items():
                sums[name] = sums.get(name, 0) + amount.nano
        return found

    def __contains__(self, device: DeviceId) -> bool:
        return device in self.whole or device in self.shared

    def shares(self, device: DeviceId) -> bool:
        """Whether shares of the device are in use."""
        return device in self.shared


class World:
    """A cluster prepared for searches."""

    def __init__(
        self,
        slices: Slices,
        classes: Iterable[DeviceClass],
        in_use: InUse,
        taint_rules: Iterable[TaintRule] = (),
    ) -> None:
        self.rules = slices.rules
        self.slices = slices
        self.classes: Mapping[str, DeviceClass] = {item.meta.name: item for item in classes}
        self.in_use = in_use
        self.taint_rules = tuple(taint_rules)
        self._facts: dict[tuple[int, str], Facts] = {}
        self._left: dict[PoolId, dict[CounterId, int]] = {}
        self._groups: dict[PoolId, dict[str, frozenset[str] | None]] = {}

    @classmethod
    def of(cls, snapshot: Snapshot, rules: Release | None = None) -> World:
        """Everything of a snapshot, with the claims that are allocated in use."""
        rules = rules or release()
        in_use = InUse.of(holds(snapshot.claims, snapshot.slices), rules)
        return cls(Slices(snapshot.slices, rules), snapshot.classes, in_use, snapshot.taint_rules)

    def without(self, claims: Iterable[Claim], snapshot: Snapshot) -> World:
        """The same cluster with other claims allocated; slices and what was learnt of devices are shared."""
        in_use = InUse.of(holds(claims, snapshot.slices), self.rules)
        other = World(self.slices, self.classes.values(), in_use, self.taint_rules)
        other._facts = self._facts
        return other

    def pools(self, node: Node) -> list[NodePool]:
        """The node's pools in search order. Raises SelectorError."""
        return self.slices.of(node)

    def facts(self, seat: Seat) -> Facts:
        """The device as selectors see it."""
        key = (id(seat.device), seat.id.driver)
        found = self._facts.get(key)
        if found is None:
            lists = self.rules.list_attributes or self.rules.since_1_37
            found = self._facts[key] = Facts(seat.id.driver, seat.device, lists)
        return found

    def left(self, pool: NodePool) -> dict[CounterId, int]:
        """
        What the pool's counters have left beside the devices in use, each charged once; may be negative.

        Computed for the first node that asks and kept for all, as the scheduler does.
        """
        found = self._left.get(pool.id)
        if found is None:
            found = self._left[pool.id] = dict(pool.counters)
            for name, device in _devices(pool):
                if DeviceId(pool.id.driver, pool.id.name, name) in self.in_use:
                    for counter, nano in draws(device):
                        if counter in found:
                            found[counter] -= nano
        return found

    def groups(self, pool: NodePool) -> dict[str, frozenset[str] | None]:
        """
        Per counter set in use the compatibility groups that all devices in use on it share; None where the first of
        them names no group, so that only such devices go with it.
        """
        found = self._groups.get(pool.id)
        if found is None:
            found = self._groups[pool.id] = {}
            for name, device in _devices(pool):
                if DeviceId(pool.id.driver, pool.id.name, name) in self.in_use:
                    for entry in device.consumes:
                        fold(found, entry.counter_set, frozenset(entry.compatibility_groups))
        return found

    def taints(self, seat: Seat) -> list[tuple[Taint, str]]:
        """The taints that keep claims off the device, each with the name of the rule that puts it ('' for its own)."""
        if not self.rules.taints:
            return []
        found = [(taint, "") for taint in seat.device.taints]
        found += [(rule.taint, rule.meta.name) for rule in self.taint_rules if rule.matches(*seat.id)]
        return [each for each in found if each[0].blocks or self.rules.any_taint_blocks]

    def program(self, expression: str, form: str = "") -> Program:
        """The compiled selector; *form* is that of the class or claim it is of."""
        return program(expression, self.rules.includes, form == PROTOTYPE)

    def derived(self, seat: Seat, name: str, expression: str) -> AttributeValue:
        """
        What an attribute that a request derives is on a device. Raises Fatal, Unsupported.

        Source: lookupAttribute of the allocator.
        """
        try:
            return program(expression, self.rules.includes, derives=True).value(self.facts(seat))
        except CelCompileError as error:
            raise Fatal(f"compile derived attribute {name} failed: {error}") from None
        except CelError as error:
            raise Fatal(f"evaluate derived attribute {name} on device {seat.id} failed: {error}") from None
        except CelUnsupported as error:
            raise Unsupported(f"derived attribute {name} cannot be evaluated here: {error}") from None

    def operable(self, node: Node, seat: Seat) -> bool:
        """Whether counters and skipped node operations, if the device has them, are features of scheduler and node."""
        if seat.device.consumes and not self.rules.partitionable:
            return False
        if not seat.slice.skip_node_operations or not self.rules.since_1_37:
            return True
        return self.rules.node_operations and NODE_OPERATIONS in node.declared_features


def _devices(pool: NodePool) -> Iterable[tuple[str, Device]]:
    for seat in pool.seats:
        yield seat.device.name, seat.device
    for item in pool.elsewhere:
        for device in item.devices:
            yield device.name, device


def draws(device: Device) -> list[tuple[CounterId, int]]:
    """What the device takes of each counter it names, in billionths; a counter named twice comes twice."""
    return [
        (CounterId(entry.counter_set, name), amount.nano)
        for entry in device.consumes
        for name, amount in entry.counters.items()
    ]


def admits(state: Mapping[str, frozenset[str] | None], counter_set: str, groups: frozenset[str]) -> bool:
    """Whether a device of these groups goes with those already on the set (dra-api.md 3.12)."""
    if counter_set not in state:
        return True
    common = state[counter_set]
    if not groups:
        return common is None
    return common is not None and bool(common & groups)


def fold(state: dict[str, frozenset[str] | None], counter_set: str, groups: frozenset[str]) -> None:
    """Add a device of these groups to the set's state; where one side has none the state stays as it is."""
    if counter_set not in state:
        state[counter_set] = groups or None
        return
    common = state[counter_set]
    if common is not None and groups:
        state[counter_set] = common & groups


def tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    """
    Whether one of the tolerations matches the taint.

    Source: ToleratesTaint in resourceclaim/devicetoleration.go.
    """
    return any(
        each.effect in ("", taint.effect)
        and each.key in ("", taint.key)
        and (each.operator == "Exists" or (each.operator in ("", "Equal") and each.value == taint.value))
        for each in tolerations
    )


Selector = tuple[Program, str, int]
"""A compiled selector, whose it is (`class NAME` or `claim NAMESPACE/NAME`), and its number."""


def selectors(world: World, expressions: Iterable[str], whose: str, form: str = "") -> list[Selector]:
    """The selectors of a class or request, compiled; *form* is that of the class or claim."""
    return [(world.program(expression, form), whose, index) for index, expression in enumerate(expressions)]


def all_match(world: World, seat: Seat, asked: Iterable[Selector]) -> bool:
    """
    Whether all selectors hold for the device; the first that does not ends the question.

    Raises:
        Fatal: one cannot be compiled, or fails on this device.
        Unsupported: one cannot be evaluated here.
    """
    facts = world.facts(seat)
    for compiled, whose, index in asked:
        try:
            if not compiled.matches(facts):
                return False
        except CelCompileError as error:
            raise Fatal(f"{whose}: selector #{index}: CEL compile error: {error}") from None
        except CelError as error:
            raise Fatal(f"{whose}: selector #{index} on device {seat.id}: CEL runtime error: {error}") from None
        except CelUnsupported as error:
            raise Unsupported(f"{whose}: selector #{index} cannot be evaluated here: {error}") from None
    return True
