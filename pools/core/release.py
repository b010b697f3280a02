"""What changed between schedulers: one value object for every rule to ask, instead of versions compared all over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

NEWEST = "1.37"


@dataclass(frozen=True, slots=True)
class Release:
    """
    The rules of one Kubernetes release, with its July 2026 fixes, all feature gates of the release on.

    `counters_by_slice`: counters reach their own slice only, and a slice may hold both lists (1.33, 1.34).
    `partial_pools`: incomplete pools serve requests for a number of devices (1.34 and before).
    `counter_slices_everywhere`: slices with counters are gathered on every node, whatever they select (1.35, 1.36).
    `all_by_free_capacity`: mode All leaves out devices without enough free capacity (up to 1.36); later only those
    that could never hold the request.
    `fractional_ranges`: ranges are stepped in thousandths (1.37).
    `node_operations`: devices that skip node operations may be used, on nodes that declare to know how (1.37).
    `since_1_37`: what no feature switches. Selectors see lists; slices with compatibility groups, requests with derived
    attributes and devices that skip node operations are refused where their feature is off (before, those fields are
    not seen at all); an amount that cannot be computed with ends the attempt, and stepped amounts are written like the
    step (before, arithmetic wraps at 64 bits, and they are written with binary suffixes).
    `extended_resources`: the scheduler makes claims for extended resources that a class stands for (1.34).
    `includes`: selectors have the function that looks into lists (1.36).
    `any_taint_blocks`: a taint blocks whatever its effect (1.34 and before).
    `mixed_slices`: what no release of 1.35 or later does: devices of a slice that also holds counters are used, by the
    rules of the release that wrote it.
    """

    name: str
    admin_access: bool = True
    prioritized_list: bool = True
    partitionable: bool = True
    taints: bool = True
    binding: bool = True
    consumable: bool = True
    list_attributes: bool = True
    compatibility_groups: bool = True
    derived_attributes: bool = True
    counters_by_slice: bool = False
    partial_pools: bool = False
    counter_slices_everywhere: bool = False
    all_by_free_capacity: bool = False
    node_operations: bool = True
    fractional_ranges: bool = True
    since_1_37: bool = True
    includes: bool = True
    extended_resources: bool = True
    any_taint_blocks: bool = False
    mixed_slices: bool = False

    def without(self, features: Mapping[str, bool]) -> Release:
        """
        The same release with features switched off (or on) by upstream's names.

        Raises:
            ValueError: a name is not known.
        """
        unknown = sorted(set(features) - set(_FEATURES))
        if unknown:
            raise ValueError(f"unknown feature {unknown[0]!r}; known are {', '.join(sorted(_FEATURES))}")
        changes: dict[str, Any] = {_FEATURES[name]: bool(value) for name, value in features.items()}
        return replace(self, **changes)


_FEATURES = {
    "AdminAccess": "admin_access",
    "PrioritizedList": "prioritized_list",
    "PartitionableDevices": "partitionable",
    "DeviceTaints": "taints",
    "DeviceBindingAndStatus": "binding",
    "ConsumableCapacity": "consumable",
    "ListTypeAttributes": "list_attributes",
    "CompatibilityGroups": "compatibility_groups",
    "DerivedAttributes": "derived_attributes",
    "FractionalCapacityRange": "fractional_ranges",
    "OptionalNodeOperations": "node_operations",
    "DRAExtendedResource": "extended_resources",
}

_NEWEST = Release(NEWEST)
_1_36 = replace(
    _NEWEST,
    name="1.36",
    compatibility_groups=False,
    derived_attributes=False,
    node_operations=False,
    counter_slices_everywhere=True,
    all_by_free_capacity=True,
    fractional_ranges=False,
    since_1_37=False,
)
_1_35 = replace(_1_36, name="1.35", list_attributes=False, includes=False)
_1_34 = replace(
    _1_35,
    name="1.34",
    counter_slices_everywhere=False,
    counters_by_slice=True,
    partial_pools=True,
    any_taint_blocks=True,
)
_1_33 = replace(_1_34, name="1.33", consumable=False, binding=False, extended_resources=False)
RELEASES: dict[str, Release] = {each.name: each for each in (_1_33, _1_34, _1_35, _1_36, _NEWEST)}


def release(name: str = NEWEST) -> Release:
    """
    The rules of a release, by its minor version such as `1.36`.

    Raises:
        ValueError: no such release is known.
    """
    try:
        return RELEASES[name]
    except KeyError:
        raise ValueError(f"unknown Kubernetes version {name!r}; known are {', '.join(RELEASES)}") from None
