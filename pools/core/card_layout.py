"""A whole layout on one card: can so many of each type stand there together, where, and if not, why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pools.core.amounts import shown
from pools.core.cards import Card, cards_of
from pools.core.counters import ledger_of
from pools.core.layout import Layout, layout
from pools.core.shape import Shape, shape_of
from pools.core.slots import measures_of, strips_of
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId
from pools.domain.state import DeviceReport, PoolReport

MOST_OF_A_TYPE = 1_000
Wanted = Sequence[tuple[str, int]]
"""(type, how many), each type once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One entry of a layout. `alone` is the most that fits, up to `count`, with nothing else of the layout; `beside` with
    all else of it, None when not even the rest fits together. Both are lower bounds when the answer is undecided.
    """

    type: str
    count: int
    alone: int
    beside: int | None


@dataclass(frozen=True, slots=True)
class CardLayout:
    """
    The answer. `undecided`: a bound was met.

    `devices` are, when it fits, the devices of each entry. `reasons` say, when it is impossible, a sentence each, what
    is in the way.
    """

    verdict: Literal["fits", "impossible", "undecided"]
    entries: tuple[Entry, ...]
    devices: tuple[tuple[str, ...], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether each entry would fit by itself."""
        return all(entry.alone == entry.count for entry in self.entries)


def card_layout(report: PoolReport, card_key: str, wanted: Wanted) -> CardLayout:
    """
    Place a layout on top of what is allocated on a card, exactly.

    Raises:
        KeyError: the pool has no such card.
        ScenarioError: the layout is empty, a type is named twice or not the card's, or a count is out of bounds.
    """
    bench = _Bench(report, card_key)
    bench.check(wanted)
    found = bench.place(wanted)
    if found.rows is not None:
        names = tuple(tuple(bench.devices[place].id.name for place in sorted(rows)) for rows in found.rows)
        return CardLayout("fits", tuple(Entry(kind, count, count, count) for kind, count in wanted), names)
    entries = tuple(
        Entry(kind, count, bench.most(kind, count) or 0, bench.most(kind, count, beside=_others(wanted, kind)))
        for kind, count in wanted
    )
    if not found.decided:
        return CardLayout("undecided", entries)
    return CardLayout("impossible", entries, reasons=tuple(_reasons(bench, wanted, entries)))


def claims_on(report: PoolReport, card_key: str) -> tuple[ClaimId, ...]:
    """The claims that have to go so that the card is empty."""
    held = {hold.claim for each in report.devices if each.card == card_key for hold in each.holders if not hold.admin}
    return tuple(sorted(held))


class _Bench:
    """One card with what is free on it."""

    def __init__(self, report: PoolReport, card_key: str) -> None:
        self.shape: Shape = shape_of(report.pool)
        found = next((each for each in cards_of(self.shape) if each.key == card_key), None)
        if found is None:
            raise KeyError(card_key)
        self.card: Card = found
        self.devices: list[DeviceReport] = [report.devices[row] for row in found.devices]
        books = ledger_of(report, self.shape)
        self.free: tuple[int, ...] = tuple(books.left[list(found.counters)].tolist())
        self.common = books.common
        self.likes = {use.id: use.capacity.text for use in report.counters}

    def rows(self, kind: str) -> tuple[int, ...]:
        return tuple(
            place for place, each in enumerate(self.devices) if each.type == kind and each.state == "available"
        )

    def place(self, wanted: Wanted) -> Layout:
        wants = tuple((count, self.rows(kind)) for kind, count in wanted if count)
        if not wants:
            return Layout(())
        return layout(self.card.table, wants, self.free, self.common)

    def most(self, kind: str, count: int, beside: Wanted = ()) -> int | None:
        """The most of a type, up to *count*, that fits beside the others; None when not even they fit."""
        for number in range(count, -1, -1):
            if self.place([*beside, (kind, number)]).rows is not None:
                return number
        return None

    def check(self, wanted: Wanted) -> None:
        known = {each.type for each in self.devices}
        names = [kind for kind, _ in wanted]
        if not wanted:
            raise ScenarioError("layout", "the layout is empty")
        for kind, count in wanted:
            if kind not in known:
                raise ScenarioError("layout", f"the card has no type {kind!r}; it has {', '.join(sorted(known))}")
            if names.count(kind) > 1:
                raise ScenarioError("layout", f"the type {kind!r} is named twice")
            if not 1 <= count <= MOST_OF_A_TYPE:
                raise ScenarioError("layout", f"from 1 to {MOST_OF_A_TYPE} of a type can be asked for, not {count}")


def _others(wanted: Wanted, kind: str) -> Wanted:
    return [pair for pair in wanted if pair[0] != kind]


def _reasons(bench: _Bench, wanted: Wanted, entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        if entry.alone < entry.count:
            yield f"Of {entry.type} at most {entry.alone} fit, even without the rest of the layout."
    short = list(_short(bench, wanted))
    yield from short
    if all(entry.alone == entry.count for entry in entries) and not short:
        yield "Every counter has enough in sum, but wherever the devices are placed two of them need the same units."
    for entry in entries:
        if entry.alone == entry.count and entry.beside is not None and len(entries) > 1:
            rest = " and ".join(f"{count} × {kind}" for kind, count in _others(wanted, entry.type))
            yield f"Beside {rest} there is room for {entry.beside} of the {entry.count} × {entry.type}."


def _short(bench: _Bench, wanted: Wanted) -> Iterator[str]:
    """What is measured on the card of which the layout needs, at the least, more than is free."""
    stems = {strip.cells: strip.stem for strip in strips_of(bench.shape, bench.card)}
    place_of = {position: place for place, position in enumerate(bench.card.counters)}
    for positions in measures_of(bench.shape, bench.card):
        units = [(place_of[position], bench.shape.unit[position]) for position in positions]
        free = sum(max(0, bench.free[place]) * unit for place, unit in units)
        need = sum(count * _least(bench, bench.rows(kind), units) for kind, count in wanted)
        if need > free:
            counter = bench.shape.counters[positions[0]]
            name, like = stems.get(positions) or counter.counter, bench.likes.get(counter, "")
            yield f"It needs at least {shown(need, like)} of {name}, and {shown(free, like)} is free."


def _least(bench: _Bench, rows: Sequence[int], units: Sequence[tuple[int, int]]) -> int:
    table = bench.card.table
    return min((sum(max(0, table.rows[row][place]) * unit for place, unit in units) for row in rows), default=0)
