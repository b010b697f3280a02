"""Fleets of any size for trying and measuring: nodes with dynamic MIG, claims in use and waiting, and change."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pools.synth import manifests, mig
from pools.synth.boards import BOARDS, Board
from pools.synth.layouts import Placement, layout

Objects = list[dict[str, Any]]
WHOLE_CLASS, PART_CLASS = "gpu.nvidia.com", "mig.nvidia.com"
_NAMESPACES = ("ml-training", "inference", "notebooks", "research", "batch")
_WHOLE_CARDS = 0.15
"""The share of cards in use that are handed out undivided."""
_RELEASE, _ALLOCATE, _TAINT = "release", "allocate", "taint"


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What fleet to make; equal plans make equal fleets.

    `models` are keys of BOARDS with weights; `used` the share of memory slices in use, 0 to 1; `pending` the number of
    claims that wait; `seed` any text.
    """

    nodes: int
    gpus: int
    models: tuple[tuple[str, int], ...]
    used: float
    pending: int
    seed: str

    def board(self, index: int) -> Board:
        """The board of node *index*: the same on all GPUs of a node, as nodes are bought."""
        names, weights = zip(*self.models, strict=True)
        return BOARDS[self._chance("board", index).choices(names, weights)[0]]

    def node_name(self, index: int) -> str:
        """`h100-80-00042`: model and number."""
        return f"{self.board(index).key}-{index:05d}"

    def _chance(self, *what: object) -> random.Random:
        return random.Random("/".join(map(str, (self.seed, *what))))  # noqa: S311 - repeatable, and no secret


def classes() -> Objects:
    """The device classes that the claims name."""
    kind = f"device.attributes['{mig.DRIVER}'].type"
    return [
        manifests.resource(
            "DeviceClass",
            {"name": name},
            {"selectors": [manifests.cel(f"device.driver == '{mig.DRIVER}' && {kind} == '{type_}'")]},
        )
        for name, type_ in ((WHOLE_CLASS, "gpu"), (PART_CLASS, "mig"))
    ]


def node_objects(plan: Plan, index: int) -> Objects:
    """Node *index* of the plan: its Node, its ResourceSlices, the claims that use it and their pods."""
    board, name = plan.board(index), plan.node_name(index)
    labels = {
        "topology.kubernetes.io/zone": f"zone-{'abc'[index % 3]}",
        "nvidia.com/gpu.product": board.product.replace(" ", "-"),
    }
    found = [manifests.node(name, labels), *mig.slices(board, plan.gpus, name)]
    for gpu in range(plan.gpus):
        for held in card(plan, index, gpu):
            found += _user(plan, index, gpu, held)
    return found


def card(plan: Plan, index: int, gpu: int) -> tuple[Placement | None, ...]:
    """What is held on a GPU: placements, or None for the GPU undivided."""
    chance = plan._chance("card", index, gpu)
    if chance.random() < _WHOLE_CARDS * plan.used:
        return (None,)
    return layout(plan.board(index), plan.used, chance)


def pending(plan: Plan) -> Objects:
    """Claims that wait and their pods: for partitions of every size, whole GPUs and several of them."""
    found: Objects = []
    for number in range(plan.pending):
        chance = plan._chance("pending", number)
        board = plan.board(chance.randrange(plan.nodes))
        profile = chance.choices(board.profiles, (10, 3, 10, 17, 25, 15, 20))[0]
        if chance.random() < 0.25:
            request = manifests.exactly("gpu", WHOLE_CLASS, count=chance.choice((1, 2, 4, 8)))
        else:
            request = manifests.exactly("gpu", PART_CLASS, _profile(profile.name), count=chance.choice((1, 1, 1, 2)))
        name, namespace = f"waiting-{number:05d}", chance.choice(_NAMESPACES)
        created = f"2026-11-30T{number % 24:02d}:{number // 24 % 60:02d}:00Z"
        message = f"0/{plan.nodes} nodes are available: {plan.nodes} cannot allocate all claims."
        found.append(manifests.claim(name, namespace, [request], created))
        found.append(manifests.pod(f"{name}-0", namespace, claim=name, message=message))
    return found


def churn(plan: Plan, events: int) -> Iterator[Objects]:
    """
    Changes of the fleet one after the other, each the objects to publish together.

    A claim is released, or one that was released is allocated again where it was, or a driver publishes a node's slices
    in a new generation with one GPU tainted.
    """
    chance = plan._chance("churn")
    released: Objects = []
    generations: dict[int, int] = {}
    for _ in range(events):
        kind = chance.choices((_RELEASE, _ALLOCATE, _TAINT), (45, 45, 10))[0]
        if kind == _ALLOCATE and released:
            yield [released.pop(chance.randrange(len(released)))]
            continue
        index = chance.randrange(plan.nodes)
        held = [item for item in node_objects(plan, index) if item["kind"] == "ResourceClaim"]
        held = [item for item in held if item not in released]
        if kind == _TAINT or not held:
            generations[index] = generations.get(index, 1) + 1
            yield _tainted(plan, index, chance.randrange(plan.gpus), generations[index])
        else:
            claim = chance.choice(held)
            released.append(claim)
            yield [{key: value for key, value in claim.items() if key != "status"}]


def _tainted(plan: Plan, index: int, gpu: int, generation: int) -> Objects:
    taint = {"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoSchedule", "timeAdded": "2026-11-30T04:12:09Z"}
    name = plan.node_name(index)
    return mig.slices(plan.board(index), plan.gpus, name, generation=generation, tainted={gpu: taint})


def _user(plan: Plan, index: int, gpu: int, held: Placement | None) -> Objects:
    node = plan.node_name(index)
    chance = plan._chance("user", index, gpu, held.start if held else "whole")
    if held is None:
        device, request = f"gpu-{gpu}", manifests.exactly("gpu", WHOLE_CLASS)
    else:
        device = mig.device_name(gpu, held.profile, held.start)
        request = manifests.exactly("gpu", PART_CLASS, _profile(held.profile.name))
    namespace = chance.choice(_NAMESPACES)
    time = f"2026-11-{chance.randrange(1, 30):02d}T{chance.randrange(24):02d}:{chance.randrange(60):02d}"
    claim = manifests.claim(f"{node}-{device}", namespace, [request], f"{time}:00Z")
    result = {"request": "gpu", "driver": mig.DRIVER, "pool": node, "device": device}
    claim["status"] = {
        "allocation": {
            "devices": {"results": [result]},
            "allocationTimestamp": f"{time}:01Z",
            "nodeSelector": manifests.only(node),
        }
    }
    return manifests.with_pod(claim, namespace, node)


def _profile(name: str) -> str:
    return f"device.attributes['{mig.DRIVER}'].profile == '{name}'"
