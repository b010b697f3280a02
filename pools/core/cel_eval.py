"""Evaluation: a checked expression becomes Python closures with the semantics of Kubernetes' own evaluator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pools.core import cel_operators
from pools.core.cel_ast import Call, Checked, Constant, Fold, Ident, ListNode, MapNode, Node, Select, walk
from pools.core.cel_compare import lookup
from pools.core.cel_cost import Meter, call_price
from pools.core.cel_library import FUNCTIONS, SUM_ZEROS, in_constant
from pools.core.cel_values import (
    MAPS,
    CelAbort,
    CelError,
    CelUnsupported,
    DefaultMap,
    DeviceMap,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    key,
    no_overload,
    type_name,
    unkey,
)

Scope = dict[str, Value]
Code = Callable[[Scope], Value]
METER = ""
"""The name under which a scope keeps its cost meter."""

_BASIC = ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint", "optional_type")
_OTHER = ("google.protobuf.Timestamp", "google.protobuf.Duration", "net.IP", "net.CIDR")
TYPES = frozenset((*_BASIC, *_OTHER))
"""Types that have a name in expressions."""


class ConstantFault(Exception):
    """A part made of constants only cannot be computed: Kubernetes rejects such an expression when it is written."""


class Part(NamedTuple):
    """Compiled code, and its value when that is the same for every device."""

    run: Code
    constant: Value


_VARIES = object()


class _Failure:
    """An error held in a variable, raised when the variable is read."""

    __slots__ = ("error",)

    def __init__(self, error: CelError) -> None:
        self.error = error


_INDEXING = frozenset(("_[_]", "_[?_]"))
_NO_INDEX = frozenset((bytes, list, dict, type(None), Timestamp, Duration, TypeValue))
REGEX = frozenset(("matches", "find", "findAll"))
LAZY = frozenset(("_&&_", "_||_", "_?_:_", "@not_strictly_false", "or", "orValue"))
KNOWN = frozenset(FUNCTIONS) | REGEX | LAZY


class Builder:
    """
    Compiles one expression.

    Args:
        checked: what the checker made of it.
        regex: (function name, text, pattern[, limit]) → result; raises CelError for a bad pattern.
    """

    def __init__(self, checked: Checked, regex: Callable[..., Value]) -> None:
        self.checked = checked
        self.regex = regex
        self.counting = any(_is_costly(node) for node in walk(checked.root))

    def build(self, node: Node) -> Part:
        match node:
            case Constant():
                value = UInt(node.value) if node.kind == "uint" else node.value  # type: ignore[arg-type]
                return Part(lambda _: value, value)
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListNode():
                return self._list(node)
            case MapNode():
                return self._map(node)
            case Fold():
                return self._binding(node) if _is_binding(node) else self._fold(node)

    def _priced(self, run: Code, price: int) -> Part:
        if not self.counting or not price:
            return Part(run, _VARIES)

        def counted(scope: Scope) -> Value:
            value = run(scope)
            scope[METER].spend(price)
            return value

        return Part(counted, _VARIES)

    def _ident(self, node: Ident) -> Part:
        name = node.name
        if name in TYPES:
            value = TypeValue(name)
            return Part(lambda _: value, value)

        def read(scope: Scope) -> Value:
            value = scope[name]
            if value.__class__ is _Failure:
                raise value.error
            return value

        return self._priced(read, 1)

    def _select(self, node: Select) -> Part:
        field = node.field
        operand = self.build(node.operand).run

        def test(scope: Scope) -> bool:
            found = lookup(operand(scope), field, present=True)
            return bool(found.full)

        def read(scope: Scope) -> Value:
            value = operand(scope)
            if value.__class__ is DeviceMap:
                try:
                    return value[field]
                except KeyError:
                    raise CelError(f"no such key: {field}") from None
            return lookup(value, field)

        return self._priced(test, 0) if node.test_only else self._priced(read, 1)

    def _list(self, node: ListNode) -> Part:
        parts = [self.build(element) for element in node.elements]
        runs = [part.run for part in parts]
        optional = node.optional

        def make(scope: Scope) -> list[Value]:
            if not optional:
                return [run(scope) for run in runs]
            values = []
            for at, run in enumerate(runs):
                value = run(scope)
                if at in optional:
                    if type(value) is not Optional:
                        raise CelError(f"cannot initialize optional list element from {type_name(value)}")
                    if not value.full:
                        continue
                    value = value.value
                values.append(value)
            return values

        if all(part.constant is not _VARIES for part in parts):
            return _fixed(make)
        return self._priced(make, 10)

    def _map(self, node: MapNode) -> Part:
        parts = [(self.build(name), self.build(value), optional) for name, value, optional in node.entries]

        def make(scope: Scope) -> dict[Any, Value]:
            made: dict[Any, Value] = {}
            for name, content, optional in parts:
                at, value = key(name.run(scope)), content.run(scope)
                if optional:
                    if type(value) is not Optional:
                        raise CelError(f"cannot initialize optional entry from {type_name(value)}")
                    if not value.full:
                        made.pop(at, None)
                        continue
                    value = value.value
                made[at] = value
            return made

        if all(name.constant is not _VARIES and value.constant is not _VARIES for name, value, _ in parts):
            return _fixed(make)
        return self._priced(make, 30)

    def _call(self, node: Call) -> Part:
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node)
        if node.function not in FUNCTIONS and node.function not in REGEX:
            raise CelUnsupported(f"the function {node.function} cannot be evaluated here")
        parts = [self.build(operand) for operand in node.operands]
        function = self._function(node, parts)
        runs = [part.run for part in parts]
        if node.function == "@in" and parts[1].constant == []:
            return Part(lambda _: False, False)
        if node.function in _INDEXING and type(parts[1].constant) in _NO_INDEX:
            raise ConstantFault(f"invalid qualifier type: {type_name(parts[1].constant)}")
        if node.function in cel_operators.CONVERSIONS and parts[0].constant is not _VARIES:
            value = parts[0].constant
            return _fixed(lambda _: function(value))
        if self.counting:
            return Part(_counted_call(node.function, function, runs), _VARIES)
        if len(runs) == 2:
            first, second = runs
            return Part(lambda scope: function(first(scope), second(scope)), _VARIES)
        if len(runs) == 1:
            only = runs[0]
            return Part(lambda scope: function(only(scope)), _VARIES)
        return Part(lambda scope: function(*[run(scope) for run in runs]), _VARIES)

    def _function(self, node: Call, parts: list[Part]) -> Callable[..., Value]:
        if node.function in REGEX:
            name, regex = node.function, self.regex
            if len(parts) > 1 and type(parts[1].constant) is str:
                try:
                    regex(name, "", parts[1].constant)
                except CelError as error:
                    raise ConstantFault(str(error)) from None
            return lambda *args: regex(name, *args)
        if node.function == "sum":
            overloads = self.checked.overloads.get(node.id, ())
            zero = SUM_ZEROS.get(overloads[0], 0) if len(overloads) == 1 else 0
            return lambda items: FUNCTIONS["sum"](items, zero)
        if node.function == "@in" and type(parts[1].constant) is list and parts[1].constant:
            return in_constant(parts[1].constant)
        return FUNCTIONS[node.function]

    def _and(self, node: Call) -> Part:
        return Part(_junction(self.build(node.args[0]).run, self.build(node.args[1]).run, False), _VARIES)

    def _or(self, node: Call) -> Part:
        return Part(_junction(self.build(node.args[0]).run, self.build(node.args[1]).run, True), _VARIES)

    def _conditional(self, node: Call) -> Part:
        condition, yes, no = (self.build(arg).run for arg in node.args)

        def choose(scope: Scope) -> Value:
            truth = condition(scope)
            if truth is True:
                return yes(scope)
            if truth is False:
                return no(scope)
            no_overload()

        return Part(choose, _VARIES)

    def _not_strictly_false(self, node: Call) -> Part:
        run = self.build(node.args[0]).run

        def test(scope: Scope) -> bool:
            try:
                return run(scope) is not False
            except CelError:
                return True

        return Part(test, _VARIES)

    def _optional_or(self, node: Call) -> Part:
        first, second = (self.build(operand).run for operand in node.operands)
        whole = node.function == "or"

        def choose(scope: Scope) -> Value:
            value = first(scope)
            if type(value) is not Optional:
                no_overload()
            if not value.full:
                return second(scope)
            return value if whole else value.value

        return Part(choose, _VARIES)

    def _binding(self, node: Fold) -> Part:
        """cel.bind: an error in the bound expression counts only where the variable is used."""
        start, result, name = self.build(node.start).run, self.build(node.result).run, node.accumulator

        def bind(scope: Scope) -> Value:
            inner = dict(scope)
            try:
                value = start(scope)
                inner[name] = value if value or type(value) is not DefaultMap else {}  # an empty one loses its default
            except CelError as error:
                inner[name] = _Failure(error)
            return result(inner)

        return Part(bind, _VARIES)

    def _fold(self, node: Fold) -> Part:
        over, start, condition, step, result = (
            self.build(part).run for part in (node.over, node.start, node.condition, node.step, node.result)
        )
        first, second, name = node.first, node.second, node.accumulator

        def fold(scope: Scope) -> Value:
            pairs = _pairs(over(scope), bool(second))
            inner = dict(scope)
            inner[name] = start(scope)
            for left, right in pairs:
                inner[first] = left
                if second:
                    inner[second] = right
                if _is_false(condition, inner):
                    break
                try:
                    inner[name] = step(inner)
                except CelError as error:
                    inner[name] = _Failure(error)
            return result(inner)

        return Part(fold, _VARIES)


_SPECIAL: dict[str, Callable[[Builder, Call], Part]] = {
    "_&&_": Builder._and,
    "_||_": Builder._or,
    "_?_:_": Builder._conditional,
    "@not_strictly_false": Builder._not_strictly_false,
    "or": Builder._optional_or,
    "orValue": Builder._optional_or,
}


_COSTLY = frozenset(("lists.range", "sort", "distinct", "sets.contains", "sets.equivalent", "sets.intersects"))


def _is_costly(node: Node) -> bool:
    """Whether the cost may grow faster than the expression; without such a part no selector reaches the limit."""
    return node.function in _COSTLY if isinstance(node, Call) else isinstance(node, Fold) and not _is_binding(node)


def _is_binding(node: Fold) -> bool:
    return isinstance(node.over, ListNode) and not node.over.elements


def _is_false(condition: Code, scope: Scope) -> bool:
    try:
        return condition(scope) is False
    except CelError:
        return False


def _pairs(over: Value, two: bool) -> list[tuple[Value, Value]]:
    if type(over) is list:
        return list(enumerate(over)) if two else [(item, None) for item in over]
    if type(over) in MAPS:
        return [(unkey(name), value) for name, value in over.items()]
    raise CelError(f"got '{type_name(over)}', expected iterable type")


def _fixed(make: Callable[[Scope], Value]) -> Part:
    try:
        value = make({})
    except (CelError, CelAbort) as error:
        raise ConstantFault(str(error)) from None
    return Part(lambda _: value, value)


def _junction(first: Code, second: Code, decides: bool) -> Code:
    """`&&` (*decides* False) and `||` (True): one deciding side wins over an error of the other."""

    def junction(scope: Scope) -> bool:
        error: CelError | None = None
        for run in (first, second):
            try:
                value = run(scope)
            except CelError as failure:
                error = error or failure
                continue
            if value is decides:
                return bool(decides)
            if not isinstance(value, bool):
                error = error or CelError("no such overload")
        if error is not None:
            raise error
        return not decides

    return junction


def _counted_call(name: str, function: Callable[..., Value], runs: list[Code]) -> Code:
    def call(scope: Scope) -> Value:
        args = [run(scope) for run in runs]
        meter: Meter = scope[METER]
        value = function(*args)
        meter.spend(call_price(name, args, value))
        return value

    return call
