"""Short ways to make domain objects in tests of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.claim import Allocation, AllocationResult, Claim, Consumer, DeviceRequest, Request
from pools.domain.device import (
    AttributeValue,
    Capacity,
    Consumption,
    Device,
    NodeReach,
    NodeRequirement,
    NodeSelectorTerm,
    RequestPolicy,
    Taint,
)
from pools.domain.ids import ClaimId, DeviceId
from pools.domain.pool import CounterSet, Meta, Pool, Slice
from pools.domain.quantity import Quantity, parse_quantity
from pools.domain.state import DeviceReport, Holder, PoolReport, Reason, Surroundings

DRIVER, POOL, NODE = "gpu.example.com", "n1", "n1"
Amounts = Mapping[str, int | str]
ON_NODE = NodeReach(node_name=NODE)


def quantities(amounts: Amounts) -> dict[str, Quantity]:
    return {name: parse_quantity(str(amount)) for name, amount in amounts.items()}


def consumption(counter_set: str, amounts: Amounts, groups: Sequence[str] = ()) -> Consumption:
    return Consumption(counter_set, quantities(amounts), tuple(groups))


def device(
    name: str,
    *draws: Consumption,
    capacity: Amounts | None = None,
    default: int | str | None = None,
    shared: bool = False,
    reach: NodeReach | None = None,
    taints: Sequence[Taint] = (),
    **strings: str,
) -> Device:
    """A device; keywords that are left over are its string attributes."""
    policy = RequestPolicy(default=parse_quantity(str(default))) if default is not None else None
    return Device(
        name,
        attributes={key: AttributeValue("string", value) for key, value in strings.items()},
        capacity={key: Capacity(amount, policy) for key, amount in quantities(capacity or {}).items()},
        consumes=draws,
        taints=tuple(taints),
        reach=reach or NodeReach(),
        allow_multiple_allocations=shared,
    )


def counter_set(name: str, amounts: Amounts) -> CounterSet:
    return CounterSet(name, quantities(amounts))


def slice_(
    name: str = "s",
    devices: Sequence[Device] = (),
    sets: Sequence[CounterSet] = (),
    *,
    driver: str = DRIVER,
    pool: str = POOL,
    generation: int = 1,
    count: int = 1,
    reach: NodeReach = ON_NODE,
    created: str = "",
    **more: object,
) -> Slice:
    meta = Meta(name, created=created)
    form = str(more.pop("form", "v1"))
    return Slice(
        meta,
        form,
        driver,
        pool,
        generation,
        count,
        reach,
        tuple(devices),
        tuple(sets),
        **more,  # type: ignore[arg-type]
    )


def pool_of(devices: Sequence[Device], sets: Sequence[CounterSet] = (), **more: object) -> Pool:
    """A complete pool: a slice of counters, if there are any, and one of devices."""
    count = 2 if sets else 1
    slices = [slice_("b-devices", devices, count=count, **more)]  # type: ignore[arg-type]
    if sets:
        slices.append(slice_("a-counters", sets=sets, count=count, **more))  # type: ignore[arg-type]
    (pool,) = gather(slices)
    return pool


def held(
    device_name: str,
    claim: str = "c",
    *,
    share: str = "",
    admin: bool = False,
    consumed: Amounts | None = None,
    pool: str = POOL,
) -> Holder:
    return Holder(
        ClaimId("ml", claim),
        DeviceId(DRIVER, pool, device_name),
        "r",
        share_id=share,
        admin=admin,
        consumed=quantities(consumed or {}),
    )


def claim(
    name: str = "c", *results: AllocationResult, reserved: Sequence[str] = (), node: str = "", **more: object
) -> Claim:
    """A claim with one request `r`; allocated when results are given."""

    nodes = (NodeSelectorTerm(fields=(NodeRequirement("metadata.name", "In", (node,)),)),) if node else None
    return Claim(
        Meta(name, "ml"),
        "v1",
        (Request("r", (DeviceRequest("", "gpu"),)),),
        allocation=Allocation(results, nodes) if results else None,
        reserved_for=tuple(Consumer("pods", pod) for pod in reserved),
        **more,  # type: ignore[arg-type]
    )


def result(device_name: str, pool: str | None = POOL, **more: object) -> AllocationResult:
    return AllocationResult("r", DRIVER, pool, device_name, **more)  # type: ignore[arg-type]


def report_of(pool: Pool, *holds: Holder, **around: object) -> PoolReport:
    return judge(pool, Surroundings(holds, **around))  # type: ignore[arg-type]


def states(report: PoolReport) -> dict[str, str]:
    return {each.id.name: each.state for each in report.devices}


def of(report: PoolReport, name: str) -> DeviceReport:
    return next(each for each in report.devices if each.id.name == name)


def codes(report: PoolReport, name: str) -> list[str]:
    return [reason.code for reason in of(report, name).reasons]


def reason(report: PoolReport, name: str, code: str) -> Reason:
    return next(each for each in of(report, name).reasons if each.code == code)


def finding_codes(report: PoolReport) -> set[str]:
    return {finding.code for finding in report.findings}
