"""Bring rows to what they should be by few writes: compare, insert, update changed columns, and only then delete."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)
K = TypeVar("K", bound=Hashable)
BATCH = 500


def sync(
    model: type[M],
    existing: Iterable[M],
    wanted: Mapping[K, Mapping[str, Any]],
    key: Callable[[M], K],
) -> tuple[dict[K, M], list[M]]:
    """
    Make the rows of *existing* say what *wanted* says.

    Args:
        existing: the rows that are there now, all of those in question.
        wanted: for each key the fields that its row shall have; new rows are made of nothing else.
        key: the key of an existing row. Where two rows have one key, the later is surplus.

    Returns:
        The rows by key, saved, and those that are no longer wanted: the caller deletes them with `discard` once nothing
        points at them any more.
    """
    rows: dict[K, M] = {}
    gone: list[M] = []
    for row in existing:
        own = key(row)
        if own in wanted and own not in rows:
            rows[own] = row
        else:
            gone.append(row)
    _update(model, rows, wanted)
    fresh = {own: model(**fields) for own, fields in wanted.items() if own not in rows}
    model._default_manager.bulk_create(fresh.values(), batch_size=BATCH)
    rows.update(fresh)
    return rows, gone


def _update(model: type[M], rows: Mapping[K, M], wanted: Mapping[K, Mapping[str, Any]]) -> None:
    changed: list[M] = []
    columns: set[str] = set()
    for own, row in rows.items():
        differing = [name for name, value in wanted[own].items() if getattr(row, name) != value]
        if differing:
            for name in differing:
                setattr(row, name, wanted[own][name])
            columns.update(differing)
            changed.append(row)
    update(model, changed, columns)


def update(model: type[M], rows: Collection[M], columns: Iterable[str]) -> None:
    """
    Write these columns of rows that are there already, all loaded whole.

    An upsert on the primary key: ten times faster than `bulk_update`, which spells out each value as a condition.
    """
    fields = {model._meta.get_field(name).name for name in columns}
    if rows and fields:
        model._default_manager.bulk_create(
            rows, batch_size=BATCH, update_conflicts=True, unique_fields=["pk"], update_fields=sorted(fields)
        )


def discard(model: type[M], rows: Iterable[M]) -> None:
    """Delete these rows, and what hangs on them."""
    ids = [row.pk for row in rows]
    for start in range(0, len(ids), BATCH):
        model._default_manager.filter(pk__in=ids[start : start + BATCH]).delete()
