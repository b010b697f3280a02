"""The largest set of devices that fits into what is free: branch and bound over several resources at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Row = tuple[tuple[int, int], ...]
"""The counters that a device draws on, with amounts above 0."""


@dataclass(frozen=True, slots=True)
class Problem:
    """
    Devices sorted from light to heavy; `order[i]` is the place of device i among those given.

    `rows` are their draws; `groups` their masks per grouped set; `free` is what each counter has left, `common` the
    groups in use. `users[c]` lists the devices that draw on counter c, the lightest on it first.
    """

    order: tuple[int, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[int, ...], ...]
    free: tuple[int, ...]
    common: tuple[int, ...]
    users: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def of(
        cls,
        costs: Sequence[Sequence[int]],
        groups: Sequence[tuple[int, ...]],
        free: Sequence[int],
        common: Sequence[int],
    ) -> Problem:
        """
        Set up a search.

        Args:
            costs: per device, what it needs of each counter; none below 0.
            groups: per device, one bit mask per grouped set.
            free: what each counter has left.
            common: one bit mask per grouped set.
        """
        used = [position for position in range(len(free)) if any(row[position] for row in costs)]
        weight = [sum(row[position] / max(1, free[position]) for position in used) for row in costs]
        order = sorted(range(len(costs)), key=weight.__getitem__)
        dense = [tuple(costs[index][position] for position in used) for index in order]
        rows = tuple(tuple((position, cost) for position, cost in enumerate(row) if cost) for row in dense)
        users = tuple(
            tuple(sorted((row[position], device) for device, row in enumerate(dense) if row[position]))
            for position in range(len(used))
        )
        return cls(
            order=tuple(order),
            rows=rows,
            groups=tuple(groups[index] for index in order),
            free=tuple(free[position] for position in used),
            common=tuple(common),
            users=tuple(tuple((1 << device, cost) for cost, device in each) for each in users),
        )


def search(problem: Problem, budget: int) -> tuple[int, bool]:
    """
    The size of the largest set that fits, and whether it is certain to be the largest.

    Taking light devices first often reaches the bound at once. Else devices are tried one by one, light ones first;
    when one is left out, so are all that it could replace. A branch is cut when the bound says that it cannot beat the
    best found.

    Args:
        budget: looks at single devices before the search gives up and returns the best found.
    """
    start = fitting(problem, (1 << len(problem.rows)) - 1, problem.free, problem.common)
    best = _greedy(problem)
    if bound(problem, start, problem.free, best) <= best:
        return best, True
    stack = [(start, problem.free, problem.common, 0)]
    seen: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
    heavier: dict[int, int] = {}
    while stack:
        open_, free, common, taken = stack.pop()
        open_ = fitting(problem, open_, free, common)
        best = max(best, taken)
        budget -= open_.bit_count() + len(free)
        if taken + bound(problem, open_, free, best - taken) <= best:
            continue
        key = (open_, free, common)
        if seen.get(key, -1) >= taken:
            continue
        if budget <= 0:
            return best, False
        seen[key] = taken
        first = (open_ & -open_).bit_length() - 1
        if first not in heavier:
            heavier[first] = _heavier(problem, first)
        stack.append((open_ & ~(1 << first) & ~heavier[first], free, common, taken))
        stack.append((open_ & ~(1 << first), *take(problem, first, free, common), taken + 1))
    return best, True


def _greedy(problem: Problem) -> int:
    """How many are placed when each that fits is taken, from light to heavy."""
    free, common, taken = list(problem.free), problem.common, 0
    for row, masks in zip(problem.rows, problem.groups, strict=True):
        if all(cost <= free[position] for position, cost in row) and all(map(compatible, masks, common)):
            for position, cost in row:
                free[position] -= cost
            common = tuple(one & other for one, other in zip(common, masks, strict=True))
            taken += 1
    return taken


def _heavier(problem: Problem, device: int) -> int:
    """Which later devices (as bits) cost at least as much everywhere and go with no more groups."""
    row, own = problem.rows[device], problem.groups[device]
    bits = 0
    for other in range(device + 1, len(problem.rows)):
        costs = dict(problem.rows[other])
        if all(cost <= costs.get(position, 0) for position, cost in row) and all(
            theirs & ~mine == 0 for mine, theirs in zip(own, problem.groups[other], strict=True)
        ):
            bits |= 1 << other
    return bits


def compatible(mask: int, common: int) -> bool:
    """Whether a device goes with those in use on a set: it does not name the set (-1), or shares a group with all."""
    return mask == -1 or mask & common != 0


def take(
    problem: Problem, device: int, free: tuple[int, ...], common: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What is free, and which groups are common, once the device is taken."""
    left = list(free)
    for position, cost in problem.rows[device]:
        left[position] -= cost
    return tuple(left), tuple(one & other for one, other in zip(common, problem.groups[device], strict=True))


def fitting(problem: Problem, open_: int, free: tuple[int, ...], common: tuple[int, ...]) -> int:
    """Of the open devices those that still fit by themselves."""
    for position, users in enumerate(problem.users):
        left = free[position]
        for bit, cost in reversed(users):
            if cost <= left:
                break
            open_ &= ~bit
    if common:
        for device, masks in enumerate(problem.groups):
            if open_ >> device & 1 and not all(map(compatible, masks, common)):
                open_ &= ~(1 << device)
    return open_


def bound(problem: Problem, open_: int, free: tuple[int, ...], enough: int) -> int:
    """
    No more than this many of the open devices fit together. Stops early at *enough* or less: nothing better is needed.

    Each counter by itself lets in only so many of those that draw on it. First every counter is tried alone, with all
    others let in; then devices are shared out among counters, so that the limits add up.
    """
    size = open_.bit_count()
    best = size
    limits = []
    for position, users in enumerate(problem.users):
        mine, let_in = _let_in(users, open_, free[position])
        if mine > let_in:
            best = min(best, size - mine + let_in)
            limits.append((let_in / mine, position))
            if best <= enough:
                return best
    limits.sort()
    rest, total = open_, 0
    for _, position in limits:
        mine, let_in = _let_in(problem.users[position], rest, free[position])
        if mine > let_in:
            total += let_in
            for bit, _ in problem.users[position]:
                rest &= ~bit
    return min(best, total + rest.bit_count())


def _let_in(users: Sequence[tuple[int, int]], open_: int, left: int) -> tuple[int, int]:
    """How many open devices draw on a counter, and how many of them fit, the lightest first."""
    mine = let_in = 0
    for bit, cost in users:
        if open_ & bit:
            mine += 1
            left -= cost
            if left >= 0:
                let_in += 1
    return mine, let_in
