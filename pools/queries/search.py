"""Search: one text, looked for in every name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Model, Q, QuerySet

from pools.access import User, visible
from pools.models import Card, Claim, Cluster, Counter, Device, Node, Pod, Pool

LIMIT = 10
LONGEST = 253


@dataclass(frozen=True, slots=True)
class Hits:
    """The first rows of one kind whose name holds the text; `more` tells that there are others."""

    kind: str
    rows: Sequence[Model]
    more: bool


def search(user: User, text: str) -> tuple[Hits, ...]:
    """
    Look for *text* in all names, kinds without a hit left out. One query a kind.

    Args:
        text: any part of a name, in any case; `namespace/name` finds claims and pods. Beyond 253 characters is cut.
    """
    text = text.strip()[:LONGEST]
    if not text or "\x00" in text:
        return ()
    found = [_hits(kind, rows) for kind, rows in _questions(user, text)]
    return tuple(hits for hits in found if hits.rows)


def _hits(kind: str, rows: QuerySet[Model]) -> Hits:
    first = list(rows[: LIMIT + 1])
    return Hits(kind, first[:LIMIT], len(first) > LIMIT)


def _questions(user: User, text: str) -> list[tuple[str, QuerySet]]:  # type: ignore[type-arg]
    namespace, slash, name = text.rpartition("/")
    named = Q(name__icontains=text)
    if slash:
        named |= Q(namespace__icontains=namespace, name__icontains=name)
    in_pool = Q(driver__icontains=namespace, name__icontains=name) if slash else Q(driver__icontains=text)
    return [
        ("Clusters", visible(user, Cluster.objects.filter(name__icontains=text))),
        ("Nodes", visible(user, Node.objects.select_related("cluster")).filter(name__icontains=text)),
        ("Pools", visible(user, Pool.objects.select_related("cluster")).filter(Q(name__icontains=text) | in_pool)),
        ("Cards", visible(user, Card.objects.select_related("pool__cluster")).filter(_card(text))),
        ("Devices", visible(user, Device.objects.select_related("pool__cluster")).filter(name__icontains=text)),
        ("Claims", visible(user, Claim.objects.select_related("cluster")).filter(named)),
        ("Pods", visible(user, Pod.objects.select_related("cluster").prefetch_related("claims")).filter(named)),
        (
            "Counters",
            visible(user, Counter.objects.select_related("counter_set__pool__cluster", "card")).filter(
                Q(name__icontains=text) | Q(counter_set__name__icontains=text)
            ),
        ),
    ]


def _card(text: str) -> Q:
    return Q(label__icontains=text) | Q(key__icontains=text) | Q(model__icontains=text)
