"""Rows: objects as received, and what is derived from them. Only `ingest/mirror.py` writes mirrored rows."""

from pools.models.access import PublishToken
from pools.models.claims import Allocation, Claim, Pod, PodClaim
from pools.models.inventory import Card, Counter, CounterSet, Device, Node, Pool, PoolNode, TypeCount
from pools.models.objects import Cluster, Finding, ObjectEvent, StoredObject
from pools.models.scenarios import SavedScenario

__all__ = [
    "Allocation",
    "Card",
    "Claim",
    "Cluster",
    "Counter",
    "CounterSet",
    "Device",
    "Finding",
    "Node",
    "ObjectEvent",
    "Pod",
    "PodClaim",
    "Pool",
    "PoolNode",
    "PublishToken",
    "SavedScenario",
    "StoredObject",
    "TypeCount",
]
