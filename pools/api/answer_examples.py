"""Examples for the schema of explanations, relief, what-ifs, fragmentation and pool status."""

from __future__ import annotations

from typing import Any

from pools.api import answers, rooms, rows

QUESTION: dict[str, Any] = {
    "cluster": "default",
    "claim": ["ml/train-b"],
    "release": ["ml/train-a"],
}
_PICK = {
    "claim": "ml/train-b",
    "request": "gpu",
    "driver": "gpu.example.com",
    "pool": "node-7",
    "device": "half-0",
    "admin": False,
    "consumed": {},
}
_HOLDER = {
    "namespace": "ml",
    "claim": "train-a",
    "request": "gpu",
    "device": "half-0",
    "pods": ["ml/train-a-0"],
    "since": "2026-12-01T09:12:44Z",
}
_CLAIM = {"cluster": "default", "namespace": "ml", "name": "train-b"}
_EXPLAIN = {
    **_CLAIM,
    "state": "infeasible",
    "sentence": (
        "1 matching device is free but short of counters: whole of pool node-7 needs 80 Gi of gpu-0/memory, of which "
        "40 Gi are left; held by ml/train-a (pod ml/train-a-0)."
    ),
    "reason": {"code": "counters-insufficient", "detail": "", "request": ""},
    "notes": [],
    "nodes": [
        {
            "names": ["node-7"],
            "verdict": "impossible",
            "message": "",
            "requests": [
                {
                    "name": "gpu",
                    "wanted": 1,
                    "steps": [
                        {"what": "seen", "left": 3},
                        {"what": "selected by the request", "left": 1},
                        {"what": "with counters left", "left": 0},
                    ],
                    "drops": [
                        {
                            "stage": "counter-short",
                            "count": 1,
                            "examples": [
                                {
                                    "driver": "gpu.example.com",
                                    "pool": "node-7",
                                    "device": "whole",
                                    "detail": "",
                                    "rule": "",
                                    "short": [
                                        {"name": "gpu-0/memory", "need": "80Gi", "left": "40Gi", "short_by": "40Gi"}
                                    ],
                                    "holders": [_HOLDER],
                                    "holders_more": 0,
                                }
                            ],
                            "read": [],
                        },
                        {
                            "stage": "selector",
                            "count": 2,
                            "examples": [],
                            "read": [{"name": "type", "value": "half", "devices": 2}],
                        },
                    ],
                }
            ],
        }
    ],
    "pods": [
        {
            "pod": "ml/train-b-0",
            "state": "pending-infeasible",
            "sentence": "ml/train-b: 1 matching device is free but short of counters.",
        }
    ],
    "scheduler": [
        {"pod": "ml/train-b-0", "message": "0/1 nodes are available: 1 cannot allocate all claims."},
    ],
}
_RELIEF = {
    **_CLAIM,
    "state": "infeasible",
    "exact": True,
    "nodes_looked_at": 1,
    "nodes": 1,
    "tried": 2,
    "sets": [
        {
            "node": "node-7",
            "claims": ["ml/train-a"],
            "pods": ["ml/train-a-0"],
            "since": ["2026-12-01T09:12:44Z"],
            "devices": ["gpu.example.com/node-7/half-0"],
            "would_get": ["gpu.example.com/node-7/whole"],
            "moves": [],
        }
    ],
    "card_moves": [],
}
_LINE = {
    "about": "claim ml/train-b",
    "claims": ["ml/train-b"],
    "state": "feasible",
    "before": "infeasible",
    "nodes": ["node-7"],
    "node": "node-7",
    "picks": [_PICK],
    "reason": None,
    "message": "",
    "tried": [{"nodes": ["node-7"], "verdict": "allocatable", "message": ""}],
}
_WHAT_IF = {
    "cluster": "default",
    "revision": 41,
    "question": QUESTION,
    "fits": True,
    "outcome": {
        "state": "feasible",
        "waiting": False,
        "cut": False,
        "notes": [],
        "new_nodes": [],
        "lines": [_LINE],
        "evicted": [],
        "copies": {"count": 1, "exact": True, "nodes": [{"node": "node-7", "count": 1}]},
        "blocks": {
            "types": [
                {
                    "driver": "gpu.example.com",
                    "pool": "node-7",
                    "card": "gpu-0",
                    "label": "gpu-0",
                    "type": "40gb",
                    "before": 2,
                    "after": 1,
                    "exact": True,
                }
            ],
            "claims": [],
            "cut": False,
        },
    },
    "layout": None,
}
_ROOM = {
    "key": "gpu-0",
    "largest": "1g.5gb",
    "exact": True,
    "types": [{"type": "3g.20gb", "now": 0, "repacked": 1, "exact": True}],
    "wastes": [{"name": "memory", "capacity": "40Gi", "free": "30Gi", "stranded": "640Mi"}],
    "moves": [
        {
            "type": "3g.20gb",
            "exact": True,
            "plans": [
                {
                    "moves": [{"source": "1g-5", "target": "1g-2", "type": "1g.5gb", "holders": [_HOLDER]}],
                    "gained": ["3g-4"],
                    "pods": ["ml/train-a-0"],
                }
            ],
        }
    ],
}
_FLEET = {
    "cards_total": 40,
    "cards_losing": 1,
    "underived": 0,
    "types": [
        {
            "type": "3g.20gb",
            "driver": "gpu.example.com",
            "total": 80,
            "allocated": 12,
            "now": 20,
            "repacked": 21,
            "exact": True,
            "cards": 1,
        }
    ],
    "stranded": [{"driver": "gpu.example.com", "name": "memory", "free": "300Gi", "stranded": "640Mi", "cards": 1}],
    "cards": [
        {
            "url": "/api/v1/cards/default/gpu.example.com/node-7/gpu-0/",
            "cluster": "default",
            "driver": "gpu.example.com",
            "pool": "node-7",
            "key": "gpu-0",
            "label": "gpu-0",
            "types_lost": 1,
            "stranded_share": 0.016,
        }
    ],
}
_STATUS = {
    "status": {
        "driver": "gpu.example.com",
        "poolName": "node-7",
        "generation": 1,
        "nodeName": "node-7",
        "resourceSliceCount": 2,
        "totalDevices": 3,
        "allocatedDevices": 1,
        "availableDevices": 2,
        "unavailableDevices": 0,
        "partitionSummary": None,
        "shareableSummary": None,
        "validationError": "",
    },
    "counts": [{"name": "available", "upstream": 2, "here": 1}],
    "types": [{"type": "40gb", "total": 2, "upstream": None, "here": 1, "exact": True}],
    "words": ["Upstream calls every device available that is neither allocated nor tainted."],
}
VALUES: dict[type[rows.Row], Any] = {
    answers.ExplainRow: _EXPLAIN,
    answers.ReliefRow: _RELIEF,
    answers.WhatIfRow: _WHAT_IF,
    rooms.CardRoomRow: _ROOM,
    rooms.FleetRoomRow: _FLEET,
    rooms.PoolStatusRow: _STATUS,
}
