"""Questions: why a claim waits, what would help, what would be if, what allocations waste, what upstream would say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from pools.access import visible
from pools.api import answers, rooms
from pools.api.answer_examples import QUESTION, VALUES
from pools.api.conditional import conditional, etag_of, revisions
from pools.api.details import Detail, found, found_pool, report_of
from pools.api.lists import refuse_unknown
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId
from pools.models import Claim, Cluster, Pod
from pools.queries import rows as queries
from pools.queries import scenarios
from pools.queries.claims import find_claim
from pools.queries.fragmentation import card_room, fleet_room
from pools.queries.inquiry import KEYS, LISTS, Inquiry, read_json, read_values
from pools.queries.scope import Scope
from pools.queries.upstream import upstream
from pools.queries.whatif import what_if
from pools.queries.whatif_json import what_if_json
from pools.queries.why import claim_help, claim_why
from pools.queries.why_json import claim_help_json, claim_why_json


def described(name: str, tag: str, summary: str, answer: Any, **more: Any) -> Callable[[Any], Any]:
    """Describe a question in the schema."""
    example = OpenApiExample("Example", VALUES[answer], response_only=True, status_codes=["200"])
    examples = [example, *more.pop("examples", ())]
    decorate: Callable[[Any], Any] = extend_schema(
        operation_id=name, tags=[tag], summary=summary, responses={200: answer, 304: None}, examples=examples, **more
    )
    return decorate


class ClaimQuestion(Detail):
    """The base of questions about one claim."""

    def row(self, request: Request, cluster: str, namespace: str, name: str) -> Claim:
        """The claim's row, when the caller may see it."""
        wanted = queries.claims(request.user).filter(cluster__name=cluster, namespace=namespace, name=name)
        row: Claim = found(wanted.first(), "claim")
        return row


def _head(row: Claim) -> dict[str, str]:
    return {"cluster": row.cluster.name, "namespace": row.namespace, "name": row.name}


class ClaimExplain(ClaimQuestion):
    """Why a claim waits: one sentence, and for each kind of node and each request where the devices drop out."""

    @described("claims_explain", "claims", "Why a claim waits", answers.ExplainRow)
    def get(self, request: Request, cluster: str, namespace: str, name: str) -> HttpResponseBase:
        row = self.row(request, cluster, namespace, name)

        def data() -> dict[str, Any]:
            why = found(claim_why(row.cluster, ClaimId(namespace, name)), "claim")
            page = find_claim(request.user, cluster, namespace, name)
            pods: tuple[Pod, ...] = page.pods if page is not None else ()
            told = [{"pod": str(pod), "message": pod.unschedulable} for pod in pods if pod.unschedulable]
            return {**_head(row), **claim_why_json(why), "scheduler": told}

        return self.answer(row, row.cluster, data)


class ClaimRelief(ClaimQuestion):
    """What would help a claim that fits nowhere: the smallest sets of claims that would have to go or to move."""

    @described("claims_relief", "claims", "What would help a pending claim", answers.ReliefRow)
    def get(self, request: Request, cluster: str, namespace: str, name: str) -> HttpResponseBase:
        row = self.row(request, cluster, namespace, name)

        def data() -> dict[str, Any]:
            helps = found(claim_help(row.cluster, ClaimId(namespace, name)), "claim")
            return {**_head(row), **claim_help_json(helps)}

        return self.answer(row, row.cluster, data)


class CardFragmentation(Detail):
    """What a card's allocations waste, and the moves that would win most."""

    @described("cards_fragmentation", "cards", "What a card's allocations waste", rooms.CardRoomRow)
    def get(self, request: Request, cluster: str, driver: str, pool: str, card: str) -> HttpResponseBase:
        wanted = queries.cards(request.user).filter(
            pool__cluster__name=cluster, pool__driver=driver, pool__name=pool, key=card
        )
        row = found(wanted.first(), "card")

        def data() -> dict[str, Any]:
            report = report_of(row.pool)
            known = any(each.key == card for each in report.cards)
            return dict(rooms.CardRoomRow(found(card_room(report, card) if known else None, "card")).data)

        return self.answer(row, row.pool.cluster, data)


