"""What a list shows of each row, and with it what the CSV's columns are."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from pools.api import links

Row = serializers.Serializer[Any]
STATES = ["allocated", "available", "blocked", "tainted", "unavailable"]


def text(source: str | None = None, help_text: str = "") -> serializers.CharField:
    """A text that is always there, possibly empty."""
    return serializers.CharField(source=source, help_text=help_text, allow_blank=True)


class StateCounts(Row):
    """How many published devices are in each state; shown after a row's own fields."""

    devices_total = serializers.IntegerField()
    devices_allocated = serializers.IntegerField()
    devices_available = serializers.IntegerField()
    devices_blocked = serializers.IntegerField()
    devices_tainted = serializers.IntegerField()
    devices_unavailable = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        counts = {name: fields.pop(name) for name in list(fields) if name.startswith("devices_")}
        return {**fields, **counts}


class ClusterRow(Row):
    """A named source of objects."""

    url = links.Link(links.cluster_url)
    name = text()
    revision = serializers.IntegerField(help_text="Grows with every change.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="When it changed last.")
    pools_total = serializers.IntegerField()
    nodes_total = serializers.IntegerField()
    claims_total = serializers.IntegerField()
    findings_total = serializers.IntegerField()


class PoolRow(StateCounts):
    """All slices of one driver and pool name."""

    url = links.Link(links.pool_url)
    cluster = text("cluster.name")
    driver = text()
    name = text()
    node = text(help_text="The node that the whole pool is bound to; empty for pools that several nodes reach.")
    nodes = serializers.SerializerMethodField(help_text="Every node that the pool or one of its devices names.")
    state = serializers.ChoiceField(["complete", "incomplete", "invalid"])
    reason = text(help_text="Why it is incomplete or invalid.")
    generation = serializers.IntegerField()
    slices_seen = serializers.IntegerField()
    slices_expected = serializers.IntegerField()
    form = text(help_text="The form it was published in.")
    revision = serializers.IntegerField(help_text="The cluster's revision at which this was computed.")
    as_of = serializers.DateTimeField(help_text="When this was computed.")

    def get_nodes(self, row: Any) -> list[str]:
        return [node.name for node in row.nodes.all()]


class HoldingClaim(Row):
    """A claim behind a hold."""

    namespace = text()
    name = text()
    request = text(help_text="The request, or request/alternative, that the device serves.")
    pods = serializers.ListField(child=serializers.CharField(), help_text="namespace/name of the claim's consumers.")


class CounterHold(Row):
    """What one device in use draws from a counter, and for whom."""

    device = text()
    amount = text(help_text="An exact quantity.")
    claims = HoldingClaim(many=True)


class CounterRow(Row):
    """One shared counter; amounts are exact quantities."""

    name = text()
    card = serializers.SerializerMethodField(help_text="Key of its card; empty when no device draws on it.")
    capacity = text(help_text="As published; empty when no amount was.")
    consumed = text()
    available = text(help_text="Never below 0.")
    overcommitted = text(help_text="By how much more is used than there is.")
    ratio = serializers.FloatField(allow_null=True, help_text="Consumed by capacity, rounded; null without capacity.")
    uncertain = serializers.BooleanField(help_text="Consumption is a lower bound: an allocated device left its slice.")
    holds = CounterHold(many=True, help_text="Who consumes it.")

    def get_card(self, row: Any) -> str:
        return row.card.key if row.card_id else ""


class CounterSetRow(Row):
    """A named set of counters of a pool."""

    cluster = text("pool.cluster.name")
    driver = text("pool.driver")
    pool = text("pool.name")
    name = text()
    counters = CounterRow(many=True)


class TypeFitRow(Row):
    """How many more of one type fit. Rows of one card are alternatives: never sum them."""

    type = text()
    total = serializers.IntegerField()
    allocated = serializers.IntegerField()
    available = serializers.IntegerField(help_text="How many could be allocated now, each by itself.")
    max_more = serializers.IntegerField(help_text="How many could be allocated together at most.")
    first_fit = serializers.IntegerField(help_text="How many the scheduler's order would place.")
    exact = serializers.BooleanField(help_text="Whether max_more is exact, or a lower bound.")


class SlotStrip(Row):
    """Numbered unit counters as a strip."""

    stem = text(help_text="What the counters' names have in common.")
    cells = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="For each cell, in order, the claims (namespace/name) that occupy it.",
    )


class CardRow(StateCounts):
    """Devices and counters that hang together: what a person calls the GPU."""

    url = links.Link(links.card_url)
    cluster = text("pool.cluster.name")
    driver = text("pool.driver")
    pool = text("pool.name")
    node = text("pool.node")
    key = text()
    label = text(help_text="A name for people.")  # type: ignore[assignment]
    model = text(help_text="A product name, where a device publishes one.")
    use = serializers.FloatField(help_text="Highest consumed/capacity over its counters; above 1 when overcommitted.")
    largest = text(help_text="Type of the biggest device that still fits; empty when none does.")
    types = TypeFitRow(many=True, source="type_counts")
    slots = SlotStrip(many=True)


