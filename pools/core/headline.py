"""One sentence on a claim for a person who was paged: what is in the way, by name, and who holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pools.core.amounts import compared, listed
from pools.core.answers import Answers, ClaimAnswer
from pools.core.funnel import Funnel, Short, Stop
from pools.core.world import draws
from pools.domain.claim import DeviceRequest
from pools.domain.ids import CounterId, DeviceId, PoolId
from pools.domain.state import Holder

Group = tuple[tuple[str, ...], tuple[Funnel, ...]]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a sentence can draw on: the cluster, who holds each device, and the funnels of each kind of node."""

    answers: Answers
    holders: Mapping[DeviceId, Sequence[Holder]]
    groups: Sequence[Group]

    def stops(self, *stages: str) -> list[Stop]:
        """All devices that stop at these stages, on one node of each kind, the most promising kind first."""
        return [
            stop for _, funnels in self.groups for funnel in funnels for stop in funnel.stops if stop.stage in stages
        ]

    def held_by(self, devices: Iterable[DeviceId]) -> str:
        """`ml/a (pod ml/p) and ml/b`, each claim once."""
        claims: dict[str, str] = {}
        for device in devices:
            for hold in self.holders.get(device, ()):
                claims[str(hold.claim)] = f" (pod {hold.pods[0]})" if hold.pods else ""
        return listed([f"{claim}{pod}" for claim, pod in claims.items()])

    def users_of(self, counter: CounterId, pool: PoolId) -> list[DeviceId]:
        """The devices in use that draw on a counter of a pool."""
        found = []
        for item in self.answers.world.slices.by_pool.get(pool, ()):
            for device in item.devices:
                identity = DeviceId(pool.driver, pool.name, device.name)
                if identity in self.holders and any(each == counter and nano for each, nano in draws(device)):
                    found.append(identity)
        return found


def headline(scene: Scene, answer: ClaimAnswer) -> str:
    """The sentence for one claim, whatever its state."""
    if answer.state == "allocated":
        results = answer.claim.allocation.results if answer.claim.allocation is not None else ()
        return (
            f"Allocated: {listed([f'{each.device} of {each.pool or each.driver}' for each in results]) or 'no device'}."
        )
    if answer.state == "feasible":
        return _feasible(answer)
    if answer.state == "undecided":
        message = next(each.message for each in answer.answers if each.verdict == "undecided")
        return f"Could not be decided here: {message}."
    if answer.why is None:
        return "There is no node that it could be tried on."
    return _SENTENCES.get(answer.why.code, _refused)(scene, answer)


def _feasible(answer: ClaimAnswer) -> str:
    best = next(each for each in answer.answers if each.verdict == "allocatable")
    devices = listed([pick.device.name for picks in best.picks for pick in picks])
    where = f"node {best.node}" if len(answer.nodes) == 1 else f"{len(answer.nodes)} of {len(answer.answers)} nodes"
    return f"Can be allocated now on {where}; on {best.node} it would get {devices}."


def _many(count: int, thing: str = "device") -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _named(stops: Sequence[Stop]) -> str:
    return listed([stop.device.name for stop in stops])


def _where(scene: Scene, device: DeviceId) -> str:
    return f"{device.name} of pool {device.pool}"


def _no_pools(scene: Scene, answer: ClaimAnswer) -> str:
    return "No driver has published any device: the cluster has no ResourceSlice at all."


def _none_published(scene: Scene, answer: ClaimAnswer) -> str:
    request = answer.why.request if answer.why is not None else ""
    return f"No node of the cluster reaches a device that request {request} could get."


def _none_matches(scene: Scene, answer: ClaimAnswer) -> str:
    request = answer.why.request if answer.why is not None else ""
    mine = [funnel for _, funnels in scene.groups for funnel in funnels if funnel.name.partition("/")[0] == request]
    seen = sum(len(funnel.stops) for funnel in mine)
    selected = [stop for funnel in mine for stop in funnel.at("selector")]
    if selected:
        return (
            f"No device matches request {request}: {_many(len(selected))} of the class "
            f"{_is(len(selected))} refused by the selector {selected[0].detail}"
        ) + "."
    classes = {each.device_class for each in _alternatives(answer, request)}
    return f"No device matches request {request}: class {listed(sorted(classes))} takes none of the {_many(seen)} seen."


