"""`manage.py token create|list|revoke`: rights to publish."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from pools.ingest.publish import check_cluster
from pools.models import PublishToken

UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def lifetime(text: str) -> timedelta:
    """`90d`, `12h` or `4w` as a duration; more than nothing, at most 100 years."""
    match = re.fullmatch(r"(\d{1,6})([hdw])", text)
    span = int(match[1]) * UNITS[match[2]] if match else timedelta()
    if not timedelta() < span <= timedelta(days=36525):
        raise ValueError(f"not a lifetime: {text!r}; give hours, days or weeks such as 12h, 90d, 4w")
    return span


class Command(BaseCommand):
    """Creates, lists and revokes publish tokens. The secret is shown once, when it is made."""

    help = "Manage publish tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a token and print it; it cannot be shown again")
        create.add_argument("name", help="what to call it")
        create.add_argument("--cluster", default="", help="only for this cluster")
        create.add_argument("--driver", default="", help="only for slices of this driver")
        create.add_argument("--expires", default="", metavar="90d", help="how long it holds: hours, days or weeks")
        actions.add_parser("list", help="show all tokens, without their secrets")
        revoke = actions.add_parser("revoke", help="end a token at once")
        revoke.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        {"create": self._create, "list": self._list, "revoke": self._revoke}[options["action"]](options)

    def _create(self, options: dict[str, Any]) -> None:
        name = options["name"].strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise CommandError("the name has 1 to 100 printable characters")
        if PublishToken.objects.filter(name=name).exists():
            raise CommandError(f"there is a token {name!r} already; revoke it first")
        try:
            cluster = check_cluster(options["cluster"]) if options["cluster"] else ""
            expires = timezone.now() + lifetime(options["expires"]) if options["expires"] else None
        except ValueError as error:
            raise CommandError(str(error)) from None
        if len(options["driver"]) > 253:
            raise CommandError("a driver's name has at most 253 characters")
        token, secret = PublishToken.issue(name, cluster=cluster, driver=options["driver"], expires_at=expires)
        self.stderr.write(f"{token}: {_scope(token)}, {_until(token.expires_at)}. Keep it: it is not shown again.")
        self.stdout.write(secret)

    def _list(self, options: dict[str, Any]) -> None:
        for token in PublishToken.objects.all():
            used = f"last used {token.last_used_at:%Y-%m-%d %H:%M} UTC" if token.last_used_at else "never used"
            self.stdout.write(f"{token}: {_scope(token)}, {_until(token.expires_at)}, {used}")

    def _revoke(self, options: dict[str, Any]) -> None:
        gone, _ = PublishToken.objects.filter(name=options["name"]).delete()
        if not gone:
            raise CommandError(f"there is no token {options['name']!r}")
        self.stdout.write(f"revoked {options['name']}")


def _scope(token: PublishToken) -> str:
    cluster = f"cluster {token.cluster}" if token.cluster else "any cluster"
    return f"{cluster}, {f'driver {token.driver}' if token.driver else 'any object'}"


def _until(expires_at: datetime | None) -> str:
    if expires_at is None:
        return "does not expire"
    return f"{'expires' if expires_at > timezone.now() else 'expired'} {expires_at:%Y-%m-%d %H:%M} UTC"
