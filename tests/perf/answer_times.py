"""Times answers about one node and about a fleet of partitioned cards: `python -m tests.perf.answer_times [NODES]`."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from pools.core.allocate import allocate
from pools.core.answers import Answers
from pools.core.explain import Explainer
from pools.core.world import World
from pools.domain.claim import Allocation, AllocationResult, Claim, Constraint, DeviceClass, DeviceRequest, Request
from pools.domain.cluster import Node, Snapshot
from pools.domain.device import AttributeValue, Capacity, Consumption, Device, NodeReach
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import parse_quantity

DRIVER = "gpu.nvidia.com"
A = f'device.attributes["{DRIVER}"]'
CLASS = DeviceClass(Meta("mig"), "v1", (f'device.driver == "{DRIVER}" && {A}.type == "mig"',))
PROFILES = (
    ("1g", range(7), 1),
    ("1g.me", range(7), 1),
    ("1gd", range(0, 7, 2), 2),
    ("2g", range(0, 5, 2), 2),
    ("3g", range(0, 5, 4), 4),
    ("4g", range(1), 4),
    ("7g", range(1), 8),
)
"""(name, first memory slices, memory slices) of each kind of partition: 25 on a card."""
GPUS = 8
PER_SLICE = 64
ONE = parse_quantity("1")


def partitions(node: str, gpu: int) -> Iterator[Device]:
    for profile, starts, width in PROFILES:
        for start in starts:
            yield Device(
                f"gpu-{gpu}-{profile}-{start}",
                {
                    "type": AttributeValue("string", "mig"),
                    "profile": AttributeValue("string", profile),
                    "parentUUID": AttributeValue("string", f"{node}-{gpu}"),
                },
                {"memory": Capacity(parse_quantity(f"{5 * width}Gi"))},
                (Consumption(f"gpu-{gpu}", {f"memory-slice-{at}": ONE for at in range(start, start + width)}),),
            )


def published(node: str) -> Iterator[Slice]:
    devices = [device for gpu in range(GPUS) for device in partitions(node, gpu)]
    parts = [tuple(devices[at : at + PER_SLICE]) for at in range(0, len(devices), PER_SLICE)]
    reach = NodeReach(node_name=node)
    for number, part in enumerate(parts):
        yield Slice(Meta(f"{node}-{number}"), "v1", DRIVER, node, 1, len(parts) + 1, reach, part)
    counters = {f"memory-slice-{at}": ONE for at in range(8)}
    sets = tuple(CounterSet(f"gpu-{gpu}", counters) for gpu in range(GPUS))
    yield Slice(Meta(f"{node}-counters"), "v1", DRIVER, node, 1, len(parts) + 1, reach, (), sets)


def claim(*wanted: tuple[str, int], tied: bool = False) -> Claim:
    requests = tuple(
        Request(f"r{number}", (DeviceRequest("", "mig", selectors=(f'{A}.profile == "{profile}"',), count=count),))
        for number, (profile, count) in enumerate(wanted)
    )
    return Claim(Meta("c", "ml"), "v1", requests, (Constraint(match_attribute=f"{DRIVER}/parentUUID"),) if tied else ())


def held(node: str, cards: int) -> Claim:
    """A claim that holds a small partition of some of a node's cards."""
    results = tuple(AllocationResult("r", DRIVER, node, f"gpu-{gpu}-1g-{gpu % 7}") for gpu in range(cards))
    return replace(claim(), meta=Meta(f"held-on-{node}", "ml"), allocation=Allocation(results))


def timed(name: str, run: Callable[[], object], times: int) -> None:
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - started)
    print(f"{name:<34} first {seconds[0] * 1e3:10.2f} ms, then at best {min(seconds[1:]) * 1e3:8.2f} ms: {result}")


def one_node() -> None:
    node, slices = Node(Meta("n0")), tuple(published("n0"))
    empty = World.of(Snapshot(slices, classes=(CLASS,)))
    begun = World.of(Snapshot(slices, (held("n0", GPUS),), classes=(CLASS,)))
    asked = [
        ("1g", empty, claim(("1g", 1))),
        ("3g and 2g and 1g", empty, claim(("3g", 1), ("2g", 1), ("1g", 1))),
        ("4g, 2g and 1g of one card", begun, claim(("4g", 1), ("2g", 1), ("1g", 1), tied=True)),
        ("7g where every card is begun", begun, claim(("7g", 1))),
        ("9 of 7g on 8 cards", empty, claim(("7g", 9))),
        ("17 of 3g on 8 cards", empty, claim(("3g", 17))),
        ("8 of 4g and 9 of 3g on 8 cards", empty, claim(("4g", 8), ("3g", 9))),
    ]
    for name, world, each in asked:
        timed(name, lambda world=world, each=each: allocate(world, node, [each]).verdict, 20)  # type: ignore[misc]


def fleet(nodes: int) -> None:
    names = [f"n{number}" for number in range(nodes)]
    chance = random.Random(1)
    claims = tuple(held(name, 2 * cards) for name in names if (cards := chance.randrange(4)))
    slices = tuple(item for name in names for item in published(name))
    given = Snapshot(slices, claims, classes=(CLASS,), nodes=tuple(Node(Meta(name)) for name in names))
    answers = Answers(given)
    asked = [
        ("2g", claim(("2g", 1))),
        ("4g, 2g and 1g of one card", claim(("4g", 1), ("2g", 1), ("1g", 1), tied=True)),
        ("9 of 7g: fits nowhere, and why", claim(("7g", 9))),
    ]
    for name, each in asked:
        timed(name, lambda each=each: f"on {len(answers.claim(each).nodes)} nodes", 4)  # type: ignore[misc]
    explainer = Explainer(answers)
    timed("the same explained", lambda: explainer.claim(asked[-1][1]).sentence, 4)


if __name__ == "__main__":
    NODES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"One node of {GPUS} cards with 25 partitions each")
    one_node()
    print(f"{NODES} such nodes")
    fleet(NODES)
