"""Findings: everything that is wrong or odd, most severe first."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from pools.access import User, visible
from pools.models import Finding

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings to list; an empty text restricts nothing. `text` is a part of the object's name or the message."""

    cluster: str = ""
    severity: str = ""
    code: str = ""
    text: str = ""


def by_severity(rows: QuerySet[Finding]) -> QuerySet[Finding]:
    """Errors, then warnings, then the rest."""
    return rows.order_by("rank", "code", "cluster", "object", "pk")


def severities(rows: QuerySet[Finding]) -> dict[str, int]:
    """How many findings of each severity. One query."""
    counted = rows.order_by().aggregate(**{name: Count("pk", filter=Q(severity=name)) for name in SEVERITIES})
    return {name: counted[name] for name in SEVERITIES}


def finding_list(user: User, wanted: FindingFilter) -> QuerySet[Finding]:
    """Findings with what they hang on."""
    rows = visible(user, Finding.objects.select_related("cluster", "pool__cluster", "claim__cluster"))
    exact = {"cluster__name": wanted.cluster, "severity": wanted.severity, "code": wanted.code}
    rows = rows.filter(**{field: value for field, value in exact.items() if value})
    if wanted.text:
        rows = rows.filter(Q(object__icontains=wanted.text) | Q(message__icontains=wanted.text))
    return by_severity(rows)


def finding_codes(user: User) -> list[str]:
    """The codes in use. One query."""
    return list(visible(user, Finding.objects.all()).order_by("code").values_list("code", flat=True).distinct())
