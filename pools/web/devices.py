"""Pages of devices: the list, and one device with all that is published and known of it."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from pools.domain.device import AttributeValue, NodeReach
from pools.domain.state import DeviceReport, PoolReport
from pools.queries import pages
from pools.web import addresses, twins
from pools.web.cardview import device_row
from pools.web.render import page, paginate, scope, text
from pools.web.reports import report_of


@require_safe
def device_list(request: HttpRequest) -> HttpResponse:
    """Devices of the fleet, filtered by the query string."""
    wanted = scope(request)
    more = pages.DeviceFilter(
        text(request, "pool"), text(request, "card"), text(request, "type"), text(request, "name")
    )
    twin = twins.devices(
        cluster=wanted.cluster,
        driver=wanted.driver,
        pool=more.pool,
        node=wanted.node,
        model=wanted.model,
        card=more.card,
        type=more.type,
        state=wanted.state,
        contains=more.text,
    )
    context = {
        "section": "devices",
        "twin": twin,
        "csv": twins.csv(twin),
        "scope": wanted,
        "more": more,
        "filtered": not wanted.is_all or more != pages.DeviceFilter(),
        "choices": pages.choices(request.user),
        "page": paginate(request, pages.device_list(request.user, wanted, more)),
    }
    return page(request, "web/devices.html", context)


@require_safe
def device(request: HttpRequest, cluster: str, driver: str, pool: str, device: str) -> HttpResponse:
    """One device: state, all reasons, holders, what it publishes and what it draws."""
    found = pages.find_pool(request.user, cluster, driver, pool)
    if found is None:
        raise Http404(f"no pool {driver}/{pool} in cluster {cluster}")
    report = report_of(found.pool)
    same = _named(report, device)
    first = same[0]
    published = first.pooled.device if first.pooled else None
    context = {
        "section": "devices",
        "twin": twins.device(found.pool, device),
        "crumbs": [
            ("Pools", reverse("web:pools")),
            (found.pool.driver, ""),
            (found.pool.name, addresses.pool(found.pool)),
            (device, ""),
        ],
        "pool": found.pool,
        "report": first,
        "row": device_row(found.pool, first),
        "same": len(same),
        "published": published,
        "reach": reach_words(first.pooled.reach) if first.pooled else "unknown",
        "attributes": [(name, value.kind, attribute_words(value)) for name, value in published.attributes.items()]
        if published
        else [],
        "consumes": published.consumes if published else (),
        "card_url": addresses.card(found.pool, first.card) if first.card else "",
        "card_label": next((card.label for card in report.cards if card.key == first.card), first.card),
        "ask_taint": addresses.what_if(cluster, taint=[f"{found.pool.driver}/{found.pool.name}/{device}"]),
        "allocations": pages.device_allocations(request.user, found.pool, device),
    }
    return page(request, "web/device.html", context)


def _named(report: PoolReport, name: str) -> list[DeviceReport]:
    """All devices of this name: an invalid pool may list one name twice."""
    same = [device for device in report.devices if device.id.name == name]
    if not same:
        raise Http404(f"no device {name} in pool {report.pool.id}")
    return same


def attribute_words(value: AttributeValue) -> str:
    """An attribute's value as text."""
    if value.kind == "unknown":
        return "of a kind that this version does not know"
    if isinstance(value.value, tuple):
        return ", ".join(_scalar(item) for item in value.value) or "empty list"
    return _scalar(value.value)


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def reach_words(reach: NodeReach) -> str:
    """From which nodes the device can be used."""
    if reach.node_name:
        return f"node {reach.node_name}"
    if reach.all_nodes:
        return "all nodes"
    if reach.selector is None:
        return "no node: the selection is not set, or not known to this version"
    return " or ".join(_term(term.expressions, term.fields) for term in reach.selector) or "no node"


def _term(*groups: Iterable[object]) -> str:
    words = [
        " ".join(filter(None, (item.key, item.operator, ", ".join(item.values))))  # type: ignore[attr-defined]
        for group in groups
        for item in group
    ]
    return f"nodes with {' and '.join(words)}" if words else "no node (an empty term)"
