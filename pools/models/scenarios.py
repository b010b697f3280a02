"""What-ifs that somebody keeps."""

from __future__ import annotations

from django.db import models


class SavedScenario(models.Model):
    """
    A what-if under a name: `document` as `queries.inquiry.as_json` writes it. It is a question, never an answer, and
    has no part in what is mirrored. `named` is false for those that were kept only because they are too long for an
    address.
    """

    name = models.CharField(max_length=100, unique=True)
    named = models.BooleanField(default=True)
    document = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
