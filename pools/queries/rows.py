"""The rows behind each list of the API, with all that a row shows, in a fixed number of queries."""

from __future__ import annotations

from django.db.models import Count, Model, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce

from pools import models
from pools.access import User, visible


def clusters(user: User) -> QuerySet[models.Cluster]:
    """Clusters with the number of their pools, nodes, claims and findings."""
    counted: dict[str, type[Model]] = {
        "pools_total": models.Pool,
        "nodes_total": models.Node,
        "claims_total": models.Claim,
        "findings_total": models.Finding,
    }
    return visible(user, models.Cluster.objects.all()).annotate(
        **{name: _count(model) for name, model in counted.items()}
    )


def _count(model: type[Model]) -> Coalesce:
    rows = model._default_manager.filter(cluster=OuterRef("pk")).order_by().values("cluster")
    return Coalesce(Subquery(rows.annotate(total=Count("pk")).values("total")), 0)


def pools(user: User) -> QuerySet[models.Pool]:
    """Pools with the nodes that they name."""
    rows = visible(user, models.Pool.objects.select_related("cluster"))
    return rows.prefetch_related(Prefetch("nodes", models.PoolNode.objects.order_by("name")))


def counter_sets(user: User) -> QuerySet[models.CounterSet]:
    """Counter sets with their counters, and with the card of each."""
    counters = models.Counter.objects.select_related("card").order_by("pk")
    rows = visible(user, models.CounterSet.objects.select_related("pool__cluster"))
    return rows.prefetch_related(Prefetch("counters", counters))


def cards(user: User) -> QuerySet[models.Card]:
    """Cards with how many more of each type fit."""
    rows = visible(user, models.Card.objects.select_related("pool__cluster"))
    return rows.prefetch_related(Prefetch("type_counts", models.TypeCount.objects.order_by("pk")))


def devices(user: User) -> QuerySet[models.Device]:
    """Devices with their pool and card."""
    return visible(user, models.Device.objects.select_related("pool__cluster", "card"))


def claims(user: User) -> QuerySet[models.Claim]:
    """Claims with what they hold."""
    rows = visible(user, models.Claim.objects.select_related("cluster"))
    held = models.Allocation.objects.select_related("device").order_by("pk")
    return rows.prefetch_related(Prefetch("allocations", held))


def allocations(user: User) -> QuerySet[models.Allocation]:
    """Allocation results with their claim and, where it is there, the device they name."""
    return visible(user, models.Allocation.objects.select_related("claim__cluster", "device"))


def nodes(user: User) -> QuerySet[models.Node]:
    """Nodes."""
    return visible(user, models.Node.objects.select_related("cluster"))


def findings(user: User) -> QuerySet[models.Finding]:
    """Findings with the pool or claim that they hang on."""
    return visible(user, models.Finding.objects.select_related("cluster", "pool", "claim"))


def objects(user: User) -> QuerySet[models.StoredObject]:
    """Stored objects without their bodies."""
    return visible(user, models.StoredObject.objects.select_related("cluster")).defer("body")


def pods_of(user: User, claim: models.Claim) -> list[str]:
    """Names of the pods that refer to the claim, or that it is reserved for."""
    reserved = [item["name"] for item in claim.reserved_for if item["resource"] == "pods"]
    rows = visible(user, models.Pod.objects.filter(cluster=claim.cluster_id, namespace=claim.namespace))
    users = rows.filter(pk__in=models.PodClaim.objects.filter(claim_name=claim.name).values("pod"))
    return sorted({*reserved, *users.values_list("name", flat=True)})
