"""Names made safe to show: nothing invisible, nothing that turns text around, nothing a renderer would interpret."""

from __future__ import annotations

import unicodedata

_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def visible(text: str) -> str:
    """The text with control, format and bidi characters written out, as in `a[U+202E]b`; all else is kept."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"[U+{ord(sign):04X}]" if unicodedata.category(sign) in _HIDDEN else sign for sign in text)


def shorten(text: str, length: int) -> str:
    """
    The text in at most *length* characters, its middle left out: names differ at both ends.

    Args:
        text: already made visible.
        length: at least 3.
    """
    if len(text) <= length:
        return text
    head = (length - 1) * 2 // 3
    tail = length - 1 - head
    return f"{text[:head]}…{text[-tail:] if tail else ''}"


def plain(text: str) -> str:
    """For plotly, which reads a small HTML in its texts: made visible, and with nothing to interpret."""
    return visible(text).translate(_ENTITIES)
