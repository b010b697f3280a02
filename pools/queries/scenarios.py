"""Saved what-ifs: questions under a name, and pasted objects that are too long for an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from pools.domain.errors import ScenarioError
from pools.models import SavedScenario
from pools.queries.inquiry import KEPT, Inquiry, as_json, doc_of, unpack

MOST_NAMED = 1_000
MOST_KEPT = 200
LONGEST_NAME = 100


def named() -> QuerySet[SavedScenario]:
    """Those that somebody gave a name."""
    return SavedScenario.objects.filter(named=True).order_by("name")


def find(name: str) -> SavedScenario:
    """
    The scenario of that name.

    Raises:
        ScenarioError: there is none.
    """
    row = named().filter(name=name.replace("\x00", "\ufffd")).first()
    if row is None:
        raise ScenarioError("scenario", f"there is no scenario {name!r}")
    return row


def save(name: str, inquiry: Inquiry) -> SavedScenario:
    """
    Keep a what-if under a name; one of that name is replaced.

    Raises:
        ScenarioError: the name is empty, too long or kept for others, nothing is asked, or there are too many.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name.startswith(KEPT):
        raise ScenarioError("save", f"give a name of up to {LONGEST_NAME} characters that does not begin with {KEPT}")
    if inquiry.is_empty:
        raise ScenarioError("save", "there is nothing to save yet")
    if not SavedScenario.objects.filter(name=name).exists() and named().count() >= MOST_NAMED:
        raise ScenarioError("save", f"there are {MOST_NAMED} scenarios already; delete some first")
    return _write(name, as_json(inquiry), is_named=True)


def remove(name: str) -> None:
    """Delete a scenario by its name."""
    named().filter(name=name).delete()


def keep(inquiry: Inquiry) -> None:
    """Keep the objects of a what-if that are too long for its address; those not asked for lately make room."""
    for text in inquiry.values.get("objects", ()):
        name = doc_of(text)
        if name.startswith(KEPT):
            _write(name, {"objects": text}, is_named=False)
            old = (
                SavedScenario.objects.filter(named=False).order_by("-saved_at").values_list("pk", flat=True)[MOST_KEPT:]
            )
            SavedScenario.objects.filter(pk__in=list(old)).delete()


def text_of(doc: str) -> str:
    """
    The objects that an address names.

    Raises:
        ScenarioError: they were cut on the way, or are no longer kept.
    """
    if not doc.startswith(KEPT):
        return unpack(doc)
    row = SavedScenario.objects.filter(named=False, name=doc.replace("\x00", "\ufffd")).first()
    if row is None:
        raise ScenarioError("doc", "the pasted objects are no longer kept; paste them again")
    return str(row.document["objects"])


def _write(name: str, document: Mapping[str, Any], *, is_named: bool) -> SavedScenario:
    row, _ = SavedScenario.objects.update_or_create(name=name, defaults={"document": document, "named": is_named})
    return row
