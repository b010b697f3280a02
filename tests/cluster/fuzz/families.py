"""What drivers publish: one function a family of devices, each adding slices and saying what can be asked of them."""

from __future__ import annotations

from .world import ACCEL, GPU, NIC, PCI_ROOT, Dice, Json, Offer, World, publish, selector

# MIG profiles of a GPU with eight memory slices: name, starts, memory slices, compute slices, memory in Mi.
_A100 = [
    ("1g.5gb", range(7), 1, 1, 4864),
    ("1g.5gb.me", range(7), 1, 1, 4864),
    ("1g.10gb", (0, 2, 4, 6), 2, 1, 9856),
    ("2g.10gb", (0, 2, 4), 2, 2, 9856),
    ("3g.20gb", (0, 4), 4, 3, 19968),
    ("4g.20gb", (0,), 4, 4, 19968),
    ("7g.40gb", (0,), 8, 7, 40192),
]


def mig(world: World, most_cards: int = 1) -> None:
    """GPUs cut into MIG placements; each placement consumes memory slices, processors and engines of its card."""
    dice = world.dice
    for node in world.names():
        sets, devices = [], []
        for card in range(dice.randint(1, most_cards)):
            sets.append(_mig_counters(card))
            devices += _some_partitions(dice, card)
        if dice.chance(0.3):
            dice.shuffle(devices)
        publish(world, GPU, node, {"nodeName": node}, devices, sets)
    profile, domain = dice.choice([row[0] for row in _A100]), f'device.attributes["{GPU}"]'
    texts = [
        f'{domain}.?profile.orValue("") == "{profile}"',
        f'{domain}.type == "mig" && {domain}.profile.startsWith("1g.")',
        f'has({domain}.profile) && {domain}.profile.matches("^[12]g\\\\.")',
        f"{domain}.parentIndex == {dice.randint(0, 1)}",
        f'{domain}.type == "gpu"',
        f'device.capacity["{GPU}"].memory.compareTo(quantity("{dice.choice(["4Gi", "9Gi", "19Gi"])}")) >= 0',
        f'device.capacity["{GPU}"].multiprocessors.isLessThan(quantity("{dice.choice([15, 30, 60])}"))',
    ]
    attributes = [f"{GPU}/{name}" for name in ("parentIndex", "parentUUID", "profile", "type")]
    world.offer.add(Offer({"mig": texts, "gpu-any": texts, "any": texts[:3]}, attributes))


def mig_multi(world: World) -> None:
    """Several cards a node."""
    mig(world, 3)


def _mig_counters(card: int) -> Json:
    counters = {"memory": "40192Mi", "multiprocessors": "98", "copy-engines": "7", "jpeg-engines": "1"}
    counters |= {f"memory-slice-{index}": "1" for index in range(8)}
    return {"name": f"gpu-{card}-counter-set", "counters": {name: {"value": v} for name, v in counters.items()}}


def _mig_devices(dice: Dice, card: int) -> list[Json]:
    devices = [_mig_device(dice, card, "gpu", 0, 8, 7, 40192)]
    for name, starts, size, compute, memory in _A100:
        devices += [_mig_device(dice, card, name, start, size, compute, memory) for start in starts]
    return devices


def _some_partitions(dice: Dice, card: int) -> list[Json]:
    devices = _mig_devices(dice, card)
    return dice.some(devices, 12) if dice.chance(0.7) else devices


def _mig_device(dice: Dice, card: int, profile: str, start: int, size: int, compute: int, memory: int) -> Json:
    whole = profile == "gpu"
    used = {"memory": dice.amount(memory, "Mi"), "multiprocessors": str(14 * compute), "copy-engines": str(compute)}
    used["jpeg-engines"] = "1" if whole or profile.endswith(".me") else "0"
    used |= {f"memory-slice-{index}": "1" for index in range(start, start + size)}
    name = f"gpu-{card}" if whole else f"gpu-{card}-mig-{profile.replace('.', '-')}-{start}"
    attributes: Json = {
        "type": {"string": "gpu" if whole else "mig"},
        "parentIndex": {"int": card},
        "parentUUID": {"string": f"GPU-{card:08d}"},
        PCI_ROOT: {"string": f"pci0000:0{card}"},
        "driverVersion": {"version": dice.choice(["580.65.6", "570.0.0-rc.1"])},
    }
    if not whole:
        attributes["profile"] = {"string": profile}
    capacity = {"memory": {"value": f"{memory}Mi"}, "multiprocessors": {"value": str(14 * compute)}}
    consumption = {
        "counterSet": f"gpu-{card}-counter-set",
        "counters": {key: {"value": value} for key, value in used.items()},
    }
    return {"name": name, "attributes": attributes, "capacity": capacity, "consumesCounters": [consumption]}


