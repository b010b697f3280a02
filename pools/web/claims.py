"""Pages of claims: the list, and one claim with what it asks for, holds and waits for."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from pools.queries import claims as queries
from pools.web import addresses, twins
from pools.web.asks import request_rows
from pools.web.render import choice, page, paginate, text
from pools.web.whyview import why_view


@require_safe
def claim_list(request: HttpRequest) -> HttpResponse:
    """Claims, filtered by the query string; those that wait come first."""
    wanted = queries.ClaimFilter(
        cluster=text(request, "cluster"),
        namespace=text(request, "namespace"),
        state=choice(request, "state", queries.CLAIM_STATES),
        text=text(request, "name"),
    )
    twin = twins.claims(cluster=wanted.cluster, namespace=wanted.namespace, state=wanted.state, contains=wanted.text)
    context = {
        "section": "claims",
        "twin": twin,
        "csv": twins.csv(twin),
        "wanted": wanted,
        "filtered": wanted != queries.ClaimFilter(),
        "choices": queries.claim_choices(request.user),
        "page": paginate(request, queries.claim_list(request.user, wanted)),
    }
    return page(request, "web/claims.html", context)


@require_safe
def claim(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One claim: requests, allocation, pods, findings."""
    found = queries.find_claim(request.user, cluster, namespace, name)
    if found is None:
        raise Http404(f"no claim {namespace}/{name} in cluster {cluster}")
    context = {
        "section": "claims",
        "twin": twins.claim(cluster, namespace, name),
        "crumbs": [("Claims", reverse("web:claims")), (namespace, ""), (name, "")],
        "claim": found.claim,
        "requests": request_rows(found.claim.requests),
        "constraints": found.claim.constraints,
        "allocations": found.allocations,
        "pods": found.pods,
        "findings": found.findings,
        "released": addresses.what_if(cluster, release=[f"{namespace}/{name}"]) if found.claim.allocated else "",
        "why": None if found.claim.allocated else why_view(found.claim, found.pods),
    }
    return page(request, "web/claim.html", context)
