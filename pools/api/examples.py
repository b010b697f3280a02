"""Examples for the schema: what calls send and get. A test holds them against the fields of their serializers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from pools.api import reports, rows

_POOL_URL = "/api/v1/pools/default/gpu.example.com/node-7/"
_KEYS = {"cluster": "default", "driver": "gpu.example.com", "pool": "node-7"}
_COUNTS = {
    "devices_total": 3,
    "devices_allocated": 1,
    "devices_available": 1,
    "devices_blocked": 1,
    "devices_tainted": 0,
    "devices_unavailable": 0,
}
_HOLDER = {
    "namespace": "ml",
    "claim": "train-a",
    "request": "gpu",
    "pods": ["ml/train-a-0"],
    "since": "2026-12-01T09:12:44Z",
    "admin": False,
    "share_id": "",
    "consumed": {},
}
_FIT = {
    "type": "40gb",
    "total": 2,
    "allocated": 1,
    "available": 1,
    "max_more": 1,
    "first_fit": 1,
    "exact": True,
}
_COUNTER = {
    "capacity": "80Gi",
    "consumed": "40Gi",
    "available": "40Gi",
    "overcommitted": "0",
    "ratio": 0.5,
    "uncertain": False,
}
_POOL = {
    **_COUNTS,
    "url": _POOL_URL,
    "cluster": "default",
    "driver": "gpu.example.com",
    "name": "node-7",
    "node": "node-7",
    "nodes": ["node-7"],
    "state": "complete",
    "reason": "",
    "generation": 1,
    "slices_seen": 2,
    "slices_expected": 2,
    "form": "v1",
    "revision": 41,
    "as_of": "2026-12-01T09:30:00.125Z",
}
_CARD = {
    **_COUNTS,
    "url": "/api/v1/cards/default/gpu.example.com/node-7/gpu-0/",
    **_KEYS,
    "node": "node-7",
    "key": "gpu-0",
    "label": "gpu-0",
    "model": "",
    "use": 0.5,
    "largest": "40gb",
    "types": [_FIT],
    "slots": [],
}
_DEVICE = {
    "url": "/api/v1/devices/default/gpu.example.com/node-7/whole/",
    **_KEYS,
    "node": "node-7",
    "card": "gpu-0",
    "name": "whole",
    "position": 2,
    "type": "80gb",
    "state": "blocked",
    "reason_code": "counter-short",
    "reason": "memory of gpu-0: needs 80 Gi, 40 Gi left, held by ml/train-a.",
    "shareable": False,
    "shares": 0,
    "published": True,
}
_RESULT = {
    "request": "gpu",
    "driver": "gpu.example.com",
    "pool": "node-7",
    "device": "half-0",
    "device_published": True,
    "guessed": False,
    "admin": False,
    "share_id": "",
    "consumed": {},
}
_CLAIM = {
    "url": "/api/v1/claims/default/ml/train-a/",
    "cluster": "default",
    "namespace": "ml",
    "name": "train-a",
    "uid": "0f8a6d0e-8a1e-4f0e-9d55-2f1f6f1f3c11",
    "form": "v1",
    "state": "reserved",
    "allocated": True,
    "created_at": "2026-12-01T09:12:40Z",
    "allocated_at": "2026-12-01T09:12:44Z",
    "node": "node-7",
    "requests": [
        {
            "name": "gpu",
            "prioritized": False,
            "alternatives": [
                {
                    "name": "",
                    "device_class": "gpu.example.com",
                    "selectors": ["device.attributes['gpu.example.com'].profile == 'half'"],
                    "mode": "ExactCount",
                    "count": 1,
                    "admin_access": False,
                    "capacity": {},
                }
            ],
        }
    ],
    "constraints": [],
    "reserved_for": [{"resource": "pods", "name": "train-a-0", "uid": "5b1e0b52-6d0c-4b39-9d0a-0a0c4d1b8a01"}],
    "allocations": [_RESULT],
}
_FINDING = {
    "cluster": "default",
    "severity": "warning",
    "code": "allocated-not-reserved",
    "object": "ml/sweep-leftover",
    "message": "Allocated, but nobody has reserved it: its devices are taken and used by no one.",
    "driver": None,
    "pool": None,
    "namespace": "ml",
    "claim": "sweep-leftover",
}
_DEVICE_REPORT = {
    "name": "whole",
    "type": "80gb",
    "card": "gpu-0",
    "state": "blocked",
    "published": True,
    "shareable": False,
    "shares": 0,
    "accepts_more": False,
    "reasons": [
        {
            "code": "counter-short",
            "message": "memory of gpu-0: needs 80 Gi, 40 Gi left, held by ml/train-a.",
            "counter_set": "gpu-0",
            "counter": "memory",
            "need": "85899345920",
            "remaining": "42949672960",
            "taint": "",
            "rule": "",
            "holders": [_HOLDER],
        }
    ],
    "holders": [],
    "capacity_use": {},
    "consumes": [{"counter_set": "gpu-0", "counters": {"memory": "80Gi"}, "compatibility_groups": []}],
}
_COUNTER_REPORT = {
    "counter_set": "gpu-0",
    "name": "memory",
    **_COUNTER,
    "holds": [{"device": "half-0", "amount": "42949672960", "holders": [_HOLDER]}],
}
_NODE = {
    "url": "/api/v1/nodes/default/node-7/",
    "cluster": "default",
    "name": "node-7",
    "observed": True,
    "unschedulable": False,
    "labels": {"kubernetes.io/hostname": "node-7"},
}

VALUES: dict[type[rows.Row], dict[str, Any]] = {
    rows.ClusterRow: {
        "url": "/api/v1/clusters/default/",
        "name": "default",
        "revision": 41,
        "as_of": "2026-12-01T09:30:00.125Z",
        "pools_total": 12,
        "nodes_total": 9,
        "claims_total": 73,
        "findings_total": 4,
    },
    rows.PoolRow: _POOL,
    rows.CounterSetRow: {
        **_KEYS,
        "name": "gpu-0",
        "counters": [
            {
                "name": "memory",
                "card": "gpu-0",
                **_COUNTER,
                "holds": [
                    {
                        "device": "half-0",
                        "amount": "40Gi",
                        "claims": [{"namespace": "ml", "name": "train-a", "request": "gpu", "pods": ["ml/train-a-0"]}],
                    }
                ],
            }
        ],
    },
    rows.CardRow: _CARD,
    rows.DeviceRow: _DEVICE,
    rows.ClaimRow: _CLAIM,
    rows.AllocationRow: {
        **_RESULT,
        "cluster": "default",
        "namespace": "ml",
        "claim": "train-a",
        "claim_url": "/api/v1/claims/default/ml/train-a/",
        "node": "node-7",
    },
    rows.NodeRow: _NODE,
    rows.FindingRow: _FINDING,
    rows.ObjectRow: {
        "url": "/api/v1/objects/default/ResourceSlice/-/00-gpu.example.com-node-7/",
        "cluster": "default",
        "kind": "ResourceSlice",
        "namespace": "",
        "name": "00-gpu.example.com-node-7",
        "uid": "",
        "resource_version": "",
        "form": "v1",
        "driver": "gpu.example.com",
        "pool": "node-7",
        "received_at": "2026-12-01T09:30:00.125Z",
    },
    reports.PoolDetail: {
        **_POOL,
        "counters": [_COUNTER_REPORT],
        "cards": [
            {
                "key": "gpu-0",
                "label": "gpu-0",
                "model": "",
                "use": 0.5,
                "largest": "40gb",
                "devices": ["half-0", "half-1", "whole"],
                "types": [_FIT],
                "slot_maps": [],
            }
        ],
        "devices": [_DEVICE_REPORT],
        "types": [_FIT],
        "loose_devices": [],
        "stale_devices": [],
        "stale_slices": [],
        "slices": ["00-gpu.example.com-node-7", "01-gpu.example.com-node-7"],
        "findings": [],
    },
    reports.CardDetail: {
        **_CARD,
        "slot_maps": [],
        "counters": [_COUNTER_REPORT],
        "devices": [_DEVICE_REPORT],
        "mixes": {
            "feasible": 1,
            "cut": False,
            "maximal": [{"devices": ["half-1"], "types": [{"type": "40gb", "count": 1}]}],
        },
    },
    reports.DeviceDetail: {
        **_DEVICE,
        "report": _DEVICE_REPORT,
        "body": {
            "slice": "01-gpu.example.com-node-7",
            "attributes": {"profile": {"kind": "string", "value": "whole"}},
            "capacity": {},
            "taints": [],
            "node": "node-7",
            "all_nodes": False,
            "node_selector": None,
        },
    },
    rows.ClaimDetail: {**_CLAIM, "pods": ["ml/train-a-0"], "findings": []},
    rows.NodeDetail: {**_NODE, "pools": [_POOL], "claims": [_CLAIM], "findings": []},
}


def example_of(serializer: type[rows.Row]) -> OpenApiExample:
    """An answer with one such row."""
    return OpenApiExample("Example", VALUES[serializer], response_only=True, status_codes=["200"])


_SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "00-gpu.example.com-node-7"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "node-7",
        "pool": {"name": "node-7", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0", "attributes": {"model": {"string": "example"}}}],
    },
}
_YAML = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: 00-gpu.example.com-node-7}
spec:
  driver: gpu.example.com
  nodeName: node-7
  pool: {name: node-7, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: gpu-0, attributes: {model: {string: example}}}
"""
_CREATED = {
    "outcome": "created",
    "kind": "ResourceSlice",
    "namespace": "",
    "name": "00-gpu.example.com-node-7",
    "where": "",
    "reason": "",
    "path": "",
}
_REFUSED = {
    **_CREATED,
    "outcome": "refused",
    "reason": "required, but missing",
    "path": "spec.driver",
}
REPORT: dict[str, Any] = {
    "cluster": "default",
    "revision": 42,
    "summary": {"created": 1, "changed": 0, "unchanged": 0, "refused": 0, "deleted": 0},
    "note": "",
    "objects": [_CREATED],
}
REFUSED_REPORT: dict[str, Any] = {
    "error": {
        "status": 422,
        "code": "refused",
        "message": "required, but missing",
        "details": [{"path": "spec.driver", "message": "required, but missing"}],
    },
    **REPORT,
    "summary": {"created": 0, "changed": 0, "unchanged": 0, "refused": 1, "deleted": 0},
    "objects": [_REFUSED],
}
PUBLISH_EXAMPLES = [
    OpenApiExample("A pool of one slice", _SLICE, request_only=True, media_type="application/json"),
    OpenApiExample("The same in YAML", _YAML, request_only=True, media_type="application/yaml"),
    OpenApiExample("Accepted", REPORT, response_only=True, status_codes=["200"]),
    OpenApiExample("Everything refused", REFUSED_REPORT, response_only=True, status_codes=["422"]),
]
DELETE_EXAMPLES = [
    OpenApiExample(
        "Deleted",
        {
            **REPORT,
            "summary": {"created": 0, "changed": 0, "unchanged": 0, "refused": 0, "deleted": 1},
            "objects": [{**_CREATED, "outcome": "deleted"}],
        },
        response_only=True,
        status_codes=["200"],
    )
]
OBJECT_EXAMPLES = [OpenApiExample("A slice", _SLICE, response_only=True, status_codes=["200"])]
