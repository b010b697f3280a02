"""What a single pool, card or device shows: the core's report, every reason and holder included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from pools.api.rows import STATES, CardRow, DeviceRow, FindingRow, PoolRow, Row, TypeFitRow, text
from pools.domain.device import NodeReach
from pools.domain.quantity import Quantity, format_nano
from pools.domain.state import CapacityUse, CounterUse

Texts = dict[str, str]


def quantities(amounts: Mapping[str, Quantity]) -> Texts:
    """Quantities as published."""
    return {key: amount.text for key, amount in amounts.items()}


class HolderRow(Row):
    """One claim's hold on a device."""

    namespace = text("claim.namespace")
    claim = text("claim.name")
    request = text(help_text="The request, or request/alternative, that the device serves.")
    pods = serializers.ListField(child=serializers.CharField(), help_text="namespace/name of the claim's consumers.")
    since = text(help_text="When it was allocated (RFC 3339); empty when unknown.")
    admin = serializers.BooleanField(help_text="For administration: consumes nothing.")
    share_id = text(help_text="Empty for exclusive use.")
    consumed = serializers.SerializerMethodField(help_text="What a share consumes of the device's capacity.")

    def get_consumed(self, holder: Any) -> Texts:
        return quantities(holder.consumed)


class ReasonRow(Row):
    """Why a device cannot be allocated now."""

    code = text()
    message = text(help_text="One sentence for a person.")
    counter_set = serializers.CharField(source="counter.counter_set", allow_null=True)
    counter = serializers.CharField(source="counter.counter", allow_null=True)
    need = serializers.SerializerMethodField(help_text="What the device draws from it; null for other reasons.")
    remaining = serializers.SerializerMethodField(help_text="What the counter has left, negative when overcommitted.")
    taint = text()
    rule = text(help_text="The DeviceTaintRule that brings the taint; empty when the driver published it.")
    holders = HolderRow(many=True)

    def get_need(self, reason: Any) -> str | None:
        return format_nano(reason.need_nano) if reason.counter else None

    def get_remaining(self, reason: Any) -> str | None:
        return format_nano(reason.remaining_nano) if reason.counter else None


class CounterHoldReport(Row):
    """What one device in use draws from a counter, and for whom."""

    device = text("device.name")
    amount = serializers.SerializerMethodField(help_text="An exact quantity.")
    holders = HolderRow(many=True)

    def get_amount(self, hold: Any) -> str:
        return format_nano(hold.nano)


class CounterReport(Row):
    """One shared counter; amounts are exact quantities."""

    counter_set = text("id.counter_set")
    name = text("id.counter")
    capacity = text("capacity.text", help_text="As published; empty when no amount was.")
    consumed = serializers.SerializerMethodField()
    available = serializers.SerializerMethodField(help_text="Never below 0.")
    overcommitted = serializers.SerializerMethodField(help_text="By how much more is used than there is.")
    ratio = serializers.FloatField(allow_null=True, help_text="Consumed by capacity, rounded; null without capacity.")
    uncertain = serializers.BooleanField(help_text="Consumption is a lower bound: an allocated device left its slice.")
    holds = CounterHoldReport(many=True, help_text="Who consumes it.")

    def get_consumed(self, use: CounterUse) -> str:
        return format_nano(use.consumed_nano, use.capacity.text)

    def get_available(self, use: CounterUse) -> str:
        return format_nano(use.available_nano, use.capacity.text)

    def get_overcommitted(self, use: CounterUse) -> str:
        return format_nano(use.overcommitted_nano, use.capacity.text)


class CapacityReport(Row):
    """A shareable device's capacity: what all shares consume together."""

    capacity = text("capacity.text")
    consumed = serializers.SerializerMethodField()
    available = serializers.SerializerMethodField()

    def get_consumed(self, use: CapacityUse) -> str:
        return format_nano(use.consumed_nano, use.capacity.text)

    def get_available(self, use: CapacityUse) -> str:
        return format_nano(use.available_nano, use.capacity.text)


class ConsumptionReport(Row):
    """What a device draws from one counter set while it is in use."""

    counter_set = text()
    counters = serializers.SerializerMethodField()
    compatibility_groups = serializers.ListField(child=serializers.CharField())

    def get_counters(self, entry: Any) -> Texts:
        return quantities(entry.counters)


class DeviceReportRow(Row):
    """One device now, with every reason and holder."""

    name = text("id.name")
    type = text()
    card = text(help_text="Key of its card; empty when it consumes no counters.")
    state = serializers.ChoiceField(STATES)
    published = serializers.BooleanField()
    shareable = serializers.BooleanField()
    shares = serializers.IntegerField()
    accepts_more = serializers.BooleanField(help_text="Shareable, in use, and another default share fits.")
    reasons = ReasonRow(many=True, help_text="All that apply.")
    holders = HolderRow(many=True)
    capacity_use = serializers.DictField(source="capacity", child=CapacityReport(), help_text="Of shareable devices.")
    consumes = serializers.SerializerMethodField()

    @extend_schema_field(ConsumptionReport(many=True))
    def get_consumes(self, report: Any) -> Any:
        return ConsumptionReport(report.pooled.device.consumes, many=True).data if report.pooled else []


