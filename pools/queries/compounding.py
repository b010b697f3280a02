"""Files in, compound pools out: a rule and pools are read, pools made and checked, manifests written; no database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml

from pools.core.compound import compound
from pools.core.compound_members import compound_findings, published_twice
from pools.core.gather import gather
from pools.core.judge import judge
from pools.domain.cluster import Snapshot
from pools.domain.compound import RULE_KIND, CompoundPool, CompoundRule
from pools.domain.errors import Finding, Undecodable
from pools.domain.pool import Pool
from pools.domain.state import Surroundings
from pools.queries.inspection import load, undecodable
from pools.wire.compound_rule import compound_rule
from pools.wire.documents import read
from pools.wire.prototype_out import resource_pool
from pools.wire.v1_out import resource_slice

Output = Literal["v1", "prototype"]
Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Compounding:
    """Manifests to publish, and what came up; pools with errors have no manifest."""

    manifests: tuple[Manifest, ...]
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(each.severity == "error" for each in self.findings)


def read_rule(data: bytes, source: str) -> CompoundRule:
    """
    The one rule in a payload.

    Raises:
        Undecodable: it cannot be read, is no rule or a faulty one, or there is not exactly one.
    """
    documents = read(data, source=source)
    if len(documents) != 1:
        raise Undecodable(f"expected one {RULE_KIND}, found {len(documents)} objects", where=source)
    (document,) = documents
    if isinstance(document, Undecodable):
        raise document
    try:
        return compound_rule(document.raw)
    except Undecodable as fault:
        raise Undecodable(fault.reason, fault.path, fault.object, document.where) from None


def make(
    rule: CompoundRule,
    payloads: Iterable[tuple[str, bytes]],
    *,
    output: Output = "v1",
    nodes: Collection[str] | None = None,
    generation: int = 1,
) -> Compounding:
    """
    Make the compound pools of what some payloads publish.

    Objects that cannot be read refuse everything: pools that seem complete without them might not be.

    Args:
        payloads: (source, bytes) of manifests: slices and pools of any form, and taint rules.
        nodes: make pools for these only; a name for which no underlying pool is published is an error.
    """
    snapshot, faults = _load(payloads)
    pools = gather(snapshot.slices)
    done = compound(rule, pools, taint_rules=snapshot.taint_rules, generation=generation, nodes=nodes)
    findings = [*map(undecodable, faults), *done.findings, *_missing(rule, pools, done.pools, done.refused, nodes)]
    made = {each.id: gather(each.slices)[0] for each in done.pools}
    others = [pool for pool in pools if pool.id not in made and pool.id.driver not in _drivers(rule)]
    checked = [*others, *made.values()]
    findings += compound_findings(checked)
    bad = {pool for key in published_twice(checked) for pool in key}
    for pool in made.values():
        if wrong := _faulty(pool):
            findings += wrong
            bad.add(pool.id)
    manifests: list[Manifest] = []
    for each in done.pools if not faults else ():
        if each.id in bad:
            continue
        try:
            manifests += _manifests(each, output)
        except ValueError as error:
            text = f"Has no {output} form: {error}."
            findings.append(Finding("compound-limit", str(each.id), "error", text))
    return Compounding(tuple(manifests), tuple(_sorted(findings)))


def _load(payloads: Iterable[tuple[str, bytes]]) -> tuple[Snapshot, list[Undecodable]]:
    loaded = [load(data, source=source) for source, data in payloads]
    snapshot = Snapshot(
        slices=tuple(item for one, _ in loaded for item in one.slices),
        taint_rules=tuple(rule for one, _ in loaded for rule in one.taint_rules),
    )
    return snapshot, [fault for _, faults in loaded for fault in faults]


def _drivers(rule: CompoundRule) -> list[str]:
    return list(dict.fromkeys(member.driver for member in rule.members))


def _missing(
    rule: CompoundRule,
    pools: Sequence[Pool],
    made: Sequence[CompoundPool],
    refused: Sequence[str],
    nodes: Collection[str] | None,
) -> Iterable[Finding]:
    """Nothing to work on: no pool of the drivers at all, or none for a node that was asked for."""
    if not any(pool.id.driver in _drivers(rule) for pool in pools):
        text = f"No pool of {' or '.join(_drivers(rule))} is published."
        yield Finding("compound-no-pools", rule.meta.name, "error", text)
        return
    known = {each.node for each in made} | set(refused)
    for node in nodes or ():
        if node not in known:
            text = f"No pool of {' or '.join(_drivers(rule))} is published for node {node}."
            yield Finding("compound-no-pools", f"{rule.meta.name}/{node}", "error", text)


def _faulty(pool: Pool) -> tuple[Finding, ...]:
    """What is wrong with a pool just made; nothing, unless a limit was overlooked."""
    return tuple(each for each in judge(pool, Surroundings()).findings if each.severity == "error")


def _manifests(pool: CompoundPool, output: Output) -> list[Manifest]:
    return [resource_pool(pool.slices)] if output == "prototype" else [resource_slice(each) for each in pool.slices]


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(dict.fromkeys(findings), key=lambda finding: order[finding.severity])


class _Line(dict[str, Any]):
    """A mapping written on one line."""


class _Dumper(yaml.SafeDumper):
    """Block style without aliases, with devices and counters on one line each."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    _Line, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=True)
)


def as_yaml(manifests: Iterable[Manifest]) -> str:
    """A YAML stream, one line for each device and each set or bag entry."""
    folded = [
        {
            **manifest,
            "spec": {
                key: [_Line(entry) for entry in value] if isinstance(value, list) else value
                for key, value in manifest["spec"].items()
            },
        }
        for manifest in manifests
    ]
    if not folded:
        return ""
    return str(yaml.dump_all(folded, Dumper=_Dumper, sort_keys=False, width=100_000, explicit_start=True))
