"""Put a scenario into a live cluster, let its scheduler decide, and clear it away again."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field

from .controlplane import ControlPlane
from .fuzz.world import Json
from .processes import wait_until

POD = "waiting"
_RESOURCE = "/apis/resource.k8s.io/v1"
_CLAIMS = f"{_RESOURCE}/namespaces/default/resourceclaims"
_PODS = "/api/v1/namespaces/default/pods"
_SETTLE_SECONDS = 0.4
_ROOM = {"cpu": "64", "memory": "256Gi", "pods": "110"}


class Refused(Exception):
    """The API server does not take an object; the text says which and why."""


@dataclass(frozen=True)
class Decision:
    """What the scheduler did with the pod: its node and the devices of each claim, or the reason why not."""

    node: str = ""
    allocations: list[list[Json]] = field(default_factory=list)
    reason: str = ""
    message: str = ""


def decide(cluster: ControlPlane, scenario: Json) -> Decision:
    """
    The live scheduler's decision for one pod that needs all pending claims of a scenario.

    Raises:
        Refused: an object of the scenario is invalid for this API server.
    """
    clear(cluster)
    try:
        _create(cluster, scenario)
        time.sleep(_SETTLE_SECONDS)  # the scheduler hears of slices, claims and pods by separate watches
        _post(cluster, _PODS, _pod([claim["metadata"]["name"] for claim in scenario["claims"]]))
        decided = wait_until(lambda: _decision(cluster, scenario), 30, "a decision of the scheduler")
        assert isinstance(decided, Decision)
        return decided
    finally:
        clear(cluster)


def clear(cluster: ControlPlane) -> None:
    """Delete pods, claims, slices and nodes, and wait until none is left."""
    force = "?gracePeriodSeconds=0"
    kinds = [_PODS + force, _CLAIMS, f"{_RESOURCE}/resourceslices", "/api/v1/nodes"]
    for path in kinds:
        cluster.request("DELETE", path)

    def empty() -> bool:
        left = [_items(cluster, path.removesuffix(force)) for path in kinds]
        for claim in left[1]:
            _let_go(cluster, claim)
        return not any(left)

    wait_until(empty, 30, "an empty cluster")


def _let_go(cluster: ControlPlane, claim: Json) -> None:
    """Drop what protects a deleted claim: nobody uses it any more, and the test does not wait for the controller."""
    meta = claim["metadata"]
    if meta.get("finalizers"):
        meta.pop("finalizers")
        cluster.request("PUT", f"{_CLAIMS}/{meta['name']}", claim)


def _items(cluster: ControlPlane, path: str) -> list[Json]:
    items: list[Json] = cluster.request("GET", path)[1].get("items") or []
    return items


def _create(cluster: ControlPlane, scenario: Json) -> None:
    for node in scenario["nodes"]:
        status = {**node.get("status", {}), "capacity": _ROOM, "allocatable": _ROOM}
        _post(cluster, "/api/v1/nodes", {**node, "status": status})
    for each in scenario["slices"]:
        _post(cluster, f"{_RESOURCE}/resourceslices", each)
    for claim in scenario["allocated"]:
        created = _post(cluster, _CLAIMS, {key: value for key, value in claim.items() if key != "status"})
        path = f"{_CLAIMS}/{claim['metadata']['name']}/status"
        _send(cluster, "PUT", path, {**created, "status": claim["status"]})
    for claim in scenario["claims"]:
        _post(cluster, _CLAIMS, claim)


def _post(cluster: ControlPlane, path: str, body: Json) -> Json:
    clean = copy.deepcopy(body)
    clean["metadata"].pop("uid", None)
    return _send(cluster, "POST", path, clean)


def _send(cluster: ControlPlane, method: str, path: str, body: Json) -> Json:
    code, answer = cluster.request(method, path, body)
    if code >= 400:
        raise Refused(f"{body['kind']} {body['metadata']['name']}: {answer.get('message')}")
    return answer


def _pod(claims: list[str]) -> Json:
    names = [f"claim-{number}" for number in range(len(claims))]
    uses = [{"name": name, "resourceClaimName": claim} for name, claim in zip(names, claims, strict=True)]
    container = {"name": "main", "image": "none", "resources": {"claims": [{"name": name} for name in names]}}
    meta = {"name": POD, "namespace": "default"}
    spec = {"containers": [container], "resourceClaims": uses, "terminationGracePeriodSeconds": 0}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _decision(cluster: ControlPlane, scenario: Json) -> Decision | None:
    pod = cluster.request("GET", f"{_PODS}/{POD}")[1]
    node = pod.get("spec", {}).get("nodeName")
    if node:
        claims = [cluster.request("GET", f"{_CLAIMS}/{each['metadata']['name']}")[1] for each in scenario["claims"]]
        picks = [each["status"]["allocation"]["devices"]["results"] for each in claims]
        return Decision(node, picks)
    for condition in pod.get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return Decision(reason=condition["reason"], message=condition.get("message", ""))
    return None
