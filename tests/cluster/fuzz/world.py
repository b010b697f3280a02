"""A scenario in the making: nodes, classes and slices, and the random choices they are made with."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

GPU, NIC, ACCEL = "gpu.nvidia.com", "nic.example.com", "accel.example.com"
SHORT = {GPU: "gpu", NIC: "nic", ACCEL: "accel"}
PCI_ROOT = "resource.kubernetes.io/pcieRoot"
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


class Dice(random.Random):
    """The random choices that are made again and again."""

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def some(self, items: list[Any], most: int | None = None) -> list[Any]:
        """A random part of a list, at least one, in the list's order."""
        number = self.randint(1, min(len(items), most or len(items)))
        kept = set(self.sample(range(len(items)), number))
        return [item for index, item in enumerate(items) if index in kept]

    def amount(self, number: int, unit: str = "") -> str:
        """One of the ways to write the same quantity."""
        ways = [f"{number}{unit}"]
        if unit in _BINARY:
            ways.append(str(number * _BINARY[unit]))
            if unit == "Gi":
                ways.append(f"{number * 1024}Mi")
        elif not unit:
            ways.append(f"{number}000m")
        return self.choice(ways) if self.chance(0.15) else ways[0]


@dataclass
class Offer:
    """What claims may ask of what a family published: class and selectors, attributes to constrain, capacities."""

    selectors: dict[str, list[str]] = field(default_factory=dict)  # class name → expressions
    attributes: list[str] = field(default_factory=list)
    capacities: dict[str, list[str]] = field(default_factory=dict)  # capacity name → amounts
    tolerations: bool = False

    def add(self, other: Offer) -> None:
        """Take in what another family offers."""
        for name, expressions in other.selectors.items():
            self.selectors.setdefault(name, []).extend(expressions)
        self.attributes += [name for name in other.attributes if name not in self.attributes]
        self.capacities.update(other.capacities)
        self.tolerations |= other.tolerations


@dataclass
class World:
    """The lists of a scenario, filled by families and read once they are done."""

    dice: Dice
    nodes: list[Json] = field(default_factory=list)
    slices: list[Json] = field(default_factory=list)
    allocated: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)
    features: Json = field(default_factory=dict)
    offer: Offer = field(default_factory=Offer)

    def scenario(self) -> Json:
        """The finished scenario, as conformance data has it."""
        made: Json = {
            "slices": self.slices,
            "classes": classes(),
            "allocated": self.allocated,
            "nodes": self.nodes,
            "claims": self.claims,
        }
        if self.features:
            made["features"] = self.features
        return made

    def devices(self) -> list[tuple[str, str, Json]]:
        """Every published device as (driver, pool, device)."""
        found = []
        for each in self.slices:
            spec = each["spec"]
            found += [(spec["driver"], spec["pool"]["name"], device) for device in spec.get("devices", [])]
        return found

    def names(self) -> list[str]:
        """The names of the nodes."""
        return [node["metadata"]["name"] for node in self.nodes]


def add_nodes(world: World, most: int = 3) -> None:
    """One to three nodes in zones of their own, with labels that node selectors can tell apart."""
    for index in range(world.dice.randint(1, most)):
        labels = {
            "kubernetes.io/hostname": f"node-{index}",
            "topology.kubernetes.io/zone": f"zone-{index % 2}",
            "gpu": "yes" if index % 2 == 0 else "no",
            "size": str(8 * (index + 1)),
        }
        node: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{index}", "labels": labels}}
        if world.dice.chance(0.5):
            node["status"] = {"declaredFeatures": ["DRAOptionalNodeOperations"]}
        world.nodes.append(node)


def classes() -> list[Json]:
    """The device classes that every scenario has."""
    rules = {
        "any": [],
        "gpu-any": [f'device.driver == "{GPU}"'],
        "gpu-big": [
            f'device.driver == "{GPU}" && has(device.capacity["{GPU}"].memory) && '
            f'device.capacity["{GPU}"].memory.compareTo(quantity("40Gi")) >= 0'
        ],
        "mig": [f'device.driver == "{GPU}"', f'device.attributes["{GPU}"].?type.orValue("") == "mig"'],
        "nic": [f'device.driver == "{NIC}"'],
        "vendor": [f'device.driver == "{ACCEL}"'],
    }
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": name},
            "spec": {"selectors": [{"cel": {"expression": text}} for text in texts]} if texts else {},
        }
        for name, texts in rules.items()
    ]


def publish(world: World, driver: str, pool: str, place: Json, devices: list[Json], sets: list[Json]) -> list[Json]:
    """Spread devices and counter sets of one pool over slices, in an order that says nothing; returns the slices."""
    dice = world.dice
    generation = dice.choice([0, 1, 1, 3, 7])
    bodies: list[tuple[str, Json]] = []
    for letter, key, items, most in (("d", "devices", devices, 64), ("c", "sharedCounters", sets, 8)):
        pieces = _pieces(dice, items, most)
        bodies += [(f"{letter}{number}", {key: piece}) for number, piece in enumerate(pieces)]
    made = []
    for suffix, body in bodies:
        spec: Json = {
            "driver": driver,
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": len(bodies)},
            **place_of(world, place, body),
            **body,
        }
        name = f"{pool}-{SHORT[driver]}-{suffix}".replace("/", "-")
        made.append(
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}
        )
    if dice.chance(0.3):
        dice.shuffle(made)
    world.slices += made
    return made


def place_of(world: World, place: Json, body: Json) -> Json:
    """Where one slice is: a counter-only slice of a per-device pool needs a place of its own."""
    if "perDeviceNodeSelection" in place and "devices" not in body:
        return {"allNodes": True} if world.dice.chance(0.7) else {"nodeName": world.dice.choice(world.names())}
    return place


def _pieces(dice: Dice, items: list[Json], most: int) -> list[list[Json]]:
    if not items:
        return []
    count = max(-(-len(items) // most), min(len(items), dice.choice([1, 1, 1, 2, 3])))
    pieces: list[list[Json]] = [[] for _ in range(count)]
    size = -(-len(items) // count)
    for index, item in enumerate(items):
        pieces[index // size].append(item)
    return [piece for piece in pieces if piece]


def selector(world: World) -> Json:
    """A node selector of one term over the labels that nodes have."""
    dice = world.dice
    rule = dice.choice(
        [
            {"key": "gpu", "operator": "In", "values": ["yes"]},
            {"key": "gpu", "operator": "NotIn", "values": ["yes"]},
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-0"]},
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-0", "zone-1"]},
            {"key": "gpu", "operator": "Exists"},
            {"key": "nothing", "operator": "DoesNotExist"},
            {"key": "size", "operator": "Gt", "values": ["8"]},
            {"key": "size", "operator": "Lt", "values": ["16"]},
        ]
    )
    term: Json = {"matchExpressions": [rule]}
    if dice.chance(0.15):
        name = {"key": "metadata.name", "operator": "In", "values": [dice.choice(world.names())]}
        term = {"matchFields": [name], **(term if dice.chance(0.3) else {})}
    return {"nodeSelectorTerms": [term]}
