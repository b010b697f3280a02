"""Which rows a list shows: one parameter a filter, exact unless it says otherwise."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet
from django_filters import rest_framework as filters

from pools import models

DEVICE_STATES = ("allocated", "available", "blocked", "tainted", "unavailable")


class Text(filters.CharFilter):  # type: ignore[misc]
    """Exactly this text, spaces included."""

    def __init__(self, field_name: str, help_text: str, **kwargs: Any) -> None:
        super().__init__(field_name, strip=False, max_length=800, help_text=help_text, **kwargs)


class Choice(filters.ChoiceFilter):  # type: ignore[misc]
    """One of some words; the error lists them."""

    def __init__(self, field_name: str, words: tuple[str, ...], help_text: str, **kwargs: Any) -> None:
        message = f"Choose one of {', '.join(words)}."
        super().__init__(
            field_name=field_name,
            choices=[(word, word) for word in words],
            help_text=help_text,
            error_messages={"invalid_choice": message},
            **kwargs,
        )


class Flag(filters.TypedChoiceFilter):  # type: ignore[misc]
    """true or false, and nothing else."""

    def __init__(self, field_name: str, help_text: str, **kwargs: Any) -> None:
        super().__init__(
            field_name=field_name,
            choices=[("true", "true"), ("false", "false")],
            coerce=lambda word: word == "true",
            help_text=help_text,
            error_messages={"invalid_choice": "Give true or false."},
            **kwargs,
        )


class Filters(filters.FilterSet):  # type: ignore[misc]
    """The base of all."""


class ClusterFilter(Filters):
    """Clusters."""

    name = Text("name", "This cluster.")


class InCluster(Filters):
    """What every row of a cluster can be chosen by."""

    cluster = Text("cluster__name", "Of this cluster.")


class InPool(Filters):
    """What every row of a pool can be chosen by."""

    cluster = Text("pool__cluster__name", "Of this cluster.")
    driver = Text("pool__driver", "Of this driver.")
    pool = Text("pool__name", "Of the pools of this name.")
    node = Text("pool__nodes__name", "Of pools that name this node.")


class PoolFilter(InCluster):
    """Pools."""

    driver = Text("driver", "Of this driver.")
    name = Text("name", "Of this name.")
    pool = Text("name", "The same as `name`.")
    node = Text("nodes__name", "That name this node, for themselves or for one of their devices.")
    contains = Text("name", "With this text in the name, in any case.", lookup_expr="icontains")
    state = Choice("state", ("complete", "incomplete", "invalid"), "In this state.")
    has = Choice("has", DEVICE_STATES, "With a device in this state.", method="with_state")
    form = Text("form", "Published in this form, such as v1 or e2.")
    model = Text("model", "With a card of this model.", method="with_card")
    type = Text("type", "With devices of this type.", method="with_type")

    def with_state(self, rows: QuerySet[models.Pool], name: str, value: str) -> QuerySet[models.Pool]:
        return rows.filter(**{f"devices_{value}__gt": 0})

    def with_card(self, rows: QuerySet[models.Pool], name: str, value: str) -> QuerySet[models.Pool]:
        return rows.filter(pk__in=models.Card.objects.filter(model=value).values("pool"))

    def with_type(self, rows: QuerySet[models.Pool], name: str, value: str) -> QuerySet[models.Pool]:
        return rows.filter(pk__in=models.TypeCount.objects.filter(type=value).values("pool"))


class CounterSetFilter(InPool):
    """Counter sets."""

    name = Text("name", "Of this name.")
    overcommitted = Flag("overcommitted", "With a counter of which more is used than there is.", method="with_over")

    def with_over(self, rows: QuerySet[models.CounterSet], name: str, value: object) -> QuerySet[models.CounterSet]:
        over = models.Counter.objects.exclude(overcommitted="0").values("counter_set")
        return rows.filter(pk__in=over) if value in (True, "true") else rows.exclude(pk__in=over)


class CardFilter(InPool):
    """Cards."""

    key = Text("key", "With this key.")
    card = Text("key", "The same as `key`.")
    model = Text("model", "Of this model.")
    state = Choice("state", DEVICE_STATES, "With a device in this state.", method="with_state")
    type = Text("type", "With devices of this type.", method="with_type")
    fits = Text("fits", "On which at least one more device of this type fits.", method="with_room")

    def with_state(self, rows: QuerySet[models.Card], name: str, value: str) -> QuerySet[models.Card]:
        return rows.filter(**{f"devices_{value}__gt": 0})

    def with_type(self, rows: QuerySet[models.Card], name: str, value: str) -> QuerySet[models.Card]:
        return rows.filter(pk__in=models.TypeCount.objects.filter(type=value).values("card"))

    def with_room(self, rows: QuerySet[models.Card], name: str, value: str) -> QuerySet[models.Card]:
        return rows.filter(pk__in=models.TypeCount.objects.filter(type=value, max_more__gt=0).values("card"))


class DeviceFilter(InPool):
    """Devices."""

    name = Text("name", "Of this name.")
    contains = Text("name", "With this text in the name, in any case.", lookup_expr="icontains")
    device = Text("name", "The same as `name`.")
    card = Text("card__key", "Of the card with this key.")
    model = Text("card__model", "Of cards of this model.")
    state = Choice("state", DEVICE_STATES, "In this state.")
    type = Text("type", "Of this type.")
    reason = Text("reason_code", "Whose first reason has this code.")
    shareable = Flag("shareable", "That several claims can share, or not.")
    published = Flag("published", "That a current slice lists, or not.")


class ClaimFilter(InCluster):
    """Claims."""

    namespace = Text("namespace", "In this namespace.")
    name = Text("name", "Of this name.")
    contains = Text("name", "With this text in the name, in any case.", lookup_expr="icontains")
    state = Choice("state", ("pending", "allocated", "reserved", "deleting"), "In this state.")
    allocated = Flag("allocated", "That hold devices, or not.")
    node = Text("node", "Allocated on this node.")
    driver = Text("driver", "That hold a device of this driver.", method="with_driver")

    def with_driver(self, rows: QuerySet[models.Claim], name: str, value: str) -> QuerySet[models.Claim]:
        return rows.filter(pk__in=models.Allocation.objects.filter(driver=value).values("claim"))


class AllocationFilter(Filters):
    """Allocation results."""

    cluster = Text("claim__cluster__name", "Of this cluster.")
    namespace = Text("claim__namespace", "Of claims in this namespace.")
    claim = Text("claim__name", "Of the claims of this name.")
    driver = Text("driver", "Of this driver.")
    pool = Text("pool_name", "Of the pools of this name.")
    device = Text("device_name", "Of the devices of this name.")
    node = Text("claim__node", "Of claims allocated on this node.")
    admin = Flag("admin", "For administration, or not.")


class NodeFilter(InCluster):
    """Nodes."""

    name = Text("name", "Of this name.")
    contains = Text("name", "With this text in the name, in any case.", lookup_expr="icontains")
    node = Text("name", "The same as `name`.")
    observed = Flag("observed", "Of which a Node object was received, or that only slices name.")
    unschedulable = Flag("unschedulable", "That are cordoned, or not.")
    driver = Text("driver", "That a pool of this driver names.", method="with_driver")

    def with_driver(self, rows: QuerySet[models.Node], name: str, value: str) -> QuerySet[models.Node]:
        return rows.filter(cluster__pools__driver=value, cluster__pools__nodes__name=F("name")).distinct()


class FindingFilter(InCluster):
    """Findings."""

    severity = Choice("severity", ("error", "warning", "info"), "Of this severity.")
    code = Text("code", "With this code.")
    object = Text("object", "About this object, as findings write it.")
    contains = Text("object", "With this text in the object or the message, in any case.", method="with_text")
    driver = Text("pool__driver", "About pools of this driver.")
    pool = Text("pool__name", "About the pools of this name.")
    namespace = Text("claim__namespace", "About claims in this namespace.")
    claim = Text("claim__name", "About the claims of this name.")

    def with_text(self, rows: QuerySet[models.Finding], name: str, value: str) -> QuerySet[models.Finding]:
        return rows.filter(Q(object__icontains=value) | Q(message__icontains=value))


class ObjectFilter(InCluster):
    """Stored objects."""

    kind = Text("kind", "Of this kind, such as ResourceSlice.")
    namespace = Text("namespace", "In this namespace.")
    name = Text("name", "Of this name.")
    form = Text("form", "Published in this form, such as v1 or e2.")
    driver = Text("driver", "Slices of this driver.")
    pool = Text("pool", "Slices of the pools of this name.")
