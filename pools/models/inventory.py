"""What the pools hold: rows derived from slices and claims, one set a pool, rewritten when that pool changes."""

from __future__ import annotations

from django.db import models

from pools.models.objects import Cluster


class Node(models.Model):
    """A node, from a Node object (`observed`) or only because a slice names it."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="nodes")
    name = models.CharField(max_length=253)
    observed = models.BooleanField(default=False)
    unschedulable = models.BooleanField(default=False)
    labels = models.JSONField(default=dict)

    class Meta:
        ordering = ["cluster", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="node_identity")]

    def __str__(self) -> str:
        return self.name


class Pool(models.Model):
    """
    All slices of one (driver, pool name) in one cluster.

    `node` is the node all its slices are bound to, empty for pools that several nodes reach. The counts say how many
    devices are in each state; they add up to `devices_total`.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="pools")
    driver = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    node = models.CharField(max_length=253, blank=True)
    state = models.CharField(max_length=10, help_text="complete, incomplete or invalid")
    reason = models.TextField(blank=True)
    generation = models.BigIntegerField()
    slices_seen = models.PositiveIntegerField()
    slices_expected = models.PositiveBigIntegerField()
    form = models.CharField(max_length=32)
    devices_total = models.PositiveIntegerField()
    devices_allocated = models.PositiveIntegerField()
    devices_available = models.PositiveIntegerField()
    devices_blocked = models.PositiveIntegerField()
    devices_tainted = models.PositiveIntegerField()
    devices_unavailable = models.PositiveIntegerField()
    revision = models.BigIntegerField(help_text="Cluster revision at which these rows were computed.")
    as_of = models.DateTimeField(help_text="When these rows were computed.")

    class Meta:
        ordering = ["cluster", "driver", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "driver", "name"], name="pool_identity")]
        indexes = [models.Index(fields=["cluster", "node"], name="pool_node")]

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class PoolNode(models.Model):
    """A node that a pool, or one of its devices, is bound to by name. Pools reached by labels or by all have none."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="nodes")
    name = models.CharField(max_length=253)

    class Meta:
        ordering = ["pool", "name"]
        constraints = [models.UniqueConstraint(fields=["pool", "name"], name="pool_node_identity")]
        indexes = [models.Index(fields=["name"], name="pool_node_name")]

    def __str__(self) -> str:
        return f"{self.pool} on {self.name}"


class CounterSet(models.Model):
    """A named set of shared counters of a pool."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="counter_sets")
    name = models.CharField(max_length=520)

    class Meta:
        ordering = ["pool", "id"]
        constraints = [models.UniqueConstraint(fields=["pool", "name"], name="counter_set_identity")]

    def __str__(self) -> str:
        return f"{self.pool}/{self.name}"


class Counter(models.Model):
    """
    One shared counter. Amounts are exact, as quantity texts (`40Gi`); `ratio` is for sorting and colour only.

    `available` is never below 0; `overcommitted` says by how much use exceeds capacity. `uncertain`: an allocated
    device is no longer published, so `consumed` is a lower bound. `holds` says who consumes it, see `derive.hold_rows`.
    """

    counter_set = models.ForeignKey(CounterSet, models.CASCADE, related_name="counters")
    card = models.ForeignKey("pools.Card", models.CASCADE, null=True, related_name="counters")
    name = models.CharField(max_length=253)
    capacity = models.CharField(max_length=200)
    consumed = models.CharField(max_length=200)
    available = models.CharField(max_length=200)
    overcommitted = models.CharField(max_length=200, default="0")
    ratio = models.FloatField(null=True)
    uncertain = models.BooleanField(default=False)
    holds = models.JSONField(default=list, help_text="[{device, amount, claims: [{namespace, name, request, pods}]}]")

    class Meta:
        ordering = ["counter_set", "id"]
        constraints = [models.UniqueConstraint(fields=["counter_set", "name"], name="counter_identity")]

    def __str__(self) -> str:
        return f"{self.counter_set}/{self.name}"


