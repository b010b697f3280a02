"""Partition tables of real boards: what each MIG profile takes, as the drivers report it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """
    One MIG profile of a board.

    `instance` is the GPU instance profile id that appears in device names; `memory_mib` in MiB; `starts` are the
    memory slices at which an instance can begin, `size` how many it takes.
    """

    name: str
    instance: int
    memory_mib: int
    multiprocessors: int
    copy_engines: int
    decoders: int
    jpeg_engines: int
    ofa_engines: int
    starts: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Board:
    """A GPU board. `estimated` is True where some rows come from no real device listing."""

    key: str
    product: str
    architecture: str
    compute: str
    profiles: tuple[Profile, ...]
    estimated: bool = False


_STARTS = ((0, 1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 4, 5, 6), (0, 2, 4, 6), (0, 2, 4), (0, 4), (0,), (0,))
_SIZES = (1, 1, 2, 2, 4, 4, 8)
_INSTANCES = (19, 20, 15, 14, 9, 5, 0)
_ENGINES = {
    # copy engines, decoders, JPEG and OFA engines of the seven profiles, 1g to 7g
    "Ampere": ((1, 1, 1, 2, 3, 4, 7), (0, 1, 1, 1, 2, 2, 5), (0, 1, 0, 0, 0, 0, 1), (0, 1, 0, 0, 0, 0, 1)),
    "Hopper": ((1, 1, 1, 2, 3, 4, 8), (1, 1, 1, 2, 3, 4, 7), (1, 1, 1, 2, 3, 4, 7), (0, 1, 0, 0, 0, 0, 1)),
    "Blackwell": ((2, 2, 2, 4, 6, 8, 16), (1, 1, 1, 2, 3, 4, 7), (1, 1, 1, 2, 3, 4, 7), (0, 1, 0, 0, 0, 0, 1)),
}


def _board(
    key: str,
    product: str,
    architecture: str,
    compute: str,
    gigabytes: tuple[int, int, int, int],
    memory: tuple[int, int, int, int],
    multiprocessors: tuple[int, ...],
    estimated: bool = False,
) -> Board:
    """*gigabytes* and *memory* (MiB) are those of one, two, four and all eight memory slices."""
    one, two, four, all_ = gigabytes
    names: tuple[str, ...] = (
        f"1g.{one}gb",
        f"1g.{one}gb+me",
        f"1g.{two}gb",
        f"2g.{two}gb",
        f"3g.{four}gb",
        f"4g.{four}gb",
    )
    names += (f"7g.{all_}gb",)
    sizes = {1: memory[0], 2: memory[1], 4: memory[2], 8: memory[3]}
    engines = _ENGINES[architecture]
    profiles = tuple(
        Profile(
            names[i],
            _INSTANCES[i],
            sizes[_SIZES[i]],
            multiprocessors[i],
            engines[0][i],
            engines[1][i],
            engines[2][i],
            engines[3][i],
            _STARTS[i],
            _SIZES[i],
        )
        for i in range(7)
    )
    return Board(key, product, architecture, compute, profiles, estimated)


BOARDS: dict[str, Board] = {
    board.key: board
    for board in (
        _board(
            "a100-40",
            "NVIDIA A100-SXM4-40GB",
            "Ampere",
            "8.0.0",
            (5, 10, 20, 40),
            (4864, 9856, 19968, 40192),
            (14, 14, 14, 28, 42, 56, 98),
        ),
        _board(
            "a100-80",
            "NVIDIA A100-SXM4-80GB",
            "Ampere",
            "8.0.0",
            (10, 20, 40, 80),
            (9728, 19968, 40192, 80384),
            (14, 14, 14, 28, 42, 56, 98),
        ),
        _board(
            "h100-80",
            "NVIDIA H100 80GB HBM3",
            "Hopper",
            "9.0.0",
            (10, 20, 40, 80),
            (9984, 20096, 40448, 81152),
            (16, 16, 26, 32, 60, 64, 132),
        ),
        _board(
            "h200-141",
            "NVIDIA H200",
            "Hopper",
            "9.0.0",
            (18, 35, 71, 141),
            (16384, 33024, 71168, 143360),
            (16, 16, 26, 32, 60, 64, 132),
        ),
        _board(
            "b200-180",
            "NVIDIA B200",
            "Blackwell",
            "10.0.0",
            (23, 45, 90, 180),
            (22528, 45312, 91136, 182272),
            (18, 18, 30, 36, 70, 72, 148),
            estimated=True,
        ),
        _board(
            "gb200-186",
            "NVIDIA GB200",
            "Blackwell",
            "10.0.0",
            (23, 47, 93, 186),
            (22528, 46592, 93696, 188416),
            (18, 18, 32, 38, 72, 76, 152),
            estimated=True,
        ),
    )
}
