"""What fragmentation and upstream's summary of a pool look like."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from pools.api import links
from pools.api.answers import CardMove
from pools.api.rows import Row, text
from pools.core.repack import Plan, Plans, Waste
from pools.domain.quantity import format_nano
from pools.queries.fragmentation import CardRoom
from pools.queries.why_json import move_json


class TypeRoomRow(Row):
    """How many more of a type fit now, and with the same allocations packed best on their card."""

    type = text()
    now = serializers.IntegerField()
    repacked = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="False when a bound was met.")


class WasteRow(Row):
    """One amount, or one strip of slots as a whole: what is free, and what of it no type can use."""

    name = text()
    capacity = serializers.SerializerMethodField()
    free = serializers.SerializerMethodField()
    stranded = serializers.SerializerMethodField()

    def get_capacity(self, waste: Waste) -> str:
        return format_nano(waste.capacity_nano, waste.like)

    def get_free(self, waste: Waste) -> str:
        return format_nano(waste.free_nano, waste.like)

    def get_stranded(self, waste: Waste) -> str:
        return format_nano(waste.stranded_nano, waste.like)


class PlanRow(Row):
    """Moves after which one more device of a type fits."""

    moves = serializers.SerializerMethodField()
    gained = serializers.ListField(child=serializers.CharField())
    pods = serializers.ListField(child=serializers.CharField(), help_text="Pods that the moves touch.")

    @extend_schema_field(CardMove(many=True))
    def get_moves(self, plan: Plan) -> Any:
        return [move_json(move) for move in plan.moves]


class PlansRow(Row):
    """The cheapest plans for one type."""

    type = serializers.SerializerMethodField()
    exact = serializers.BooleanField(help_text="Everything was tried that could be shorter.")
    plans = PlanRow(many=True)

    def get_type(self, plans: Plans) -> str:
        return plans.plans[0].type if plans.plans else ""


class CardRoomRow(Row):
    """What a card's allocations waste, and the moves that would win most."""

    key = text("room.card")
    largest = text("room.largest", help_text="The biggest type that still fits; empty when none does.")
    exact = serializers.BooleanField(source="room.exact", help_text="False when stranded amounts may be overstated.")
    types = TypeRoomRow(many=True, source="room.types", help_text="Rows are alternatives.")
    wastes = WasteRow(many=True, source="room.wastes")
    moves = serializers.SerializerMethodField(help_text="For types of which more would fit, the cheapest moves.")

    @extend_schema_field(PlansRow(many=True))
    def get_moves(self, found: CardRoom) -> Any:
        return PlansRow([plans for plans in found.plans if plans.plans], many=True).data


class TypeRoomSumRow(TypeRoomRow):
    """The same over all cards."""

    driver = text()
    total = serializers.IntegerField()
    allocated = serializers.IntegerField()
    cards = serializers.IntegerField(help_text="Cards on which any more would fit after moving.")


class StrandedRow(Row):
    """What is free of one amount over all cards of a driver, and the part that no type can use."""

    driver = text()
    name = text()
    free = text()
    stranded = text()
    cards = serializers.IntegerField(help_text="Cards on which any of it is stranded.")


class LosingCard(Row):
    """A card on which more would fit after moving."""

    url = links.Link(links.card_url)
    cluster = text("pool.cluster.name")
    driver = text("pool.driver")
    pool = text("pool.name")
    key = text()
    label = text()  # type: ignore[assignment]
    types_lost = serializers.IntegerField(help_text="Types of which more would fit.")
    stranded_share = serializers.FloatField()


class FleetRoomRow(Row):
    """The fleet's fragmentation."""

    cards_total = serializers.IntegerField()
    cards_losing = serializers.IntegerField(help_text="Cards on which more of some type would fit after moving.")
    underived = serializers.IntegerField(help_text="Rows of which nothing is known until `manage.py rebuild`.")
    types = TypeRoomSumRow(many=True, help_text="Rows are alternatives.")
    stranded = StrandedRow(many=True)
    cards = LosingCard(many=True, help_text="Those that lose most.")


class CountBothWays(Row):
    """A number by upstream's formula and as counted here."""

    name = text()
    upstream = serializers.IntegerField(allow_null=True)
    here = serializers.IntegerField()


class TypeBothWays(Row):
    """How many more of a type fit, both ways."""

    type = text()
    total = serializers.IntegerField()
    upstream = serializers.IntegerField(allow_null=True)
    here = serializers.IntegerField()
    exact = serializers.BooleanField()


class PartitionSummary(Row):
    """A row of upstream's partitionSummary."""

    attribute = text()
    type = text()
    total = serializers.IntegerField()
    allocatable = serializers.IntegerField()


class CapacitySummary(Row):
    """A capacity over all shareable devices."""

    name = text()
    total = serializers.SerializerMethodField()
    consumed = serializers.SerializerMethodField()
    available = serializers.SerializerMethodField()

    def get_total(self, row: Any) -> str:
        return format_nano(row.total_nano, row.like)

    def get_consumed(self, row: Any) -> str:
        return format_nano(row.consumed_nano, row.like)

    def get_available(self, row: Any) -> str:
        return format_nano(row.available_nano, row.like)


class ShareableSummary(Row):
    """Upstream's shareableSummary."""

    fully_available = serializers.IntegerField()
    partially_available = serializers.IntegerField()
    capacity = CapacitySummary(many=True)


class UpstreamStatus(Row):
    """status.pools[] of a ResourcePoolStatusRequest, by upstream's formulas; null where upstream gives no number."""

    driver = text("pool.driver")
    poolName = text("pool.name")
    generation = serializers.IntegerField()
    nodeName = text("node_name")
    resourceSliceCount = serializers.IntegerField(source="slice_count")
    totalDevices = serializers.IntegerField(source="total", allow_null=True)
    allocatedDevices = serializers.IntegerField(source="allocated", allow_null=True)
    availableDevices = serializers.IntegerField(source="available", allow_null=True)
    unavailableDevices = serializers.IntegerField(source="unavailable", allow_null=True)
    partitionSummary = PartitionSummary(source="partitions", many=True, allow_null=True)
    shareableSummary = ShareableSummary(source="shareable", allow_null=True)
    validationError = text("validation_error")


class PoolStatusRow(Row):
    """A pool summed up as upstream does, beside what is known here."""

    status = UpstreamStatus()
    counts = CountBothWays(many=True)
    types = TypeBothWays(many=True, help_text="Types of devices that draw on counters.")
    words = serializers.ListField(
        child=serializers.CharField(), help_text="What upstream's summary cannot tell here, and why; a sentence each."
    )
