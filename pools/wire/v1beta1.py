"""resource.k8s.io/v1beta1 (1.32 to 1.37): a device's fields sit under `basic`, an exact request's beside its name."""

from __future__ import annotations

from pools.wire.fields import Raw, as_object
from pools.wire.v1 import Dialect


def body(raw: Raw) -> tuple[str, Raw]:
    """A device's fields: under `basic` when it is there."""
    return ("basic", as_object(raw["basic"], "basic")) if raw.get("basic") is not None else ("", raw)


def exact(raw: Raw) -> tuple[str, Raw]:
    """An exact request's fields: under `exactly` when it is there, else beside the request's name."""
    return ("exactly", as_object(raw["exactly"], "exactly")) if raw.get("exactly") is not None else ("", raw)


DIALECT = Dialect("v1beta1", body, exact)