class PoolStatus(Detail):
    """A pool as upstream's ResourcePoolStatusRequest sums it up (KEP-5677), beside what is known here."""

    @described("pools_status", "pools", "Upstream's summary of a pool, beside ours", rooms.PoolStatusRow)
    def get(self, request: Request, cluster: str, driver: str, pool: str) -> HttpResponseBase:
        row = found_pool(request, cluster, driver, pool)
        return self.answer(row, row.cluster, lambda: dict(rooms.PoolStatusRow(upstream(row, report_of(row))).data))


SCOPE = {
    "cluster": "Only this cluster.",
    "driver": "Only pools of this driver.",
    "node": "Only pools that name this node.",
    "model": "Only cards of this model.",
}


class FleetFragmentation(APIView):
    """What the fleet's allocations waste: by type, by amount, and the cards that lose most."""

    @described(
        "fragmentation",
        "fragmentation",
        "What the fleet's allocations waste",
        rooms.FleetRoomRow,
        parameters=[OpenApiParameter(name, str, description=text) for name, text in SCOPE.items()],
    )
    def get(self, request: Request) -> HttpResponseBase:
        refuse_unknown(request, {*SCOPE, "format"})
        given = {name: request.query_params.get(name, "").replace("\x00", "\ufffd") for name in SCOPE}
        tag = etag_of(request, revisions(request))
        return conditional(
            request, tag, lambda: Response(dict(rooms.FleetRoomRow(fleet_room(request.user, Scope(**given))).data))
        )


class WhatIfView(APIView):
    """Ask what would fit, and after which changes; nothing is written."""

    error_statuses = [404]
    parser_classes = [JSONParser]

    @described(
        "what_if",
        "what-if",
        "What would fit, and after which changes",
        answers.WhatIfRow,
        parameters=[
            *(OpenApiParameter(k, str, description=text, many=k in LISTS) for k, text in answers.HELP.items()),
            OpenApiParameter("doc", str, description="Objects, packed, as the pages' addresses hold them."),
            OpenApiParameter("scenario", str, description="A saved scenario, instead of everything else."),
        ],
    )
    def get(self, request: Request) -> HttpResponseBase:
        refuse_unknown(request, {*KEYS, "doc", "scenario", "format"})
        inquiry = _understood(lambda: _of_query(request))
        tag = etag_of(request, revisions(request))
        return conditional(request, tag, lambda: _answer(request, inquiry))

    @extend_schema(
        operation_id="what_if_ask",
        tags=["what-if"],
        summary="What would fit, with the question as a document",
        request=answers.Question,
        responses={200: answers.WhatIfRow},
        examples=[
            OpenApiExample("A question", QUESTION, request_only=True),
            OpenApiExample("Example", VALUES[answers.WhatIfRow], response_only=True, status_codes=["200"]),
        ],
    )
    def post(self, request: Request) -> HttpResponseBase:
        refuse_unknown(request, {"format"})
        inquiry = _understood(lambda: read_json(request.data))
        return _answer(request, inquiry)


def _of_query(request: Request) -> Inquiry:
    given = {key: request.query_params.getlist(key) for key in request.query_params if key in KEYS}
    saved = request.query_params.get("scenario")
    if saved is not None:
        row = found(scenarios.named().filter(name=saved.replace("\x00", "\ufffd")).first(), "scenario")
        return read_json(row.document)
    if "doc" in request.query_params:
        given["objects"] = [scenarios.text_of(request.query_params["doc"])]
    return read_values(given)


def _understood(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except ScenarioError as error:
        raise ValidationError({error.path or "question": [error.reason]}) from None


def _answer(request: Request, inquiry: Inquiry) -> Response:
    def ask() -> dict[str, Any]:
        if inquiry.is_empty:
            raise ScenarioError("", "nothing is asked; name a claim, a class, a layout or a change")
        return what_if_json(what_if(_cluster(request, inquiry.cluster), inquiry))

    return Response(_understood(ask))


def _cluster(request: Request, name: str) -> Cluster:
    clusters = visible(request.user, Cluster.objects.order_by("name"))
    rows = list((clusters.filter(name=name) if name else clusters)[:2])
    if not rows:
        raise ScenarioError("cluster", f"there is no cluster {name!r}" if name else "no cluster is mirrored")
    if len(rows) > 1:
        raise ScenarioError("cluster", "there are several clusters; name one")
    return rows[0]
