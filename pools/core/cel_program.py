"""A selector ready to run: which device values it reads, and what it says of a device that has them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from pools.core.cel import CelCompileError, check, regex
from pools.core.cel_ast import Call, Constant, Ident, Node, Select, children
from pools.core.cel_cost import Meter
from pools.core.cel_eval import METER, Builder, ConstantFault, Scope
from pools.core.cel_rules import inspect
from pools.core.cel_types import VARIABLES
from pools.core.cel_values import (
    Amount,
    CelAbort,
    CelError,
    CelUnsupported,
    DefaultMap,
    DeviceMap,
    Optional,
    Semver,
    Value,
    amount,
    semver,
    type_name,
)
from pools.domain.device import AttributeKind, AttributeValue, Capacity, Device

Read = tuple[str, str | None, str | None]
"""What an expression reads: (variable, domain, id); None stands for every domain, or every id of the domain."""
MAX_REMEMBERED = 4096
"""Answers each selector keeps, by the values it reads."""


_DEFAULTS: dict[str, Value] = {"string": "", "bool": False, "version": semver("0.0.0")}


def reads(root: Node) -> frozenset[Read]:
    """Every device value that evaluation may look at."""
    return frozenset(_reads(root))


def _constant(node: Node) -> str | None:
    return node.value if isinstance(node, Constant) and isinstance(node.value, str) else None


def _step(node: Node) -> tuple[Node, str] | None:
    """(container, constant key) of `container.key`, `container["key"]` and their optional forms."""
    if isinstance(node, Select):
        return node.operand, node.field
    if isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._", "@in"):
        first, second = reversed(node.args) if node.function == "@in" else node.args
        name = _constant(second)
        return (first, name) if name is not None else None
    return None


def _reads(node: Node) -> Iterator[Read]:
    steps: list[str] = []
    at: Node = node
    while (step := _step(at)) is not None and len(steps) < 2:
        at = step[0]
        steps.append(step[1])
    if isinstance(at, Ident) and at.name in VARIABLES:
        domain, id = [*reversed(steps), None, None][:2]
        yield at.name, domain, id
        return
    for child in children(node):
        yield from _reads(child)


class Facts:
    """
    One device as selectors see it.

    `fault` is why no selector at all can look at it: an attribute of a kind that is not known (as lists are without
    *lists*), or a version that is none. Values are converted when first needed.
    """

    __slots__ = ("_fault", "_lists", "_prototype", "_scope", "attributes", "capacity", "driver", "shared")

    def __init__(self, driver: str, device: Device, lists: bool = True) -> None:
        self.driver = driver
        self.attributes: Mapping[str, AttributeValue] = device.attributes
        self.capacity: Mapping[str, Capacity] = device.capacity
        self.shared = device.allow_multiple_allocations
        self._lists = lists
        self._fault: str | None = None
        self._scope: Scope | None = None
        self._prototype: Scope | None = None

    @property
    def fault(self) -> str:
        if self._fault is None:
            self._fault = _fault(self.attributes, self._lists)
        return self._fault

    @property
    def scope(self) -> Scope:
        if self._scope is None:
            self._scope = {
                "device.driver": self.driver,
                "device.allowMultipleAllocations": self.shared,
                "device.attributes": self._nested(self.attributes, _attribute),
                "device.capacity": self._nested(self.capacity, _capacity),
            }
        return self._scope

    @property
    def prototype(self) -> Scope:
        """The device as selectors of the 2024 prototype see it: unknown names give a default of the map's type."""
        if self._prototype is None:
            flat = {self._full(name): item for name, item in self.attributes.items()}
            values = {name: _attribute(item) for name, item in flat.items()}
            kinds = {kind: {n: values[n] for n, item in flat.items() if item.kind == kind} for kind in _DEFAULTS}
            amounts = {self._full(name): _capacity(item) for name, item in self.capacity.items()}
            self._prototype = {
                "device.driverName": self.driver,
                "device.attributes": {**values, **amounts},
                "device.quantityAttributes": DefaultMap(amounts, Amount(0, (0, 0))),
                **{f"device.{kind}Attributes": DefaultMap(kinds[kind], _DEFAULTS[kind]) for kind in _DEFAULTS},
            }
        return self._prototype

    def _full(self, name: str) -> str:
        return name if "/" in name else f"{self.driver}/{name}"

    def _nested(self, flat: Mapping[str, Any], convert: Callable[[Any], Value]) -> DefaultMap:
        nested = DefaultMap()
        for name, item in flat.items():
            domain, slash, id = name.partition("/")
            if not slash:
                domain, id = self.driver, name
            nested.setdefault(domain, DeviceMap())[id] = convert(item)
        return nested


