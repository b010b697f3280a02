"""The body of a publish call: its type, its encoding, and never more of it than the limit allows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import IO

from django.conf import settings
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request

from pools.api.errors import TooLarge

MEDIA_TYPES = ("application/json", "application/yaml", "application/x-yaml", "text/yaml")
PIECE = 2**16


def payload_of(request: Request) -> bytes:
    """
    The body, unpacked.

    Raises:
        UnsupportedMediaType: neither JSON nor YAML in UTF-8, or an encoding other than gzip.
        TooLarge: more than DRA_MAX_BODY_MIB, as sent or unpacked.
        ParseError: it is empty, or no gzip stream although it says so.
    """
    _check_type(request)
    most = settings.MAX_BODY_MIB * 2**20
    pieces = _pieces(_stream(request))
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("gzip", "x-gzip"):
        pieces = _unpacked(pieces)
    elif encoding not in ("", "identity"):
        raise UnsupportedMediaType(encoding, f"Content-Encoding {encoding!r} is not supported; send gzip or none.")
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > most:
            raise TooLarge(f"The payload is larger than {settings.MAX_BODY_MIB} MiB, the limit of DRA_MAX_BODY_MIB.")
    if not data.strip():
        raise ParseError("The body is empty; send the objects to publish.")
    return bytes(data)


def _check_type(request: Request) -> None:
    kind, _, parameters = request.headers.get("Content-Type", "").partition(";")
    if kind.strip().lower() not in MEDIA_TYPES:
        given = kind.strip() or "none"
        raise UnsupportedMediaType(given, f"Content-Type {given!r} is not supported; send {', '.join(MEDIA_TYPES)}.")
    charset = next((p.split("=", 1)[1] for p in parameters.split(";") if p.strip().lower().startswith("charset=")), "")
    if charset.strip(' "').lower() not in ("", "utf-8", "utf8", "us-ascii"):
        raise UnsupportedMediaType(kind, f"charset {charset!r} is not supported; send UTF-8.")


def _stream(request: Request) -> Callable[[int], bytes]:
    """How to read the body: Django knows its length, and a server that takes chunked bodies knows its end."""
    environ = getattr(request._request, "environ", {})
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length) > settings.MAX_BODY_MIB * 2**20:
        raise TooLarge(f"The payload is larger than {settings.MAX_BODY_MIB} MiB, the limit of DRA_MAX_BODY_MIB.")
    if not length and environ.get("wsgi.input_terminated"):
        source: IO[bytes] = environ["wsgi.input"]
        return source.read
    return request._request.read


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(PIECE):
        yield piece


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What gzip members hold, in pieces of at most `PIECE` bytes: a bomb is noticed long before it is unpacked."""
    member = zlib.decompressobj(wbits=31)
    fresh = True
    for piece in pieces:
        rest, data = piece, b""
        while rest or len(data) == PIECE:  # a full piece may have more behind it, though all input is taken
            try:
                data = member.decompress(rest, PIECE)
            except zlib.error as error:
                raise ParseError(f"The body is not gzip, though Content-Encoding says so: {error}.") from None
            yield data
            rest, fresh = member.unconsumed_tail, False
            if member.eof:
                rest, data = member.unused_data, b""
                member, fresh = zlib.decompressobj(wbits=31), True
    if not fresh:
        raise ParseError("The gzip stream ends before its end.")
