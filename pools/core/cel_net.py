"""Kubernetes' CEL functions on IP addresses, networks and URLs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from pools.core.cel_values import CelError, Opaque, Value, no_overload

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Prefix:
    """A network as written: the address may have bits behind the mask."""

    address: Address
    bits: int

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        return ipaddress.ip_network((self.address, self.bits), strict=False)

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"


@dataclass(frozen=True, slots=True)
class Url:
    """The parts of a URL that functions can ask for; `path` and `host` are unescaped."""

    text: str
    scheme: str
    host: str
    path: str
    raw_path: str
    query: str


def _address(text: Value) -> Address:
    if type(text) is not str:
        no_overload()
    try:
        if "%" in text:
            raise ValueError("IP address with zone value is not allowed")
        address = ipaddress.ip_address(text)
    except ValueError as error:
        raise CelError(f"IP Address {text!r} parse error during conversion from string: {error}") from None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise CelError(f"IPv4-mapped IPv6 address {text!r} is not allowed")
    return address


def _prefix(text: Value) -> Prefix:
    if type(text) is not str:
        no_overload()
    address, slash, bits = text.rpartition("/")
    failure = CelError("network address parse error during conversion from string")
    if not slash or not re.fullmatch(r"0|[1-9]\d{0,2}", bits, re.ASCII):
        raise failure
    host = _address(address)
    if int(bits) > host.max_prefixlen:
        raise failure
    return Prefix(host, int(bits))


def _as_ip(address: Address) -> Opaque:
    return Opaque("net.IP", address, address)


def _as_cidr(prefix: Prefix) -> Opaque:
    return Opaque("net.CIDR", prefix, prefix)


def _ip(value: Value) -> Opaque:
    if isinstance(value, Opaque) and value.type == "net.CIDR":
        return _as_ip(value.content.address)
    return _as_ip(_address(value))


def _parses(read: Callable[[Value], Any]) -> Callable[[Value], bool]:
    def test(text: Value) -> bool:
        if type(text) is not str:
            no_overload()
        try:
            read(text)
        except CelError:
            return False
        return True

    return test


def _on(kind: str, read: Callable[..., Value]) -> Callable[..., Value]:
    def method(value: Value, *args: Value) -> Value:
        if not isinstance(value, Opaque) or value.type != kind:
            no_overload()
        return read(value.content, *args)

    return method


def _operand(value: Value, kind: str, read: Callable[[Value], Any]) -> Any:
    if isinstance(value, Opaque) and value.type == kind:
        return value.content
    return read(value)


def _contains_ip(prefix: Prefix, other: Value) -> bool:
    address = _operand(other, "net.IP", _address)
    return bool(address.version == prefix.address.version and address in prefix.network)


def _contains_cidr(prefix: Prefix, other: Value) -> bool:
    inner = _operand(other, "net.CIDR", _prefix)
    if inner.address.version != prefix.address.version:
        return False
    return bool(prefix.network.overlaps(inner.network) and prefix.bits <= inner.bits)


def _link_local_multicast(address: Address) -> bool:
    if address.version == 4:
        return address in ipaddress.ip_network("224.0.0.0/24")
    return int(address) >> 112 & 0xFF0F == 0xFF02


def _global_unicast(address: Address) -> bool:
    if address == ipaddress.IPv4Address("255.255.255.255"):
        return False
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local)


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"(?:\[[^\]]*\]|[^\[\]:/?#@<>\"\\^`{|} ]*)(?::\d*)?", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*", re.ASCII)


def _url_error(reason: str) -> CelError:
    return CelError(f"URL parse error during conversion from string: {reason}")


def parse_url(text: Value) -> Url:
    """
    Read an absolute URL or an absolute path, as Go's url.ParseRequestURI accepts them; a fragment is set aside.

    Raises:
        CelError: the text is neither.
    """
    if type(text) is not str:
        no_overload()
    if not text or _CONTROL.search(text):
        raise _url_error("empty url" if not text else "invalid control character in URL")
    match = _SCHEME.match(text)
    scheme, rest = (match[1].lower(), text[match.end() :]) if match else ("", text)
    if text.startswith(":"):
        raise _url_error("missing protocol scheme")
    if not rest.startswith("/") and not scheme and text != "*":
        raise _url_error("invalid URI for request")
    if rest.startswith("/") and _BAD_ESCAPE.search(rest.partition("?")[0]):
        raise _url_error("invalid URL escape")
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        return Url(text, scheme, "", "", "", query)
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        user, at, host = authority.rpartition("@")
        if at and not _USER.fullmatch(user):
            raise _url_error("net/url: invalid userinfo")
        if not _HOST.fullmatch(host):
            raise _url_error("invalid character or port in host name")
        rest = slash + path
    return Url(text, scheme, unquote(host), unquote(rest), rest, query)


def _escaped_path(url: Url) -> str:
    plain = quote(url.path, safe="/$&+,:;=@!'()*-._~")
    valid = re.fullmatch(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/%\[\]]*", url.raw_path, re.ASCII)
    return url.raw_path if valid else plain


def _hostname(url: Url) -> str:
    host = re.sub(r":\d*$", "", url.host) if not url.host.endswith("]") else url.host
    return host[1:-1] if host.startswith("[") else host


def _port(url: Url) -> str:
    match = re.search(r":(\d*)$", url.host) if not url.host.endswith("]") else None
    return match[1] if match else ""


def _query(url: Url) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in url.query.split("&"):
        name, _, value = pair.partition("=")
        if pair and ";" not in pair and not _BAD_ESCAPE.search(pair):
            found.setdefault(unquote(name.replace("+", " ")), []).append(unquote(value.replace("+", " ")))
    return found


def _url(text: Value) -> Opaque:
    return Opaque("kubernetes.URL", parse_url(text), text)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ip": _ip,
    "isIP": _parses(_address),
    "ip.isCanonical": lambda text: str(_address(text)) == text,
    "family": _on("net.IP", lambda address: address.version),
    "isUnspecified": _on("net.IP", lambda address: address.is_unspecified),
    "isLoopback": _on("net.IP", lambda address: address.is_loopback),
    "isLinkLocalMulticast": _on("net.IP", _link_local_multicast),
    "isLinkLocalUnicast": _on("net.IP", lambda address: address.is_link_local),
    "isGlobalUnicast": _on("net.IP", _global_unicast),
    "cidr": lambda text: _as_cidr(_prefix(text)),
    "isCIDR": _parses(_prefix),
    "containsIP": _on("net.CIDR", _contains_ip),
    "containsCIDR": _on("net.CIDR", _contains_cidr),
    "prefixLength": _on("net.CIDR", lambda prefix: prefix.bits),
    "masked": _on("net.CIDR", lambda prefix: _as_cidr(Prefix(prefix.network.network_address, prefix.bits))),
    "url": _url,
    "isURL": _parses(parse_url),
    "getScheme": _on("kubernetes.URL", lambda url: url.scheme),
    "getHost": _on("kubernetes.URL", lambda url: url.host),
    "getHostname": _on("kubernetes.URL", _hostname),
    "getPort": _on("kubernetes.URL", _port),
    "getEscapedPath": _on("kubernetes.URL", _escaped_path),
    "getQuery": _on("kubernetes.URL", _query),
}
