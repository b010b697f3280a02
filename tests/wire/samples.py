"""A slice and a claim with one of each field, and a way to spoil them."""

from __future__ import annotations

import copy
from typing import Any

SLICE: dict[str, Any] = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "n1-gpu"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "sharedCounters": [{"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}],
        "devices": [
            {"name": "a"},
            {
                "name": "b",
                "attributes": {"type": {"string": "mig"}, "index": {"int": 1}, "tags": {"strings": ["x"]}},
                "capacity": {"memory": {"value": "20Gi", "requestPolicy": {"validRange": {"min": "1Gi"}}}},
                "consumesCounters": [{"counterSet": "gpu-0", "counters": {"memory": {"value": "20Gi"}}}],
                "taints": [{"key": "k", "effect": "NoSchedule", "timeAdded": "2026-12-01T10:00:00Z"}],
            },
        ],
    },
}
CLAIM: dict[str, Any] = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c", "namespace": "ml"},
    "spec": {
        "devices": {
            "requests": [
                {"name": "r", "exactly": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": "true"}}]}},
                {"name": "s", "firstAvailable": [{"name": "x", "deviceClassName": "gpu"}]},
            ],
            "constraints": [{"matchAttribute": "d/a"}],
        }
    },
    "status": {
        "allocation": {
            "devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "x"}]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In"}]}]},
        },
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
    },
}
MISSING = object()


def changed(raw: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with the value at a path replaced, or removed when it is MISSING."""
    raw = copy.deepcopy(raw)
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    inner: Any = raw
    for step in way:
        inner = inner[step]
    if value is MISSING:
        del inner[last]
    else:
        inner[last] = value
    return raw