def reader(what: Read) -> Callable[[Facts], Hashable]:
    """How to get the value of one read, to compare devices by."""
    variable, domain, id = what
    if variable == "device.driver":
        return lambda facts: facts.driver
    if variable == "device.allowMultipleAllocations":
        return lambda facts: facts.shared
    attributes = variable == "device.attributes"
    if domain is None or id is None:
        return lambda facts: _everything(facts.driver, facts.attributes if attributes else facts.capacity)
    full = f"{domain}/{id}"

    def read(facts: Facts) -> Hashable:
        flat: Mapping[str, Any] = facts.attributes if attributes else facts.capacity
        found = flat.get(full)
        if found is None and domain == facts.driver:
            found = flat.get(id)
        return _identity(found)

    return read


def column(what: Read, driver: str, devices: Iterable[Device]) -> tuple[Hashable, ...]:
    """What `reader` gives for each of a driver's devices, without the facts of each."""
    variable, domain, id = what
    capacity = variable == "device.capacity"
    if domain is None or id is None or not (capacity or variable == "device.attributes"):
        read = reader(what)
        return tuple([read(Facts(driver, device)) for device in devices])
    full, bare = f"{domain}/{id}", id if domain == driver else None
    found: list[Hashable] = []
    for device in devices:
        flat: Mapping[str, AttributeValue | Capacity] = device.capacity if capacity else device.attributes
        item = flat.get(full)
        found.append(_identity(flat.get(bare) if item is None and bare is not None else item))
    return tuple(found)


def _everything(driver: str, flat: Mapping[str, AttributeValue | Capacity]) -> Hashable:
    return driver, tuple(sorted((name, _identity(item)) for name, item in flat.items()))


def _whole(facts: Facts) -> Hashable:
    return _everything(facts.driver, facts.attributes), _everything(facts.driver, facts.capacity)


def _identity(item: AttributeValue | Capacity | None) -> Hashable:
    if item is None:
        return None
    if isinstance(item, AttributeValue):
        return item.kind, item.value
    return item.value.text or str(item.value.nano)


def _fault(attributes: Mapping[str, AttributeValue], lists: bool) -> str:
    for name, item in attributes.items():
        try:
            if item.kind == "version":
                semver(str(item.value))
            elif item.kind == "unknown" or (not lists and type(item.value) is tuple):
                return f"attribute {name}: unsupported attribute value"
            elif item.kind == "versions":
                for text in item.value:  # type: ignore[union-attr]
                    semver(str(text))
        except ValueError as error:
            return f"attribute {name}: parse semantic version: {error}"
    return ""


def _attribute(item: AttributeValue) -> Value:
    match item.kind:
        case "version":
            return semver(str(item.value))
        case "versions":
            return [semver(str(text)) for text in item.value]  # type: ignore[union-attr]
        case "ints" | "bools" | "strings":
            return list(item.value)  # type: ignore[arg-type]
        case _:
            return item.value


def _capacity(item: Capacity) -> Value:
    try:
        return amount(item.value.text)
    except ValueError:
        return Amount(item.value.nano, None)


