"""Whose scheduler all answers follow: the release that the operator set, by default the newest."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from pools.core.release import Release, release


def rules() -> Release:
    """The release that is followed; devices of slices that also hold counters count, as where they were published."""
    return replace(release(settings.KUBERNETES_VERSION), mixed_slices=True)
