"""Fragmentation of a card: what is stranded, what the same allocations could leave, and the cheapest moves to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from pools.core.cards import Card, cards_of
from pools.core.counters import Ledger, consuming, ledger_of
from pools.core.layout import Layout, Want, layout
from pools.core.mixes import rows_of_mixes
from pools.core.packing import Table
from pools.core.shape import Shape, shape_of
from pools.core.slots import measures_of, strips_of
from pools.domain.ids import CounterId
from pools.domain.state import DeviceReport, Holder, PoolReport

MOST_MOVES = 3
MOST_SETS = 2_000
"""Sets of allocations that are tried for one number of moves."""
_MIXES = 500


@dataclass(frozen=True, slots=True)
class TypeRoom:
    """How many more of a type fit on a card now, and with the same allocations in other places of the same types."""

    type: str
    now: int
    repacked: int
    exact: bool

    @property
    def lost(self) -> int:
        return self.repacked - self.now


@dataclass(frozen=True, slots=True)
class Stranded:
    """Of what a counter has free, the part that no set of devices that still fits could draw; in billionths."""

    counter: CounterId
    free_nano: int
    stranded_nano: int


@dataclass(frozen=True, slots=True)
class Waste:
    """
    What is stranded of one amount, or of one strip of slots as a whole; in billionths. `like` is a published text.
    """

    name: str
    capacity_nano: int
    free_nano: int
    stranded_nano: int
    like: str = ""


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """
    A card's room. `exact` is False when the mixes were cut: `stranded` may then be overstated.

    Types are those of the card, largest first; rows are alternatives. `stranded` has counters with anything stranded,
    `wastes` all that is measured on the card.
    """

    card: str
    largest: str
    types: tuple[TypeRoom, ...]
    stranded: tuple[Stranded, ...]
    wastes: tuple[Waste, ...]
    exact: bool

    @property
    def lost(self) -> tuple[TypeRoom, ...]:
        """The types of which more would fit after moving."""
        return tuple(each for each in self.types if each.lost > 0)


@dataclass(frozen=True, slots=True)
class Move:
    """One allocation that would have to be made again on another device of the same type."""

    source: str
    target: str
    type: str
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Moves after which `gained` devices of a type fit together, one more than now."""

    type: str
    moves: tuple[Move, ...]
    gained: tuple[str, ...]

    @property
    def pods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pod for move in self.moves for hold in move.holders for pod in hold.pods))


@dataclass(frozen=True, slots=True)
class Plans:
    """The plans with the fewest moves, cheapest first; `exact` False when a bound was met before all were tried."""

    plans: tuple[Plan, ...]
    exact: bool