def _alternatives(answer: ClaimAnswer, request: str) -> list[DeviceRequest]:
    return [each for own in answer.claim.requests if own.name == request for each in own.alternatives]


def _in_use(scene: Scene, answer: ClaimAnswer) -> str:
    stops = scene.stops("in-use")
    fit = scene.stops("fits")
    names = {stop.device: None for stop in stops}
    holders = scene.held_by(names)
    if fit:
        return (
            f"Too few matching devices are free: {_many(len(names))} {_is(len(names))} in use by {holders}, "
            f"and {len({stop.device for stop in fit})} left."
        )
    return f"Every matching device is in use: {_named(list(stops))} by {holders or 'claims that are not known'}."


def _short_of(short: Short) -> str:
    need, left = compared(short.need, max(short.left, 0), short.text)
    return f"{need} of {short.name}, of which {left} {'is' if left in ('0', '1') else 'are'} left"


def _at_once(scene: Scene, answer: ClaimAnswer) -> str:
    """For a claim that needs several devices on one node: how far the best node goes."""
    if len(answer.claim.requests) != 1:
        return ""
    funnels = [(len(funnel.at("fits")), funnel, nodes[0]) for nodes, own in scene.groups for funnel in own]
    have, funnel, node = max(funnels, key=lambda each: each[0], default=(0, None, ""))
    if funnel is None or funnel.wanted < 2 or have >= funnel.wanted:
        return ""
    most = f"no node has more than {have} free ({node} has)" if have else "no node has even one that is free"
    return f"It needs {funnel.wanted} devices on one node, and {most}; "


def _counters(scene: Scene, answer: ClaimAnswer) -> str:
    return _at_once(scene, answer) + _short_of_counters(scene, answer)


def _short_of_counters(scene: Scene, answer: ClaimAnswer) -> str:
    stops = [stop for stop in scene.stops("counter-short", "counter-negative") if stop.short]
    if not stops:
        return "The devices that match fit one by one, but not together: they draw on the same counters."
    closest = min(stops, key=lambda stop: (len(stop.short), sum(each.need - each.left for each in stop.short)))
    if closest.stage == "counter-negative":
        short = closest.short[0]
        below, _ = compared(-short.left, 0)
        return (
            f"Counter {short.name} of pool {closest.device.pool} is overdrawn by {below}, which blocks every device of "
            "the pool that draws on counters."
        )
    holding = [
        user
        for short in closest.short
        if short.counter is not None
        for user in scene.users_of(short.counter, closest.device.pool_id)
    ]
    holders = scene.held_by(holding)
    return (
        f"{_many(len({stop.device for stop in stops}), 'matching device')} {_is(len({stop.device for stop in stops}))} "
        f"free but short of counters: {_where(scene, closest.device)} needs "
        f"{listed([_short_of(short) for short in closest.short], 2)}"
    ) + (f"; held by {holders}." if holders else ".")


def _capacity(scene: Scene, answer: ClaimAnswer) -> str:
    stops = scene.stops("capacity")
    short = [stop for stop in stops if stop.short]
    if not short:
        missing = scene.stops("capacity-missing")
        if missing and not stops:
            return f"The devices that match have no capacity named {missing[0].detail}."
        return "No matching device lets as much of its capacity be requested as the claim asks for."
    closest = min(short, key=lambda stop: sum(each.need - each.left for each in stop.short))
    holders = scene.held_by([closest.device])
    return (
        f"No matching device has enough capacity left: {_where(scene, closest.device)} is asked for "
        f"{listed([_short_of(each) for each in closest.short], 2)}"
    ) + (f"; shared by {holders}." if holders else ".")


def _tainted(scene: Scene, answer: ClaimAnswer) -> str:
    stops = scene.stops("tainted")
    first = stops[0] if stops else None
    if first is None:
        return "Taints keep it from the devices that would do."
    by = f" (set by rule {first.rule})" if first.rule else ""
    return (
        f"Taints keep it out: {_many(len({stop.device for stop in stops}), 'matching device')} "
        f"{_is(len({stop.device for stop in stops}))} tainted, as {_where(scene, first.device)} by {first.detail}{by}, "
        "which the claim does not tolerate."
    )


def _constraint(scene: Scene, answer: ClaimAnswer) -> str:
    names = [each.match_attribute or each.distinct_attribute for each in answer.claim.constraints]
    kind = "the same" if any(each.match_attribute for each in answer.claim.constraints) else "different"
    return (
        f"There are devices for each request, but none that together have {kind} {listed(names)}, "
        "as the claim's constraints demand."
    )