class DeviceRow(Row):
    """One device of a pool and its state now."""

    url = links.Link(links.device_url)
    cluster = text("pool.cluster.name")
    driver = text("pool.driver")
    pool = text("pool.name")
    node = text("pool.node")
    card = serializers.SerializerMethodField(help_text="Key of its card; empty when it consumes no counters.")
    name = text()
    position = serializers.IntegerField(help_text="Order in which the scheduler tries the pool's devices, from 0.")
    type = text()
    state = serializers.ChoiceField(STATES)
    reason_code = text(help_text="Code of the first reason why it cannot be allocated.")
    reason = text(help_text="That reason in words; the device's own resource has them all.")
    shareable = serializers.BooleanField()
    shares = serializers.IntegerField(help_text="How many shares of it are held.")
    published = serializers.BooleanField(help_text="False when no current slice lists it.")

    def get_card(self, row: Any) -> str:
        return row.card.key if row.card_id else ""


class Alternative(Row):
    """One way to satisfy a request."""

    name = text(help_text="Empty for a request without alternatives.")
    device_class = text("class", help_text="Name of the DeviceClass.")
    selectors = serializers.ListField(child=serializers.CharField(), help_text="CEL, all of which must hold.")
    mode = text(help_text="ExactCount or All.")
    count = serializers.IntegerField(help_text="0 for All.")
    admin_access = serializers.BooleanField(source="adminAccess")
    capacity = serializers.DictField(child=serializers.CharField())


class ClaimRequest(Row):
    """A request, with its alternatives in order of preference."""

    name = text()
    prioritized = serializers.BooleanField()
    alternatives = Alternative(many=True)


class ClaimConstraint(Row):
    """Ties the devices of some requests together; no requests means all."""

    requests = serializers.ListField(child=serializers.CharField())
    match_attribute = text("matchAttribute")
    distinct_attribute = text("distinctAttribute")


class Consumer(Row):
    """Who has reserved a claim."""

    resource = text()
    name = text()
    uid = text()


class Result(Row):
    """A device that a claim holds, named as the allocation names it."""

    request = text()
    driver = text()
    pool = text("pool_name", help_text="Empty when the result names none and none was found.")
    device = text("device_name")
    device_published = serializers.SerializerMethodField(help_text="Whether a current slice lists the device.")
    guessed = serializers.BooleanField(help_text="The pool was found by device and node, as the result names none.")
    admin = serializers.BooleanField(help_text="For administration: consumes nothing.")
    share_id = text()
    consumed = serializers.DictField(child=serializers.CharField(), help_text="What a share consumes of the capacity.")

    def get_device_published(self, row: Any) -> bool:
        return row.device is not None and row.device.published


class ClaimRow(Row):
    """A ResourceClaim."""

    url = links.Link(links.claim_url)
    cluster = text("cluster.name")
    namespace = text()
    name = text()
    uid = text()
    form = text()
    state = serializers.ChoiceField(["pending", "allocated", "reserved", "deleting"])
    allocated = serializers.BooleanField()
    created_at = serializers.DateTimeField(allow_null=True)
    allocated_at = serializers.DateTimeField(allow_null=True)
    node = text(help_text="Node that the allocation is bound to; empty when none or several.")
    requests = ClaimRequest(many=True)
    constraints = ClaimConstraint(many=True)
    reserved_for = Consumer(many=True)
    allocations = Result(many=True)


class AllocationRow(Result):
    """One allocation result with its claim."""

    cluster = text("claim.cluster.name")
    namespace = text("claim.namespace")
    claim = text("claim.name")
    claim_url = links.Link(lambda row: links.claim_url(row.claim))
    node = text("claim.node")


class NodeRow(Row):
    """A node."""

    url = links.Link(links.node_url)
    cluster = text("cluster.name")
    name = text()
    observed = serializers.BooleanField(help_text="False when only slices name it.")
    unschedulable = serializers.BooleanField()
    labels = serializers.DictField(child=serializers.CharField())


class FindingRow(Row):
    """Something an operator or driver author should know."""

    cluster = text("cluster.name")
    severity = serializers.ChoiceField(["error", "warning", "info"])
    code = text(help_text="A stable slug.")
    object = text(help_text="driver/pool, driver/pool/device, namespace/claim, or the name of a node, class or rule.")
    message = text()
    driver = serializers.CharField(source="pool.driver", allow_null=True, help_text="Of the pool it hangs on.")
    pool = serializers.CharField(source="pool.name", allow_null=True)
    namespace = serializers.CharField(source="claim.namespace", allow_null=True, help_text="Of the claim it hangs on.")
    claim = serializers.CharField(source="claim.name", allow_null=True)


class ObjectRow(Row):
    """An object as received; its address gives the JSON."""

    url = links.Link(links.object_url)
    cluster = text("cluster.name")
    kind = text()
    namespace = text()
    name = text()
    uid = text()
    resource_version = text()
    form = text()
    driver = text(help_text="Of slices.")
    pool = text(help_text="Of slices.")
    received_at = serializers.DateTimeField()


class ClaimExtra(Row):
    """What a claim's resource shows beyond its row."""

    pods = serializers.ListField(child=serializers.CharField(), help_text="namespace/name of pods that refer to it.")
    findings = FindingRow(many=True)


class ClaimDetail(ClaimRow, ClaimExtra):
    """A claim with its pods and findings."""


class NodeExtra(Row):
    """What a node's resource shows beyond its row."""

    pools = PoolRow(many=True, help_text="Pools that name the node.")
    claims = ClaimRow(many=True, help_text="Claims allocated on the node.")
    findings = FindingRow(many=True)


class NodeDetail(NodeRow, NodeExtra):
    """A node with its pools and claims."""
