"""The what-if workbench: ask what would fit, and after which changes; the whole question is in the address."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from pools.domain.errors import ScenarioError
from pools.models import Cluster
from pools.queries import scenarios
from pools.queries.choices import bench_choices
from pools.queries.inquiry import KEYS, LISTS, Inquiry, as_query, doc_of, read_json, read_values
from pools.queries.scope import Scope, clusters_in
from pools.queries.whatif import what_if
from pools.web import twins
from pools.web.render import page
from pools.web.whatifview import changes, what_if_view


@require_http_methods(["GET", "HEAD", "POST"])
def bench(request: HttpRequest) -> HttpResponse:
    """Shows the question in the address with its answer; a POST only turns what was pasted into such an address."""
    path = reverse("web:what-if")
    if request.method == "POST":
        return _posted(request, path)
    fault: ScenarioError | None = None
    inquiry = Inquiry()
    try:
        inquiry = _inquiry(request)
    except ScenarioError as error:
        fault = error
    if fault is None and any(not text for key in request.GET for text in request.GET.getlist(key)):
        return HttpResponseRedirect(f"{path}?{as_query(inquiry)}")  # a form sends its empty fields, too
    context, fault = _answered(request, inquiry, fault)
    return page(request, "web/whatif.html", _context(request, inquiry, path, fault) | context)


def _inquiry(request: HttpRequest) -> Inquiry:
    """The question of the address: its parts, or the name of a saved one."""
    if request.GET.get("scenario"):
        return read_json(scenarios.find(request.GET["scenario"]).document)
    values = {key: request.GET.getlist(key) for key in request.GET if key in KEYS}
    if request.GET.get("doc"):
        values["objects"] = [scenarios.text_of(request.GET["doc"])]
    return read_values(values)


def _posted(request: HttpRequest, path: str) -> HttpResponse:
    values = {key: request.POST.getlist(key) for key in request.POST if key in KEYS}
    name = request.POST.get("save", "").strip()
    try:
        if request.POST.get("remove"):
            scenarios.remove(request.POST["remove"])
            return HttpResponseRedirect(path)
        inquiry = read_values(values)
        if name:
            saved = scenarios.save(name, inquiry)
            return HttpResponseRedirect(f"{path}?{twins.query(scenario=saved.name)}")
        scenarios.keep(inquiry)
        return HttpResponseRedirect(f"{path}?{as_query(inquiry)}")
    except ScenarioError as error:
        given = Inquiry(values={key: texts for key, texts in values.items() if any(texts)})
        response = page(request, "web/whatif.html", _context(request, given, path, error))
        response.status_code = 400
        return response


def _answered(
    request: HttpRequest, inquiry: Inquiry, fault: ScenarioError | None
) -> tuple[dict[str, Any], ScenarioError | None]:
    """The answer, if anything is asked, and what was wrong with the question, if anything was."""
    if fault is not None or inquiry.is_empty:
        return {}, fault
    try:
        cluster = _cluster(request, inquiry.cluster)
        return {"view": what_if_view(cluster.name, what_if(cluster, inquiry))}, None
    except ScenarioError as error:
        return {}, error


def _cluster(request: HttpRequest, name: str) -> Cluster:
    rows = list(clusters_in(request.user, Scope(cluster=name)).order_by("name")[:2])
    if not rows:
        raise ScenarioError("cluster", f"there is no cluster {name!r}" if name else "nothing is mirrored yet")
    if len(rows) > 1:
        raise ScenarioError("cluster", "there are several clusters; choose one")
    return rows[0]


def _context(request: HttpRequest, inquiry: Inquiry, path: str, fault: ScenarioError | None) -> dict[str, Any]:
    asked, changed = changes(inquiry, path)
    choices = bench_choices(request.user, inquiry.cluster)
    values = {key: list(texts) for key, texts in inquiry.values.items()}
    return {
        "section": "what-if",
        "twin": twins.what_if(request.GET.urlencode()) if fault is None and not inquiry.is_empty else twins.pending(),
        "fault": fault,
        "inquiry": inquiry,
        "values": values,
        "one": {key: texts[0] for key, texts in values.items()},
        "kept": [(key, text) for key, texts in values.items() for text in texts if key not in ("cluster", "objects")],
        "kept_lists": [(key, text) for key, texts in values.items() for text in texts if key in LISTS],
        "doc": doc_of(values["objects"][0]) if "objects" in values else "",
        "asked": asked,
        "changed": changed,
        "choices": choices,
        "saved": list(scenarios.named()[:100]),
        "scenario": request.GET.get("scenario", ""),
    }
