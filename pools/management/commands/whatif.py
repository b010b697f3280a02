"""`manage.py whatif`: would it fit, where, what would it cost others; about a mirrored cluster or about files."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.domain.cluster import Snapshot
from pools.domain.errors import ScenarioError
from pools.models import Cluster, SavedScenario
from pools.queries.inquiry import LISTS, Inquiry, read_json, read_values
from pools.queries.inspection import load
from pools.queries.whatif import WhatIf, what_if, what_if_of
from pools.queries.whatif_json import what_if_json
from pools.queries.whatif_text import as_text

HELP = {
    "claim": "a claim, as namespace/name",
    "pod": "all claims of a pod together",
    "template": "a claim as it would be generated from this template",
    "class": "a claim made up of this device class",
    "type": "with --class: devices of this type",
    "selector": "with --class: a CEL expression that devices must satisfy",
    "count": "with --class: how many devices (default: 1)",
    "copies": "how many of what is asked (default: 1)",
    "release": "take this claim away first",
    "drain": "take this node away first",
    "taint": "taint a device first: driver/pool/device, or with =key:Effect behind it",
    "untaint": "free a device of its taints first",
    "grow": "add nodes like this one first: node, or node:number",
    "swap": "let the slices of --with stand in for this pool: driver/pool",
    "layout": "a whole layout on one card, as in '4 x 1g.10gb + 3 x 1g.5gb'; needs --pool and --card",
    "pool": "with --layout: driver/pool",
    "card": "with --layout: the card's key",
}


class Command(BaseCommand):
    """Status 0 when everything asked fits, 1 when not or when it cannot be decided, 2 when it cannot be asked."""

    help = (
        "Ask what would fit, and after which changes. About a mirrored cluster, or, with files, about what is in them; "
        "nothing is written anywhere. Exit status 0 when everything fits, 1 when not, 2 when it cannot be asked."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="ask about these objects; - is standard input")
        parser.add_argument("--cluster", default="", help="ask about this mirrored cluster (default: the only one)")
        for name, text in HELP.items():
            if name in LISTS:
                parser.add_argument(f"--{name}", action="append", default=[], help=f"{text}; may be repeated")
            else:
                parser.add_argument(f"--{name}", default="", help=text)
        parser.add_argument("--emptied", action="store_true", help="with --layout: as if the card were empty")
        parser.add_argument("--with", dest="objects", metavar="FILE", default="", help="objects to add first")
        parser.add_argument("--question", metavar="FILE", default="", help="the whole question as a JSON document")
        parser.add_argument("--saved", metavar="NAME", default="", help="a saved scenario instead")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = _answer(options)
        except ScenarioError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps(what_if_json(found), indent=1, ensure_ascii=False))
        else:
            self.stdout.write(as_text(found))
        if not found.fits:
            sys.exit(1)


def _answer(options: dict[str, Any]) -> WhatIf:
    inquiry = _inquiry(options)
    if inquiry.is_empty:
        raise ScenarioError("", "nothing is asked; see --help")
    if options["files"]:
        return what_if_of(_snapshot(options["files"]), inquiry)
    return what_if(_cluster(inquiry.cluster), inquiry)


def _inquiry(options: dict[str, Any]) -> Inquiry:
    if options["saved"]:
        saved = SavedScenario.objects.filter(name=options["saved"]).first()
        if saved is None:
            raise ScenarioError("saved", f"there is no scenario {options['saved']!r}")
        return read_json(saved.document)
    if options["question"]:
        try:
            return read_json(json.loads(_read(options["question"])))
        except ValueError as error:
            raise ScenarioError("question", f"is no JSON: {error}") from None
    values = {name: options[name] if name in LISTS else [options[name]] for name in (*HELP, "cluster")}
    values["emptied"] = ["true"] if options["emptied"] else []
    if options["objects"]:
        values["objects"] = [_read(options["objects"]).decode("utf-8", "replace")]
    return read_values(values)


def _snapshot(files: list[str]) -> Snapshot:
    """All objects of all files together."""
    whole: dict[str, tuple[Any, ...]] = {}
    for name in files:
        found, faults = load(_read(name), source="standard input" if name == "-" else name)
        if faults:
            raise ScenarioError("", "; ".join(map(str, faults)))
        for kind in Snapshot.__dataclass_fields__:
            whole[kind] = (*whole.get(kind, ()), *getattr(found, kind))
    return Snapshot(**whole)


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise ScenarioError(name, f"cannot be read: {error.strerror or error}") from None


def _cluster(name: str) -> Cluster:
    rows = Cluster.objects.filter(name=name) if name else Cluster.objects.order_by("name")
    found = list(rows[:2])
    if not found:
        raise ScenarioError(
            "cluster", f"there is no cluster {name!r}" if name else "no cluster is mirrored; give files"
        )
    if len(found) > 1:
        raise ScenarioError("cluster", "there are several; name one with --cluster")
    return found[0]