class Program:
    """
    A compiled selector, or the expression of a derived attribute.

    `error` is why Kubernetes refuses it, `unsupported` why it cannot be evaluated here; both are empty when it runs.
    """

    __slots__ = ("_answers", "_convert", "_readers", "_run", "error", "prototype", "reads", "text", "unsupported")

    def __init__(
        self, text: str, list_attributes: bool = True, prototype: bool = False, *, derives: bool = False
    ) -> None:
        self.text = text
        self.prototype = prototype
        self._convert: Callable[[Value], bool | AttributeValue] = attribute_of if derives else _bool
        self.error = self.unsupported = ""
        self.reads: tuple[Read, ...] = ()
        self._answers: dict[Hashable, bool | AttributeValue | CelError] = {}
        self._readers: list[Callable[[Facts], Hashable]] = []
        self._run: Callable[[Scope], Value] = _refuse
        try:
            checked = check(text, list_attributes, prototype)
            inspect(checked, derives=derives)
            self._run = Builder(checked, regex).build(checked.root).run
            self.reads = tuple(sorted(reads(checked.root), key=str))
            self._readers = [_whole] if prototype else [reader(what) for what in self.reads]
        except CelCompileError as error:
            self.error = str(error)
        except ConstantFault as error:
            self.error = f"program instantiation failed: {error}"
        except (CelUnsupported, RecursionError) as error:
            self.unsupported = str(error)

    def matches(self, facts: Facts) -> bool:
        """
        Whether the device is selected; remembered by the values that the selector reads.

        Raises:
            CelCompileError: see `error`.
            CelError: evaluation fails for this device.
            CelUnsupported: it cannot be told here.
        """
        return self._answer(facts) is True

    def value(self, facts: Facts) -> AttributeValue:
        """What the derived attribute is on the device; remembered, and raises, as `matches`."""
        return cast(AttributeValue, self._answer(facts))

    def _answer(self, facts: Facts) -> bool | AttributeValue:
        if self.error:
            raise CelCompileError(self.error)
        if self.unsupported:
            raise CelUnsupported(self.unsupported)
        if facts.fault:
            raise CelError(facts.fault)
        key = tuple([read(facts) for read in self._readers])
        answer = self._answers.get(key)
        if answer is None:
            if len(self._answers) >= MAX_REMEMBERED:
                self._answers.clear()
            answer = self._answers[key] = self._evaluate(facts)
        if isinstance(answer, CelError):
            raise CelError(*answer.args)
        return answer

    def _evaluate(self, facts: Facts) -> bool | AttributeValue | CelError:
        try:
            return self._convert(self._run({**(facts.prototype if self.prototype else facts.scope), METER: Meter()}))
        except CelError as error:
            return error
        except CelAbort as error:
            return CelError(str(error))
        except RecursionError:
            raise CelUnsupported("the expression nests too deeply to be evaluated here") from None


def _bool(value: Value) -> bool:
    if type(value) is bool:
        return value
    raise CelError(f"CEL result of type {type_name(value)} could not be converted to bool")


_SCALARS: dict[type, AttributeKind] = {bool: "bool", int: "int", str: "string", Semver: "version"}
_LISTS: dict[AttributeKind, AttributeKind] = {
    "bool": "bools",
    "int": "ints",
    "string": "strings",
    "version": "versions",
}


def attribute_of(value: Value) -> AttributeValue:
    """
    A result as an attribute.

    Raises:
        CelError: it is neither a scalar nor a list of scalars of one kind.

    Source: valToDeviceAttribute in dynamic-resource-allocation/cel/compile.go; an empty list counts as one of strings.
    """
    if type(value) is not list:
        return _scalar(value)
    scalars = [_scalar(item) for item in value]
    kinds = {scalar.kind for scalar in scalars} or {"string"}
    if len(kinds) > 1:
        raise CelError(f"a list of {' and '.join(sorted(kinds))} is no attribute")
    return AttributeValue(_LISTS[kinds.pop()], tuple(scalar.value for scalar in scalars))  # type: ignore[misc]


def _scalar(value: Value) -> AttributeValue:
    held = value.value if type(value) is Optional and value.full else value
    kind = _SCALARS.get(type(held))
    if kind is None:
        raise CelError(f"unsupported CEL return type: {type_name(value)}")
    return AttributeValue(kind, held.text if type(held) is Semver else held)


def _refuse(_: Scope) -> Value:
    raise CelUnsupported("not compiled")


@lru_cache(maxsize=2048)
def program(text: str, list_attributes: bool = True, prototype: bool = False, *, derives: bool = False) -> Program:
    """The compiled expression, of resource.k8s.io or of the 2024 prototype; compiled once per text."""
    return Program(text, list_attributes, prototype, derives=derives)
