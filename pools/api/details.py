"""Single resources by their natural keys: a row, what belongs to it, and where there is one the core's report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from pools import models
from pools.api import reports, rows
from pools.api.conditional import conditional, etag_of
from pools.api.examples import example_of
from pools.api.lists import refuse_unknown
from pools.core.mixes import mixes
from pools.domain.state import CounterUse, DeviceReport, Mixes, PoolReport, SlotMap
from pools.queries import rows as queries
from pools.queries.reports import PoolGone, pool_report

MAX_MIXES = 5000


class Detail(APIView):
    """The base of all single resources: 404 when there is none to see, 304 when the cluster has not changed."""

    error_statuses = [404]
    parameters: tuple[str, ...] = ()

    def answer(self, row: Any, cluster: models.Cluster, data: Callable[[], dict[str, Any]]) -> HttpResponseBase:
        """The resource, unless the caller has it already."""
        refuse_unknown(self.request, {"format", *self.parameters})
        tag = etag_of(self.request, [(cluster.name, cluster.revision), (type(row).__name__, row.pk)])
        return conditional(self.request, tag, lambda: Response(data()))


def found(row: Any, what: str) -> Any:
    """*row*, when there is one."""
    if row is None:
        raise NotFound(f"There is no such {what}.")
    return row


def report_of(pool: models.Pool) -> PoolReport:
    """The pool's report, when the pool is still there."""
    try:
        return pool_report(pool)
    except PoolGone:
        raise NotFound("The pool has just been deleted.") from None


def documented(tag: str, what: str, detail: Any, *parameters: OpenApiParameter) -> Callable[[Any], Any]:
    """Describe a single resource in the schema."""
    decorate: Callable[[Any], Any] = extend_schema(
        operation_id=f"{tag}_retrieve",
        tags=[tag],
        summary=f"One {what}",
        parameters=list(parameters),
        responses={200: detail, 304: None},
        examples=[example_of(detail)],
    )
    return decorate


class ClusterDetail(Detail):
    """A cluster."""

    @documented("clusters", "cluster", rows.ClusterRow)
    def get(self, request: Request, cluster: str) -> HttpResponseBase:
        row = found(queries.clusters(request.user).filter(name=cluster).first(), "cluster")
        return self.answer(row, row, lambda: dict(rows.ClusterRow(row).data))


class PoolDetail(Detail):
    """A pool with the core's whole report: counters with who consumes them, cards, devices with every reason."""

    @documented("pools", "pool", reports.PoolDetail)
    def get(self, request: Request, cluster: str, driver: str, pool: str) -> HttpResponseBase:
        row = found_pool(request, cluster, driver, pool)

        def data() -> dict[str, Any]:
            findings = queries.findings(request.user).filter(pool=row).order_by("rank", "code", "object", "id")
            return {
                **rows.PoolRow(row).data,
                **reports.PoolReportPart(report_of(row)).data,
                "findings": rows.FindingRow(findings, many=True).data,
            }

        return self.answer(row, row.cluster, data)


def found_pool(request: Request, cluster: str, driver: str, pool: str) -> models.Pool:
    """The pool with these keys, when the caller may see it."""
    wanted = queries.pools(request.user).filter(cluster__name=cluster, driver=driver, name=pool)
    row: models.Pool = found(wanted.first(), "pool")
    return row


@dataclass(frozen=True, slots=True)
class CardPage:
    """What `reports.CardReportPart` shows."""

    slot_maps: tuple[SlotMap, ...]
    counters: list[CounterUse]
    devices: list[DeviceReport]
    mixes: Mixes | None


class CardDetail(Detail):
    """A card with its counters, devices and slot maps, and, on request, all maximal mixes."""

    parameters = ("mixes",)

    @documented(
        "cards",
        "card",
        reports.CardDetail,
        OpenApiParameter(
            "mixes",
            {"type": "integer", "minimum": 1, "maximum": MAX_MIXES},
            description="Also find the maximal mixes, at most so many.",
        ),
    )
    def get(self, request: Request, cluster: str, driver: str, pool: str, card: str) -> HttpResponseBase:
        wanted = queries.cards(request.user).filter(
            pool__cluster__name=cluster, pool__driver=driver, pool__name=pool, key=card
        )
        row = found(wanted.first(), "card")
        limit = _mixes_wanted(request)

        def data() -> dict[str, Any]:
            page = _card_page(report_of(row.pool), card, limit)
            return {**rows.CardRow(row).data, **reports.CardReportPart(page).data}

        return self.answer(row, row.pool.cluster, data)


