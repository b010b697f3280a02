"""Lists: filtered, in pages or as CSV, and not sent again while nothing has changed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar, cast

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request

from pools.access import User
from pools.api import filters, rows
from pools.api.conditional import conditional, etag_of, revisions
from pools.api.examples import example_of
from pools.api.pagination import KeysetPagination
from pools.api.renderers import CsvRenderer, JsonRenderer, csv_lines
from pools.queries import rows as queries

EXPORT_CHUNK = 500


def refuse_unknown(request: Request, known: Collection[str]) -> None:
    """
    Refuse parameters that mean nothing here: a misspelt filter must not look as if it had been applied.

    Raises:
        ValidationError: naming each.
    """
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        message = f"Not a parameter of this resource; there are {', '.join(sorted(known))}."
        raise ValidationError({name: [message] for name in unknown})


class RowList(GenericAPIView[Any]):
    """The base of all lists. `source` gives a user's rows; `keyset` the columns that order them, unique together."""

    pagination_class = KeysetPagination
    renderer_classes = [JsonRenderer, CsvRenderer]
    source: ClassVar[Callable[[User], QuerySet[Any]]]
    keyset: ClassVar[tuple[str, ...]]
    filterset_class: ClassVar[type[filters.Filters]]

    def get_queryset(self) -> QuerySet[Any]:
        return type(self).source(self.request.user)

    def get(self, request: Request) -> HttpResponseBase:
        refuse_unknown(request, {*self.filterset_class.base_filters, "cursor", "page_size", "format"})
        return conditional(request, etag_of(request, revisions(request)), lambda: self._answer(request))

    def _answer(self, request: Request) -> HttpResponseBase:
        found = self.filter_queryset(self.get_queryset())
        if request.accepted_renderer.format == "csv":
            return self._export(found.order_by(*self.keyset))
        page = self.paginate_queryset(found)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def _export(self, found: QuerySet[Any]) -> HttpResponseBase:
        """All rows, streamed: a table for a spreadsheet has no pages."""
        serializer = cast(rows.Row, self.get_serializer())
        lines = csv_lines(
            list(serializer.get_fields()), (serializer.to_representation(row) for row in found.iterator(EXPORT_CHUNK))
        )
        name = type(self).__name__.removesuffix("List").lower()
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def documented(tag: str, what: str) -> Callable[[type[RowList]], type[RowList]]:
    """Describe a list in the schema."""

    def describe(view: type[RowList]) -> type[RowList]:
        operation = extend_schema(
            operation_id=f"{tag.replace('-', '_')}_list",
            tags=[tag],
            summary=f"List {what}",
            description=f"{view.__doc__}\n\n`?format=csv` gives all rows as a table.",
            responses={200: view.serializer_class(many=True), 304: None},  # type: ignore[misc]
            examples=[example_of(view.serializer_class)],  # type: ignore[arg-type]
        )
        described: type[RowList] = extend_schema_view(get=operation)(view)
        return described

    return describe


@documented("clusters", "clusters")
class ClusterList(RowList):
    """Clusters by name."""

    source = queries.clusters
    keyset = ("name",)
    filterset_class = filters.ClusterFilter
    serializer_class = rows.ClusterRow


@documented("pools", "pools")
class PoolList(RowList):
    """Pools by cluster, driver and name."""

    source = queries.pools
    keyset = ("cluster_id", "driver", "name")
    filterset_class = filters.PoolFilter
    serializer_class = rows.PoolRow


@documented("counter-sets", "counter sets")
class CounterSetList(RowList):
    """Counter sets with their counters, and who consumes each."""

    source = queries.counter_sets
    keyset = ("pool_id", "id")
    filterset_class = filters.CounterSetFilter
    serializer_class = rows.CounterSetRow


@documented("cards", "cards")
class CardList(RowList):
    """Cards with how many more of each type fit, and their slots."""

    source = queries.cards
    keyset = ("pool_id", "position", "id")
    filterset_class = filters.CardFilter
    serializer_class = rows.CardRow


@documented("devices", "devices")
class DeviceList(RowList):
    """Devices in the order in which the scheduler tries those of a pool."""

    source = queries.devices
    keyset = ("pool_id", "position", "id")
    filterset_class = filters.DeviceFilter
    serializer_class = rows.DeviceRow


@documented("claims", "claims")
class ClaimList(RowList):
    """Claims with what they hold, by cluster, namespace and name."""

    source = queries.claims
    keyset = ("cluster_id", "namespace", "name")
    filterset_class = filters.ClaimFilter
    serializer_class = rows.ClaimRow


@documented("allocations", "allocations")
class AllocationList(RowList):
    """Allocation results: which claim holds which device."""

    source = queries.allocations
    keyset = ("claim_id", "id")
    filterset_class = filters.AllocationFilter
    serializer_class = rows.AllocationRow


@documented("nodes", "nodes")
class NodeList(RowList):
    """Nodes by cluster and name."""

    source = queries.nodes
    keyset = ("cluster_id", "name")
    filterset_class = filters.NodeFilter
    serializer_class = rows.NodeRow


@documented("findings", "findings")
class FindingList(RowList):
    """Findings, errors first within each cluster."""

    source = queries.findings
    keyset = ("cluster_id", "rank", "code", "object", "id")
    filterset_class = filters.FindingFilter
    serializer_class = rows.FindingRow


@documented("objects", "objects")
class ObjectList(RowList):
    """Objects as received, without their bodies, by cluster, kind, namespace and name."""

    source = queries.objects
    keyset = ("cluster_id", "kind", "namespace", "name")
    filterset_class = filters.ObjectFilter
    serializer_class = rows.ObjectRow
