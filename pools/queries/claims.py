"""Claims: lists, and one claim with all that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet

from pools.access import User, visible
from pools.models import Allocation, Claim, Finding, Pod

CLAIM_STATES = ("pending", "allocated", "reserved", "deleting")


@dataclass(frozen=True, slots=True)
class ClaimFilter:
    """Which claims to list; an empty text restricts nothing. `text` is a part of the name."""

    cluster: str = ""
    namespace: str = ""
    state: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ClaimPage:
    """One claim: what it holds, which pods use or wait for it, and what is odd about it."""

    claim: Claim
    allocations: tuple[Allocation, ...]
    pods: tuple[Pod, ...]
    findings: tuple[Finding, ...]


def claim_list(user: User, wanted: ClaimFilter) -> QuerySet[Claim]:
    """Claims with the number of devices each holds; those that wait come first, the longest waiting on top."""
    rows = visible(user, Claim.objects.select_related("cluster"))
    exact = {"cluster__name": wanted.cluster, "namespace": wanted.namespace, "state": wanted.state}
    rows = rows.filter(**{field: value for field, value in exact.items() if value})
    if wanted.text:
        rows = rows.filter(name__icontains=wanted.text)
    rows = rows.annotate(devices=Count("allocations", filter=Q(allocations__admin=False)))
    return rows.order_by("allocated", F("created_at").asc(nulls_last=True), "cluster", "namespace", "name")


def claim_choices(user: User) -> dict[str, list[str]]:
    """What the filters offer. Two queries."""
    rows = visible(user, Claim.objects.all())
    return {
        "cluster": list(rows.order_by("cluster__name").values_list("cluster__name", flat=True).distinct()),
        "namespace": list(rows.order_by("namespace").values_list("namespace", flat=True).distinct()),
        "state": list(CLAIM_STATES),
    }


def find_claim(user: User, cluster: str, namespace: str, name: str) -> ClaimPage | None:
    """The claim with all that its page shows, or None when there is none to see. Four queries."""
    rows = visible(user, Claim.objects.select_related("cluster"))
    claim = rows.filter(cluster__name=cluster, namespace=namespace, name=name).first()
    if claim is None:
        return None
    allocations = claim.allocations.select_related("pool__cluster", "device").order_by("pk")
    return ClaimPage(claim, tuple(allocations), _pods(user, claim), tuple(claim.findings.order_by("rank", "code")))


def _pods(user: User, claim: Claim) -> tuple[Pod, ...]:
    """Pods that name the claim in their spec, and those that the claim is reserved for."""
    reserved = [entry.get("name", "") for entry in claim.reserved_for if entry.get("resource") == "pods"]
    rows = visible(user, Pod.objects.all()).filter(cluster=claim.cluster_id, namespace=claim.namespace)
    return tuple(rows.filter(Q(claims__claim_name=claim.name) | Q(name__in=reserved)).distinct().order_by("name"))
