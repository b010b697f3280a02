"""Amounts in sentences: rounded for people, exact where rounding would hide the difference."""

from __future__ import annotations

from functools import lru_cache

from pools.domain.quantity import format_nano, human


@lru_cache(maxsize=65536)
def shown(nano: int, like: str = "") -> str:
    """One amount for a sentence, in the family of the published text *like*."""
    return human(nano, like)


@lru_cache(maxsize=65536)
def compared(one: int, other: int, like: str = "") -> tuple[str, str]:
    """Two different amounts, written so that the difference can be seen."""
    first, second = human(one, like), human(other, like)
    return (first, second) if first != second or one == other else (format_nano(one, like), format_nano(other, like))


def listed(names: list[str], most: int = 3) -> str:
    """`a, b and c`, or `a, b, c and 4 more`."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
