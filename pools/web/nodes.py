"""Pages of nodes: the list, and one node with its cards, claims and pods."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from pools.queries import nodes as queries
from pools.queries import pages
from pools.web import addresses, twins
from pools.web.render import page, paginate, scope, text


@require_safe
def node_list(request: HttpRequest) -> HttpResponse:
    """Nodes, filtered by the query string."""
    wanted, name = scope(request, state="has"), text(request, "name")
    twin = twins.nodes(cluster=wanted.cluster, driver=wanted.driver, contains=name)
    context = {
        "section": "nodes",
        "twin": twin,
        "csv": twins.csv(twin),
        "scope": wanted,
        "name": name,
        "filtered": not wanted.is_all or bool(name),
        "choices": pages.choices(request.user),
        "page": paginate(request, queries.node_list(request.user, wanted, text=name)),
    }
    return page(request, "web/nodes.html", context)


@require_safe
def node(request: HttpRequest, cluster: str, name: str) -> HttpResponse:
    """One node: pools bound to it, their cards, who holds what, and the pods that run there."""
    found = queries.find_node(request.user, cluster, name)
    if found is None:
        raise Http404(f"no node {name} in cluster {cluster}")
    context = {
        "section": "nodes",
        "twin": twins.node(cluster, name),
        "crumbs": [("Nodes", reverse("web:nodes")), (cluster, addresses.of(found.node.cluster)), (name, "")],
        "node": found.node,
        "labels": sorted(found.node.labels.items()),
        "pools": found.pools,
        "cards": found.cards,
        "allocations": found.allocations,
        "pods": found.pods,
        "drained": addresses.what_if(cluster, drain=[name]),
        "grown": addresses.what_if(cluster, grow=[name]),
    }
    return page(request, "web/node.html", context)
