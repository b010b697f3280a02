"""Addresses of what an answer speaks of; what only a what-if has, such as a node that was added, has no page."""

from __future__ import annotations

from dataclasses import dataclass

from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.domain.pool import Slice
from pools.queries.whatif import WhatIf
from pools.web import addresses


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes and pools of a cluster that have pages; an address is '' for what has none."""

    cluster: str
    nodes: frozenset[str]
    pools: frozenset[PoolId]

    @classmethod
    def of(cls, cluster: str, found: WhatIf) -> Places:
        """Those that are there without the scenario, and that it does not replace."""
        scenario = found.inquiry.scenario
        replaced = {item.pool_id for item in scenario.objects if isinstance(item, Slice)} | {scenario.swap}
        answers = found.base.answers
        nodes = frozenset(node.meta.name for node in answers.nodes)
        return cls(cluster, nodes, frozenset(pool for pool in answers.world.slices.by_pool if pool not in replaced))

    def node(self, name: str) -> str:
        return addresses.node(self.cluster, name) if name in self.nodes else ""

    def device(self, device: DeviceId) -> str:
        return addresses.device_of(self.cluster, device) if device.pool_id in self.pools else ""

    def card(self, pool: PoolId, key: str) -> str:
        return addresses.card_of(self.cluster, pool, key) if key and pool in self.pools else ""

    def claim(self, claim: ClaimId) -> str:
        return addresses.claim(self.cluster, claim)
