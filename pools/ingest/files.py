"""Manifests in files: which ones a path means, and what each holds."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".yaml", ".yml", ".json")


class Unreadable(Exception):
    """A path that gives nothing to read; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The bytes of one file, and what to call them."""

    source: str
    data: bytes


def payloads(path: str, *, most: int) -> Iterator[Payload]:
    """
    The manifests that *path* means: a file, all manifests below a folder in the order of their names, or `-`.

    Files ending in .gz are unpacked. In a folder only .yaml, .yml and .json count, and those with .gz.

    Args:
        most: bytes that one file may have, unpacked.

    Raises:
        Unreadable: there is nothing, or it cannot be read or unpacked, or it is too large.
    """
    if path == "-":
        yield Payload("stdin", _bounded(sys.stdin.buffer.read(most + 1), "stdin", most))
        return
    place = Path(path)
    if not place.exists():
        raise Unreadable(f"{path}: no such file or folder")
    for file in _manifests(place) if place.is_dir() else [place]:
        yield Payload(str(file), read_file(file, most=most))


def _manifests(folder: Path) -> list[Path]:
    found = [file for file in sorted(folder.rglob("*")) if file.is_file() and _is_manifest(file)]
    if not found:
        raise Unreadable(f"{folder}: holds no {', '.join(SUFFIXES)} file")
    return found


def _is_manifest(file: Path) -> bool:
    return file.name.removesuffix(".gz").endswith(SUFFIXES)


def read_file(file: Path, *, most: int | None = None) -> bytes:
    """
    The bytes of one file, unpacked when its name ends in .gz.

    Args:
        most: bytes that the file may have, unpacked; None for any number.

    Raises:
        Unreadable: as for `payloads`.
    """
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            return stream.read() if most is None else _bounded(stream.read(most + 1), str(file), most)
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise Unreadable(f"{file}: cannot be unpacked: {error}") from None


def _bounded(data: bytes, name: str, most: int) -> bytes:
    if len(data) > most:
        raise Unreadable(f"{name}: more than {most // 2**20} MiB (DRA_MAX_BODY_MIB)")
    return data
