"""Rows of pools and of what they hold; called by the mirror alone, inside its transaction."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from datetime import datetime
from typing import TypeVar

from django.db import models

from pools.core.repack import Fragmentation, fragmentations
from pools.domain.ids import PoolId
from pools.domain.state import DeviceReport, PoolReport, TypeFit
from pools.ingest.derive import (
    Fields,
    card_fields,
    counter_fields,
    device_fields,
    finding_fields,
    nodes_named,
    pool_fields,
    type_fields,
)
from pools.ingest.sync import discard, sync, update
from pools.models import Allocation, Card, Cluster, Counter, CounterSet, Device, Finding, Pool, PoolNode, TypeCount

M = TypeVar("M", bound=models.Model)
Wanted = dict[Hashable, Fields]


def write_pools(
    cluster: Cluster, asked: Collection[PoolId], reports: Mapping[PoolId, PoolReport], now: datetime
) -> set[str]:
    """
    Make the rows of the *asked* pools say what *reports* say; a pool without a report goes, with all that it holds.

    Returns:
        Names of nodes that the pools named before, and may no longer name.
    """
    existing = [row for row in _pools(cluster, asked) if PoolId(row.driver, row.name) in asked]
    before = set(PoolNode.objects.filter(pool__in=existing).order_by().values_list("name", flat=True))
    wanted: Wanted = {
        identity: {
            "cluster_id": cluster.pk,
            "driver": identity.driver,
            "name": identity.name,
            "revision": cluster.revision,
            "as_of": now,
            **pool_fields(report),
        }
        for identity, report in reports.items()
    }
    rows, gone = sync(Pool, existing, wanted, lambda row: PoolId(row.driver, row.name))
    discard(Pool, gone)
    if rows:
        contents = _Contents({rows[identity].pk: report for identity, report in reports.items()})
        contents.write()
        _link({identity: rows[identity].pk for identity in reports}, contents.device_ids)
        _write_findings(cluster, contents.reports)
    return before


def _pools(cluster: Cluster, asked: Collection[PoolId]) -> models.QuerySet[Pool]:
    return Pool.objects.filter(cluster=cluster, driver__in={i.driver for i in asked}, name__in={i.name for i in asked})


class _Contents:
    """Counter sets, counters, cards, type counts and devices of some pools, by the pool's primary key."""

    def __init__(self, reports: Mapping[int, PoolReport]) -> None:
        self.reports = reports
        self.rooms = {pk: _rooms(report) for pk, report in reports.items()}
        self.cards: dict[Hashable, Card] = {}
        self.device_ids: dict[tuple[int, str], int] = {}
        self._leftovers: list[tuple[type[models.Model], list[models.Model]]] = []

    def write(self) -> None:
        """Cards come first, since others point at them, and the rows that are no longer wanted go last."""
        self.cards = self._sync(Card, self._cards(), lambda row: (row.pool_id, row.key))
        self._sync(PoolNode, self._nodes(), lambda row: (row.pool_id, row.name))
        sets = self._sync(CounterSet, self._sets(), lambda row: (row.pool_id, row.name))
        self._write_counters(sets)
        self._write_devices()
        self._write_types()
        for model, rows in reversed(self._leftovers):
            discard(model, rows)

    def _sync(self, model: type[M], wanted: Wanted, key: Callable[[M], Hashable]) -> dict[Hashable, M]:
        existing = model._default_manager.filter(pool__in=list(self.reports)).order_by("pk")
        rows, gone = sync(model, existing, wanted, key)
        self._leftovers.append((model, list(gone)))
        return rows

    def _cards(self) -> Wanted:
        return {
            (pk, card.key): {
                "pool_id": pk,
                "key": card.key,
                **card_fields(card, position, _by_card(report), self.rooms[pk].get(card.key)),
            }
            for pk, report in self.reports.items()
            for position, card in enumerate(report.cards)
        }

    def _nodes(self) -> Wanted:
        return {
            (pk, name): {"pool_id": pk, "name": name}
            for pk, report in self.reports.items()
            for name in sorted(nodes_named(report.pool.slices))
        }

    def _sets(self) -> Wanted:
        return {
            (pk, item.name): {"pool_id": pk, "name": item.name}
            for pk, report in self.reports.items()
            for item in report.pool.counter_sets
        }

    def _write_counters(self, sets: Mapping[Hashable, CounterSet]) -> None:
        wanted: Wanted = {}
        for pk, report in self.reports.items():
            cards = {counter: card.key for card in report.cards for counter in card.counters}
            for use in report.counters:
                own = sets[pk, use.id.counter_set].pk
                card = self.cards[pk, cards[use.id]].pk if use.id in cards else None
                wanted[own, use.id.counter] = {
                    "counter_set_id": own,
                    "name": use.id.counter,
                    "card_id": card,
                    **counter_fields(use),
                }
        existing = Counter.objects.filter(counter_set__pool__in=list(self.reports)).order_by("pk")
        _, gone = sync(Counter, existing, wanted, lambda row: (row.counter_set_id, row.name))
        self._leftovers.append((Counter, list(gone)))

    def _write_devices(self) -> None:
        wanted: Wanted = {}
        for pk, report in self.reports.items():
            seen: Tally[str] = Tally()
            for position, item in enumerate(report.devices):
                name = item.id.name
                card = self.cards[pk, item.card].pk if item.card else None
                own = {"pool_id": pk, "name": name, "position": position, "card_id": card}
                wanted[pk, name, seen[name]] = {**own, **device_fields(item)}
                seen[name] += 1
        rows = self._sync(Device, wanted, _numbered(lambda row: (row.pool_id, row.name)))
        for row in rows.values():
            self.device_ids.setdefault((row.pool_id, row.name), row.pk)

    def _write_types(self) -> None:
        wanted: Wanted = {}
        seen: Tally[Hashable] = Tally()
        for pk, report in self.reports.items():
            for card, fit in _fits(report):
                own = {"pool_id": pk, "card_id": self.cards[pk, card].pk if card else None}
                label = fit.type if len(fit.type) <= 253 else fit.type[:252] + "…"
                key = (pk, own["card_id"], label)
                room = self.rooms[pk].get(card)
                own_room = next((each for each in room.types if each.type == fit.type), None) if room else None
                wanted[*key, seen[key]] = {**own, "type": label, **type_fields(fit, own_room)}
                seen[key] += 1
        self._sync(TypeCount, wanted, _numbered(lambda row: (row.pool_id, row.card_id, row.type)))


