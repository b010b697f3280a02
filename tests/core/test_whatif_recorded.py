"""Whatever a what-if places on the recorded scenarios obeys capacity: devices, counters, and shares of a capacity."""

import gzip
import json
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import islice

import pytest

from pools.core.asking import ask_claim, ask_evicted
from pools.core.holds import holds
from pools.core.release import release
from pools.core.trial import Trial
from pools.core.whatif import Scenario, stage
from pools.core.world import draws
from pools.domain.cluster import Snapshot
from pools.domain.device import Taint
from pools.domain.ids import CounterId, DeviceId
from pools.wire.registry import decode
from tests.conftest import shared_path


def scenarios(step):
    with gzip.open(shared_path("conformance", "scenarios.jsonl.gz"), "rt") as lines:
        for number, line in enumerate(islice(lines, 0, None, step)):
            scenario = json.loads(line)["scenario"]
            keys = ("slices", "classes", "allocated", "nodes", "claims")
            snapshot = Snapshot.of([decode(raw) for key in keys for raw in scenario[key]])
            yield number, snapshot, release("1.36").without(scenario.get("features") or {})


def changed(number, snapshot):
    """A change that the scenario allows, of another kind from one to the next."""
    held = [claim.id for claim in snapshot.claims if claim.allocation is not None]
    names = [node.meta.name for node in snapshot.nodes]
    match number % 5:
        case 1 if held:
            return Scenario(release=(held[number % len(held)],))
        case 2 if len(names) > 1:
            return Scenario(drain=(names[number % len(names)],))
        case 3 if names:
            return Scenario(grow=((names[0], 1),))
        case 4:
            devices = [
                DeviceId(item.driver, item.pool, device.name) for item in snapshot.slices for device in item.devices
            ]
            return (
                Scenario(taint=((devices[number % len(devices)], Taint("what-if", "", "NoSchedule")),))
                if devices
                else Scenario()
            )
    return Scenario()


def newest(snapshot):
    """The devices and counters of each pool's newest generation."""
    last = defaultdict(int)
    for item in snapshot.slices:
        last[item.pool_id] = max(last[item.pool_id], item.generation)
    current = [item for item in snapshot.slices if item.generation == last[item.pool_id]]
    devices = {DeviceId(item.driver, item.pool, each.name): each for item in current for each in item.devices}
    counters = {
        (item.pool_id, CounterId(each.name, name)): amount.nano
        for item in current for each in item.counter_sets for name, amount in each.counters.items()
    }  # fmt: skip
    return devices, counters


def use(snapshot):
    """How often each device is held alone, what is drawn of each counter, and what shares take of each capacity."""
    devices, _ = newest(snapshot)
    alone, drawn, shares = Counter(), Counter(), Counter()
    drawing = set()
    for hold in holds(snapshot.claims, snapshot.slices):
        if hold.admin:
            continue
        if hold.share_id:
            for name, amount in hold.consumed.items():
                shares[hold.device, name] += amount.nano
        else:
            alone[hold.device] += 1
        drawing.add(hold.device)
    for device in drawing & set(devices):
        for counter, nano in draws(devices[device]):
            drawn[device.pool_id, counter] += nano
    return alone, drawn, shares


def exceeded(snapshot):
    """What is used beyond what there is, with by how much."""
    devices, counters = newest(snapshot)
    alone, drawn, shares = use(snapshot)
    found = {("device", device): count - 1 for device, count in alone.items() if count > 1}
    found |= {key: nano - counters[key] for key, nano in drawn.items() if key in counters and nano > counters[key]}
    for (device, name), nano in shares.items():
        capacity = devices[device].capacity.get(name) if device in devices else None
        if capacity is not None and nano > capacity.value.nano:
            found[device, name] = nano - capacity.value.nano
    return found


def check(step):
    placed_any = 0
    for number, snapshot, rules in scenarios(step):
        scenario = changed(number, snapshot)
        staged = stage(snapshot, scenario)
        before = exceeded(staged.snapshot)
        gone = set(staged.evicted)
        pending = [claim for claim in staged.snapshot.claims if claim.allocation is None and claim.id not in gone]
        twins = [replace(claim, meta=replace(claim.meta, name=f"{claim.meta.name}-twin")) for claim in pending]

        questions = [*map(ask_claim, [*pending, *twins]), *ask_evicted(staged.snapshot, staged.evicted)]
        placed, after = Trial.of(staged, rules).play(questions)

        assert exceeded(after.snapshot) == before, (number * step, scenario)
        nodes = {node.meta.name for node in staged.nodes}
        assert all(each.chosen is None or each.chosen.node in nodes for each in placed)
        placed_any += any(each.chosen is not None and each.chosen.picks for each in placed)
    return placed_any


def test_whatever_is_placed_obeys_capacity_on_recorded_scenarios():
    assert check(20) > 20


@pytest.mark.slow
def test_whatever_is_placed_obeys_capacity_on_all_recorded_scenarios():
    assert check(1) > 400