def _pool(scene: Scene, answer: ClaimAnswer) -> str:
    code = answer.why.code if answer.why is not None else ""
    stops = scene.stops(code)
    state = code.removeprefix("pool-")
    pools = sorted({stop.device.pool_id for stop in stops})
    if not pools and answer.why is not None and answer.why.detail:
        return f"The scheduler refuses the claim: {answer.why.detail}."
    reasons = {stop.device.pool_id: stop.detail for stop in stops}
    listed_pools = listed([f"{pool.name} of {pool.driver} ({_fault(scene, pool, reasons[pool])})" for pool in pools])
    return (
        f"The devices it could get are in a pool that no claim is served from, because it is {state}: {listed_pools}."
    )


def _fault(scene: Scene, pool: PoolId, reason: str) -> str:
    slices = scene.answers.world.slices.by_pool.get(pool, [])
    newest = [item for item in slices if item.generation == max(each.generation for each in slices)]
    if newest and len(newest) != newest[0].slice_count > 0:
        return f"{len(newest)} of {newest[0].slice_count} slices are there"
    return reason


def _error(scene: Scene, answer: ClaimAnswer) -> str:
    detail = answer.why.detail if answer.why is not None else ""
    return f"A selector fails, and that keeps the pod from every node: {detail}."


def _class_missing(scene: Scene, answer: ClaimAnswer) -> str:
    known = set(scene.answers.world.classes)
    asked = {each.device_class for request in answer.claim.requests for each in request.alternatives}
    there = listed(sorted(known)) or "none at all"
    return f"Device class {listed(sorted(asked - known))} does not exist; there is {there}."


def _too_many(scene: Scene, answer: ClaimAnswer) -> str:
    return "It asks for more devices than the 32 that one claim can hold."


def _spread(scene: Scene, answer: ClaimAnswer) -> str:
    best = max(
        ((funnel, nodes) for nodes, funnels in scene.groups for funnel in funnels),
        key=lambda each: len(each[0].at("fits")),
        default=None,
    )
    if best is None:
        return "No single node has all the devices it needs."
    funnel, nodes = best
    have = len(funnel.at("fits"))
    return (
        f"No single node has all it needs, though the cluster does: request {funnel.name} wants "
        f"{funnel.wanted or 'all'}, and {nodes[0]} has {have} that would do."
    )


def _pinned(scene: Scene, answer: ClaimAnswer) -> str:
    detail = answer.why.detail if answer.why is not None else ""
    return f"Claim {detail} ties the pod to nodes where the rest does not fit."


def _groups_apart(scene: Scene, answer: ClaimAnswer) -> str:
    stops = scene.stops("compatibility")
    first = f", such as {_where(scene, stops[0].device)}," if stops else ""
    return f"Devices that match{first} do not go together with what is in use on the same counters."


def _several(scene: Scene, answer: ClaimAnswer) -> str:
    parts = []
    for stage, text in (
        ("in-use", "in use"),
        ("tainted", "tainted"),
        ("counter-short", "short of counters"),
        ("capacity", "short of capacity"),
        ("pool-incomplete", "in an incomplete pool"),
        ("pool-invalid", "in an invalid pool"),
    ):
        count = len({stop.device for stop in scene.stops(stage)})
        if count:
            parts.append(f"{count} {text}")
    return f"More than one thing is in the way: of the devices that match, {listed(parts, 6) or 'none is left'}."


def _refused(scene: Scene, answer: ClaimAnswer) -> str:
    detail = answer.why.detail if answer.why is not None else ""
    return f"The scheduler refuses the claim: {detail}."


_SENTENCES: Mapping[str, Callable[[Scene, ClaimAnswer], str]] = {
    "no-pools": _no_pools,
    "no-device-published": _none_published,
    "no-matching-device": _none_matches,
    "all-matching-allocated": _in_use,
    "counters-insufficient": _counters,
    "capacity-insufficient": _capacity,
    "compatibility": _groups_apart,
    "tainted": _tainted,
    "constraint": _constraint,
    "pool-incomplete": _pool,
    "pool-invalid": _pool,
    "cel-error": _error,
    "device-class-missing": _class_missing,
    "too-many-devices": _too_many,
    "not-enough-on-one-node": _spread,
    "node-pinned-by-claim": _pinned,
    "several": _several,
}
