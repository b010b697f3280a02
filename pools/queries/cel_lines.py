"""Answers selectors given as lines of JSON, one device each: matched or not, or why Kubernetes would refuse it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pools.core.cel import CelCompileError
from pools.core.cel_program import Facts, program
from pools.core.cel_values import CelError, CelUnsupported
from pools.domain.device import Device
from pools.domain.errors import Undecodable
from pools.domain.pool import Slice
from pools.wire.registry import decode

Answer = dict[str, Any]


def answer_line(line: bytes | str) -> Answer:
    """
    What a selector says of a device.

    Args:
        line: `{"expression", "driver"?, "device"?}`, the device as in a v1 ResourceSlice.

    Returns:
        `{"result": bool}`; `{"error": why}` when evaluation fails; `{"compileError": why}` when the expression is
        refused; `{"unsupported": why}` when it cannot be evaluated here; `{"invalid": why}` for any other line.
    """
    try:
        question = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return {"invalid": f"not JSON: {error}"}
    if not isinstance(question, dict) or not isinstance(question.get("expression"), str):
        return {"invalid": 'a line is an object with a text "expression"'}
    driver = question.get("driver") or ""
    if not isinstance(driver, str):
        return {"invalid": '"driver" is not text'}
    try:
        return _answer(question["expression"], Facts(driver, _device(question.get("device") or {})))
    except Undecodable as fault:
        return {"invalid": str(fault)}


def _answer(expression: str, facts: Facts) -> Answer:
    try:
        return {"result": program(expression).matches(facts)}
    except CelCompileError as error:
        return {"compileError": str(error)}
    except CelError as error:
        return {"error": str(error)}
    except CelUnsupported as error:
        return {"unsupported": str(error)}


def _device(raw: object) -> Device:
    if not isinstance(raw, Mapping):
        raise Undecodable("not an object", "device")
    published = decode(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "line"},
            "spec": {
                "driver": "line",
                "pool": {"name": "line", "resourceSliceCount": 1},
                "allNodes": True,
                "devices": [{"name": "device", **raw}],
            },
        }
    )
    assert isinstance(published, Slice)  # noqa: S101 - told to the type checker
    return published.devices[0]
