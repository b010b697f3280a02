"""What Kubernetes refuses beyond the type check: mixed lists, faulty literals, unknown functions, a result not bool."""

from __future__ import annotations

from collections.abc import Iterable

from pools.core.cel import CelCompileError
from pools.core.cel_ast import DYN, Call, Checked, Constant, ListNode, MapNode, Node, TypeName, children, walk
from pools.core.cel_eval import KNOWN as EVALUATED
from pools.core.cel_text import CLAUSE, VERBS
from pools.core.cel_types import SEMVER
from pools.core.cel_values import CelUnsupported


def inspect(checked: Checked, *, derives: bool = False) -> None:
    """
    Apply the rules that the engine's checker does not know.

    Args:
        derives: the expression makes an attribute; else it selects.

    Raises:
        CelCompileError: Kubernetes would refuse the expression.
        CelUnsupported: it uses a function that is not evaluated here.
    """
    free = _format_arguments(checked.root)
    for node in walk(checked.root):
        match node:
            case ListNode() if node.id not in free:
                _one_type(checked, [(element, at in node.optional) for at, element in enumerate(node.elements)])
            case MapNode() if node.id not in free:
                _one_type(checked, [(name, False) for name, _, _ in node.entries])
                _one_type(checked, [(value, optional) for _, value, optional in node.entries])
            case Call():
                _call(checked, node)
    result = _type(checked, checked.root)
    if derives and not _is_attribute(result):
        raise CelCompileError(
            "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, "
            f"not {result}"
        )
    if not derives and result.name not in ("bool", "dyn"):
        raise CelCompileError(f"must evaluate to bool or the unknown type, not {result}")


def _is_attribute(result: TypeName) -> bool:
    if result.name == "list" and len(result.params) == 1:
        result = result.params[0]
    return result.name in ("bool", "int", "string", "any", "dyn", SEMVER)


def _format_arguments(root: Node) -> set[int]:
    """Nodes below the argument of a format(), where types may be mixed."""
    calls = [node for node in walk(root) if isinstance(node, Call) and node.function == "format"]
    return {inner.id for call in calls for arg in call.args for inner in walk(arg)}


def _type(checked: Checked, node: Node) -> TypeName:
    return checked.types.get(node.id, DYN)


def _one_type(checked: Checked, nodes: Iterable[tuple[Node, bool]]) -> None:
    """Literals may not mix types; an element marked optional counts as what it holds."""
    expected = None
    for node, optional in nodes:
        if isinstance(node, ListNode | MapNode) and not children(node):
            continue
        found = _type(checked, node)
        if optional and found.name == "optional_type":
            found = found.params[0]
        if expected is not None and found != expected:
            raise CelCompileError(f"compilation failed: ERROR: expected type '{expected}' but found '{found}'")
        expected = found


def _call(checked: Checked, node: Call) -> None:
    if node.function == "flatten" and node.target is not None and not node.args:
        found = _type(checked, node.target)
        if found.name == "list" and found.params[0].name not in ("list", "dyn"):
            raise CelCompileError(f"compilation failed: ERROR: no matching overload for 'flatten' applied to '{found}'")
    if node.function not in EVALUATED:
        raise CelUnsupported(f"the function {node.function} cannot be evaluated here")
    if node.function == "format" and isinstance(node.target, Constant) and isinstance(node.args[0], ListNode):
        _format(checked, str(node.target.value), node.args[0].elements)


def _format(checked: Checked, template: str, args: tuple[Node, ...]) -> None:
    used = 0
    for clause in CLAUSE.finditer(template):
        if clause[1]:
            continue
        if used >= len(args):
            raise CelCompileError(f"compilation failed: ERROR: index {used} out of range")
        verb, found = clause[3], _type(checked, args[used]).name
        if verb is None or clause[2] == "" or (verb != "s" and verb not in VERBS):
            raise CelCompileError(f"compilation failed: ERROR: could not parse formatting clause {clause[0]!r}")
        if (verb == "s" and not _written(checked, args[used])) or (
            verb != "s" and found != "dyn" and found not in VERBS[verb]
        ):
            raise CelCompileError(f"compilation failed: ERROR: error during formatting: %{verb} on {found}")
        used += 1
    if len(args) > used:
        raise CelCompileError(
            f"compilation failed: ERROR: too many arguments supplied to string.format "
            f"(expected {used}, got {len(args)})"
        )


_WRITTEN = frozenset(
    (
        "dyn",
        "list",
        "map",
        "int",
        "uint",
        "double",
        "bool",
        "string",
        "timestamp",
        "bytes",
        "duration",
        "type",
        "null_type",
    )
)


def _written(checked: Checked, node: Node) -> bool:
    if _type(checked, node).name not in _WRITTEN:
        return False
    if isinstance(node, ListNode):
        return all(_written(checked, element) for element in node.elements)
    if isinstance(node, MapNode):
        return all(_written(checked, part) for name, value, _ in node.entries for part in (name, value))
    return True
