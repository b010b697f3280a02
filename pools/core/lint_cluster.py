"""Findings about what surrounds the pools: claims, templates, classes, pods, taint rules, nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pools.core.amounts import listed
from pools.core.holds import holds
from pools.core.reach import only_nodes
from pools.domain.claim import Claim
from pools.domain.cluster import Node, Pod, Snapshot
from pools.domain.errors import Finding
from pools.domain.ids import ClaimId, PoolId
from pools.domain.pool import Pool

MAX_RESULTS = 32
_OVER = ("Succeeded", "Failed")


def lint_cluster(snapshot: Snapshot, pools: tuple[Pool, ...]) -> tuple[Finding, ...]:
    """
    Findings about claims, pods, taint rules and nodes; those about single pools come with their reports.

    What an input cannot tell is not held against it: pods are missed only where pods are given at all.
    """
    return (
        *_repeated(snapshot),
        *_lost_pools(snapshot, pools),
        *(finding for claim in snapshot.claims for finding in _claim(claim)),
        *_unused_claims(snapshot),
        *_pods(snapshot),
        *_classes(snapshot),
        *_rules(snapshot),
        *_nodes(snapshot, pools),
    )


def _repeated(snapshot: Snapshot) -> Iterator[Finding]:
    seen: dict[tuple[PoolId, str, int], int] = defaultdict(int)
    for item in snapshot.slices:
        if item.meta.name:
            seen[item.pool_id, item.meta.name, item.generation] += 1
    for (pool, name, _), count in seen.items():
        if count > 1:
            text = f"Slice {name} is given {count} times; the newest, else the last, stands."
            yield Finding("object-repeated", str(pool), "warning", text)


def _lost_pools(snapshot: Snapshot, pools: tuple[Pool, ...]) -> Iterator[Finding]:
    known = {pool.id for pool in pools}
    lost: dict[PoolId, list[str]] = defaultdict(list)
    for hold in holds(snapshot.claims, snapshot.slices):
        if hold.device.pool_id not in known and not hold.admin:
            lost[hold.device.pool_id].append(f"{hold.device.name} for {hold.claim}")
    for pool, held in lost.items():
        name = str(pool) if pool.name else pool.driver
        text = f"No slice of this pool is published, but claims hold devices of it: {listed(held)}."
        yield Finding("allocated-pool-not-published", name, "warning", text)


def _claim(claim: Claim) -> Iterator[Finding]:
    name = str(claim.id)
    if claim.allocation is None:
        if claim.reserved_for:
            text = "Reserved for a consumer although nothing is allocated."
            yield Finding("reserved-not-allocated", name, "error", text)
        return
    if not claim.reserved_for:
        text = "Allocated, but nobody has reserved it: its devices are taken and used by no one."
        yield Finding("allocated-not-reserved", name, "warning", text)
    if claim.meta.deleted:
        text = "Being deleted, but still allocated: its devices stay taken until the claim is deallocated."
        yield Finding("deleting-still-allocated", name, "info", text)
    results = claim.allocation.results
    if len(results) > MAX_RESULTS:
        text = f"Holds {len(results)} devices; a claim can hold at most {MAX_RESULTS}."
        yield Finding("claim-too-large", name, "error", text)
    asked = {request.name for request in claim.requests}
    unknown = [result.request for result in results if result.request.partition("/")[0] not in asked]
    if unknown:
        text = f"Holds devices for requests that it does not have: {listed(list(dict.fromkeys(unknown)))}."
        yield Finding("allocation-request-unknown", name, "error", text)


def _unused_claims(snapshot: Snapshot) -> Iterator[Finding]:
    if not snapshot.pods:
        return
    used = {
        ClaimId(pod.meta.namespace, name)
        for pod in snapshot.pods
        if pod.phase not in _OVER
        for name in pod.claim_names()
    }
    for claim in snapshot.claims:
        if claim.allocation is None and claim.id not in used:
            text = "No pod refers to it, so it stays pending: devices are allocated for pods only."
            yield Finding("claim-without-pod", str(claim.id), "warning", text)


def _pods(snapshot: Snapshot) -> Iterator[Finding]:
    templates = {template.id for template in snapshot.templates}
    claims = {claim.id for claim in snapshot.claims}
    missing: dict[tuple[str, ClaimId], list[str]] = defaultdict(list)
    for pod in snapshot.pods:
        for code, wanted in _wanted(pod) if pod.phase not in _OVER else ():
            if wanted not in (templates if code == "claim-template-missing" else claims):
                missing[code, wanted].append(str(pod.id))
    for (code, wanted), pods in missing.items():
        what = "template" if code == "claim-template-missing" else "claim"
        text = f"There is no {what} of this name, so pod {listed(pods)} stays pending."
        yield Finding(code, str(wanted), "warning", text)


def _wanted(pod: Pod) -> Iterator[tuple[str, ClaimId]]:
    """What must exist for the pod to get on: templates of claims not made yet, and claims."""
    for entry in pod.claims:
        made = pod.claim_statuses.get(entry.name)
        if entry.template and entry.name not in pod.claim_statuses:
            yield "claim-template-missing", ClaimId(pod.meta.namespace, entry.template)
        elif entry.claim or made:
            yield "claim-missing", ClaimId(pod.meta.namespace, entry.claim or made or "")


def _classes(snapshot: Snapshot) -> Iterator[Finding]:
    known = {item.meta.name for item in snapshot.classes}
    missing: dict[str, list[str]] = defaultdict(list)
    for claim in snapshot.claims:
        wanted = {each.device_class for request in claim.requests for each in request.alternatives if each.device_class}
        for name in sorted(wanted - known) if claim.allocation is None else ():
            missing[name].append(str(claim.id))
    for name, claims in missing.items():
        there = f"there are {listed(sorted(known), 8)}" if known else "there are none at all"
        text = f"No such DeviceClass ({there}), so claim {listed(claims)} cannot be allocated."
        yield Finding("device-class-missing", name, "warning", text)


def _rules(snapshot: Snapshot) -> Iterator[Finding]:
    for rule in snapshot.taint_rules:
        if not rule.has_selector:
            text = (
                "Has no deviceSelector: by the API's text it taints nothing, "
                "but the scheduler of 1.37.0 and before takes it as every device."
            )
            yield Finding("taint-rule-without-selector", rule.meta.name, "warning", text)


def _nodes(snapshot: Snapshot, pools: tuple[Pool, ...]) -> Iterator[Finding]:
    drivers: dict[str, set[str]] = defaultdict(set)
    for pool in pools if snapshot.nodes else ():
        for reach in {id(item.reach): item.reach for item in pool.devices}.values():
            for name in only_nodes(reach) or ():
                drivers[name].add(pool.id.driver)
    users: dict[str, list[Pod]] = defaultdict(list)
    for pod in snapshot.pods:
        if pod.extended_requests and pod.phase not in _OVER:
            users[pod.node_name].append(pod)
    classes = frozenset(item.extended_resource for item in snapshot.classes)
    for node in snapshot.nodes:
        if node.meta.name in drivers:
            yield from _plugin(node, drivers[node.meta.name], classes, users[node.meta.name])


def _plugin(node: Node, drivers: set[str], classes: frozenset[str], pods: list[Pod]) -> Iterator[Finding]:
    """A device plugin that offers what a DRA driver on this node, or a class of extended resources, may offer too."""
    offered = sorted(
        name
        for name, amount in node.allocatable.items()
        if amount.nano > 0 and "/" in name and (name in classes or any(_related(name, driver) for driver in drivers))
    )
    if not offered:
        return
    users = [str(pod.id) for pod in pods if set(offered) & set(pod.extended_requests)]
    by = f" (now for pod {listed(users)})" if users else ""
    text = (
        f"A device plugin offers {listed(offered)} here next to a DRA driver{by}: "
        "if both manage the same devices, the scheduler gives them out twice."
    )
    yield Finding("device-plugin-on-dra-node", node.meta.name, "warning", text)


def _related(resource: str, driver: str) -> bool:
    """Whether the resource's domain is the driver's or one above or below: nvidia.com/gpu and gpu.nvidia.com."""
    domain = resource.partition("/")[0]
    return domain == driver or driver.endswith(f".{domain}") or domain.endswith(f".{driver}")
