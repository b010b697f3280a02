"""Publishing and deleting objects."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ParseError, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from pools.access import may_publish, visible
from pools.api.conditional import conditional, etag_of
from pools.api.errors import error_body
from pools.api.examples import DELETE_EXAMPLES, OBJECT_EXAMPLES, PUBLISH_EXAMPLES
from pools.api.lists import refuse_unknown
from pools.api.payload import payload_of
from pools.api.permissions import MayPublish, MayRead
from pools.api.schema import ErrorBody
from pools.domain.errors import Undecodable
from pools.domain.ids import PoolId
from pools.ingest.outcome import VERDICTS, PublishReport
from pools.ingest.publish import check_cluster, publish, remove
from pools.models import PublishToken, StoredObject
from pools.stored import unpack


class OutcomeRow(serializers.Serializer[Any]):
    """What became of one object."""

    outcome = serializers.ChoiceField(VERDICTS, source="verdict")
    kind = serializers.CharField(allow_blank=True)
    namespace = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    where = serializers.CharField(allow_blank=True, help_text="Its place in the payload, such as [2].items[0].")
    reason = serializers.CharField(allow_blank=True, help_text="Why it was refused, or why stale news changed nothing.")
    path = serializers.CharField(allow_blank=True, help_text="Where in the object the fault lies.")


class Summary(serializers.Serializer[Any]):
    """How many objects met each fate."""

    created = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField()
    deleted = serializers.IntegerField()


class ReportRow(serializers.Serializer[Any]):
    """What one call did."""

    cluster = serializers.CharField()
    revision = serializers.IntegerField(help_text="The cluster's revision afterwards; 0 if nothing was ever accepted.")
    summary = Summary()
    note = serializers.CharField(allow_blank=True, help_text="A sentence about the call as a whole, usually empty.")
    objects = OutcomeRow(many=True)


class RefusedReport(ReportRow):
    """Nothing was accepted: the report, and the error as everywhere."""

    error = ErrorBody()


class PublishView(APIView):
    """Publish objects."""

    permission_classes = [MayPublish]
    error_statuses = [413, 415]

    @extend_schema(
        operation_id="publish",
        tags=["publish"],
        summary="Publish objects",
        description=(
            "Applies objects (ResourceSlices of any API version or prototype form, claims, templates, classes, taint "
            "rules, pods, nodes): one, several, a List, or a YAML stream. In one transaction, idempotent: content that "
            "is stored already, and versions older than the stored one, change nothing. One refused object does not "
            "lose the others. Needs a publish token; one bound to a driver covers slices of that driver only.\n\n"
            "The status is 200 when anything was accepted, and 422 when everything was refused. "
            "`Content-Encoding: gzip` is understood."
        ),
        parameters=[
            OpenApiParameter(
                "cluster", str, description="Of which cluster the objects are. Default: the token's, else `default`."
            ),
            OpenApiParameter("atomic", bool, description="Refuse everything if anything is refused.", default=False),
            OpenApiParameter(
                "replace",
                str,
                description="`driver/pool`: the payload is the whole truth of this pool; "
                "its slices that are not in the payload are deleted.",
            ),
        ],
        request={kind: OpenApiTypes.OBJECT for kind in ("application/json", "application/yaml")},
        responses={200: ReportRow, 422: OpenApiResponse(RefusedReport, "Everything was refused.")},
        examples=PUBLISH_EXAMPLES,
    )
    def post(self, request: Request) -> Response:
        refuse_unknown(request, {"cluster", "atomic", "replace", "format"})
        cluster, replace = _cluster(request), _replace(request)
        token = _token(request)
        _check_scope(token, cluster, replace)
        try:
            report = publish(
                payload_of(request), cluster=cluster, atomic=_atomic(request), replace=replace, token=token
            )
        except Undecodable as fault:
            raise ValidationError({fault.path or "body": [fault.reason]}, code="unreadable") from None
        if not report.objects and replace is None:
            raise ParseError("The body holds no objects.")
        return _answer(report)


class ObjectView(APIView):
    """One stored object."""

    error_statuses = [404]

    def get_permissions(self) -> list[Any]:
        return [MayRead()] if self.request.method in ("GET", "HEAD", "OPTIONS") else [MayPublish()]

    @extend_schema(
        operation_id="objects_retrieve",
        tags=["objects"],
        summary="The object's JSON as received",
        description="The namespace of cluster-scoped objects is written `-`.",
        responses={200: OpenApiTypes.OBJECT, 304: None},
        examples=OBJECT_EXAMPLES,
    )
    def get(self, request: Request, cluster: str, kind: str, namespace: str, name: str) -> Any:
        refuse_unknown(request, {"format"})
        rows = visible(request.user, StoredObject.objects.filter(cluster__name=cluster, kind=kind, name=name))
        row = rows.filter(namespace="" if namespace == "-" else namespace).first()
        if row is None:
            raise NotFound("No such object is stored.")
        tag = etag_of(request, [(bytes(row.digest).hex(), row.pk)])
        return conditional(request, tag, lambda: Response(unpack(bytes(row.body))))

    @extend_schema(
        operation_id="objects_delete",
        tags=["publish"],
        summary="Delete an object",
        description="The namespace of cluster-scoped objects is written `-`.",
        responses={200: ReportRow},
        examples=DELETE_EXAMPLES,
    )
    def delete(self, request: Request, cluster: str, kind: str, namespace: str, name: str) -> Response:
        refuse_unknown(request, {"format"})
        report = remove(
            cluster=cluster,
            kind=kind,
            namespace="" if namespace == "-" else namespace,
            name=name,
            token=_token(request),
        )
        if report is None:
            raise NotFound("No such object is stored.")
        if report.all_refused:
            raise PermissionDenied(report.objects[0].reason)
        return _answer(report)


def _token(request: Request) -> PublishToken:
    if not isinstance(request.auth, PublishToken):
        raise PermissionDenied(MayPublish.message)
    return request.auth


def _cluster(request: Request) -> str:
    token = _token(request)
    try:
        return check_cluster(request.query_params.get("cluster", token.cluster or "default"))
    except ValueError as error:
        raise ValidationError({"cluster": [str(error)]}) from None


def _atomic(request: Request) -> bool:
    raw = request.query_params.get("atomic", "false")
    if raw not in ("true", "false"):
        raise ValidationError({"atomic": ["Give true or false."]})
    return raw == "true"


def _replace(request: Request) -> PoolId | None:
    raw = request.query_params.get("replace")
    if raw is None:
        return None
    driver, _, pool = raw.partition("/")
    if not driver or not pool or not raw.isprintable() or max(len(driver), len(pool)) > 253:
        raise ValidationError({"replace": ["Give driver/pool; it is split at the first slash."]})
    return PoolId(driver, pool)


def _check_scope(token: PublishToken, cluster: str, replace: PoolId | None) -> None:
    """Refuse the whole call where no object could be accepted."""
    if token.cluster not in ("", cluster):
        raise PermissionDenied(f"The token is bound to the cluster {token.cluster}.")
    if replace is not None and not may_publish(token, cluster, replace.driver):
        raise PermissionDenied(f"The token is bound to the driver {token.driver}.")


def _answer(report: PublishReport) -> Response:
    data: dict[str, Any] = dict(ReportRow(report).data)
    if not report.all_refused:
        return Response(data)
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    details = [{"path": " ".join(p for p in (o.where, o.path) if p), "message": o.reason} for o in report.objects]
    first = details[0]["message"]
    message = first if len(details) == 1 else f"All {len(details)} objects were refused; the first: {first}"
    return Response({**error_body(status, "refused", message, details), **data}, status=status)
