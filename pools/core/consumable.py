"""Consumable capacity: what a request charges a shareable device, by its request policies."""

from __future__ import annotations

from collections.abc import Mapping

from pools.core.release import Release
from pools.domain.device import Capacity, RequestPolicy
from pools.domain.quantity import NANO, Quantity, family, format_nano

MILLI = NANO // 1000
MAX = 2**63 - 1
Amounts = dict[str, Quantity]


class CapacityError(ValueError):
    """A request that cannot be computed with; since 1.37 it ends the whole attempt."""


def charges(requests: Mapping[str, Quantity], capacity: Mapping[str, Capacity], rules: Release) -> Amounts | None:
    """
    What one share takes of each capacity of a device; None when the device lacks a requested one.

    Raises:
        CapacityError: an amount is negative or out of range (since 1.37).

    Source: dra-api.md 3.7.
    """
    if any(name not in capacity for name in requests):
        return None
    amounts = {name: _charge(requests.get(name), each, rules) for name, each in capacity.items()}
    if rules.fractional_ranges:
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


def _whole(nano: int) -> int:
    """Value() of a quantity: rounded away from zero to an integer, kept in 64 bits."""
    whole = -(-nano // NANO) if nano >= 0 else nano // NANO
    return max(-MAX - 1, min(MAX, whole))


def _round_up(request: Quantity, policy: RequestPolicy, rules: Release) -> Quantity:
    low, step = policy.range_min, policy.range_step
    if low is None or request < low:
        return low or request
    if step is None:
        return request
    like = step.text if rules.fractional_ranges else "1Ki"
    if rules.fractional_ranges and _in_milli(policy):
        if request.nano % MILLI or not _fits_milli(request):
            raise CapacityError(f"request {request} is not a representable milli value")
        return _stepped(request.nano // MILLI, low.nano // MILLI, step.nano // MILLI, MILLI, like)
    if rules.fractional_ranges and request.nano > MAX * NANO:
        raise CapacityError(f"request {request} exceeds MaxInt64")
    return _stepped(_whole(request.nano), _whole(low.nano), _whole(step.nano), NANO, like)


def _stepped(request: int, low: int, step: int, unit: int, like: str) -> Quantity:
    if step == 0:
        raise CapacityError("the step of a range is 0")
    rounded = low + -(-(request - low) // step) * step
    if low >= 0 and rounded > MAX:
        raise CapacityError("rounding a request up to the next step passes the range of numbers")
    return Quantity(rounded * unit, format_nano(rounded * unit, like))


def _in_milli(policy: RequestPolicy) -> bool:
    bounds = [each for each in (policy.range_min, policy.range_max, policy.range_step) if each is not None]
    return all(each.nano % MILLI == 0 and _fits_milli(each) for each in bounds) and (
        policy.range_step is None or policy.range_step.nano >= MILLI
    )


def _fits_milli(amount: Quantity) -> bool:
    return abs(amount.nano // MILLI) <= MAX


def _violates(amount: Quantity, policy: RequestPolicy, rules: Release) -> bool:
    if policy.default is not None and _same(amount, policy.default):
        return False
    if policy.range_min is not None or policy.range_max is not None:
        if policy.range_max is not None and amount > policy.range_max:
            return True
        return policy.range_step is not None and _off_step(amount, policy, rules)
    return bool(policy.valid_values) and amount not in policy.valid_values


def _same(one: Quantity, other: Quantity) -> bool:
    return one == other and family(one.text) == family(other.text)


def _off_step(amount: Quantity, policy: RequestPolicy, rules: Release) -> bool:
    low, step = policy.range_min or Quantity(0, "0"), policy.range_step
    if step is None:
        return False
    if rules.fractional_ranges and _in_milli(policy):
        return amount.nano % MILLI != 0 or (amount.nano - low.nano) % step.nano != 0
    size = _whole(step.nano)
    return size != 0 and (_whole(amount.nano) - _whole(low.nano)) % size != 0
