"""Names in URLs: one path segment a name, whatever characters it holds."""

from __future__ import annotations


class KeyConverter:
    """
    Django path converter `<key:…>`: `~` is written `~0` and `/` is written `~1` (RFC 6901), so that pool names
    with slashes stay one segment. An empty name is a lone `~`; the dots of `.` and `..`, which browsers would resolve,
    are written `~2`.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        if "\x00" in value:
            raise ValueError("no name holds NUL, and no database would take it")
        return "" if value == "~" else value.replace("~2", ".").replace("~1", "/").replace("~0", "~")

    def to_url(self, value: str) -> str:
        if value in ("", ".", ".."):
            return value.replace(".", "~2") or "~"
        return value.replace("~", "~0").replace("/", "~1")
