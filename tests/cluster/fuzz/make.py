"""Make a random scenario of a family from a seed."""

from __future__ import annotations

from collections.abc import Callable

from . import families, features
from .defects import break_pools
from .twist import twist
from .use import use_devices
from .wants import want_devices
from .world import Dice, Json, World, add_nodes

_SWITCHES = ["AdminAccess", "ConsumableCapacity", "DeviceTaints", "PartitionableDevices", "PrioritizedList"]


def _pools(world: World) -> None:
    world.dice.choice([families.mig, families.compound, families.topology, families.plain])(world)
    break_pools(world, 0.6)


def _kitchen(world: World) -> None:
    """Several drivers side by side, some of everything."""
    for family in world.dice.some([families.mig, families.compound, families.gpu_nic, families.topology], 2):
        family(world)
    if world.dice.chance(0.5):
        world.offer.tolerations = True
        for _, _, device in world.devices():
            if world.dice.chance(0.15):
                device["taints"] = [{"key": "slow", "effect": "NoSchedule"}]
    break_pools(world, 0.15)


def _admin(world: World) -> None:
    world.dice.choice([families.mig, families.plain, features.taints])(world)


def _first_avail(world: World) -> None:
    world.dice.choice([families.mig, families.plain, families.compound, features.consumable])(world)


FAMILIES: dict[str, Callable[[World], None]] = {
    "admin": _admin,
    "binding": features.binding,
    "compound": families.compound,
    "consumable": features.consumable,
    "derived": features.derived,
    "first_avail": _first_avail,
    "gpu_nic": families.gpu_nic,
    "groups": features.groups,
    "kitchen": _kitchen,
    "listattr": features.listattr,
    "mig": families.mig,
    "mig_multi": families.mig_multi,
    "node_ops": features.node_ops,
    "plain": families.plain,
    "pools": _pools,
    "taints": features.taints,
    "topology": families.topology,
}


def make(seed: str, family: str, twisted: float = 0.0) -> Json:
    """The scenario of this family and seed, the same each time; such a share of them is twisted (see `twist`)."""
    world = World(Dice(f"{family}:{seed}"))
    add_nodes(world)
    FAMILIES[family](world)
    use_devices(world, world.dice.choice([0, 0, 1, 3, 8]))
    want_devices(world, alternatives=0.8 if family == "first_avail" else 0.2)
    if family == "admin":
        _ask_for_admin_access(world)
    if world.dice.chance(0.04):
        world.features[world.dice.choice(_SWITCHES)] = False
    made = world.scenario()
    return twist(world.dice, made, world.dice.randint(1, 5)) if world.dice.chance(twisted) else made


def _ask_for_admin_access(world: World) -> None:
    for claim in world.claims:
        for request in claim["spec"]["devices"]["requests"]:
            if "exactly" in request and world.dice.chance(0.6):
                request["exactly"]["adminAccess"] = True
