"""Consumable capacity of shareable devices: what shares use together and whether another default share fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pools.domain.device import Capacity, Device
from pools.domain.state import CapacityUse, Holder


def default_share(capacity: Capacity) -> int:
    """
    What a request that does not name this capacity is charged (billionths): the policy's default, else all of it.

    Source: dra-api.md 3.7 (consumable_capacity.go).
    """
    policy = capacity.policy
    return policy.default.nano if policy is not None and policy.default is not None else capacity.value.nano


def capacity_use(device: Device, holders: Sequence[Holder]) -> Mapping[str, CapacityUse]:
    """
    What the shares consume of each capacity, by published key.

    Args:
        holders: those that consume (admin ones left out). One without a share has the whole device.
    """
    exclusive = any(not hold.share_id for hold in holders)
    return {
        key: CapacityUse(
            capacity.value,
            capacity.value.nano
            if exclusive
            else sum(hold.consumed[key].nano for hold in holders if key in hold.consumed),
        )
        for key, capacity in device.capacity.items()
    }


def too_small(device: Device, consumed: Mapping[str, CapacityUse]) -> tuple[str, ...]:
    """Capacities (published keys) of which a default share is more than what is left."""
    return tuple(
        key
        for key, capacity in device.capacity.items()
        if (consumed[key].consumed_nano if key in consumed else 0) + default_share(capacity) > capacity.value.nano
    )
