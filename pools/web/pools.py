"""Pages of pools and cards, and a card's picture as a file."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from pools.domain.state import CardReport, PoolReport
from pools.figures.palette import Theme
from pools.models import Pool
from pools.queries import pages
from pools.queries.scope import DEVICE_STATES
from pools.queries.upstream import upstream
from pools.web import addresses, cardview, poolview, roomview, twins
from pools.web.render import choice, page, paginate, scope, text
from pools.web.reports import report_of


@require_safe
def pool_list(request: HttpRequest) -> HttpResponse:
    """All pools, filtered by the query string."""
    wanted, name = scope(request, state="has"), text(request, "name")
    condition = choice(request, "state", pages.POOL_STATES)
    rows = pages.pool_list(request.user, wanted, condition=condition, text=name)
    twin = twins.pools(wanted, state=condition, contains=name)
    context = {
        "section": "pools",
        "twin": twin,
        "scope": wanted,
        "name": name,
        "condition": condition,
        "filtered": not wanted.is_all or bool(name or condition),
        "csv": twins.csv(twin),
        "choices": {**pages.choices(request.user), "pool_state": pages.POOL_STATES},
        "page": paginate(request, rows),
    }
    return page(request, "web/pools.html", context)


@require_safe
def pool(request: HttpRequest, cluster: str, driver: str, pool: str) -> HttpResponse:
    """One pool: its cards as a rack, its counters by claim, its types, devices and findings."""
    found = _found(request, cluster, driver, pool)
    report = report_of(found.pool)
    view = poolview.pool_view(found, report, counter=text(request, "counter"))
    devices = pages.pool_devices(found.pool, poolview.DEVICES)
    context = {
        "section": "pools",
        "twin": twins.pool(found.pool),
        "crumbs": [("Pools", reverse("web:pools")), (found.pool.driver, ""), (found.pool.name, "")],
        "pool": found.pool,
        "device_states": _states(found.pool),
        "devices_url": reverse("web:devices") + _devices_query(found.pool),
        "twin_cards": twins.cards_of(found.pool),
        "cards": found.cards,
        "findings": found.findings,
        "view": view,
        "upstream": upstream(found.pool, report),
        "devices": devices,
        "devices_more": found.pool.devices_total - len(devices),
    }
    return page(request, "web/pool.html", context)


@require_safe
def card(request: HttpRequest, cluster: str, driver: str, pool: str, card: str) -> HttpResponse:
    """One card: slot map, counters by claim, partitions with their reasons, what still fits."""
    found = _found(request, cluster, driver, pool)
    report = report_of(found.pool)
    card_report = _card(report, card)
    state = choice(request, "state", DEVICE_STATES)
    context = {
        "section": "pools",
        "twin": twins.card(found.pool, card),
        "crumbs": [
            ("Pools", reverse("web:pools")),
            (found.pool.driver, ""),
            (found.pool.name, addresses.pool(found.pool)),
            (card_report.label, ""),
        ],
        "pool": found.pool,
        "state": state,
        "svg_url": addresses.slots(found.pool, card),
        "view": cardview.card_view(found.pool, report, card_report, state),
        **roomview.card_context(found.pool, report, card),
    }
    return page(request, "web/card.html", context)


@require_safe
def slots(request: HttpRequest, cluster: str, driver: str, pool: str, card: str) -> HttpResponse:
    """The card's slot map, or its counters when it has no slots, as an SVG for tickets and wikis."""
    found = _found(request, cluster, driver, pool)
    theme: Theme = "dark" if choice(request, "theme", ("light", "dark")) == "dark" else "light"
    report = report_of(found.pool)
    picture = cardview.picture(
        found.pool, report, _card(report, card), theme=theme, standalone=True, root=request.build_absolute_uri("/")
    )
    response = HttpResponse(picture, content_type="image/svg+xml; charset=utf-8")
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'none'; sandbox"
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _devices_query(pool: Pool, state: str = "") -> str:
    """The query string that lists the pool's devices."""
    values = {"cluster": pool.cluster.name, "driver": pool.driver, "pool": pool.name, "state": state}
    return "?" + urlencode({name: value for name, value in values.items() if value})


def _states(pool: Pool) -> list[tuple[str, int, str]]:
    return [(state, getattr(pool, f"devices_{state}"), _devices_query(pool, state)) for state in DEVICE_STATES]


def _found(request: HttpRequest, cluster: str, driver: str, name: str) -> pages.PoolPage:
    found = pages.find_pool(request.user, cluster, driver, name)
    if found is None:
        raise Http404(f"no pool {driver}/{name} in cluster {cluster}")
    return found


def _card(report: PoolReport, key: str) -> CardReport:
    for card in report.cards:
        if card.key == key:
            return card
    raise Http404(f"no card {key} in pool {report.pool.id}")