class _Bench:
    """One card with what stands on it, ready to lift allocations and to place devices."""

    @classmethod
    def of(cls, report: PoolReport, card_key: str) -> _Bench:
        shape = shape_of(report.pool)
        found = next((each for each in cards_of(shape) if each.key == card_key), None)
        if found is None:
            raise KeyError(card_key)
        return cls(report, shape, found, ledger_of(report, shape))

    def __init__(self, report: PoolReport, shape: Shape, found: Card, books: Ledger) -> None:
        self.shape: Shape = shape
        self.card: Card = found
        self.devices: list[DeviceReport] = [report.devices[row] for row in found.devices]
        self.books = books
        self.free = tuple(books.left[list(found.counters)].tolist())
        mine = set(found.counters)
        self.blocked = any(left < 0 for position, left in enumerate(books.left.tolist()) if position not in mine)
        self._in_use = [row for row in range(len(report.devices)) if row < len(books.in_use) and books.in_use[row]]
        self.movable = tuple(place for place, each in enumerate(self.devices) if _movable(each))
        targets: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self.devices):
            if each.state in ("available", "blocked") or place in self.movable:
                targets[each.type].append(place)
        self.targets = {kind: tuple(places) for kind, places in targets.items()}

    def types(self) -> list[str]:
        return list(dict.fromkeys(each.type for each in self.devices))

    def without(self, lifted: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What is free, and which groups are common, when these allocations are lifted."""
        free = list(self.free)
        for place in lifted:
            free = [have + max(0, cost) for have, cost in zip(free, self.card.table.rows[place], strict=True)]
        gone = {self.card.devices[place] for place in lifted}
        common = [-1] * len(self.shape.grouped_sets)
        for row in self._in_use:
            if row not in gone:
                common = [one & other for one, other in zip(common, self.shape.groups[row], strict=True)]
        return tuple(free), tuple(common)

    def place(self, lifted: Sequence[int], kind: str, count: int) -> tuple[list[str], Layout]:
        """Place the lifted allocations again, and *count* devices of a type with them."""
        if self.blocked:
            return [], Layout(None)
        numbers: dict[str, int] = defaultdict(int)
        for place in lifted:
            numbers[self.devices[place].type] += 1
        numbers[kind] += count
        staying = set(self.movable) - set(lifted)
        wants: list[Want] = [
            (number, tuple(place for place in self.targets.get(each, ()) if place not in staying))
            for each, number in numbers.items()
        ]
        return list(numbers), layout(self.card.table, tuple(wants), *self.without(lifted))


def _movable(report: DeviceReport) -> bool:
    return report.state == "allocated" and report.published and not report.shareable


def fragmentation(report: PoolReport, card_key: str) -> Fragmentation:
    """
    Tell how much room a card wastes.

    An allocation may move to any other device of its type on the card that is not tainted; shareable devices stay.

    Raises:
        KeyError: the pool has no such card.
    """
    return _fragmentation(report, _Bench.of(report, card_key))


def fragmentations(report: PoolReport) -> tuple[Fragmentation, ...]:
    """The same for every card of a pool, in the cards' order. Cost: equal cards in equal states are computed once."""
    shape = shape_of(report.pool)
    books = ledger_of(report, shape)
    return tuple(_fragmentation(report, _Bench(report, shape, card, books)) for card in cards_of(shape))


def _fragmentation(report: PoolReport, bench: _Bench) -> Fragmentation:
    card = next(each for each in report.cards if each.key == bench.card.key)
    rooms = []
    for row in card.types:
        repacked, exact = _repacked(bench, row.type, row.max_more)
        rooms.append(TypeRoom(row.type, row.max_more, repacked, row.exact and exact))
    stranded, whole = _stranded(report, bench)
    return Fragmentation(card.key, card.largest, tuple(rooms), stranded, tuple(_wastes(report, bench, stranded)), whole)


def _wastes(report: PoolReport, bench: _Bench, stranded: Sequence[Stranded]) -> Iterator[Waste]:
    """What is stranded of all that is measured on the card, strips of slots as a whole."""
    stems = {strip.cells: strip.stem for strip in strips_of(bench.shape, bench.card)}
    lost = {row.counter: row.stranded_nano for row in stranded}
    uses = {use.id: use for use in report.counters}
    for positions in measures_of(bench.shape, bench.card):
        counters = [bench.shape.counters[position] for position in positions]
        own = [uses[counter] for counter in counters]
        yield Waste(
            name=stems.get(positions) or counters[0].counter,
            capacity_nano=sum(max(0, use.capacity.nano) for use in own),
            free_nano=sum(use.available_nano for use in own),
            stranded_nano=sum(lost.get(counter, 0) for counter in counters),
            like=own[0].capacity.text,
        )


def _repacked(bench: _Bench, kind: str, now: int) -> tuple[int, bool]:
    most = now
    while most < len(bench.targets.get(kind, ())):
        _, found = bench.place(bench.movable, kind, most + 1)
        if found.rows is None:
            return most, found.decided
        most += 1
    return most, True


def _stranded(report: PoolReport, bench: _Bench) -> tuple[tuple[Stranded, ...], bool]:
    maximal, _, cut = rows_of_mixes(report, bench.shape, bench.card, bench.books, _MIXES)
    usable = _usable(bench.card.table, maximal, len(bench.free))
    rows = tuple(
        Stranded(bench.shape.counters[position], free * unit, (free - used) * unit)
        for position, free, used in zip(bench.card.counters, bench.free, usable, strict=True)
        if (unit := bench.shape.unit[position]) and free > used
    )
    return rows, not cut


@lru_cache(maxsize=4096)
def _usable(table: Table, mixes: tuple[tuple[int, ...], ...], width: int) -> tuple[int, ...]:
    """The most that any of the mixes draws from each counter."""
    usable = [0] * width
    for mix in mixes:
        sums = [sum(max(0, table.rows[row][position]) for row in mix) for position in range(width)]
        usable = [max(one, other) for one, other in zip(usable, sums, strict=True)]
    return tuple(usable)


def cheapest_moves(report: PoolReport, card_key: str, kind: str, *, most: int = MOST_MOVES) -> Plans:
    """
    Find the fewest allocations whose move to other places on the card lets one more device of a type fit than now.

    Of equally short plans the cheapest come first: fewest pods, then least drawn from the counters, then youngest.

    Args:
        kind: a type of the card.
        most: more moves than this are not tried.

    Raises:
        KeyError: the pool has no such card.
    """
    bench = _Bench.of(report, card_key)
    card = next(each for each in report.cards if each.key == card_key)
    now = next((row.max_more for row in card.types if row.type == kind), 0)
    exact = True
    for number in range(1, min(most, len(bench.movable)) + 1):
        plans = []
        for tried, lifted in enumerate(combinations(bench.movable, number)):
            if tried == MOST_SETS:
                exact = False
                break
            kinds, found = bench.place(lifted, kind, now + 1)
            exact = exact and found.decided
            if found.rows is not None:
                plans.append(_plan(bench, lifted, kind, kinds, found.rows))
        if plans:
            return Plans(tuple(sorted(plans, key=lambda plan: _price(bench, plan))), exact)
    return Plans((), exact and len(bench.movable) <= most)


def _plan(bench: _Bench, lifted: Sequence[int], kind: str, kinds: Sequence[str], rows: Sequence[Sequence[int]]) -> Plan:
    targets = {each: iter(sorted(places)) for each, places in zip(kinds, rows, strict=True)}
    moves = tuple(_moves(bench, lifted, targets, kind))
    gained = tuple(bench.devices[place].id.name for place in targets[kind])
    return Plan(kind, moves, gained)


def _moves(bench: _Bench, lifted: Sequence[int], targets: dict[str, Iterator[int]], kind: str) -> Iterator[Move]:
    """Pair each lifted allocation with a place of its type; what is left over of *kind* is the gain."""
    for place in lifted:
        device = bench.devices[place]
        target = bench.devices[next(targets[device.type])]
        yield Move(device.id.name, target.id.name, device.type, consuming(device.holders))


def _price(bench: _Bench, plan: Plan) -> tuple[int, float, list[str]]:
    place_of = {each.id.name: place for place, each in enumerate(bench.devices)}
    rows = [bench.card.table.rows[place_of[move.source]] for move in plan.moves]
    capacity = [max(1, int(bench.shape.capacity[position])) for position in bench.card.counters]
    drawn = sum(cost / whole for row in rows for cost, whole in zip(row, capacity, strict=True))
    since = sorted((hold.since for move in plan.moves for hold in move.holders), reverse=True)
    return len(plan.pods), drawn, [_backwards(text) for text in since]


def _backwards(text: str) -> str:
    """A key that sorts later times first."""
    return "".join(chr(0x10FFFF - ord(letter)) for letter in text)
