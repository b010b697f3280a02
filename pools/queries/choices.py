"""What the what-if workbench offers to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pools.access import User, visible
from pools.models import Claim, Node, Pod, Pool, StoredObject, TypeCount
from pools.queries.scope import Scope, clusters_in

OFFERED = 300


@dataclass(frozen=True, slots=True)
class BenchChoices:
    """Names, the first few hundred of each; everything can be typed as well."""

    clusters: tuple[str, ...]
    pending: tuple[str, ...]
    allocated: tuple[str, ...]
    pods: tuple[str, ...]
    templates: tuple[str, ...]
    classes: tuple[str, ...]
    types: tuple[str, ...]
    nodes: tuple[str, ...]
    pools: tuple[str, ...]


def bench_choices(user: User, cluster: str) -> BenchChoices:
    """What there is in a cluster, or in all. Nine queries."""
    where = {"cluster__name": cluster} if cluster else {}
    claims = visible(user, Claim.objects.filter(**where)).order_by("namespace", "name")
    pods = visible(user, Pod.objects.filter(**where, node="")).exclude(phase__in=("Succeeded", "Failed"))
    objects = visible(user, StoredObject.objects.filter(**where)).order_by("namespace", "name")
    pools = visible(user, Pool.objects.filter(**where)).order_by("driver", "name")
    kinds = TypeCount.objects.filter(pool__in=pools.order_by()).exclude(type="").order_by("type")
    nodes = visible(user, Node.objects.filter(**where)).order_by("name")
    named = ("namespace", "name")
    return BenchChoices(
        clusters=tuple(clusters_in(user, Scope()).order_by("name").values_list("name", flat=True)),
        pending=_pairs(claims.filter(allocated=False).values_list(*named)[:OFFERED]),
        allocated=_pairs(claims.filter(allocated=True).values_list(*named)[:OFFERED]),
        pods=_pairs(pods.order_by(*named).values_list(*named)[:OFFERED]),
        templates=_pairs(objects.filter(kind="ResourceClaimTemplate").values_list(*named)[:OFFERED]),
        classes=tuple(objects.filter(kind="DeviceClass").values_list("name", flat=True).distinct()[:OFFERED]),
        types=tuple(kinds.values_list("type", flat=True).distinct()[:OFFERED]),
        nodes=tuple(nodes.values_list("name", flat=True).distinct()[:OFFERED]),
        pools=_pairs(pools.values_list("driver", "name")[:OFFERED]),
    )


def _pairs(rows: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{first}/{second}" for first, second in rows)
