"""Whatever JSON arrives, decoding gives a noun or an Undecodable; nothing else ever escapes."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pools.domain.cluster import DomainObject
from pools.domain.errors import Undecodable
from pools.wire.registry import decode
from tests.wire.samples import CLAIM, SLICE, changed

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def or_refused(raw: dict[str, Any]) -> DomainObject | Undecodable:
    try:
        return decode(raw)
    except Undecodable as fault:
        return fault


def outcome_is_sound(raw: dict[str, Any]) -> bool:
    found = or_refused(raw)
    return bool(found.reason) if isinstance(found, Undecodable) else bool(found.meta.name)


def paths(value: object, prefix: str = "") -> list[str]:
    found = [prefix] if prefix else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += paths(inner, f"{prefix}/{key}" if prefix else str(key))
    return found


@settings(max_examples=200)
@given(st.sampled_from([SLICE, CLAIM]).flatmap(lambda raw: st.tuples(st.just(raw), st.sampled_from(paths(raw)))), ANY)
def test_any_value_anywhere_is_read_or_refused(where: tuple[dict[str, Any], str], value: object) -> None:
    assert outcome_is_sound(changed(where[0], where[1], value))


VERSIONS = [
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "resource.k8s.io/v1alpha2",
    "v1",
]
KINDS = [
    "ResourceSlice",
    "ResourcePool",
    "DevicePool",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "DeviceClass",
    "DeviceTaintRule",
    "Pod",
    "Node",
]
KEYS = re.findall(
    r"\w+",
    "name spec status metadata devices sharedCounters sharedCapacity sharedAllocatable "
    "sharedConsumable sharedResources deviceGroups deviceShape partitions capacityPools deviceMixins "
    "composite namedDevices driver driverName nodeName pool poolName poolDeviceCount attributes "
    "capacity consumesCounters counters sharedCapacityConsumed sharedConsumed "
    "sharedAllocatableConsumed sharedResourcesConsumed resources fromSharedPool intRange quantity "
    "value requests constraints allocation driverData results data taints tolerations basic exactly "
    "firstAvailable containers limits initContainers resourceClaims allocatable conditions selectors "
    "cel requirements deviceSelector taint ",
)
SHAPED = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["x", "1", "0-7", "7-0", "40Gi", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300)
@given(
    st.sampled_from(VERSIONS),
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(KEYS), SHAPED, max_size=5),
    SHAPED,
)
def test_any_object_of_any_kind_is_read_or_refused(
    version: str, kind: str, top: dict[str, Any], spec: dict[str, Any]
) -> None:
    assert outcome_is_sound({**top, "apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec})


@given(
    st.dictionaries(st.text(max_size=6) | st.sampled_from(["kind", "apiVersion", "spec", "metadata"]), ANY, max_size=5)
)
def test_any_json_object_is_read_or_refused(raw: dict[str, Any]) -> None:
    assert outcome_is_sound(raw)


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_nesting_beyond_all_bounds_is_refused(wrap: Callable[[Any], Any]) -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = wrap(deep)
    for place in ("spec/devices/1/capacity", "spec/devices/1/consumesCounters/0/counters/memory"):
        raw = {**SLICE, "spec": copy.deepcopy(SLICE["spec"])}
        *way, last = [int(step) if step.isdigit() else step for step in place.split("/")]
        inner: Any = raw
        for step in way:
            inner = inner[step]
        inner[last] = {"x": deep}
        assert isinstance(or_refused(raw), Undecodable)
