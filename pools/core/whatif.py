"""What-if: a cluster as it would be after changes that nobody has made. Nothing here writes anything anywhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pools.core.clone import bound_nodes, clones, in_place_of
from pools.core.cluster_nodes import HOSTNAME, nodes_of
from pools.core.holds import holds
from pools.core.taint_changes import tainted, untainted
from pools.core.world import tolerated
from pools.domain.claim import Claim, ClaimTemplate, DeviceClass, TaintRule
from pools.domain.cluster import DomainObject, Node, Pod, Snapshot
from pools.domain.device import Taint
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.domain.pool import Meta

Named = TypeVar("Named", bound=Claim | ClaimTemplate | DeviceClass | TaintRule | Node | Pod)


@dataclass(frozen=True, slots=True)
class Scenario:
    """
    Changes to a cluster, applied in the order of the fields.

    `objects` are added, or take the place of those of their name; slices take the place of all slices of their pool, or
    of the pool `swap`. `grow` adds so many nodes like one. `untaint` frees devices of all their taints. `release` takes
    claims away. `drain` takes nodes away; claims with devices there are pending again.
    """

    objects: tuple[DomainObject, ...] = ()
    swap: PoolId | None = None
    grow: tuple[tuple[str, int], ...] = ()
    untaint: tuple[DeviceId, ...] = ()
    taint: tuple[tuple[DeviceId, Taint], ...] = ()
    release: tuple[ClaimId, ...] = ()
    drain: tuple[str, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return self == Scenario()


@dataclass(frozen=True, slots=True)
class Stage:
    """
    The cluster with a scenario applied.

    `nodes` are all that are left: none means none, unlike in a snapshot. `evicted` claims wait because their node was
    drained or their device tainted. `grown` are the names of new nodes. `notes` say, a sentence each, what did not go
    as one might expect.
    """

    snapshot: Snapshot
    nodes: tuple[Node, ...]
    evicted: tuple[ClaimId, ...] = ()
    grown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def stage(snapshot: Snapshot, scenario: Scenario) -> Stage:
    """
    Apply a scenario. What it does not name stays the very same object.

    Raises:
        ScenarioError: it names something that is not there, or that this cannot be done to.
    """
    if scenario.changes_nothing:
        return Stage(snapshot, nodes_of(snapshot))
    snapshot, notes = _with_objects(snapshot, scenario)
    found = _grown(Stage(snapshot, nodes_of(snapshot), notes=notes), scenario.grow)
    changed = tainted(untainted(found.snapshot, scenario.untaint), scenario.taint)
    found = replace(found, snapshot=_released(changed, scenario.release))
    found = _expelled(found, scenario.taint)
    return _drained(found, scenario.drain) if scenario.drain else found


def _with_objects(snapshot: Snapshot, scenario: Scenario) -> tuple[Snapshot, tuple[str, ...]]:
    new = Snapshot.of(list(scenario.objects))
    slices = new.slices
    if scenario.swap is not None:
        old = [item for item in snapshot.slices if item.pool_id == scenario.swap]
        slices = in_place_of(scenario.swap, old, slices)
    replaced = {item.pool_id for item in slices}
    stay = tuple(item for item in snapshot.slices if item.pool_id not in replaced)
    changed = Snapshot(
        slices=(*stay, *slices) if slices else snapshot.slices,
        claims=_merged(snapshot.claims, new.claims),
        templates=_merged(snapshot.templates, new.templates),
        classes=_merged(snapshot.classes, new.classes),
        taint_rules=_merged(snapshot.taint_rules, new.taint_rules),
        nodes=_merged(nodes_of(snapshot) if new.nodes else snapshot.nodes, new.nodes),
        pods=_merged(snapshot.pods, new.pods),
    )
    return _with_named_nodes(changed, {name for item in slices for name in bound_nodes(item) or ()})


def _merged(old: tuple[Named, ...], new: tuple[Named, ...]) -> tuple[Named, ...]:
    if not new:
        return old
    names = {(item.meta.namespace, item.meta.name) for item in new}
    return (*(item for item in old if (item.meta.namespace, item.meta.name) not in names), *new)


def _with_named_nodes(snapshot: Snapshot, named: Collection[str]) -> tuple[Snapshot, tuple[str, ...]]:
    """Where nodes are known, new slices for one that is not bring it along: else they would be good for nothing."""
    missing = sorted(set(named) - {node.meta.name for node in snapshot.nodes}) if snapshot.nodes else []
    if not missing:
        return snapshot, ()
    nodes = tuple(Node(Meta(name, labels={HOSTNAME: name})) for name in missing)
    notes = tuple(f"The slices name the node {name}, which is not there: it is taken to exist." for name in missing)
    return replace(snapshot, nodes=(*snapshot.nodes, *nodes)), notes


def _grown(before: Stage, grow: Sequence[tuple[str, int]]) -> Stage:
    for index, (like, count) in enumerate(grow):
        snapshot = before.snapshot
        more = clones(snapshot.slices, before.nodes, like, count, f"grow[{index}]")
        notes = [
            f"Pool {pool} is shared with other nodes, so the nodes like {like} have no copy of it."
            for pool in more.left_out
        ]
        if not more.slices and not notes:
            notes = [f"No pool is bound to the node {like} alone, so the nodes like it bring no devices of their own."]
        nodes = (*before.nodes, *more.nodes)
        before = replace(
            before,
            snapshot=replace(snapshot, slices=(*snapshot.slices, *more.slices), nodes=nodes),
            nodes=nodes,
            grown=(*before.grown, *(node.meta.name for node in more.nodes)),
            notes=(*before.notes, *notes),
        )
    return before


def _released(snapshot: Snapshot, release: Sequence[ClaimId]) -> Snapshot:
    if not release:
        return snapshot
    known = {claim.id: claim for claim in snapshot.claims}
    for index, name in enumerate(release):
        claim = known.get(name)
        if claim is None:
            raise ScenarioError(f"release[{index}]", f"there is no claim {name}")
        if claim.allocation is None:
            raise ScenarioError(f"release[{index}]", f"nothing is allocated to the claim {name}")
    gone = set(release)
    return replace(snapshot, claims=tuple(claim for claim in snapshot.claims if claim.id not in gone))


def _expelled(before: Stage, taints: Sequence[tuple[DeviceId, Taint]]) -> Stage:
    """
    Without the pods whose devices got a taint NoExecute that they do not tolerate; a time that they may stay is over.

    Source: device taint eviction of the kube-controller-manager; an allocation keeps the tolerations of its request.
    """
    wanted: dict[DeviceId, list[Taint]] = {}
    for device, taint in taints:
        if taint.effect == "NoExecute":
            wanted.setdefault(device, []).append(taint)
    gone = {claim.id for claim in before.snapshot.claims if _expels(claim, wanted)} if wanted else set()
    if not gone:
        return before
    evicted = tuple(claim.id for claim in before.snapshot.claims if claim.id in gone)
    return replace(
        before,
        snapshot=replace(
            before.snapshot,
            claims=tuple(_unallocated(claim) if claim.id in gone else claim for claim in before.snapshot.claims),
            pods=tuple(_unbound(pod) if _uses(pod, gone) else pod for pod in before.snapshot.pods),
        ),
        evicted=evicted,
    )


def _expels(claim: Claim, taints: Mapping[DeviceId, Sequence[Taint]]) -> bool:
    return any(
        not tolerated(taint, result.tolerations)
        for result in (claim.allocation.results if claim.allocation is not None else ())
        for taint in taints.get(DeviceId(result.driver, result.pool or "", result.device), ())
    )


def _uses(pod: Pod, claims: Collection[ClaimId]) -> bool:
    return pod.phase not in ("Succeeded", "Failed") and any(
        ClaimId(pod.meta.namespace, name) in claims for name in pod.claim_names()
    )


def _unbound(pod: Pod) -> Pod:
    return replace(pod, node_name="", phase="Pending")


def _drained(before: Stage, drain: Sequence[str]) -> Stage:
    known = {node.meta.name for node in before.nodes}
    for index, name in enumerate(drain):
        if name not in known:
            raise ScenarioError(f"drain[{index}]", f"there is no node {name}")
    gone = frozenset(drain)
    snapshot = before.snapshot
    evicted = _bound_to(snapshot, gone)
    nodes = tuple(node for node in before.nodes if node.meta.name not in gone)
    return replace(
        before,
        snapshot=replace(
            snapshot,
            nodes=nodes,
            claims=tuple(_unallocated(claim) if claim.id in evicted else claim for claim in snapshot.claims),
            pods=tuple(_unbound(pod) if pod.node_name in gone else pod for pod in snapshot.pods),
        ),
        nodes=nodes,
        evicted=(*before.evicted, *(claim.id for claim in snapshot.claims if claim.id in evicted)),
    )


def _unallocated(claim: Claim) -> Claim:
    return replace(claim, allocation=None, reserved_for=(), device_status=())


def _bound_to(snapshot: Snapshot, gone: frozenset[str]) -> set[ClaimId]:
    """Claims that cannot stay allocated without these nodes: held there, with a device there, or used only there."""
    places = {
        DeviceId(item.driver, item.pool, device.name)
        for item in snapshot.slices
        if (only := bound_nodes(item)) is not None and only and only <= gone
        for device in item.devices
    }
    found = {hold.claim for hold in holds(snapshot.claims, snapshot.slices) if hold.device in places}
    pods = {pod.id: pod.node_name for pod in snapshot.pods}
    for claim in snapshot.claims:
        if claim.allocation is None:
            continue
        users = [pods.get(ClaimId(claim.meta.namespace, each.name)) for each in claim.reserved_for]
        if claim.allocation.node_name in gone or (users and all(name in gone for name in users)):
            found.add(claim.id)
    return found