class Card(models.Model):
    """A connected component of devices and counters: what a person calls the GPU (see `domain.state.CardReport`)."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="cards")
    key = models.CharField(max_length=540)
    label = models.CharField(max_length=253)
    model = models.CharField(max_length=64, blank=True)
    position = models.PositiveIntegerField(help_text="Order in the pool, from 0.")
    use = models.FloatField(help_text="Highest consumed/capacity over its counters; above 1 when overcommitted.")
    largest = models.CharField(max_length=253, blank=True, help_text="Biggest type that still fits; empty when none.")
    slots = models.JSONField(default=list, help_text="[{stem, cells: [[namespace/claim, …], …]}], see domain SlotMap")
    stranded = models.JSONField(default=list, help_text="[{name, free, stranded}] of what is measured and not all used")
    stranded_share = models.FloatField(default=0, help_text="Highest stranded/capacity, for sorting and colour only.")
    types_lost = models.PositiveIntegerField(default=0, help_text="Types of which more would fit, packed best.")
    devices_total = models.PositiveIntegerField()
    devices_allocated = models.PositiveIntegerField()
    devices_available = models.PositiveIntegerField()
    devices_blocked = models.PositiveIntegerField()
    devices_tainted = models.PositiveIntegerField()
    devices_unavailable = models.PositiveIntegerField()

    class Meta:
        ordering = ["pool", "position"]
        constraints = [models.UniqueConstraint(fields=["pool", "key"], name="card_identity")]
        indexes = [models.Index(fields=["model"], name="card_model")]

    def __str__(self) -> str:
        return f"{self.pool}/{self.label}"


class TypeCount(models.Model):
    """
    How many devices of one type a card has and how many more fit; `card` is empty for devices without counters.

    Rows of one card are alternatives and must not be summed across types.
    """

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="type_counts")
    card = models.ForeignKey(Card, models.CASCADE, null=True, related_name="type_counts")
    type = models.CharField(max_length=253)
    total = models.PositiveIntegerField()
    allocated = models.PositiveIntegerField()
    available = models.PositiveIntegerField()
    max_more = models.PositiveIntegerField(help_text="Most that can be allocated together now.")
    first_fit = models.PositiveIntegerField(help_text="How many the scheduler's order would place.")
    exact = models.BooleanField(default=True)
    repacked = models.PositiveIntegerField(
        null=True, help_text="As max_more, if the same allocations were packed best; empty until derived."
    )
    repacked_exact = models.BooleanField(default=True)

    class Meta:
        ordering = ["pool", "card", "id"]
        indexes = [models.Index(fields=["type"], name="type_count_type")]

    def __str__(self) -> str:
        return f"{self.pool}: {self.type}"


class Device(models.Model):
    """
    One device of a pool and its state now. `published` is False for a device that a claim holds though no current
    slice lists it. `reason` is the first of its reasons, as a sentence; the whole list is on its page. A name is not
    unique in a pool: an invalid pool may repeat one.
    """

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="devices")
    card = models.ForeignKey(Card, models.CASCADE, null=True, related_name="devices")
    name = models.CharField(max_length=253)
    position = models.PositiveIntegerField(help_text="Order in which the scheduler tries devices of the pool, from 0.")
    type = models.CharField(max_length=253, blank=True)
    state = models.CharField(max_length=11, help_text="allocated, available, blocked, tainted or unavailable")
    reason_code = models.CharField(max_length=31, blank=True)
    reason = models.TextField(blank=True)
    shareable = models.BooleanField(default=False)
    shares = models.PositiveIntegerField(default=0)
    published = models.BooleanField(default=True)

    class Meta:
        ordering = ["pool", "position", "id"]
        indexes = [
            models.Index(fields=["pool", "position"], name="device_position"),
            models.Index(fields=["pool", "name"], name="device_name"),
            models.Index(fields=["state", "type"], name="device_state"),
        ]

    def __str__(self) -> str:
        return f"{self.pool}/{self.name}"
