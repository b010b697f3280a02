"""resource.k8s.io/v1beta2 (1.33 to 1.38): the types of v1 under another version."""

from __future__ import annotations

from pools.wire.v1 import Dialect

DIALECT = Dialect("v1beta2")