class AttributeRow(Row):
    """One attribute."""

    kind = text(help_text="int, bool, string, version, the plural of one for lists, or unknown.")
    value = serializers.JSONField(allow_null=True, help_text="A scalar or a list; null for an unknown kind.")


class DeviceBody(Row):
    """What the device's slice says of it."""

    slice = text("slice_name")
    attributes = serializers.DictField(
        source="device.attributes", child=AttributeRow(), help_text="By name as published."
    )
    capacity = serializers.SerializerMethodField(help_text="What it advertises to users, as published.")
    taints = serializers.SerializerMethodField(help_text="key=value:effect, as the driver published them.")
    node = text("reach.node_name", help_text="The node it is bound to; empty when a selector or all nodes decide.")
    all_nodes = serializers.BooleanField(source="reach.all_nodes")
    node_selector = serializers.SerializerMethodField(help_text="Terms of the node selector in words; null for none.")

    def get_capacity(self, pooled: Any) -> Texts:
        return {key: entry.value.text for key, entry in pooled.device.capacity.items()}

    def get_taints(self, pooled: Any) -> list[str]:
        return [str(taint) for taint in pooled.device.taints]

    def get_node_selector(self, pooled: Any) -> list[str] | None:
        return _selector(pooled.reach)


def _selector(reach: NodeReach) -> list[str] | None:
    if reach.selector is None:
        return None
    return [
        " and ".join(
            f"{line.key} {line.operator} {', '.join(line.values)}".strip() for line in term.expressions + term.fields
        )
        for term in reach.selector
    ]


class DeviceReportPart(Row):
    """What a device's resource shows beyond its row."""

    report = DeviceReportRow(help_text="Judged now, with every reason.")
    body = DeviceBody(source="report.pooled", allow_null=True, help_text="null when no current slice lists it.")


class DeviceDetail(DeviceRow, DeviceReportPart):
    """A device: its row, the core's report, and what its slice says."""


class SlotSpanRow(Row):
    """A device's place in a slot map."""

    device = text()
    type = text()
    state = serializers.ChoiceField(STATES)
    cells = serializers.ListField(child=serializers.IntegerField(), help_text="Indices of the cells that it occupies.")
    holders = HolderRow(many=True)


class SlotCell(Row):
    """A cell of a slot map: one counter of capacity 1."""

    counter_set = text()
    counter = text()


class SlotMapRow(Row):
    """Numbered unit counters as a strip, with each device as a span."""

    stem = text()
    cells = SlotCell(many=True)
    spans = SlotSpanRow(many=True)


class TypeCountOfMix(Row):
    """How many of a type a mix holds."""

    type = serializers.SerializerMethodField()
    count = serializers.SerializerMethodField()

    def get_type(self, pair: tuple[str, int]) -> str:
        return pair[0]

    def get_count(self, pair: tuple[str, int]) -> int:
        return pair[1]


class MixRow(Row):
    """Devices that fit together on top of what is allocated, and to which none can be added."""

    devices = serializers.ListField(child=serializers.CharField())
    types = TypeCountOfMix(many=True)


class MixesRow(Row):
    """All maximal mixes of a card."""

    feasible = serializers.IntegerField(help_text="How many non-empty sets of devices fit.")
    cut = serializers.BooleanField(help_text="Whether there are more than are listed and counted.")
    maximal = MixRow(many=True)


class CardReportRow(Row):
    """One card of a pool, as the core judges it."""

    key = text()
    label = text()  # type: ignore[assignment]
    model = text()
    use = serializers.FloatField()
    largest = text()
    devices = serializers.ListField(child=serializers.CharField(), help_text="Names, in the scheduler's order.")
    types = TypeFitRow(many=True)
    slot_maps = SlotMapRow(many=True, source="slots")


class CardReportPart(Row):
    """What a card's resource shows beyond its row."""

    slot_maps = SlotMapRow(many=True)
    counters = CounterReport(many=True)
    devices = DeviceReportRow(many=True)
    mixes = MixesRow(allow_null=True, help_text="Only when `mixes` asks for them.")


class CardDetail(CardRow, CardReportPart):
    """A card: its row, its counters, its devices and its slot maps."""


class PoolReportPart(Row):
    """What a pool's resource shows beyond its row."""

    counters = CounterReport(many=True)
    cards = CardReportRow(many=True)
    devices = DeviceReportRow(many=True)
    types = TypeFitRow(many=True, help_text="By type over the whole pool; rows of different types are alternatives.")
    loose_devices = serializers.ListField(child=serializers.CharField(), help_text="Devices that consume no counters.")
    stale_devices = serializers.ListField(
        child=serializers.CharField(), source="pool.stale", help_text="Devices that only older generations list."
    )
    stale_slices = serializers.ListField(
        child=serializers.CharField(), source="pool.stale_slices", help_text="Slices of older generations."
    )
    slices = serializers.SerializerMethodField(help_text="Slices of the current generation, by name.")

    def get_slices(self, report: Any) -> list[str]:
        return [item.meta.name for item in report.pool.slices[: report.pool.slices_seen]]


class PoolDetail(PoolRow, PoolReportPart):
    """A pool: its row and the core's whole report."""

    findings = FindingRow(many=True)
