"""Names and numbers that would not fit into rows or URLs are refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pools.domain.claim import Claim, ClaimTemplate, Request
from pools.domain.cluster import DomainObject, Node, Pod
from pools.domain.errors import Undecodable
from pools.domain.pool import Slice

MAX_NAME = 253
MAX_NAMESPACE = 63
MAX_ID = 64
MAX_NUMBER = 2**63 - 1
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_name(value: str, path: str, most: int = MAX_NAME, *, empty: bool = False) -> None:
    """
    Refuse a name that is empty (unless *empty*), longer than *most* characters, or holds control characters.

    Raises:
        Undecodable: with *path*.
    """
    if not value and not empty:
        raise Undecodable("is empty", path)
    if len(value) > most:
        raise Undecodable(f"is longer than {most} characters", path)
    if _CONTROL.search(value):
        raise Undecodable("holds a control character", path)


def check_identity(kind: str, namespace: str, name: str) -> None:
    """
    Refuse what cannot identify an object.

    Raises:
        Undecodable: naming the field.
    """
    check_name(kind, "kind", MAX_NAMESPACE)
    check_name(namespace, "metadata.namespace", MAX_NAMESPACE, empty=True)
    check_name(name, "metadata.name")


def check(item: DomainObject) -> None:
    """
    Refuse an object whose names or numbers do not fit.

    Raises:
        Undecodable: naming the first field that does not.
    """
    check_name(item.meta.uid, "metadata.uid", MAX_ID, empty=True)
    check_name(item.meta.resource_version, "metadata.resourceVersion", MAX_ID, empty=True)
    for value, path in _names(item):
        check_name(value, path, empty=True)
    for number, path in _numbers(item):
        if not 0 <= number <= MAX_NUMBER:
            raise Undecodable(f"is not between 0 and {MAX_NUMBER}", path)


def _numbers(item: DomainObject) -> Iterator[tuple[int, str]]:
    if isinstance(item, Slice):
        yield item.generation, "spec.pool.generation"
        yield item.slice_count, "spec.pool.resourceSliceCount"


def _names(item: DomainObject) -> Iterator[tuple[str, str]]:
    if isinstance(item, Slice):
        yield from _slice_names(item)
    elif isinstance(item, Claim):
        yield from _request_names(item.requests)
        for index, result in enumerate(item.allocation.results if item.allocation else ()):
            path = f"status.allocation.devices.results[{index}]"
            yield result.driver, f"{path}.driver"
            yield result.pool or "", f"{path}.pool"
            yield result.device, f"{path}.device"
    elif isinstance(item, ClaimTemplate):
        yield from _request_names(item.requests)
    elif isinstance(item, Pod):
        yield item.node_name, "spec.nodeName"
        for index, entry in enumerate(item.claims):
            yield entry.claim, f"spec.resourceClaims[{index}].resourceClaimName"
            yield entry.template, f"spec.resourceClaims[{index}].resourceClaimTemplateName"
        for name, claim in item.claim_statuses.items():
            yield claim or "", f"status.resourceClaimStatuses[{name}].resourceClaimName"
        yield item.extended_claim, "status.extendedResourceClaimStatus.resourceClaimName"
    elif isinstance(item, Node):
        for key in item.meta.labels:
            yield key, "metadata.labels"


def _slice_names(item: Slice) -> Iterator[tuple[str, str]]:
    yield item.driver, "spec.driver"
    yield item.pool, "spec.pool.name"
    yield item.reach.node_name, "spec.nodeName"
    for index, counters in enumerate(item.counter_sets):
        yield counters.name, f"spec.sharedCounters[{index}].name"
        for counter in counters.counters:
            yield counter, f"spec.sharedCounters[{index}].counters"
    for index, device in enumerate(item.devices):
        yield device.name, f"spec.devices[{index}].name"
        yield device.reach.node_name, f"spec.devices[{index}].nodeName"


def _request_names(requests: tuple[Request, ...]) -> Iterator[tuple[str, str]]:
    for index, request in enumerate(requests):
        yield request.name, f"spec.devices.requests[{index}].name"
        for alternative in request.alternatives:
            yield alternative.device_class, f"spec.devices.requests[{index}].deviceClassName"
