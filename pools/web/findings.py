"""The list of findings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pools.queries import findings as queries
from pools.queries import pages
from pools.web import twins
from pools.web.render import choice, page, paginate, text


@require_safe
def finding_list(request: HttpRequest) -> HttpResponse:
    """Findings, filtered by the query string, most severe first."""
    wanted = queries.FindingFilter(
        cluster=text(request, "cluster"),
        severity=choice(request, "severity", queries.SEVERITIES),
        code=text(request, "code"),
        text=text(request, "text"),
    )
    twin = twins.findings(cluster=wanted.cluster, severity=wanted.severity, code=wanted.code, contains=wanted.text)
    context = {
        "section": "findings",
        "twin": twin,
        "csv": twins.csv(twin),
        "wanted": wanted,
        "filtered": wanted != queries.FindingFilter(),
        "choices": {
            "cluster": pages.choices(request.user)["cluster"],
            "severity": queries.SEVERITIES,
            "code": queries.finding_codes(request.user),
        },
        "page": paginate(request, queries.finding_list(request.user, wanted)),
    }
    return page(request, "web/findings.html", context)
