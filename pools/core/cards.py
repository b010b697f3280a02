"""Cards: which devices and counters hang together, found from consumption and never from names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pools.core.packing import Table
from pools.core.shape import Shape
from pools.domain.pool import Pool

_MARKS = "-_.:/ "
_NAMED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """
    The part of a shape that hangs together: positions of its counters and devices in the pool, ascending.

    `whole` marks devices that take all that any device of the card can take. `table` is its packing problem.
    """

    key: str
    counters: tuple[int, ...]
    devices: tuple[int, ...]
    whole: tuple[bool, ...]
    table: Table


@lru_cache(maxsize=512)
def cards_of(shape: Shape) -> tuple[Card, ...]:
    """
    The connected components of devices and the counters that they draw on, in the order of their first counter.

    A counter that no device draws on goes to the card of the first device that names it with 0, else to the one card of
    its set; if its set has several cards or none, such counters make a card without devices, set by set. A device that
    names counters without drawing on any goes to the card of the first counter that it names.
    """
    roots = _components(shape)
    members: dict[int, list[int]] = defaultdict(list)
    for position in range(len(shape.counters)):
        members[roots[position]].append(position)
    rows: dict[int, list[int]] = defaultdict(list)
    for row, named in enumerate(shape.named):
        if named:
            rows[roots[shape.draws[row][0][0] if shape.draws[row] else named[0]]].append(row)
    keys = _keys(shape, [members[root] for root in members])
    return tuple(
        _card(shape, key, tuple(members[root]), tuple(rows[root])) for key, root in zip(keys, members, strict=True)
    )


def _components(shape: Shape) -> list[int]:
    """For each counter the lowest counter of its component."""
    forest = _Forest(len(shape.counters))
    drawn: set[int] = set()
    for draws in shape.draws:
        for position, _ in draws:
            drawn.add(position)
            forest.join(draws[0][0], position)
    idle = [position for position in range(len(shape.counters)) if position not in drawn]
    if idle:
        _attach(forest, shape, drawn, idle)
    return [forest.find(position) for position in range(len(shape.counters))]


def _attach(forest: _Forest, shape: Shape, drawn: set[int], idle: Sequence[int]) -> None:
    """Give the counters that nobody draws on to the card that they are named with, else to the card of their set."""
    hosts: dict[int, int] = {}
    for named, draws in zip(shape.named, shape.draws, strict=True):
        for position in named if draws else ():
            if position not in drawn:
                hosts.setdefault(position, draws[0][0])
    for position, host in hosts.items():
        forest.join(position, host)
    by_set: dict[str, set[int]] = defaultdict(set)
    for position in (*drawn, *hosts):
        by_set[shape.counters[position].counter_set].add(forest.find(position))
    left: dict[str, int] = {}
    for position in idle:
        if position not in hosts:
            name = shape.counters[position].counter_set
            homes = by_set[name]
            forest.join(position, next(iter(homes)) if len(homes) == 1 else left.setdefault(name, position))


class _Forest:
    """Disjoint sets of counters, each known by its lowest member."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, position: int) -> int:
        while self._parent[position] != position:
            self._parent[position] = self._parent[self._parent[position]]
            position = self._parent[position]
        return position

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.find(one), self.find(other)))
        self._parent[second] = first


def _keys(shape: Shape, members: Sequence[Sequence[int]]) -> list[str]:
    """The first counter set's name, with `#n` when it falls into several cards."""
    firsts = [shape.counters[each[0]].counter_set for each in members]
    spread: dict[str, int] = defaultdict(int)
    for each in members:
        for name in {shape.counters[position].counter_set for position in each}:
            spread[name] += 1
    seen: dict[str, int] = defaultdict(int)
    keys = []
    for name in firsts:
        seen[name] += 1
        keys.append(name if spread[name] == 1 else f"{name}#{seen[name]}")
    return keys


def _card(shape: Shape, key: str, counters: tuple[int, ...], devices: tuple[int, ...]) -> Card:
    cost = shape.cost[np.ix_(devices, counters)]
    peak = cost.max(axis=0) if devices else shape.capacity[list(counters)]
    table = Table.of(cost, tuple(shape.groups[row] for row in devices))
    whole = tuple(bool(flag) for flag in (cost == peak).all(axis=1)) if len(counters) else ()
    return Card(key, counters, devices, whole, table)


def card_labels(pool: Pool, shape: Shape, cards: Sequence[Card]) -> tuple[str, ...]:
    """
    What people call each card: what its devices' names begin with, else its few counters or sets, else its key.

    A label that would stand for two cards gets the key added.
    """
    labels = [_label(pool, shape, card) for card in cards]
    return tuple(
        label if labels.count(label) == 1 else f"{label} ({card.key})"
        for label, card in zip(labels, cards, strict=True)
    )


def _label(pool: Pool, shape: Shape, card: Card) -> str:
    names = [pool.devices[row].device.name for row in card.devices]
    common = _common_words(names)
    if common:
        return common
    counters = [shape.counters[position] for position in card.counters]
    sets = list(dict.fromkeys(counter.counter_set for counter in counters))
    if len(sets) > 1:
        return _joined(_without_common_end(sets))
    return _joined([counter.counter for counter in counters]) if "#" in card.key else card.key


def _joined(names: Sequence[str]) -> str:
    return " + ".join(names) if len(names) <= _NAMED else f"{names[0]} … {names[-1]}"


def _without_common_end(names: Sequence[str]) -> list[str]:
    """gpu-0, gpu-1 for gpu-0-counter-set, gpu-1-counter-set."""
    end = _common_words([name[::-1] for name in names])
    return [name[: len(name) - len(end)].strip(_MARKS) or name for name in names]


def _common_words(names: Sequence[str]) -> str:
    """What all names begin with, cut where a word ends; '' when they share no whole word."""
    if not names:
        return ""
    low, high = min(names), max(names)
    length = 0
    for length, (one, other) in enumerate(zip(low, high, strict=False)):  # noqa: B007
        if one != other:
            break
    else:
        length = min(len(low), len(high))
    if all(len(name) == length or name[length] in _MARKS for name in names):
        return low[:length].strip(_MARKS)
    cut = max(low.rfind(mark, 0, length) for mark in _MARKS)
    return low[:cut].strip(_MARKS) if cut > 0 else ""
