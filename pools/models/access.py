"""Who may publish: bearer tokens, stored as hashes."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Self

from django.db import models
from django.utils import timezone

PREFIX = "dra_"


class PublishTokenQuerySet(models.QuerySet["PublishToken"]):
    """The questions one may ask about tokens."""

    def matching(self, secret: str) -> PublishToken | None:
        """The token with this secret, if it exists and has not expired."""
        digest = hashlib.sha256(secret.encode()).digest()
        return self.unexpired().filter(digest=digest).first()

    def unexpired(self) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now()))


class PublishToken(models.Model):
    """
    A right to publish. `cluster` and `driver` bind it: empty means any.

    Only the SHA-256 of the secret is kept: the secret is long and random, so a fast hash is enough.
    """

    name = models.CharField(max_length=100, unique=True)
    digest = models.BinaryField(max_length=32, unique=True)
    cluster = models.CharField(max_length=63, blank=True)
    driver = models.CharField(max_length=253, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects = PublishTokenQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def issue(
        cls, name: str, *, cluster: str = "", driver: str = "", expires_at: datetime | None = None, secret: str = ""
    ) -> tuple[Self, str]:
        """Make a token and return it with its secret, which cannot be read again. *secret* fixes it, for the demo."""
        secret = secret or PREFIX + secrets.token_urlsafe(32)
        digest = hashlib.sha256(secret.encode()).digest()
        token, _ = cls.objects.update_or_create(
            name=name, defaults={"digest": digest, "cluster": cluster, "driver": driver, "expires_at": expires_at}
        )
        return token, secret
