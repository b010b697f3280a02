"""Rows of nodes: those that were observed, and those that only slices name. Called by the mirror alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pools.domain.cluster import Node as NodeNoun
from pools.domain.ids import PoolId
from pools.domain.pool import Slice
from pools.ingest.changes import Touched
from pools.ingest.derive import nodes_named
from pools.ingest.sync import BATCH, discard, sync
from pools.models import Cluster, Node, Pool, PoolNode


def write_nodes(cluster: Cluster, items: Sequence[NodeNoun], gone: Collection[str], touched: Touched) -> None:
    """
    Write these nodes, and note that those *gone* are not observed any more.

    Touches the pools that name nodes which came or went. The first and the last node touch every pool: without any
    node, all that are named are taken to exist.
    """
    if not items and not gone:
        return
    had_nodes = Node.objects.filter(cluster=cluster, observed=True).exists()
    names = [item.meta.name for item in items]
    touched.plugin_nodes.update(names, gone)
    existing = list(Node.objects.filter(cluster=cluster, name__in=[*names, *gone]))
    before = {row.name for row in existing if row.observed}
    unseen = {"observed": False, "unschedulable": False, "labels": {}}
    wanted = {row.name: {"cluster_id": cluster.pk, "name": row.name, **unseen} for row in existing if row.name in gone}
    wanted |= {
        item.meta.name: {
            "cluster_id": cluster.pk,
            "name": item.meta.name,
            "observed": True,
            "unschedulable": item.unschedulable,
            "labels": dict(item.meta.labels),
        }
        for item in items
        if item.meta.name not in gone
    }
    rows, _ = sync(Node, existing, wanted, lambda row: row.name)
    after = {row.name for row in rows.values() if row.observed}
    moved = before ^ after
    touched.nodes.update(moved)
    if not moved:
        return
    pools = Pool.objects.filter(cluster=cluster).order_by()
    if had_nodes == Node.objects.filter(cluster=cluster, observed=True).exists():
        pools = pools.filter(pk__in=PoolNode.objects.filter(name__in=moved).values("pool"))
    touched.pools.update(PoolId(*pair) for pair in pools.values_list("driver", "name"))


def name_nodes(cluster: Cluster, slices: Iterable[Slice]) -> set[str]:
    """Make a row for each node that the slices name and that has none yet; their names are returned."""
    names = nodes_named(slices)
    there = set(Node.objects.filter(cluster=cluster, name__in=names).values_list("name", flat=True))
    fresh = [Node(cluster=cluster, name=name) for name in sorted(names - there)]
    Node.objects.bulk_create(fresh, batch_size=BATCH)
    return names


def drop_unnamed(cluster: Cluster, names: Collection[str]) -> None:
    """Delete those of the nodes that are neither observed nor named by any slice."""
    named = PoolNode.objects.filter(pool__cluster=cluster).values("name")
    rows = Node.objects.filter(cluster=cluster, observed=False, name__in=names)
    discard(Node, rows.exclude(name__in=named))
