"""Aligned pairs of two drivers' devices (GPU and NIC of one PCIe root): whole, half used, used and broken ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pools.core.cel_program import Facts, program
from pools.core.cel_values import CelError
from pools.core.compound_groups import values
from pools.core.pairs_fit import Device, Size, Stock, aligned
from pools.core.reach import only_nodes
from pools.domain.device import Scalar
from pools.domain.state import DeviceReport, PoolReport


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: `count` devices of a driver that match all selectors (CEL)."""

    driver: str
    count: int = 1
    selectors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is to be paired: both sides must agree in `attribute` (bare: each driver's own), as matchAttribute wants."""

    attribute: str
    first: Side
    second: Side


@dataclass(frozen=True, slots=True)
class Pairs:
    """
    How many pairs there are: `possible` = `whole` + `half_used` + `used` + `broken`.

    whole: can be had now; used: both sides are in use, by one claim or several; half_used: one side is in use, or both
    are but for other pairs, so what is left makes no pair; broken: a side is tainted, unreachable or not usable.
    `first_free` and `second_free` count free devices, paired or not. Not `exact` means bounds (see `aligned`).
    """

    possible: int = 0
    whole: int = 0
    used: int = 0
    half_used: int = 0
    broken: int = 0
    first_free: int = 0
    second_free: int = 0
    exact: bool = True

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(
            self.possible + other.possible,
            self.whole + other.whole,
            self.used + other.used,
            self.half_used + other.half_used,
            self.broken + other.broken,
            self.first_free + other.first_free,
            self.second_free + other.second_free,
            self.exact and other.exact,
        )


@dataclass(frozen=True, slots=True)
class AlignedGroup:
    """Devices of a node tied together by values of the attribute; several values where a device has several."""

    values: tuple[Scalar, ...]
    first: tuple[DeviceReport, ...]
    second: tuple[DeviceReport, ...]
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class NodePairs:
    """One node's groups, in the order of their values, and their sum."""

    node: str
    groups: tuple[AlignedGroup, ...]
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class PairReport:
    """
    All nodes with devices of either side, by name, and their sum.

    `left_out` tells devices that cannot be paired (no such attribute, not on one node, a failing selector), and why.
    """

    nodes: tuple[NodePairs, ...]
    pairs: Pairs
    left_out: tuple[tuple[DeviceReport, str], ...]


_Key = tuple[str, Scalar]


def pairs(reports: Iterable[PoolReport], pairing: Pairing) -> PairReport:
    """
    Count the aligned pairs of two drivers' devices.

    A pair is `first.count` devices of one side and `second.count` of the other on one node with one value of the
    attribute in common. Where any device of a group goes with any other, the number is exact: the smaller of what both
    sides can serve. Devices that draw on counters count as far as they fit together.

    Raises:
        CelCompileError: a selector is no valid expression.
        CelUnsupported: a selector cannot be evaluated here.
        ValueError: a side counts less than one device.
    """
    if min(pairing.first.count, pairing.second.count) < 1:
        raise ValueError("each side of a pair counts at least one device")
    nodes: dict[str, list[tuple[int, Device, frozenset[_Key]]]] = defaultdict(list)
    left_out: list[tuple[DeviceReport, str]] = []
    for report in reports:
        for side, device in _members(report, pairing, left_out):
            node, keys, why = _place(device, pairing.attribute)
            if why:
                left_out.append((device.report, why))
            else:
                nodes[node].append((side, device, keys))
    found = tuple(_node(name, members, pairing) for name, members in sorted(nodes.items()))
    return PairReport(found, sum((each.pairs for each in found), Pairs()), tuple(left_out))


def _members(
    report: PoolReport, pairing: Pairing, left_out: list[tuple[DeviceReport, str]]
) -> Iterator[tuple[int, Device]]:
    """The devices of a pool that are on a side; one on both sides counts for the first."""
    both = enumerate((pairing.first, pairing.second))
    sides = [(index, side) for index, side in both if side.driver == report.pool.id.driver]
    stock = Stock(report)
    for row, each in enumerate(report.devices if sides else ()):
        if each.pooled is None or not each.published:
            continue
        facts = Facts(report.pool.id.driver, each.pooled.device)
        try:
            index = next((index for index, side in sides if _matches(side, facts)), None)
        except CelError as error:
            left_out.append((each, f"a selector fails: {error}"))
            continue
        if index is not None:
            yield index, Device(stock, row)


def _matches(side: Side, facts: Facts) -> bool:
    return all(program(text).matches(facts) for text in side.selectors)


def _place(device: Device, attribute: str) -> tuple[str, frozenset[_Key], str]:
    """Node, values, and why the device cannot be paired."""
    pooled = device.report.pooled
    if pooled is None:
        return "", frozenset(), "no longer published"
    nodes = only_nodes(pooled.reach) if pooled.reach.is_set else None
    if nodes is None or len(nodes) != 1:
        return "", frozenset(), "not on one named node"
    keys = frozenset(values(pooled.device.attribute(attribute, device.report.id.driver)))
    return next(iter(nodes)), keys, "" if keys else f"has no {attribute}"


def _node(name: str, members: Sequence[tuple[int, Device, frozenset[_Key]]], pairing: Pairing) -> NodePairs:
    groups = tuple(_group(each, pairing) for each in _tied(members))
    return NodePairs(name, groups, sum((each.pairs for each in groups), Pairs()))


def _tied(
    members: Sequence[tuple[int, Device, frozenset[_Key]]],
) -> list[list[tuple[int, Device, frozenset[_Key]]]]:
    """Devices that have values in common, directly or through others."""
    groups: list[tuple[set[_Key], list[tuple[int, Device, frozenset[_Key]]]]] = []
    for member in members:
        keys, joined = set(member[2]), [member]
        for other in [each for each in groups if each[0] & keys]:
            groups.remove(other)
            keys |= other[0]
            joined = [*other[1], *joined]
        groups.append((keys, joined))
    return [joined for _, joined in sorted(groups, key=lambda each: min(map(_order, each[0])))]


def _order(key: _Key) -> tuple[str, int, str]:
    kind, value = key
    return kind, value if isinstance(value, int) else 0, str(value)


def _group(members: Sequence[tuple[int, Device, frozenset[_Key]]], pairing: Pairing) -> AlignedGroup:
    keys = sorted({key for _, _, each in members for key in each}, key=_order)
    sides = [[(device, each) for side, device, each in members if side == index] for index in (0, 1)]
    counts = (pairing.first.count, pairing.second.count)

    def size(keep: Callable[[Device], bool], free: bool = False) -> Size:
        kept = [[entry for entry in side if keep(entry[0])] for side in sides]
        return aligned(kept[0], kept[1], counts, free=free)

    possible, sound = size(lambda device: True), size(lambda device: device.sound)
    whole = size(lambda device: device.free, free=True)
    if len(keys) == 1:  # what is not free any more, by side: exact where devices share counters, too
        used = min((sound.first - whole.first) // counts[0], (sound.second - whole.second) // counts[1])
    else:
        used = size(lambda device: device.sound and not device.free).pairs
    both = min(used, sound.pairs - whole.pairs)
    return AlignedGroup(
        values=tuple(value for _, value in keys),
        first=tuple(device.report for device, _ in sides[0]),
        second=tuple(device.report for device, _ in sides[1]),
        pairs=Pairs(
            possible=possible.pairs,
            whole=whole.pairs,
            used=both,
            half_used=sound.pairs - whole.pairs - both,
            broken=possible.pairs - sound.pairs,
            first_free=whole.first,
            second_free=whole.second,
            exact=all(each.exact for each in (possible, sound, whole)),
        ),
    )
