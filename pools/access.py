"""The one place that answers whether someone may see or publish something. Every reader sees everything, so far."""

from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models

from pools.models import PublishToken

User = AbstractBaseUser | AnonymousUser
M = TypeVar("M", bound=models.Model)


def visible(user: User, queryset: models.QuerySet[M]) -> models.QuerySet[M]:
    """The rows of *queryset* that *user* may see."""
    return queryset


def may_see(user: User, obj: models.Model) -> bool:
    """Whether *user* may see this row; agrees with `visible`."""
    return visible(user, type(obj)._default_manager.filter(pk=obj.pk)).exists()


def may_publish(token: PublishToken, cluster: str, driver: str | None) -> bool:
    """
    Whether *token* may publish or delete an object of *cluster*.

    Args:
        driver: the driver whose slice it is; None for objects of no driver (claims, nodes, pods, classes, rules), which
            a token bound to a driver may not touch.
    """
    return token.cluster in ("", cluster) and token.driver in ("", driver)
