"""Each device's state now, and every reason that keeps the scheduler from allocating it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pools.core.amounts import compared, listed, shown
from pools.core.counters import HoldersByName, Ledger, consuming
from pools.core.reach import only_nodes
from pools.core.search import compatible
from pools.core.shares import capacity_use, default_share, too_small
from pools.domain.device import Device, NodeReach
from pools.domain.ids import DeviceId
from pools.domain.pool import Pool
from pools.domain.state import CapacityUse, DeviceReport, DeviceState, Holder, Reason, Surroundings

_OUT = frozenset(("pool-incomplete", "pool-invalid", "node-missing", "unknown-selection"))
_BLOCKING = frozenset(("capacity-exhausted", "counter-short", "counter-negative", "compatibility"))


def device_reports(
    pool: Pool,
    ledger: Ledger,
    holders: HoldersByName,
    around: Surroundings,
    types: Sequence[str],
    cards: Sequence[str],
) -> tuple[DeviceReport, ...]:
    """
    A report for each device of the pool in publication order, then for those that only an older slice or a claim names.

    A device is judged alone, for a request without selectors and tolerations. `allocated` is a fact about claims and
    holds whatever state the pool is in; all other states are about free devices (cases/README.md). `blocked` goes
    before `tainted`, which is said of devices that would fit.

    Args:
        types: per device, its type; cards: per device, the key of its card or ''.

    Source: dra-api.md 3.15a.
    """
    judge = _Judge(pool, ledger, holders, around)
    current = [judge.current(row, types[row], cards[row]) for row in range(len(pool.devices))]
    return (*current, *judge.gone())


class _Judge:
    """Judges the devices of one pool at one moment."""

    def __init__(self, pool: Pool, ledger: Ledger, holders: HoldersByName, around: Surroundings) -> None:
        self._pool = pool
        self._ledger = ledger
        self._holders = holders
        self._nodes = around.node_names
        self._common = _pool_reasons(pool)
        self._rules = tuple(
            rule
            for rule in around.taint_rules
            if rule.has_selector and rule.driver in (None, pool.id.driver) and rule.pool in (None, pool.id.name)
        )
        self._reaches: dict[int, tuple[Reason, ...]] = {}
        self._counter_holders: dict[int, tuple[Holder, ...]] = {}
        self._negative = tuple(int(position) for position in np.flatnonzero(ledger.left < 0))
        self._short: NDArray[np.bool_] = ledger.shape.cost > ledger.left
        self._fits: NDArray[np.bool_] = ~self._short.any(axis=1) | ~ledger.shape.consuming

    def current(self, row: int, kind: str, card: str) -> DeviceReport:
        """The report of one device of the newest generation."""
        item = self._pool.devices[row]
        device = item.device
        held = self._holders.get(device.name, ())
        used = consuming(held)
        open_to_shares = device.allow_multiple_allocations and all(hold.share_id for hold in used)
        consumed = capacity_use(device, used) if device.allow_multiple_allocations else {}
        reasons = [*self._common, *self._reach(item.reach)]
        if used and not open_to_shares:
            reasons.append(_allocated(used))
        elif self._pool.usable:
            reasons += _capacity_reasons(device, consumed)
            if not used:
                reasons += self._counter_reasons(row)
        reasons += self._taints(device)
        reasons += self._compatibility(row) if self._pool.usable and not used else ()
        return DeviceReport(
            id=DeviceId(*self._pool.id, device.name),
            pooled=item,
            state=_state(bool(used), reasons),
            reasons=tuple(reasons),
            type=kind,
            card=card,
            holders=held,
            capacity=consumed,
            shares=sum(1 for hold in used if hold.share_id),
            accepts_more=bool(used) and open_to_shares and not reasons,
        )

    def gone(self) -> Iterator[DeviceReport]:
        """Devices that only older slices list, then those that only a claim still names."""
        for name in dict.fromkeys((*self._pool.stale, *self._ledger.lost)):
            held = self._holders.get(name, ())
            used = consuming(held)
            reasons = [*self._common]
            if name in self._pool.stale:
                text = f"Only an older generation of the pool lists it; the newest is {self._pool.generation}."
                reasons.insert(0, Reason("stale", text))
            reasons += [_allocated(used)] if used else []
            if name not in self._pool.stale:
                text = f"No slice of generation {self._pool.generation} lists it, but a claim still holds it."
                reasons.append(Reason("not-published", text, holders=used))
            state: DeviceState = "allocated" if used else "unavailable"
            yield DeviceReport(
                DeviceId(*self._pool.id, name), None, state, tuple(reasons), holders=held, published=False
            )

    def _reach(self, reach: NodeReach) -> tuple[Reason, ...]:
        known = self._reaches.get(id(reach))
        if known is None:
            known = self._reaches[id(reach)] = tuple(_reach_reasons(reach, self._nodes))
        return known

    def _counter_reasons(self, row: int) -> Iterator[Reason]:
        if self._fits[row]:
            return
        draws = dict(self._ledger.shape.draws[row])
        for position in np.flatnonzero(self._short[row]).tolist():
            use = self._ledger.uses[position]
            like = use.capacity.text
            holders = self._held(position)
            if position in draws:
                need, left = compared(draws[position], use.remaining_nano, like)
                text = f"{use.id.counter} of {use.id.counter_set}: needs {need}, {left} left{_by(holders)}."
                yield Reason("counter-short", text, use.id, draws[position], use.remaining_nano, holders)
            else:
                text = (
                    f"{use.id.counter} of {use.id.counter_set} is negative ({shown(use.remaining_nano, like)}), "
                    f"which blocks every device of the pool that consumes counters{_by(holders)}."
                )
                yield Reason("counter-negative", text, use.id, 0, use.remaining_nano, holders)

    def _held(self, position: int) -> tuple[Holder, ...]:
        known = self._counter_holders.get(position)
        if known is None:
            known = tuple(hold for charge in self._ledger.uses[position].holds for hold in charge.holders)
            self._counter_holders[position] = known
        return known

    def _taints(self, device: Device) -> list[Reason]:
        own = [
            Reason("tainted", f"Taint {taint}, set by the driver.", taint=str(taint))
            for taint in device.taints
            if taint.blocks
        ]
        return own + [
            Reason(
                "tainted",
                f"Taint {rule.taint}, by rule {rule.meta.name}.",
                taint=str(rule.taint),
                rule=rule.meta.name,
            )
            for rule in self._rules
            if rule.taint.blocks and rule.device in (None, device.name)
        ]

    def _compatibility(self, row: int) -> Iterator[Reason]:
        shape = self._ledger.shape
        if not shape.grouped_sets:
            return
        for position, (mask, common) in enumerate(zip(shape.groups[row], self._ledger.common, strict=True)):
            if compatible(mask, common):
                continue
            name = shape.grouped_sets[position]
            holders = self._users_of(position)
            text = (
                f"Its compatibility groups on {name} have none in common with the devices in use there{_by(holders)}."
            )
            yield Reason("compatibility", text, holders=holders)

    def _users_of(self, grouped: int) -> tuple[Holder, ...]:
        shape = self._ledger.shape
        return tuple(
            hold
            for row in np.flatnonzero(self._ledger.in_use).tolist()
            if shape.groups[row][grouped] != -1
            for hold in consuming(self._holders[self._pool.devices[row].device.name])
        )


def _state(used: bool, reasons: Sequence[Reason]) -> DeviceState:
    codes = {reason.code for reason in reasons}
    if used:
        return "allocated"
    if codes & _OUT:
        return "unavailable"
    if codes & _BLOCKING:
        return "blocked"
    return "tainted" if codes else "available"


def _pool_reasons(pool: Pool) -> tuple[Reason, ...]:
    if pool.state == "incomplete":
        return (Reason("pool-incomplete", f"The pool is being updated: {pool.reason}."),)
    if pool.state == "invalid":
        return (Reason("pool-invalid", f"The pool is invalid: {pool.reason}."),)
    return ()


def _reach_reasons(reach: NodeReach, nodes: frozenset[str] | None) -> Iterator[Reason]:
    if not reach.is_set:
        yield Reason("unknown-selection", "No known node selection is set, so the scheduler leaves it out.")
        return
    named = only_nodes(reach)
    if named is not None and not named:
        yield Reason("node-missing", "Its node selector matches no node.")
    elif named is not None and nodes is not None and not named & nodes:
        names = sorted(named)
        verb = "does not exist" if len(names) == 1 else "do not exist"
        yield Reason("node-missing", f"Node {listed(names)} {verb}, so no pod can reach it.")


def _allocated(used: Sequence[Holder]) -> Reason:
    return Reason("allocated", f"In use{_by(used)}.", holders=tuple(used))


def _by(holders: Sequence[Holder]) -> str:
    """`, held by claim ml/a (pod ml/p) and claim ml/b`, or nothing."""
    if not holders:
        return ""
    names = [f"{hold.claim}{f' (pod {listed(list(hold.pods), 1)})' if hold.pods else ''}" for hold in holders]
    return f", held by {listed(list(dict.fromkeys(names)))}"


def _capacity_reasons(device: Device, uses: Mapping[str, CapacityUse]) -> Iterator[Reason]:
    if not device.allow_multiple_allocations and all(item.policy is None for item in device.capacity.values()):
        return
    for key in too_small(device, uses):
        capacity = device.capacity[key]
        use = uses.get(key)
        left = capacity.value.nano - (use.consumed_nano if use is not None else 0)
        need, rest = compared(default_share(capacity), left, capacity.value.text)
        yield Reason(
            "capacity-exhausted",
            f"{key}: a request that does not name it needs {need}, {rest} left.",
            need_nano=default_share(capacity),
            remaining_nano=left,
        )
