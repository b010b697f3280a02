"""What an open page asks again and again: has anything changed?"""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from pools.access import visible
from pools.api.conditional import conditional, etag_of
from pools.api.lists import refuse_unknown
from pools.models import Cluster


class RevisionSerializer(serializers.Serializer[Any]):
    """One cluster's state as a number."""

    cluster = serializers.CharField()
    revision = serializers.IntegerField(help_text="Grows with every change of anything in the cluster.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="When it changed last.")


class RevisionsSerializer(serializers.Serializer[Any]):
    """All clusters, by name."""

    clusters = RevisionSerializer(many=True)


class RevisionView(APIView):
    """Poll this with If-None-Match: an unchanged state costs a 304 and one query."""

    @extend_schema(
        operation_id="revision",
        tags=["revision"],
        summary="Has anything changed?",
        parameters=[OpenApiParameter("cluster", str, description="Only this cluster.")],
        responses={200: RevisionsSerializer, 304: None},
        examples=[
            OpenApiExample(
                "Two clusters",
                {
                    "clusters": [
                        {"cluster": "default", "revision": 41, "as_of": "2026-12-01T09:30:00.125Z"},
                        {"cluster": "edge", "revision": 7, "as_of": "2026-11-30T22:01:10Z"},
                    ]
                },
                response_only=True,
                status_codes=["200"],
            )
        ],
    )
    def get(self, request: Request) -> HttpResponseBase:
        refuse_unknown(request, {"cluster", "format"})
        clusters = visible(request.user, Cluster.objects.order_by("name"))
        name = request.query_params.get("cluster")
        if name is not None:
            clusters = clusters.filter(name=name.replace("\x00", "\ufffd"))  # which no cluster is called
        rows = list(clusters)
        tag = etag_of(request, [(row.name, row.revision) for row in rows])

        def answer() -> HttpResponseBase:
            data = [{"cluster": row.name, "revision": row.revision, "as_of": row.as_of} for row in rows]
            return Response({"clusters": data})

        return conditional(request, tag, answer)