def plain(world: World) -> None:
    """Whole GPUs without counters, with attributes that are sometimes missing."""
    for node in world.names():
        publish(world, GPU, node, {"nodeName": node}, plain_devices(world.dice), [])
    world.offer.add(plain_offer(world.dice))


def plain_devices(dice: Dice, most: int = 8) -> list[Json]:
    """Some GPUs; two share a PCIe root, four a NUMA node."""
    devices = []
    for index in range(dice.randint(2, most)):
        attributes: Json = {
            "model": {"string": dice.choice(["A100", "H100", "H200"])},
            "index": {"int": index},
            "numa": {"int": index // 4},
            "ecc": {"bool": dice.chance(0.6)},
            "driverVersion": {"version": dice.choice(["550.90.7", "570.0.0-rc.1", "580.65.6"])},
            PCI_ROOT: {"string": f"pci0000:{index // 2:02d}"},
        }
        for name in [name for name in attributes if dice.chance(0.06)]:
            del attributes[name]
        if dice.chance(0.05) and "model" in attributes:
            attributes[f"{GPU}/model"] = attributes.pop("model")
        memory = dice.amount(dice.choice([16, 40, 80]), "Gi")
        devices.append({"name": f"gpu-{index}", "attributes": attributes, "capacity": {"memory": {"value": memory}}})
    return devices


def plain_offer(dice: Dice) -> Offer:
    """What can be asked of whole GPUs, now and then in a way that fails on devices without the attribute."""
    domain = f'device.attributes["{GPU}"]'
    texts = [
        f'{domain}.model == "{dice.choice(["A100", "H100", "H200"])}"',
        f'{domain}.?model.orValue("") in ["H100", "H200"]',
        f"has({domain}.index) && {domain}.index % 2 == 0",
        f"has({domain}.numa) ? {domain}.numa == 0 : true",
        f"has({domain}.ecc) && {domain}.ecc",
        f'"driverVersion" in {domain} && {domain}.driverVersion.isGreaterThan(semver("560.0.0"))',
        f'device.capacity["{GPU}"].memory.compareTo(quantity("{dice.choice(["16Gi", "41Gi", "80G"])}")) >= 0',
        f'device.attributes["{PCI_ROOT.split("/")[0]}"].?pcieRoot.orValue("") == "pci0000:00"',
    ]
    attributes = [f"{GPU}/model", f"{GPU}/numa", f"{GPU}/index", f"{GPU}/ecc", PCI_ROOT]
    return Offer({"gpu-any": texts, "any": texts[1:6], "gpu-big": texts[:3]}, attributes)


def compound(world: World) -> None:
    """GPUs and NICs of one driver: wholes, halves, quarters, functions, and bundles that draw on two counter sets."""
    dice = world.dice
    for node in world.names():
        sets, devices = [], []
        for card in range(dice.randint(1, 2)):
            gpu = {"compute": {"value": "8"}, "memory": {"value": "80Gi"}}
            nic = {"vfs": {"value": "8"}, "bandwidth": {"value": "400G"}}
            sets += [{"name": f"gpu-{card}", "counters": gpu}, {"name": f"nic-{card}", "counters": nic}]
            devices += dice.some(_compound_devices(dice, card), 9)
        if dice.chance(0.3):
            dice.shuffle(devices)
        publish(world, ACCEL, node, {"nodeName": node}, devices, sets)
    kind = f'device.attributes["{ACCEL}"].kind'
    names = ["gpu", "half", "quarter", "nic", "bundle"]
    texts = [f'{kind} == "{name}"' for name in names]
    memory = f'device.capacity["{ACCEL}"].memory'
    texts.append(f'has({memory}) && {memory}.compareTo(quantity("{dice.choice([20, 40, 80])}Gi")) >= 0')
    attributes = [f"{ACCEL}/kind", f"{ACCEL}/index", PCI_ROOT]
    world.offer.add(Offer({"vendor": texts, "any": [f'device.driver == "{ACCEL}"']}, attributes))


def _compound_devices(dice: Dice, card: int) -> list[Json]:
    shapes = [("gpu", 8, 0), ("half", 4, 0), ("half", 4, 0), *[("quarter", 2, 0)] * 4, *[("nic", 0, 1)] * 3]
    shapes += [("bundle", 8, 2), ("bundle", 4, 1)]
    devices = []
    for number, (kind, compute, functions) in enumerate(shapes):
        consumed: list[Json] = []
        capacity: Json = {}
        if compute:
            counters = {
                "compute": {"value": dice.amount(compute)},
                "memory": {"value": dice.amount(10 * compute, "Gi")},
            }
            consumed.append({"counterSet": f"gpu-{card}", "counters": counters})
            capacity["memory"] = {"value": f"{10 * compute}Gi"}
        if functions:
            counters = {"vfs": {"value": str(functions)}, "bandwidth": {"value": f"{100 * functions}G"}}
            consumed.append({"counterSet": f"nic-{card}", "counters": counters})
            capacity["bandwidth"] = {"value": f"{100 * functions}G"}
        attributes = {"kind": {"string": kind}, "index": {"int": card}, PCI_ROOT: {"string": f"pci0000:0{card}"}}
        name = f"c{card}-{kind}-{number}"
        devices.append({"name": name, "attributes": attributes, "capacity": capacity, "consumesCounters": consumed})
    return devices


def gpu_nic(world: World) -> None:
    """Whole GPUs and NICs by two drivers that give their pools the same names."""
    dice = world.dice
    plain(world)
    for node in world.names():
        devices = []
        for index in range(dice.randint(1, 4)):
            attributes = {
                "speed": {"int": dice.choice([100, 200, 400])},
                "rdma": {"bool": dice.chance(0.7)},
                "numa": {"int": index // 2},
                PCI_ROOT: {"string": f"pci0000:{index:02d}"},
            }
            capacity = {"bandwidth": {"value": dice.choice(["100G", "400G"])}}
            devices.append({"name": f"nic-{index}", "attributes": attributes, "capacity": capacity})
        publish(world, NIC, node, {"nodeName": node}, devices, [])
    domain = f'device.attributes["{NIC}"]'
    texts = [f"{domain}.rdma", f"{domain}.speed >= 200", f"{domain}.numa == 0"]
    texts.append(f'device.capacity["{NIC}"].bandwidth.compareTo(quantity("200G")) >= 0')
    world.offer.add(Offer({"nic": texts}, [PCI_ROOT, f"{NIC}/numa"]))


def topology(world: World) -> None:
    """Pools that are not bound to one node: by selector, for all nodes, or each device by itself; chips and blocks."""
    dice = world.dice
    for index in range(dice.randint(1, 2)):
        kind = dice.choice(["nodeSelector", "allNodes", "perDeviceNodeSelection", "perDeviceNodeSelection"])
        place: Json = {kind: selector(world) if kind == "nodeSelector" else True}
        chips = dice.random() < 0.5
        devices = _chip_blocks(dice, index) if chips else plain_devices(dice)
        chip_set = {"name": f"block-{index}", "counters": {f"chip-{chip}": {"value": "1"} for chip in range(4)}}
        if kind == "perDeviceNodeSelection":
            for device in devices:
                device.update(_own_place(world))
        driver = ACCEL if chips else GPU
        publish(world, driver, f"shared-{index}", place, devices, [chip_set] if chips else [])
    if dice.chance(0.4):
        plain(world)
    world.offer.add(plain_offer(dice))
    size = f'device.attributes["{ACCEL}"].size'
    texts = [f"{size} == {number}" for number in (1, 2, 4)]
    world.offer.add(Offer({"vendor": texts, "any": texts[:1]}, [f"{ACCEL}/block"]))


def _own_place(world: World) -> Json:
    match world.dice.randint(0, 3):
        case 0:
            return {"allNodes": True}
        case 1:
            return {"nodeSelector": selector(world)}
        case _:
            return {"nodeName": world.dice.choice(world.names())}


def _chip_blocks(dice: Dice, block: int) -> list[Json]:
    devices = []
    for size, starts in ((1, range(4)), (2, (0, 2)), (4, (0,))):
        for start in starts:
            counters = {f"chip-{chip}": {"value": "1"} for chip in range(start, start + size)}
            devices.append(
                {
                    "name": f"b{block}-{size}x-{start}",
                    "attributes": {"size": {"int": size}, "block": {"int": block}},
                    "consumesCounters": [{"counterSet": f"block-{block}", "counters": counters}],
                }
            )
    return dice.some(devices)