def _numbered(key: Callable[[M], tuple[Hashable, ...]]) -> Callable[[M], Hashable]:
    """Tell rows with one key apart by counting them, in the order in which they are asked for."""
    seen: Tally[Hashable] = Tally()

    def numbered(row: M) -> Hashable:
        own = key(row)
        seen[own] += 1
        return (*own, seen[own] - 1)

    return numbered


def _rooms(report: PoolReport) -> dict[str, Fragmentation]:
    """What each card's allocations waste; nothing is said of pools that cannot be used."""
    return {each.card: each for each in fragmentations(report)} if report.pool.usable else {}


def _by_card(report: PoolReport) -> dict[str, list[DeviceReport]]:
    found: dict[str, list[DeviceReport]] = defaultdict(list)
    for item in report.devices:
        found[item.card].append(item)
    return found


def _fits(report: PoolReport) -> Iterator[tuple[str, TypeFit]]:
    """How many more fit, by card and type; '' stands for devices without counters, which do not compete."""
    carded: set[str] = set()
    for card in report.cards:
        for fit in card.types:
            carded.add(fit.type)
            yield card.key, fit
    loose = [item for item in report.devices if item.published and not item.card]
    for fit in report.types:
        own = [item for item in loose if item.type == fit.type]
        if own and fit.type not in carded:
            yield "", fit
        elif own:
            allocated, available = (sum(item.state == state for item in own) for state in ("allocated", "available"))
            yield "", TypeFit(fit.type, len(own), allocated, available, available, available)


def _link(pools: Mapping[PoolId, int], devices: Mapping[tuple[int, str], int]) -> None:
    """Let allocations point at the pools and devices that they name."""
    if not pools:
        return
    cluster = Pool.objects.filter(pk__in=pools.values()).values_list("cluster_id", flat=True)[0]
    rows = Allocation.objects.filter(
        claim__cluster=cluster, driver__in={i.driver for i in pools}, pool_name__in={i.name for i in pools}
    )
    changed = []
    for row in rows:
        pool = pools.get(PoolId(row.driver, row.pool_name))
        if pool is None:
            continue
        device = devices.get((pool, row.device_name))
        if (row.pool_id, row.device_id) != (pool, device):
            row.pool_id, row.device_id = pool, device
            changed.append(row)
    update(Allocation, changed, ["pool", "device"])


def _write_findings(cluster: Cluster, reports: Mapping[int, PoolReport]) -> None:
    wanted: Wanted = {}
    for pk, report in reports.items():
        for finding in report.findings:
            own = {"cluster_id": cluster.pk, "pool_id": pk}
            fields = finding_fields(finding)
            wanted[pk, fields["code"], fields["object"], fields["message"]] = {**own, **fields}
    existing = Finding.objects.filter(pool__in=list(reports))
    _, gone = sync(Finding, existing, wanted, lambda row: (row.pool_id, row.code, row.object, row.message))
    discard(Finding, gone)
