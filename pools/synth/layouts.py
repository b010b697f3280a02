"""Layouts of partitions on a card as use leaves them: filled, then released here and there."""

from __future__ import annotations

import random
from dataclasses import dataclass

from pools.synth.boards import Board, Profile

_WEIGHTS = (34, 3, 9, 20, 16, 8, 10)
"""How often each profile of a board (1g … 7g) is asked for, of a hundred."""
SLOTS = 8


@dataclass(frozen=True, slots=True)
class Placement:
    """A partition of a card: a profile of its board and the memory slice it starts at."""

    profile: Profile
    start: int


def layout(board: Board, used: float, chance: random.Random) -> tuple[Placement, ...]:
    """
    A layout that holds about *used* of a card's memory slices.

    Partitions are taken as the scheduler would, each at the first start that is free, until none of those drawn fits;
    then some are released at random. So what is free lies scattered, as on a card in use.

    Args:
        used: 0 to 1, the share of memory slices to leave in use.
        chance: the source of randomness; the same state gives the same layout.

    Returns:
        Placements in the order of their starts; together they obey every counter of the board.
    """
    held = _filled(board, chance)
    chance.shuffle(held)
    target = used * SLOTS + chance.uniform(-2, 2) * (0 < used < 1)
    in_use = sum(placement.profile.size for placement in held)
    while held and abs(in_use - held[-1].profile.size - target) < abs(in_use - target):
        in_use -= held.pop().profile.size
    return tuple(sorted(held, key=lambda placement: (placement.start, placement.profile.name)))


def _filled(board: Board, chance: random.Random) -> list[Placement]:
    held: list[Placement] = []
    for profile in chance.choices(board.profiles, _WEIGHTS, k=2 * SLOTS):
        start = next((start for start in profile.starts if fits(board, held, Placement(profile, start))), None)
        if start is not None:
            held.append(Placement(profile, start))
    return held


def fits(board: Board, held: list[Placement], more: Placement) -> bool:
    """Whether a card with *held* on it has room for one *more*: its memory slices and every engine counter."""
    together = [*held, more]
    taken = [cell for item in together for cell in range(item.start, item.start + item.profile.size)]
    if len(set(taken)) < len(taken):
        return False
    amounts = [_amounts(item.profile) for item in together]
    whole = [max(column) for column in zip(*map(_amounts, board.profiles), strict=True)]
    return all(sum(column) <= most for column, most in zip(zip(*amounts, strict=True), whole, strict=True))


def _amounts(profile: Profile) -> tuple[int, ...]:
    return (
        profile.multiprocessors,
        profile.copy_engines,
        profile.decoders,
        profile.jpeg_engines,
        profile.ofa_engines,
        profile.memory_mib,
    )
