"""What a claim asks for, in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pools.figures.text import visible


def asks(requests: Sequence[Mapping[str, Any]]) -> list[str]:
    """
    One line a request: `2 × mig.example.com`, alternatives in their order of preference with `or`.

    Args:
        requests: as in `models.Claim.requests`.
    """
    return [" or ".join(one_way(way) for way in request.get("alternatives", ())) or "nothing" for request in requests]


def one_way(way: Mapping[str, Any]) -> str:
    """One alternative: how many of which class."""
    amount = "all" if way.get("mode") == "All" else f"{way.get('count') or 1} ×"
    admin = ", admin access" if way.get("adminAccess") else ""
    return f"{amount} {visible(str(way.get('class') or 'any class'))}{admin}"


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One way to satisfy a request, as a table row; `order` is its place among alternatives, 0 when there are none."""

    request: str
    alternative: str
    order: int
    words: str
    selectors: tuple[str, ...]
    capacity: tuple[tuple[str, str], ...]


def request_rows(requests: Sequence[Mapping[str, Any]]) -> list[RequestRow]:
    """Every request with its alternatives, in order of preference."""
    rows = []
    for request in requests:
        ways = request.get("alternatives", ())
        for index, way in enumerate(ways):
            rows.append(
                RequestRow(
                    request=str(request.get("name", "")),
                    alternative=str(way.get("name") or ""),
                    order=index + 1 if len(ways) > 1 else 0,
                    words=one_way(way),
                    selectors=tuple(str(selector) for selector in way.get("selectors") or ()),
                    capacity=tuple((str(key), str(value)) for key, value in (way.get("capacity") or {}).items()),
                )
            )
    return rows


def constraint_words(constraint: Mapping[str, Any]) -> str:
    """A constraint as a sentence."""
    match, distinct = constraint.get("matchAttribute"), constraint.get("distinctAttribute")
    names = [str(name) for name in constraint.get("requests") or ()]
    whose = f"The devices of {', '.join(names)}" if names else "All its devices"
    if match:
        return f"{whose} must have the same value of {match}."
    return f"{whose} must each have another value of {distinct}." if distinct else f"{whose} must meet {constraint}."
