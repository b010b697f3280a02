"""resource.k8s.io/v1, the hub: slices, devices, device classes and taint rules; older versions hold the differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pools.domain.claim import DeviceClass, TaintRule
from pools.domain.device import AttributeKind, AttributeValue, Capacity, Consumption, Device, RequestPolicy, Scalar
from pools.domain.errors import Undecodable
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import Quantity
from pools.wire.fields import (
    MAX_LABEL_KEY,
    MAX_NAME,
    Raw,
    as_integer,
    as_object,
    as_quantity,
    child,
    each,
    flag,
    inside,
    integer,
    interned,
    items,
    missing,
    name,
    named,
    phrase,
    quantity,
    strings,
    text,
    wrong,
)
from pools.wire.meta import meta, reach, taint


def same(raw: Raw) -> tuple[str, Raw]:
    """Where a device or an exact request keeps its fields when there is no level of its own: right here."""
    return "", raw


def exactly(raw: Raw) -> tuple[str, Raw]:
    """Where a request keeps the fields of its exact form in v1."""
    return "exactly", as_object(raw.get("exactly"), "exactly")


@dataclass(frozen=True, slots=True)
class Dialect:
    """
    How one API version differs from v1.

    `body` and `exact` find the fields of a device and of an exact request: the path that leads there and the object.
    `plain_capacity` lets a capacity be a quantity without `value`. `admin_by_request`: allocation results do not say
    whether they are for administration, the request of that name does.
    """

    form: str
    body: Callable[[Raw], tuple[str, Raw]] = same
    exact: Callable[[Raw], tuple[str, Raw]] = exactly
    plain_capacity: bool = False
    admin_by_request: bool = False


DIALECT = Dialect("v1")

_KINDS: dict[str, tuple[AttributeKind, type, bool]] = {
    "int": ("int", int, False),
    "bool": ("bool", bool, False),
    "string": ("string", str, False),
    "version": ("version", str, False),
    "ints": ("ints", int, True),
    "bools": ("bools", bool, True),
    "strings": ("strings", str, True),
    "versions": ("versions", str, True),
}


_COMMON = frozenset({"name", "attributes", "capacity", "consumesCounters"})


def resource_slice(raw: Raw, dialect: Dialect = DIALECT) -> Slice:
    """A ResourceSlice. Devices and counters in one slice (1.33, 1.34) mean that only its devices draw on them."""
    own = meta(raw)
    return inside(raw, "spec", lambda spec: _slice(own, spec, dialect))


def _slice(own: Meta, spec: Raw, dialect: Dialect) -> Slice:
    driver = name(spec, "driver")
    pool, generation, count = inside(spec, "pool", _pool)
    devices = each(spec, "devices", lambda entry: _device(entry, dialect))
    counter_sets = each(spec, "sharedCounters", _counter_set)
    return Slice(
        meta=own,
        form=dialect.form,
        driver=driver,
        pool=pool,
        generation=generation,
        slice_count=count,
        reach=reach(spec),
        devices=devices,
        counter_sets=counter_sets,
        per_device_reach=flag(spec, "perDeviceNodeSelection"),
        scope="slice" if devices and counter_sets else "pool",
        partition_type_attribute=text(spec, "partitionTypeAttribute", MAX_LABEL_KEY),
        skip_node_operations=strings(spec, "skipNodeOperations"),
    )


def _pool(raw: Raw) -> tuple[str, int, int]:
    """Name, generation and slice count; the API server stores no count below 1, and without one nothing is complete."""
    own_name = name(raw, "name")
    if raw.get("resourceSliceCount") is None:
        raise missing("resourceSliceCount")
    return own_name, integer(raw, "generation", minimum=0), integer(raw, "resourceSliceCount", minimum=1)


def _device(raw: Raw, dialect: Dialect) -> Device:
    """One device. Fleets have a million of them, so the path of an error is only put together when there is one."""
    own_name = name(raw, "name")
    level, body = dialect.body(raw)
    part = "attributes"
    try:
        own_attributes = attributes(as_object(body.get(part)))
        part = "capacity"
        capacity = (_plain_capacities if dialect.plain_capacity else _capacities)(as_object(body.get(part)))
        part = ""
        device = Device(own_name, own_attributes, capacity, each(body, "consumesCounters", _consumption))
        return device if body.keys() <= _COMMON else _complete(device, body)
    except Undecodable as fault:
        raise fault.under(part).under(level) from None


def _complete(device: Device, body: Raw) -> Device:
    """The device with the fields that few devices have."""
    return replace(
        device,
        taints=each(body, "taints", taint),
        reach=reach(body),
        allow_multiple_allocations=flag(body, "allowMultipleAllocations"),
        binds_to_node=flag(body, "bindsToNode"),
        binding_conditions=strings(body, "bindingConditions"),
        binding_failure_conditions=strings(body, "bindingFailureConditions"),
    )


def attributes(raw: Raw) -> dict[str, AttributeValue]:
    """Attributes by published name."""
    return named(raw, attribute)


def _attribute(value: Any) -> AttributeValue:
    entry = as_object(value)
    given = [kind for kind in _KINDS if entry.get(kind) is not None]
    if not given:
        return AttributeValue("unknown", None)
    if len(given) > 1:
        raise Undecodable(f"more than one value: {', '.join(given)}")
    kind, scalar, several = _KINDS[given[0]]
    if not several:
        return AttributeValue(kind, _scalar(entry[kind], scalar, kind))
    values = items(entry, kind)
    return AttributeValue(kind, tuple(_scalar(one, scalar, f"{kind}[{index}]") for index, one in enumerate(values)))


_any_attribute = interned(_attribute)
_text_attribute = lru_cache(maxsize=65536)(lambda kind, value: _attribute({kind: value}))


def attribute(value: Any) -> AttributeValue:
    """One attribute value. Exactly one kind may be set; a kind that this program does not know becomes `unknown`."""
    if type(value) is dict and len(value) == 1:
        for kind in value:
            if type(value[kind]) is str and kind in _KINDS:
                return _text_attribute(kind, value[kind])
    return _any_attribute(value)


def _scalar(value: object, kind: type, path: str) -> Scalar:
    if kind is int:
        return as_integer(value, path)
    if kind is bool and isinstance(value, bool):
        return value
    if kind is bool or not isinstance(value, str):
        raise wrong("true or false" if kind is bool else "a string", value, path)
    if len(value) > MAX_NAME:
        raise Undecodable(f"longer than {MAX_NAME} characters", path)
    return value


def _capacity(value: Any) -> Capacity:
    entry = as_object(value)
    policy = inside(entry, "requestPolicy", _policy) if entry.get("requestPolicy") is not None else None
    return Capacity(quantity(entry, "value"), policy)


def _plain_or_object(value: Any) -> Capacity:
    return _capacity(value) if isinstance(value, dict) else Capacity(as_quantity(value))


def _policy(raw: Raw) -> RequestPolicy:
    limits = child(raw, "validRange")
    try:
        low, high, step = (_optional(limits, key) for key in ("min", "max", "step"))
    except Undecodable as fault:
        raise fault.under("validRange") from None
    return RequestPolicy(
        default=_optional(raw, "default"),
        valid_values=tuple(quantity({path: value}, path) for path, value in _indexed(raw, "validValues")),
        range_min=low,
        range_max=high,
        range_step=step,
    )


def _indexed(raw: Raw, key: str) -> list[tuple[str, Any]]:
    return [(f"{key}[{index}]", value) for index, value in enumerate(items(raw, key))]


def _optional(raw: Raw, key: str) -> Quantity | None:
    return None if raw.get(key) is None else quantity(raw, key)


_capacities = interned(lambda raw: named(raw, _capacity))
_plain_capacities = interned(lambda raw: named(raw, _plain_or_object))


def _counter(value: Any) -> Quantity:
    return quantity(as_object(value), "value")


def _counters(raw: Raw) -> dict[str, Quantity]:
    return inside(raw, "counters", lambda counters: named(counters, _counter))


_counter_set = interned(lambda raw: CounterSet(name(raw, "name"), _counters(raw)))
_consumption = interned(
    lambda raw: Consumption(name(raw, "counterSet"), _counters(raw), strings(raw, "compatibilityGroups"))
)


def cel(raw: Raw) -> str:
    """The expression of a selector; CEL is the only kind there is."""
    return inside(raw, "cel", lambda selector: phrase(selector, "expression"))


def device_class(raw: Raw, form: str = "v1") -> DeviceClass:
    """A DeviceClass."""
    own = meta(raw)
    return inside(
        raw,
        "spec",
        lambda spec: DeviceClass(own, form, each(spec, "selectors", cel), text(spec, "extendedResourceName", 317)),
    )


def taint_rule(raw: Raw, form: str = "v1") -> TaintRule:
    """A DeviceTaintRule; a selector that is there but empty matches every device."""
    own = meta(raw)
    return inside(raw, "spec", lambda spec: _taint_rule(own, form, spec))


def _taint_rule(own: Meta, form: str, spec: Raw) -> TaintRule:
    selector = child(spec, "deviceSelector")
    try:
        driver, pool, device = (
            None if selector.get(key) is None else text(selector, key, MAX_NAME) for key in ("driver", "pool", "device")
        )
    except Undecodable as fault:
        raise fault.under("deviceSelector") from None
    return TaintRule(
        meta=own,
        form=form,
        taint=inside(spec, "taint", taint),
        has_selector=spec.get("deviceSelector") is not None,
        driver=driver,
        pool=pool,
        device=device,
    )
