"""Who uses devices: claims, what was allocated to them, and the pods behind them."""

from __future__ import annotations

from django.db import models

from pools.models.inventory import Device, Pool
from pools.models.objects import Cluster


class Claim(models.Model):
    """
    A ResourceClaim. `state` is pending, allocated (nobody has reserved it), reserved, or deleting.

    `requests` is a list of {name, alternatives: [{name, class, selectors, mode, count, adminAccess, capacity}]}.
    `node` is the node that the allocation is bound to, empty when none or several.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="claims")
    namespace = models.CharField(max_length=63)
    name = models.CharField(max_length=253)
    uid = models.CharField(max_length=64, blank=True)
    form = models.CharField(max_length=32)
    state = models.CharField(max_length=9)
    allocated = models.BooleanField(default=False)
    created_at = models.DateTimeField(null=True)
    allocated_at = models.DateTimeField(null=True)
    node = models.CharField(max_length=253, blank=True)
    requests = models.JSONField(default=list)
    constraints = models.JSONField(default=list)
    reserved_for = models.JSONField(default=list, help_text="[{resource, name, uid}]")

    class Meta:
        ordering = ["cluster", "namespace", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "namespace", "name"], name="claim_identity")]
        indexes = [models.Index(fields=["cluster", "allocated"], name="claim_pending")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Allocation(models.Model):
    """
    One result of a claim's allocation: a device it holds, named as the result names it.

    `pool` and `device` point at the rows when such a pool and device exist; the names stay when they do not.
    `guessed` results name no pool (2024 prototype): theirs was found by driver, node and device, and is empty when none
    was. `admin` results observe and consume nothing. `consumed` is {capacity: quantity} of a share.
    """

    claim = models.ForeignKey(Claim, models.CASCADE, related_name="allocations")
    request = models.CharField(max_length=127)
    driver = models.CharField(max_length=253)
    pool_name = models.CharField(max_length=253, blank=True)
    device_name = models.CharField(max_length=253)
    pool = models.ForeignKey(Pool, models.SET_NULL, null=True, related_name="allocations")
    device = models.ForeignKey(Device, models.SET_NULL, null=True, related_name="allocations")
    guessed = models.BooleanField(default=False)
    admin = models.BooleanField(default=False)
    share_id = models.CharField(max_length=64, blank=True)
    consumed = models.JSONField(default=dict)

    class Meta:
        ordering = ["claim", "id"]
        indexes = [models.Index(fields=["driver", "pool_name", "device_name"], name="allocation_device")]

    def __str__(self) -> str:
        return f"{self.claim}: {self.driver}/{self.pool_name}/{self.device_name}"


class Pod(models.Model):
    """A pod that uses claims or extended resources; only the fields that matter here."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="pods")
    namespace = models.CharField(max_length=63)
    name = models.CharField(max_length=253)
    uid = models.CharField(max_length=64, blank=True)
    node = models.CharField(max_length=253, blank=True)
    phase = models.CharField(max_length=31, blank=True)
    unschedulable = models.TextField(blank=True, help_text="Message of PodScheduled=False, as the scheduler wrote it.")

    class Meta:
        ordering = ["cluster", "namespace", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "namespace", "name"], name="pod_identity")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class PodClaim(models.Model):
    """An entry of a pod's spec.resourceClaims; `claim_name` is empty while no claim was generated for it."""

    pod = models.ForeignKey(Pod, models.CASCADE, related_name="claims")
    entry = models.CharField(max_length=63)
    claim_name = models.CharField(max_length=253, blank=True)
    template = models.CharField(max_length=253, blank=True)

    class Meta:
        ordering = ["pod", "id"]
        indexes = [models.Index(fields=["claim_name"], name="pod_claim_name")]

    def __str__(self) -> str:
        return f"{self.pod}: {self.entry}"
