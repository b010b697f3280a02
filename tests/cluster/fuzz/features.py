"""Families for single features: shared capacity, list attributes, compatibility groups, binding conditions and more."""

from __future__ import annotations

from .families import compound, mig, plain
from .world import ACCEL, NIC, PCI_ROOT, Dice, Json, Offer, World, publish


def consumable(world: World) -> None:
    """NICs that several claims share, with and without a policy for what one claim takes."""
    dice = world.dice
    for node in world.names():
        devices, sets = [], []
        for index in range(dice.randint(1, 3)):
            device: Json = {
                "name": f"nic-{index}",
                "attributes": {
                    "numa": {"int": index},
                    "kind": {"string": dice.choice(["sriov", "macvlan"])},
                    PCI_ROOT: {"string": f"pci0000:{index // 2:02d}"},
                },
                "capacity": {name: _capacity(dice, name) for name in dice.some(["bandwidth", "memory", "queues"])},
            }
            if dice.chance(0.1):
                del device["capacity"]
            if dice.chance(0.75):
                device["allowMultipleAllocations"] = True
            else:
                for capacity in device.get("capacity", {}).values():
                    capacity.pop("requestPolicy", None)
            if dice.chance(0.3):
                lanes = {"lanes": {"value": str(dice.randint(1, 2))}}
                device["consumesCounters"] = [{"counterSet": "port", "counters": lanes}]
                sets = [{"name": "port", "counters": {"lanes": {"value": str(dice.randint(1, 4))}}}]
            devices.append(device)
        publish(world, NIC, node, {"nodeName": node}, devices, sets)
    kind = f'device.attributes["{NIC}"].kind'
    texts = ["device.allowMultipleAllocations", "!device.allowMultipleAllocations", f'{kind} == "sriov"']
    amounts = {"bandwidth": ["1", "7", "20", "40", "2500m", "1k"], "memory": ["1Gi", "3Gi"], "queues": ["0", "2"]}
    world.offer.add(Offer({"nic": texts, "any": texts}, [f"{NIC}/numa", f"{NIC}/kind"], amounts))


def _capacity(dice: Dice, name: str) -> Json:
    if name == "memory":
        values = ["1Gi", "2Gi", "4Gi", "8Gi"]
        policy: Json = {"default": dice.choice(values[:2]), "validValues": values}
        return {"value": "8Gi", "requestPolicy": policy} if dice.chance(0.7) else {"value": "8Gi"}
    if name == "queues":
        return {"value": "16", "requestPolicy": {"default": "1", "validRange": {"min": "1"}}}
    kinds: list[Json | None] = [
        None,
        {"default": "10"},
        {"default": "10", "validValues": ["10", "20", "40"]},
        {"default": "8", "validRange": {"min": "4", "step": "4"}},
        {"default": "10", "validRange": {"min": "5", "max": "20"}},
        {"default": "6", "validRange": {"min": "3", "max": "30", "step": "3"}},
        {"default": "1500m", "validRange": {"min": "500m", "step": "500m"}},
        {"default": "0", "validRange": {"min": "0", "max": "40", "step": "1"}},
    ]
    policy_or_none = dice.choice(kinds)
    made: Json = {"value": dice.choice(["40", "64", "100"])}
    if policy_or_none is not None:
        made["requestPolicy"] = policy_or_none
    return made


def listattr(world: World) -> None:
    """Attributes that are lists on some devices and single values on others."""
    dice = world.dice
    for node in world.names():
        devices = []
        for index in range(dice.randint(2, 6)):
            zones = dice.some(["a", "b", "c", "d"], 3)
            attributes: Json = {
                "index": {"int": index},
                "numa": {"ints": dice.some([0, 1, 2])} if dice.chance(0.6) else {"int": dice.randint(0, 2)},
                "zones": {"strings": zones} if dice.chance(0.8) else {"string": zones[0]},
            }
            if dice.chance(0.3):
                attributes["fw"] = {"versions": dice.some(["1.0.0", "2.0.0", "2.0.0-rc.1"])}
            if dice.chance(0.2):
                attributes["flags"] = {"bools": dice.some([True, False])}
            devices.append({"name": f"acc-{index}", "attributes": attributes, "capacity": {"units": {"value": "4"}}})
        publish(world, ACCEL, node, {"nodeName": node}, devices, [])
    domain = f'device.attributes["{ACCEL}"]'
    texts = [
        f'{domain}.zones.includes("a")',
        f'type({domain}.zones) == list ? "b" in {domain}.zones : {domain}.zones == "b"',
        f"{domain}.numa.includes(0)",
        f'has({domain}.fw) && {domain}.fw.exists(v, v.isGreaterThan(semver("1.0.0")))',
    ]
    names = [f"{ACCEL}/{name}" for name in ("numa", "zones", "fw", "flags", "index")]
    world.offer.add(Offer({"vendor": texts, "any": [f'device.driver == "{ACCEL}"']}, names))


def taints(world: World) -> None:
    """Devices that carry taints."""
    dice = world.dice
    dice.choice([plain, plain, mig, compound])(world)
    for _, _, device in world.devices():
        if dice.chance(0.4):
            device["taints"] = [_taint(dice) for _ in range(dice.choice([1, 1, 2]))]
    world.offer.tolerations = True


def _taint(dice: Dice) -> Json:
    taint: Json = {
        "key": dice.choice(["example.com/unhealthy", "maintenance", "slow"]),
        "effect": dice.choice(["NoSchedule", "NoSchedule", "NoExecute", "None"]),
    }
    if dice.chance(0.5):
        taint["value"] = dice.choice(["ecc", "fan"])
    return taint


def groups(world: World) -> None:
    """Partitions that may only be used together with others of a common compatibility group."""
    dice = world.dice
    dice.choice([mig, compound])(world)
    for _, _, device in world.devices():
        for consumed in device.get("consumesCounters", []):
            if dice.chance(0.6):
                consumed["compatibilityGroups"] = dice.some(["time", "space", "mixed"], 2)
    if dice.chance(0.2):
        world.features["CompatibilityGroups"] = False


def derived(world: World) -> None:
    """Whole GPUs; requests come with attributes of their own making (see claims)."""
    plain(world)
    world.offer.attributes += ["example.com/pair", "example.com/size"]


def binding(world: World) -> None:
    """Pools with devices that must be bound first; the allocator tries such pools last."""
    dice = world.dice
    dice.choice([plain, compound])(world)
    for each in world.slices:
        if not dice.chance(0.5):
            continue
        for device in each["spec"].get("devices", []):
            if dice.chance(0.4):
                device["bindingConditions"] = ["example.com/attached"]
                device["bindingFailureConditions"] = ["example.com/failed"]
                device["bindsToNode"] = dice.chance(0.5)
    if dice.chance(0.15):
        world.features["DeviceBindingAndStatus"] = False


def node_ops(world: World) -> None:
    """Slices whose devices need no preparation on the node, which only some nodes can leave out."""
    dice = world.dice
    dice.choice([plain, compound, mig])(world)
    for each in world.slices:
        if dice.chance(0.4):
            each["spec"]["skipNodeOperations"] = dice.some(["NodePrepareResources", "NodeUnprepareResources"])
    if dice.chance(0.15):
        world.features["OptionalNodeOperations"] = False
