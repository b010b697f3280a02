"""The CEL engine: the only module that knows it. It parses and type-checks selectors and runs regular expressions."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any

from cel_expr_python import cel

from pools.core.cel_ast import Checked, decode
from pools.core.cel_types import environment, fields
from pools.core.cel_values import CelError, CelUnsupported, no_overload

MAX_LENGTH = 10 * 1024
"""Longest expression in bytes (resource.k8s.io CELSelectorExpressionMaxLength)."""

_TOKEN = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
      |(?P<note>//[^\n]*)
      |(?P<has>\bhas\s*\(\s*device\s*\.\s*(?P<hasfield>\w+)\s*\))
      |(?P<optional>(?<![\w.])device\s*\.\s*\?\s*(?P<field>\w+))
      |(?P<tick>`)
    """,
    re.VERBOSE | re.DOTALL,
)


class CelCompileError(Exception):
    """The expression is refused, as the API server would refuse it."""


def _rewritten(expression: str, prototype: bool) -> str:
    """Turn the forms that the engine does not know into ones that it does."""
    known = fields(prototype)

    def rewrite(match: re.Match[str]) -> str:
        if match["tick"]:
            raise CelCompileError("compilation failed: ERROR: unsupported syntax: '`'")
        field = match["hasfield"] or match["field"]
        if field and field not in known:
            raise CelCompileError(f"compilation failed: ERROR: undefined field '{field}'")
        if match["has"]:
            return "(true)"
        return f"optional.of(device.{field})" if match["optional"] else match[0]

    return _TOKEN.sub(rewrite, expression)


@lru_cache(maxsize=4)
def _environment(list_attributes: bool, prototype: bool) -> Any:
    return cel.NewEnv(config=cel.NewEnvConfigFromYaml(environment(list_attributes, prototype)))


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("INVALID_ARGUMENT: ")
    return re.sub(r"\s*\[INVALID_ARGUMENT\]\s*$", "", text)


def _compile(source: str, env: Any) -> Any:
    try:
        return env.compile(source)
    except RuntimeError:
        if ".exists_one(" not in source:
            raise
        return env.compile(source.replace(".exists_one(", ".existsOne("))  # the engine's name with two variables


def check(expression: str, list_attributes: bool = True, prototype: bool = False) -> Checked:
    """
    Parse and type-check a selector against the variables and functions of resource.k8s.io, or of the 2024 prototype.

    The engine does not know a variable `device` with fields, only `device.driver` and so on; the two forms in which a
    selector may use the field of an object otherwise (`has(device.x)`, `device.?x`) are rewritten first.

    Args:
        expression: at most 10 KiB.
        list_attributes: whether `includes()` exists (since 1.36).

    Raises:
        CelCompileError: syntax or type error, or too long.
        CelUnsupported: `device` is used as a value of its own.
    """
    if len(expression.encode(errors="replace")) > MAX_LENGTH:
        raise CelCompileError(f"too long: an expression has at most {MAX_LENGTH} bytes")
    source = _rewritten(expression, prototype)
    try:
        compiled = _compile(source, _environment(list_attributes, prototype))
    except (RuntimeError, ValueError, UnicodeError) as error:
        reason = _reason(error)
        if "undeclared reference to 'device'" in reason and not re.search(r"\bdevice\s*\[", source):
            raise CelUnsupported("the whole of `device` used as a value cannot be evaluated here") from None
        raise CelCompileError(f"compilation failed: {reason}") from None
    try:
        return decode(compiled.serialize())
    except ValueError as error:
        raise CelUnsupported(f"cannot be evaluated here: {error}") from None


@lru_cache(maxsize=1)
def _regex_programs() -> tuple[Any, Any]:
    config = cel.NewEnvConfigFromYaml("name: regex\nextensions:\n- name: regex\n- name: optional")
    text = dict.fromkeys(("text", "pattern", "mark"), cel.Type.STRING)
    env = cel.NewEnv(config=config, variables={**text, "count": cel.Type.INT})
    return env.compile("text.matches(pattern)"), env.compile("regex.replace(text, pattern, mark, count)")


_MARKS = [chr(code) for code in range(0xE000, 0xF900)]
"""Private-use characters, more than a text of 10 KiB can hold: two it lacks mark where a match begins and ends."""


@lru_cache(maxsize=16384)
def _run_regex(name: str, text: str, pattern: str) -> Any:
    matches, replace = _regex_programs()
    data: dict[str, Any] = {"text": text, "pattern": pattern}
    begin = end = ""
    if name != "matches":
        begin, end = islice((mark for mark in _MARKS if mark not in text), 2)
        data |= {"mark": f"{begin}\\0{end}", "count": 1 if name == "find" else -1}
    try:
        result = (matches if name == "matches" else replace).eval(data=data)
    except (RuntimeError, ValueError, UnicodeError) as error:
        return CelError(_reason(error))
    value = result.plain_value()
    if not isinstance(value, bool | str) or result.type().name() == "ERROR":
        return CelError(_reason(value))
    if isinstance(value, bool):
        return value
    found = [part.partition(begin)[2] for part in value.split(end)[:-1]]
    return tuple(found) if name == "findAll" else "".join(found)


def regex(name: str, text: Any, pattern: Any, limit: Any = -1) -> Any:
    """
    `matches`, `find` and `findAll`, run by the engine's own RE2: linear in the text, and no Python function involved.

    Raises:
        CelError: bad pattern, or arguments of other types.
    """
    if type(text) is not str or type(pattern) is not str or type(limit) is not int:
        no_overload()
    value = _run_regex(name, text, pattern)
    if isinstance(value, CelError):
        raise value
    if name == "findAll":
        return list(value) if limit < 0 else list(value)[:limit]
    return value
