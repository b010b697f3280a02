"""Claims that wait for devices."""

from __future__ import annotations

from .world import ACCEL, GPU, NIC, PCI_ROOT, Dice, Json, World

_FAULTY = [
    'device.nosuch == "x"',
    'device.attributes["gpu.nvidia.com"].nosuch == 1',
    "device.driver",
    "device.driver ==",
    'device.attributes["gpu.nvidia.com"].model.isGreaterThan(semver("1.0.0"))',
    "dyn(1)",
]


def want_devices(world: World, *, most: int = 3, alternatives: float = 0.2) -> None:
    """One to so many claims, to be allocated together in this order."""
    for number in range(world.dice.choice([1, 1, 1, 1, 2, most])):
        world.claims.append(_claim(world, number, alternatives))


def _claim(world: World, number: int, alternatives: float) -> Json:
    dice = world.dice
    requests = [_request(world, f"r{index}", alternatives) for index in range(dice.choice([1, 1, 1, 1, 2, 2, 3]))]
    body: Json = {"requests": requests}
    constraints = [_constraint(world, requests) for _ in range(dice.choice([0, 0, 0, 0, 1, 1, 2]))]
    constraints = constraints if world.offer.attributes else []
    if dice.chance(0.95):
        constraints += _constraints_on_derived(dice, requests)
    if constraints:
        body["constraints"] = constraints
    if dice.chance(0.05):
        body["config"] = [{"opaque": {"driver": GPU, "parameters": {"kind": "Any"}}}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": f"claim-{number}",
            "namespace": "default",
            "uid": f"00000000-0000-4000-a000-{number:012x}",
        },
        "spec": {"devices": body},
    }


def _request(world: World, name: str, alternatives: float) -> Json:
    dice = world.dice
    if dice.chance(alternatives):
        options = [{"name": f"alt{index}", **_ask(world)} for index in range(dice.randint(1, 3))]
        return {"name": name, "firstAvailable": options}
    exactly = _ask(world)
    if dice.chance(0.04):
        exactly["adminAccess"] = dice.chance(0.85)
    return {"name": name, "exactly": exactly}


def _ask(world: World) -> Json:
    """Class, selectors, how many, and now and then capacity, tolerations, attributes of its own making."""
    dice, offer = world.dice, world.offer
    name = dice.choice(sorted(offer.selectors))
    ask: Json = {"deviceClassName": "no-such-class" if dice.chance(0.003) else name}
    texts = [dice.choice(offer.selectors[name]) for _ in range(dice.choice([0, 0, 1, 1, 1, 2]))]
    if dice.chance(0.007):
        texts.insert(dice.randint(0, len(texts)), dice.choice(_FAULTY))
    if texts:
        ask["selectors"] = [{"cel": {"expression": text}} for text in texts]
    _ask_how_many(dice, ask)
    if offer.capacities and dice.chance(0.6):
        names = dice.some(sorted(offer.capacities), 2)
        wanted = {name: dice.choice(offer.capacities[name]) for name in names}
        if dice.chance(0.03):
            wanted["no-such-capacity"] = "1"
        if dice.chance(0.03):
            wanted[names[0]] = dice.choice(["0", "9223372036854775807", "10E", "1n"])
        ask["capacity"] = {"requests": wanted}
    if offer.tolerations and dice.chance(0.6):
        ask["tolerations"] = [_toleration(dice) for _ in range(dice.choice([1, 1, 2]))]
    if "example.com/pair" in offer.attributes and dice.chance(0.7):
        ask["derivedAttributes"] = _derived(dice)
    return ask


def _ask_how_many(dice: Dice, ask: Json) -> None:
    if dice.chance(0.07):
        ask["allocationMode"] = "All"
        return
    if dice.chance(0.5):
        ask["allocationMode"] = "ExactCount"
    count = dice.choice([1, 1, 1, 1, 1, 2, 2, 3, 4])
    if count > 1 or dice.chance(0.3):
        ask["count"] = count
    if dice.chance(0.004):
        ask["count"] = dice.choice([20, 32, 33, 2**40])


def _toleration(dice: Dice) -> Json:
    keys = ["example.com/unhealthy", "maintenance", "slow"]
    if dice.chance(0.15):
        return {"operator": "Exists"}
    toleration: Json = {"key": dice.choice(keys), "operator": dice.choice(["Exists", "Equal"])}
    if toleration["operator"] == "Equal" and dice.chance(0.8):
        toleration["value"] = dice.choice(["ecc", "fan"])
    if dice.chance(0.3):
        toleration["effect"] = dice.choice(["NoSchedule", "NoExecute"])
    return toleration


def _derived(dice: Dice) -> list[Json]:
    domain = f'device.attributes["{GPU}"]'
    pairs = [
        f"{domain}.index / 2",
        f"{domain}.?index.orValue(0) % 2",
        f"{domain}.numa",
        f'{domain}.model + "-x"',
        f"[{domain}.?index.orValue(0), {domain}.?numa.orValue(7)]",
        f"has({domain}.numa) ? {domain}.numa : 9",
    ]
    sizes = [f'device.capacity["{GPU}"].memory.compareTo(quantity("40Gi"))', f"{domain}.ecc"]
    made = [{"name": "example.com/pair", "expression": dice.choice(pairs)}]
    if dice.chance(0.4):
        made.append({"name": "example.com/size", "expression": dice.choice(sizes)})
    if dice.chance(0.15):
        made.append({"name": f"{GPU}/model", "expression": dice.choice(pairs)})
    return made


def _constraints_on_derived(dice: Dice, requests: list[Json]) -> list[Json]:
    """The API server takes a derived attribute only with a constraint that uses it."""
    users: dict[str, list[str]] = {}
    for request in requests:
        options = request.get("firstAvailable", [])
        asks = [(request["name"], request.get("exactly", {}))]
        asks += [(f"{request['name']}/{option['name']}", option) for option in options]
        for name, ask in asks:
            for attribute in ask.get("derivedAttributes", []):
                users.setdefault(attribute["name"], []).append(name)
    kinds = ["matchAttribute", "matchAttribute", "distinctAttribute"]
    return [{dice.choice(kinds): attribute, "requests": names} for attribute, names in users.items()]


def _constraint(world: World, requests: list[Json]) -> Json:
    dice = world.dice
    attribute = dice.choice(world.offer.attributes or [PCI_ROOT])
    if dice.chance(0.04):
        attribute = dice.choice([f"{ACCEL}/nosuch", f"{NIC}/numa", "example.com/numa"])
    constraint: Json = {dice.choice(["matchAttribute", "matchAttribute", "distinctAttribute"]): attribute}
    if dice.chance(0.4):
        names = []
        for request in requests:
            names.append(request["name"])
            names += [f"{request['name']}/{option['name']}" for option in request.get("firstAvailable", [])]
        constraint["requests"] = dice.some(names)
    return constraint
