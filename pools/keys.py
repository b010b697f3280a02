"""Names in URLs: one path segment a name, whatever characters it holds."""

from __future__ import annotations


class KeyConverter:
    """
    Django path converter `<key:…>`: `~` is written `~0` and `/` is written `~1` (RFC 6901), so that pool names
    with slashes stay one segment. The names `.` and `..` are written `~2` and `~2~2`: clients resolve dot segments
    before they ask.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return value.replace("~2", ".").replace("~1", "/").replace("~0", "~")

    def to_url(self, value: str) -> str:
        if value in (".", ".."):
            return value.replace(".", "~2")
        return value.replace("~", "~0").replace("/", "~1")
