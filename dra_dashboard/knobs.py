"""Reads DRA_* variables: each says what it is for and what it accepts, and a wrong value stops the start."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import Env

YES = ("true", "yes", "on", "1")
NO = ("false", "no", "off", "0")
_HOST = re.compile(r"\*|\.?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Knob:
    """One variable, for the documentation: what it is for, what it accepts, and what holds without it."""

    name: str
    purpose: str
    accepts: str
    default: str


class Knobs:
    """
    The variables of one environment. Each method reads one; an empty text counts as not set.

    Raises:
        ImproperlyConfigured: the value is not accepted; the message names the variable, the value and what is accepted.
    """

    def __init__(self, prefix: str = "DRA_") -> None:
        self.env = Env(prefix=prefix)
        self.prefix = prefix
        self.declared: dict[str, Knob] = {}

    def flag(self, name: str, default: bool, purpose: str, *, shown: str = "") -> bool:
        """True or false; *shown* describes a default that depends on other variables."""
        accepts = "true or false"
        raw = self._raw(name, purpose, accepts, shown or str(default).lower())
        if raw is None:
            return default
        if raw.lower() not in YES + NO:
            raise self.refuse(name, accepts)
        return raw.lower() in YES

    def whole(self, name: str, default: int, purpose: str, *, low: int, high: int) -> int:
        """A whole number from *low* to *high*."""
        accepts = f"a whole number from {low} to {high}"
        raw = self._raw(name, purpose, accepts, str(default))
        if raw is None:
            return default
        if not re.fullmatch(r"[+-]?\d{1,18}", raw, re.ASCII) or not low <= int(raw) <= high:
            raise self.refuse(name, accepts)
        return int(raw)

    def number(self, name: str, default: float, purpose: str, *, low: float, high: float) -> float:
        """A number from *low* to *high*."""
        accepts = f"a number from {low:g} to {high:g}"
        raw = self._raw(name, purpose, accepts, f"{default:g}")
        if raw is None:
            return default
        try:
            value = float(raw)
        except ValueError:
            raise self.refuse(name, accepts) from None
        if not math.isfinite(value) or not low <= value <= high:
            raise self.refuse(name, accepts)
        return value

    def choice(self, name: str, default: str, purpose: str, *, of: Sequence[str]) -> str:
        """One of the words of *of*, in any case."""
        accepts = "one of " + ", ".join(of)
        raw = self._raw(name, purpose, accepts, default)
        if raw is None:
            return default
        found = {word.lower(): word for word in of}.get(raw.lower())
        if found is None:
            raise self.refuse(name, accepts)
        return found

    def folder(self, name: str, default: Path, purpose: str) -> Path:
        """A folder that exists or can be made, and that may be written to."""
        accepts = "a folder that can be written to"
        raw = self._raw(name, purpose, accepts, f"{default.name}/ in the checkout")
        path = default if raw is None else Path(raw).expanduser().absolute()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self.refuse(name, accepts, str(error)) from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise self.refuse(name, accepts)
        return path

    def bind(self, name: str, default: str, purpose: str) -> str:
        """Where the server listens: `host:port`, `[address]:port` or `unix:/path`."""
        accepts = "host:port, [IPv6 address]:port or unix:/path, with a port from 1 to 65535"
        raw = self._raw(name, purpose, accepts, default)
        if raw is None or re.fullmatch(r"unix:/\S+", raw):
            return raw or default
        host, _, port = raw.rpartition(":")
        is_port = re.fullmatch(r"\d{1,5}", port, re.ASCII) is not None and 1 <= int(port) <= 65535
        if not is_port or not _HOST.fullmatch(host) or host.startswith(("*", ".")):
            raise self.refuse(name, accepts)
        return raw

    def hosts(self, name: str, default: Sequence[str], purpose: str) -> list[str]:
        """Host names without scheme or port, separated by commas."""
        accepts = "host names separated by commas, without scheme and port"
        raw = self._raw(name, purpose, accepts, ",".join(default))
        if raw is None:
            return list(default)
        found = [part.strip() for part in raw.split(",") if part.strip()]
        if not found or not all(_HOST.fullmatch(host) for host in found):
            raise self.refuse(name, accepts)
        return found

    def origins(self, name: str, purpose: str) -> list[str]:
        """Origins (`https://host[:port]`), separated by commas."""
        accepts = "origins such as https://dashboard.example.com, separated by commas"
        raw = self._raw(name, purpose, accepts, "none")
        found = [part.strip().rstrip("/") for part in (raw or "").split(",") if part.strip()]
        for origin in found:
            try:
                parts = urlsplit(origin)
                good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.path and parts.port != 0
            except ValueError:
                good = False
            if not good:
                raise self.refuse(name, accepts)
        return found

    def database(self, name: str, default: Path, purpose: str) -> Mapping[str, object]:
        """A database URL as Django's settings; without one, SQLite in the file *default*."""
        accepts = "sqlite:///path/to/file or postgres://user:password@host:port/name"
        raw = self._raw(name, purpose, accepts, "dashboard.sqlite3 in the data folder")
        if raw is None:
            return dj_database_url.parse(f"sqlite:///{quote(str(default))}", conn_max_age=60, conn_health_checks=True)
        if not re.match(r"(sqlite|postgres|postgresql)://", raw):
            raise self.refuse(name, accepts, secret=True)
        try:
            parsed = dj_database_url.parse(raw, conn_max_age=60, conn_health_checks=True)
        except (ValueError, KeyError) as error:
            raise self.refuse(name, accepts, str(error), secret=True) from None
        if not parsed.get("NAME"):
            raise self.refuse(name, accepts, "no database is named", secret=True)
        if raw.startswith("sqlite:") and parsed["NAME"] != ":memory:" and not Path(parsed["NAME"]).parent.is_dir():
            raise self.refuse(name, accepts, f"{Path(parsed['NAME']).parent} is not a folder", secret=True)
        return parsed

    def secret_key(self, name: str, folder: Path, purpose: str) -> str:
        """A secret of at least 50 characters; without one, a file in *folder* is made on first use."""
        accepts = "a random text of at least 50 characters"
        raw = self._raw(name, purpose, accepts, "made on first start, kept in secret-key in the data folder")
        if raw is None:
            return _kept_secret(folder / "secret-key")
        if len(raw) < 50 or len(set(raw)) < 5:
            raise self.refuse(name, accepts, secret=True)
        return raw

    def refuse(self, name: str, accepts: str, why: str = "", *, secret: bool = False) -> ImproperlyConfigured:
        """The error that stops the start."""
        value = "(not shown)" if secret else repr(self.env.str(name, ""))
        return ImproperlyConfigured(
            f"{self.prefix}{name}={value} is not accepted{f' ({why})' if why else ''}: give {accepts}."
        )

    def _raw(self, name: str, purpose: str, accepts: str, default: str) -> str | None:
        self.declared[name] = Knob(f"{self.prefix}{name}", purpose, accepts, default)
        return self.env.str(name, "").strip() or None


def is_loopback(bind: str) -> bool:
    """Whether only this machine can reach *bind*. A Unix socket serves a proxy, which others reach: False."""
    host = bind.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(bind: str) -> list[str]:
    """The host that *bind* names, as ALLOWED_HOSTS writes it; none when it means every address."""
    host = bind.rpartition(":")[0]
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return [] if host.startswith("unix") or not host else [host]
    return [] if address.is_unspecified else [host]


def _kept_secret(path: Path) -> str:
    """The key in *path*, made on first use, whole at once, readable by its owner only."""
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-key-")
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)  # fails when another process was first: its key is the one
        except FileExistsError:
            pass
        finally:
            os.unlink(draft)
    return path.read_text().strip()