def _mixes_wanted(request: Request) -> int:
    raw = request.query_params.get("mixes")
    if raw is None:
        return 0
    if not raw.isascii() or not raw.isdecimal() or len(raw) > 6 or not 1 <= int(raw) <= MAX_MIXES:
        raise ValidationError({"mixes": [f"Give a whole number from 1 to {MAX_MIXES}."]})
    return int(raw)


def _card_page(report: PoolReport, key: str, limit: int) -> CardPage:
    card = found(next((card for card in report.cards if card.key == key), None), "card")
    own = set(card.counters)
    return CardPage(
        slot_maps=card.slots,
        counters=[use for use in report.counters if use.id in own],
        devices=[item for item in report.devices if item.card == key],
        mixes=mixes(report, key, limit=limit) if limit else None,
    )


@dataclass(frozen=True, slots=True)
class DevicePage:
    """What `reports.DeviceReportPart` shows."""

    report: DeviceReport


class DeviceDetail(Detail):
    """A device with every reason and holder, and what its slice says of it."""

    @documented("devices", "device", reports.DeviceDetail)
    def get(self, request: Request, cluster: str, driver: str, pool: str, device: str) -> HttpResponseBase:
        wanted = queries.devices(request.user).filter(
            pool__cluster__name=cluster, pool__driver=driver, pool__name=pool, name=device
        )
        row = found(wanted.order_by("position", "id").first(), "device")

        def data() -> dict[str, Any]:
            devices = report_of(row.pool).devices
            report = found(next((item for item in devices if item.id.name == device), None), "device")
            return {**rows.DeviceRow(row).data, **reports.DeviceReportPart(DevicePage(report)).data}

        return self.answer(row, row.pool.cluster, data)


class ClaimDetail(Detail):
    """A claim: what it asks for, what it holds, who uses it, and what is odd about it."""

    @documented("claims", "claim", rows.ClaimDetail)
    def get(self, request: Request, cluster: str, namespace: str, name: str) -> HttpResponseBase:
        wanted = queries.claims(request.user).filter(cluster__name=cluster, namespace=namespace, name=name)
        row = found(wanted.first(), "claim")

        def data() -> dict[str, Any]:
            findings = queries.findings(request.user).filter(claim=row).order_by("rank", "code", "id")
            pods = [f"{namespace}/{pod}" for pod in queries.pods_of(request.user, row)]
            extra = {"pods": pods, "findings": rows.FindingRow(findings, many=True).data}
            return {**rows.ClaimRow(row).data, **extra}

        return self.answer(row, row.cluster, data)


class NodeDetail(Detail):
    """A node: the pools that name it, and the claims allocated on it."""

    @documented("nodes", "node", rows.NodeDetail)
    def get(self, request: Request, cluster: str, name: str) -> HttpResponseBase:
        row = found(queries.nodes(request.user).filter(cluster__name=cluster, name=name).first(), "node")

        def data() -> dict[str, Any]:
            user = request.user
            pools = queries.pools(user).filter(cluster=row.cluster, nodes__name=name).order_by("driver", "name")
            claims = queries.claims(user).filter(cluster=row.cluster, node=name).order_by("namespace", "name")
            findings = queries.findings(user).filter(cluster=row.cluster, pool=None, claim=None, object=name)
            return {
                **rows.NodeRow(row).data,
                "pools": rows.PoolRow(pools, many=True).data,
                "claims": rows.ClaimRow(claims, many=True).data,
                "findings": rows.FindingRow(findings.order_by("rank", "code", "id"), many=True).data,
            }

        return self.answer(row, row.cluster, data)
