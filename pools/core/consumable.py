"""Consumable capacity: what a request charges a shareable device, by its request policies."""

from __future__ import annotations

from collections.abc import Mapping

from pools.core.cel_values import amount as quantity_parts
from pools.core.release import Release
from pools.domain.device import Capacity, RequestPolicy
from pools.domain.quantity import NANO, Quantity, family, format_nano

MILLI = NANO // 1000
MAX = 2**63 - 1
Amounts = dict[str, Quantity]


class CapacityError(ValueError):
    """A request that cannot be computed with; it ends the whole attempt."""


def charges(requests: Mapping[str, Quantity], capacity: Mapping[str, Capacity], rules: Release) -> Amounts | None:
    """
    What one share takes of each capacity of a device; None when the device lacks a requested one.

    Raises:
        CapacityError: an amount is negative or out of range (since 1.37), or a step is 0.

    Source: dra-api.md 3.7.
    """
    if any(name not in capacity for name in requests):
        return None
    amounts = {name: _charge(requests.get(name), each, rules) for name, each in capacity.items()}
    if rules.since_1_37:
        for name, amount in amounts.items():
            if amount.nano < 0:
                raise CapacityError(f'capacity "{name}": capacity value is negative')
    return amounts


def allowed(amounts: Mapping[str, Quantity], capacity: Mapping[str, Capacity], rules: Release) -> bool:
    """Whether each amount is one that the capacity's policy lets pass."""
    return not any(
        each.policy is not None and _violates(amounts[name], each.policy, rules) for name, each in capacity.items()
    )


def fits(amounts: Mapping[str, Quantity], capacity: Mapping[str, Capacity], used: Mapping[str, int]) -> bool:
    """Whether each amount still fits beside what is used, in billionths."""
    return all(used.get(name, 0) + amounts[name].nano <= each.value.nano for name, each in capacity.items())


def _charge(request: Quantity | None, capacity: Capacity, rules: Release) -> Quantity:
    policy = capacity.policy
    if request is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return request
    if policy.range_min is not None:
        return _round_up(request, policy, rules)
    return next((value for value in policy.valid_values if request <= value), request)


def _round_up(request: Quantity, policy: RequestPolicy, rules: Release) -> Quantity:
    low, step = policy.range_min, policy.range_step
    if low is None or request < low:
        return low or request
    if step is None:
        return request
    like = step.text if rules.since_1_37 else "1Ki"
    if rules.fractional_ranges and _in_milli(policy):
        return _stepped_milli(request, low, step, like)
    if rules.since_1_37 and request.nano > MAX * NANO:
        raise CapacityError(f"request {request} exceeds MaxInt64")
    base, size = _value(low), _value(step)
    number = _steps(_wrapped(_value(request) - base), size)
    if rules.since_1_37 and base >= 0 and number > (MAX - base) // size:
        raise CapacityError(f"rounding request {request} up to the next step passes MaxInt64")
    rounded = _wrapped(base + _wrapped(size * number))
    return Quantity(rounded * NANO, format_nano(rounded * NANO, like))


def _stepped_milli(request: Quantity, low: Quantity, step: Quantity, like: str) -> Quantity:
    if not _is_milli(request):
        raise CapacityError(f"request {request} is not a representable milli value")
    base, size = low.nano // MILLI, step.nano // MILLI
    number = _steps(request.nano // MILLI - base, size)
    if number > (MAX - base) // size:
        raise CapacityError(f"rounding request {request} up to the next step passes the milli-value range")
    rounded = (base + size * number) * MILLI
    return Quantity(rounded, format_nano(rounded, like))


def _steps(distance: int, size: int) -> int:
    """Steps that cover a distance, by the scheduler's own division, which rounds towards zero."""
    if size == 0:
        raise CapacityError("the step of a range is 0")
    number = abs(distance) // abs(size)
    number = number if (distance < 0) == (size < 0) else -number
    return number + (number * size != distance)


def _value(amount: Quantity) -> int:
    """
    Value() of a quantity as the scheduler reads it: rounded away from zero; beyond 64 bits 0, or what is left of it.

    Source: ScaledValue in apimachinery pkg/api/resource; a scaled integer that does not fit reads as 0 there, a decimal
    number keeps its lower 64 bits.
    """
    whole = -(-amount.nano // NANO) if amount.nano >= 0 else amount.nano // NANO
    if -MAX <= whole <= MAX:
        return whole
    return 0 if _parts(amount.text) is not None else _wrapped(whole)


def _parts(text: str) -> tuple[int, int] | None:
    """(number, power of ten) of a quantity that the scheduler keeps as a scaled integer."""
    return quantity_parts(text).scaled if text else (0, 0)


def _wrapped(number: int) -> int:
    return (number + MAX + 1) % (2 * MAX + 2) - MAX - 1


def _in_milli(policy: RequestPolicy) -> bool:
    bounds = [each for each in (policy.range_min, policy.range_max, policy.range_step) if each is not None]
    return all(map(_is_milli, bounds)) and (policy.range_step is None or policy.range_step.nano >= MILLI)


def _is_milli(amount: Quantity) -> bool:
    return amount.nano % MILLI == 0 and abs(amount.nano // MILLI) <= MAX


def _violates(amount: Quantity, policy: RequestPolicy, rules: Release) -> bool:
    if policy.default is not None and _same(amount, policy.default):
        return False
    if policy.range_min is not None or policy.range_max is not None:
        if policy.range_max is not None and amount > policy.range_max:
            return True
        return policy.range_step is not None and _off_step(amount, policy, rules)
    return bool(policy.valid_values) and amount not in policy.valid_values


def _same(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are the same in every part of how the scheduler keeps them."""
    parts = _parts(one.text)
    return parts is not None and parts == _parts(other.text) and family(one.text) == family(other.text)


def _off_step(amount: Quantity, policy: RequestPolicy, rules: Release) -> bool:
    low, step = policy.range_min or Quantity(0, "0"), policy.range_step
    if step is None:
        return False
    if rules.fractional_ranges and _in_milli(policy):
        return not _is_milli(amount) or (amount.nano - low.nano) % step.nano != 0
    size = _value(step)
    return size == 0 or _wrapped(_value(amount) - _value(low)) % size != 0
