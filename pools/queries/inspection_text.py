"""An inspection as text for a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pools.domain.quantity import human, parse_quantity

STATES = ("allocated", "available", "blocked", "tainted", "unavailable")
Json = dict[str, Any]
_MOST = 4
"""More counters, or cards, than this are not spelt out in one line."""

_WIDTH = 100
_NAMES = 16


def as_text(name: str, answer: Json) -> str:
    """
    One inspection, as lines for people: pools with counters, devices and what still fits, then claims, then findings.

    Args:
        name: what to call the input.
        answer: what `inspection.inspect` returned.
    """
    lines = [f"── {name} "]
    lines[0] += "─" * max(0, 100 - len(lines[0]))
    if not answer["pools"]:
        lines.append("No pools: no ResourceSlice was found.")
    for pool in answer["pools"]:
        lines += ["", *_pool(pool)]
    lines += _claims(answer)
    lines += ["", *_findings(answer["findings"])]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _pool(pool: Json) -> Iterator[str]:
    slices = f"{pool['slices_seen']} slice{'s' * (pool['slices_seen'] != 1)}"
    yield f"Pool {pool['driver']}/{pool['pool']}"
    yield f"  {pool['state']}, generation {pool['generation']}, {slices}, {len(pool['devices'])} devices"
    if pool["reason"]:
        yield f"  {pool['reason']}"
    if pool["counters"]:
        yield from _counters(pool)
    elif pool["state"] == "incomplete":
        yield "  Counters: unknown until the pool is complete"
    yield from _devices(pool["device_list"])
    yield from _capacity(pool)
    yield from _fits(pool)


def _counters(pool: Json) -> Iterator[str]:
    rows = [("  Counter", "capacity", "consumed", "available", "held by")]
    for name, counters in pool["counters"].items():
        note = (
            " (use unknown in part: a held device is no longer published)" if name in pool["counters_uncertain"] else ""
        )
        rows.append((f"    {name}{note}", "", "", "", ""))
        for counter, amounts in counters.items():
            over = amounts["overcommitted"]
            available = _human(amounts["available"]) if over == "0" else f"over by {_human(over)}"
            claims = dict.fromkeys(claim for hold in amounts["holds"] for claim in hold["claims"])
            row = (f"      {counter}", _human(amounts["capacity"]), _human(amounts["consumed"]), available)
            rows.append((*row, ", ".join(claims)))
    yield from _table(rows, right=(1, 2, 3))


def _devices(devices: Sequence[Json]) -> Iterator[str]:
    """By state: a line for each device that there is something to say about, the others gathered by type."""
    groups: dict[str, list[Json]] = defaultdict(list)
    for device in devices:
        groups[device["state"]].append(device)
    for state in STATES:
        if not groups[state]:
            continue
        yield f"  {state.capitalize()}: {len(groups[state])}"
        told = [(each, _why(each)) for each in groups[state]]
        yield from _table([(f"    {each['name']}", each["type"], why) for each, why in told if why])
        silent: dict[str, list[str]] = defaultdict(list)
        for each, why in told:
            if not why:
                silent[each["type"]].append(each["name"])
        for kind, names in silent.items():
            yield from _wrapped(f"    {kind}: ", names)


def _wrapped(start: str, names: Sequence[str]) -> Iterator[str]:
    """Names after each other, in lines of about 100 characters; of many only the first."""
    shown = [*names[:_NAMES], f"and {len(names) - _NAMES} more"] if len(names) > _NAMES + 1 else list(names)
    line = start
    for position, name in enumerate(shown):
        piece = name + (", " if position < len(shown) - 1 else "")
        if len(line) + len(piece) > _WIDTH and line.strip():
            yield line
            line = " " * 6
        line += piece
    yield line


def _why(device: Json) -> str:
    """All reasons in one line; short counters are gathered by who holds them."""
    short = [reason for reason in device["reasons"] if reason["code"] == "counter-short"]
    parts = [reason["message"] for reason in device["reasons"] if reason["code"] != "counter-short"]
    if device["state"] == "allocated" and not any(reason["code"] == "allocated" for reason in device["reasons"]):
        claims = ", ".join(each["claim"] for each in device["holders"] if not each["admin"])
        parts.insert(0, f"Shared by {claims}{', takes more shares' if device['accepts_more'] else ''}.")
    by_claims: dict[str, list[str]] = defaultdict(list)
    for reason in short:
        need = f"{reason['counter']} ({_human(reason['need'])} needed, {_human(reason['left'])} left)"
        by_claims[", ".join(reason.get("claims", ()))].append(need)
    for claims, needs in by_claims.items():
        more = f" and {len(needs) - _MOST} more" if len(needs) > _MOST else ""
        parts.append(f"Short of {', '.join(needs[:_MOST])}{more}{f', held by {claims}' if claims else ''}.")
    parts += [f"Observed by {each['claim']}." for each in device["holders"] if each["admin"]]
    return " ".join(parts)


def _capacity(pool: Json) -> Iterator[str]:
    rows = [("  Shareable", "capacity", "consumed", "available", "shares")]
    for device, capacities in pool["capacity"].items():
        for key, amounts in capacities.items():
            values = [_human(amounts[each]) for each in ("capacity", "consumed", "available")]
            rows.append((f"    {device} {key}", values[0], values[1], values[2], str(pool["shares"][device])))
    if len(rows) > 1:
        yield from _table(rows, right=(1, 2, 3, 4))


def _fits(pool: Json) -> Iterator[str]:
    if not pool["types"] or pool["state"] != "complete":
        return
    yield "  What still fits (rows are alternatives: never add them up)"
    rows: list[tuple[str, ...]] = [
        ("    Type", "devices", "allocated", "available", "together at most", "by first fit")
    ]
    for alike in _alike(pool["cards"]):
        labels = [card["label"] for card in alike]
        names = ", ".join(labels) if len(labels) <= _MOST else f"{labels[0]}, {labels[1]} … {labels[-1]}"
        many = f" ({len(labels)} cards alike; numbers are for each)" if len(labels) > 1 else ""
        rows.append((f"    {names}{many}: {_card(alike[0])}", "", "", "", "", ""))
        rows += [_type(each) for each in alike[0]["types"]]
    loose = {each["type"] for each in pool["device_list"] if each["name"] in set(pool["loose_devices"])}
    if loose:
        rows.append(("    Devices without counters", "", "", "", "", ""))
        rows += [_type(each) for each in pool["types"] if each["type"] in loose]
    yield from _table(rows, right=(1, 2, 3, 4, 5))


def _alike(cards: Sequence[Json]) -> list[list[Json]]:
    """Cards with devices, those with equal numbers together."""
    groups: dict[str, list[Json]] = defaultdict(list)
    for card in cards:
        if card["devices"]:
            groups[repr((_card(card), card["types"]))].append(card)
    return list(groups.values())


def _card(card: Json) -> str:
    mixes = card["mixes"]
    most = "at least " if mixes["cut"] else ""
    sets = f"sets that fit: {most}{mixes['feasible_sets']}, maximal ones: {most}{mixes['maximal']}"
    largest = f"largest that fits {card['largest']}" if card["largest"] else "nothing fits"
    return ", ".join(part for part in (card["model"], f"{card['use_percent']:g} % used", largest, sets) if part)


def _type(row: Json) -> tuple[str, ...]:
    most = f"{row['max_more']}" if row["exact"] else f"≥ {row['max_more']}"
    numbers = [str(row[key]) for key in ("total", "allocated", "available")]
    return (f"      {row['type']}", *numbers, most, str(row["first_fit"]))


def _claims(answer: Json) -> Iterator[str]:
    if answer["claims"]:
        yield ""
        yield "Claims"
        yield from _table([(f"  {name}", state) for name, state in answer["claims"].items()])


def _findings(findings: Sequence[Json]) -> Iterator[str]:
    if not findings:
        yield "No findings."
        return
    yield "Findings"
    rows = [(f"  {each['severity']}", each["code"], each["object"], each["message"]) for each in findings]
    yield from _table(rows)


def _human(text: str) -> str:
    return human(parse_quantity(text).nano, text)


def _table(rows: Sequence[tuple[str, ...]], right: Iterable[int] = ()) -> Iterator[str]:
    """Rows in aligned columns; a row with text in its first cell only is a heading and sets no widths."""
    if not rows:
        return
    sized = [row for row in rows if any(row[1:])] or list(rows)
    widths = [max(len(row[column]) for row in sized) for column in range(len(rows[0]))]
    columns = set(right)
    for row in rows:
        if not any(row[1:]):
            yield row[0]
            continue
        cells = [
            cell.rjust(width) if column in columns else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)
