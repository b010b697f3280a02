"""From claims to holds: which claim has which device, for whom, and what a share of it consumes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pools.core.reach import only_nodes
from pools.domain.claim import Allocation, AllocationResult, Claim
from pools.domain.cluster import Pod
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import Slice
from pools.domain.state import Holder

_OVER = ("Succeeded", "Failed")


def holds(claims: Iterable[Claim], slices: Iterable[Slice], pods: Iterable[Pod] = ()) -> tuple[Holder, ...]:
    """
    One hold for each allocation result, in the order of claims and results.

    Whoever has reserved the claim, and whether its pods run or exist, plays no part. The pods of a hold are those that
    the claim is reserved for, then those that refer to it and are not over. A result without a pool (2024 prototype)
    belongs to the newest pool of its driver that lists the device for the allocation's node; its pool name is empty
    when there is none.

    Source: dra-api.md 3.2 (GatherAllocatedState of the scheduler plugin); pool-shapes.md 1 for the prototype.
    """
    wanted = tuple(claims)
    places = _Places(slices) if any(result.pool is None for claim in wanted for result in _results(claim)) else None
    users = _users(pods)
    return tuple(
        Holder(
            claim=claim.id,
            device=_device(result, claim.allocation, places),
            request=result.request,
            pods=_pods(claim, users),
            since=claim.allocation.timestamp,
            share_id=result.share_id,
            consumed=result.consumed_capacity,
            admin=result.admin_access,
        )
        for claim in wanted
        if claim.allocation is not None
        for result in claim.allocation.results
    )


def _results(claim: Claim) -> tuple[AllocationResult, ...]:
    return claim.allocation.results if claim.allocation is not None else ()


def _users(pods: Iterable[Pod]) -> Mapping[ClaimId, list[str]]:
    users: dict[ClaimId, list[str]] = defaultdict(list)
    for pod in pods:
        if pod.phase not in _OVER:
            for name in pod.claim_names():
                users[ClaimId(pod.meta.namespace, name)].append(str(pod.id))
    return users


def _pods(claim: Claim, users: Mapping[ClaimId, Sequence[str]]) -> tuple[str, ...]:
    reserved = [f"{claim.meta.namespace}/{item.name}" for item in claim.reserved_for if item.resource == "pods"]
    return tuple(dict.fromkeys((*reserved, *users.get(claim.id, ()))))


def _device(result: AllocationResult, allocation: Allocation, places: _Places | None) -> DeviceId:
    pool = result.pool
    if pool is None:
        pool = places.pool_of(result.driver, result.device, allocation.node_name) if places is not None else ""
    return DeviceId(result.driver, pool, result.device)


class _Places:
    """Where a device of a driver is listed: by driver and device name."""

    def __init__(self, slices: Iterable[Slice]) -> None:
        self._listed: dict[tuple[str, str], list[Slice]] = defaultdict(list)
        for item in slices:
            for device in item.devices:
                self._listed[item.driver, device.name].append(item)

    def pool_of(self, driver: str, device: str, node: str) -> str:
        """The newest pool that lists the device for the node; of equally new ones the first by name; '' for none."""
        found = [item for item in self._listed.get((driver, device), ()) if _reached(item, device, node)]
        newest = max((item.meta.created for item in found), default="")
        return min((item.pool for item in found if item.meta.created == newest), default="")


def _reached(item: Slice, device: str, node: str) -> bool:
    if not node:
        return True
    reaches = [entry.reach for entry in item.devices if entry.name == device] if item.per_device_reach else [item.reach]
    return any((names := only_nodes(reach)) is None or node in names for reach in reaches)
