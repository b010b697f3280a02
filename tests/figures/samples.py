"""An A100-40GB as the core would report it, built by hand so that pictures are tested without the core."""

from pools.domain.ids import ClaimId, CounterId, DeviceId
from pools.domain.quantity import Quantity, parse_quantity
from pools.domain.state import CounterHold, CounterUse, Holder, SlotMap, SlotSpan

PLACEMENTS = {
    "7g.40gb": (8, [0]),
    "4g.20gb": (4, [0]),
    "3g.20gb": (4, [0, 4]),
    "2g.10gb": (2, [0, 2, 4]),
    "1g.10gb": (2, [0, 2, 4, 6]),
    "1g.5gb": (1, [0, 1, 2, 3, 4, 5, 6]),
}
SET = "gpu-0-counter-set"


def holder(claim: str, device: str, **more) -> Holder:
    namespace, _, name = claim.partition("/")
    return Holder(ClaimId(namespace, name), DeviceId("gpu.example.com", "node-1", device), "gpu", **more)


def slot_map(allocated: dict[str, str], states: dict[str, str] | None = None, stem: str = "memory-slice") -> SlotMap:
    """*allocated*: device name to claim; a device is `type@start`. Others are blocked where cells are taken."""
    taken = {
        cell
        for device in allocated
        for cell in range(int(device.split("@")[1]), int(device.split("@")[1]) + PLACEMENTS[device.split("@")[0]][0])
    }
    spans = []
    for type_, (length, starts) in PLACEMENTS.items():
        for start in starts:
            name, cells = f"{type_}@{start}", tuple(range(start, start + length))
            held = (holder(allocated[name], name),) if name in allocated else ()
            state = "allocated" if held else "blocked" if taken & set(cells) else "available"
            spans.append(SlotSpan(name, type_, (states or {}).get(name, state), cells, held))
    return SlotMap(stem, tuple(CounterId(SET, f"{stem}-{index}") for index in range(8)), tuple(spans))


def counter(name: str, capacity: str, *holds: tuple[str, str, str], uncertain: bool = False) -> CounterUse:
    """*holds*: (claim, device, quantity) each."""
    drawn = tuple(
        CounterHold(
            DeviceId("gpu.example.com", "node-1", device), parse_quantity(amount).nano, (holder(claim, device),)
        )
        for claim, device, amount in holds
    )
    total = parse_quantity(capacity) if capacity else Quantity(0)
    return CounterUse(CounterId(SET, name), total, sum(hold.nano for hold in drawn), drawn, uncertain)
