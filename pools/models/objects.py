"""Stored truth: clusters, the objects received from them, and findings about them."""

from __future__ import annotations

from django.db import models


class Cluster(models.Model):
    """
    A named source of objects. `revision` grows by one with every transaction that changed something of it; pages and
    ETags hang on it. `as_of` is the time of that change. `version` grows by one with every object that was stored or
    deleted: it is what the Kubernetes surface calls the resourceVersion, one counter for all objects of the cluster.
    """

    name = models.CharField(max_length=63, unique=True)
    revision = models.BigIntegerField(default=0)
    version = models.BigIntegerField(default=1)
    as_of = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class StoredObject(models.Model):
    """
    One Kubernetes object as received. Everything else is derived from these rows (`manage.py rebuild`).

    `body` is the object's JSON, zlib-compressed; `digest` the SHA-256 of the JSON with sorted keys. `driver` and `pool`
    are filled for slices, so that a pool's slices are found without opening bodies. `version` is the cluster's when the
    object was last stored; `resource_version` is what the object itself said, of the cluster it came from.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="objects_received")
    kind = models.CharField(max_length=63)
    namespace = models.CharField(max_length=63, blank=True)
    name = models.CharField(max_length=253)
    uid = models.CharField(max_length=64, blank=True)
    resource_version = models.CharField(max_length=64, blank=True)
    version = models.BigIntegerField(default=1)
    form = models.CharField(max_length=32, help_text="Wire form it was published in, such as v1 or e2.")
    driver = models.CharField(max_length=253, blank=True)
    pool = models.CharField(max_length=253, blank=True)
    digest = models.BinaryField(max_length=32)
    body = models.BinaryField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "kind", "namespace", "name"], name="object_identity"),
        ]
        indexes = [
            models.Index(
                fields=["cluster", "driver", "pool"], name="object_pool", condition=~models.Q(driver="")
            ),  # a pool is recomputed from its slices
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class ObjectEvent(models.Model):
    """
    One change of one stored object, for those who watch. Only the last DRA_WATCH_HISTORY of a cluster are kept.

    `version` has no gaps within a cluster. `body` is the object as stored, or as it was last when it is gone; `before`
    holds what selectors can see of it before the change (`outline`), and is empty when it is new. Both are compressed
    JSON. `row` is the key of the StoredObject and `row_since` when it was stored.
    """

    class Verb(models.TextChoices):
        ADDED = "ADDED"
        MODIFIED = "MODIFIED"
        DELETED = "DELETED"

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="events")
    version = models.BigIntegerField()
    verb = models.CharField(max_length=8, choices=Verb.choices)
    kind = models.CharField(max_length=63)
    namespace = models.CharField(max_length=63, blank=True)
    name = models.CharField(max_length=253)
    form = models.CharField(max_length=32)
    row = models.BigIntegerField()
    row_since = models.DateTimeField()
    body = models.BinaryField()
    before = models.BinaryField(default=bytes)

    class Meta:
        ordering = ["cluster", "version"]
        constraints = [models.UniqueConstraint(fields=["cluster", "version"], name="event_version")]

    def __str__(self) -> str:
        return f"{self.version} {self.verb} {self.kind} {self.name}"


class Finding(models.Model):
    """
    Something an operator or driver author should know (see `domain.errors.Finding`).

    `pool` or `claim` is the row it hangs on and goes with; both are empty for findings about other objects.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="findings")
    pool = models.ForeignKey("pools.Pool", models.CASCADE, null=True, related_name="findings")
    claim = models.ForeignKey("pools.Claim", models.CASCADE, null=True, related_name="findings")
    code = models.CharField(max_length=63)
    object = models.CharField(max_length=800)
    severity = models.CharField(max_length=7, help_text="error, warning or info")
    rank = models.PositiveSmallIntegerField(help_text="Severity as a number for sorting: 0 error, 1 warning, 2 info.")
    message = models.TextField()

    class Meta:
        ordering = ["cluster", "rank", "code", "object", "id"]
        indexes = [
            models.Index(fields=["cluster", "rank", "code"], name="finding_list"),
            models.Index(fields=["cluster", "object"], name="finding_object"),
        ]

    def __str__(self) -> str:
        return f"{self.code}:{self.object}"
