"""Claims made up to be asked about: from a template, from a pod, or from a class, a type and a number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from pools.core.extended import extended
from pools.core.release import Release
from pools.core.trial import Question
from pools.domain.claim import Claim, ClaimTemplate, DeviceRequest, Request
from pools.domain.cluster import Pod, PodClaim, Snapshot
from pools.domain.device import AttributeValue
from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId
from pools.domain.pool import Meta
from pools.domain.quantity import Quantity
from pools.domain.state import PoolReport

NAMESPACE = "what-if"
_Choice = tuple[str, str, AttributeValue]
"""An attribute's domain, id and value."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def plain_claim(
    device_class: str,
    *,
    count: int = 1,
    selectors: Sequence[str] = (),
    capacity: dict[str, Quantity] | None = None,
    name: str = "asked",
) -> Claim:
    """A claim with one request for a number of devices of a class."""
    way = DeviceRequest("", device_class, tuple(selectors), count=count, capacity=capacity or {})
    return Claim(Meta(name, NAMESPACE), "v1", (Request("devices", (way,)),))


def generated(template: ClaimTemplate, name: str) -> Claim:
    """A claim as the controller would generate it from a template."""
    return Claim(Meta(name, template.meta.namespace), template.form, template.requests, template.constraints)


def ask_claim(claim: Claim) -> Question:
    """One claim by itself; one that is allocated stands for another like it."""
    if claim.allocation is None:
        return Question(f"claim {claim.id}", (claim,))
    return Question(f"another claim like {claim.id}, which is allocated", (_again(claim),))


def _again(claim: Claim) -> Claim:
    return Claim(Meta(f"{claim.meta.name}-again", claim.meta.namespace), claim.form, claim.requests, claim.constraints)


def ask_pod(snapshot: Snapshot, pod: Pod, rules: Release | None = None) -> Question:
    """
    All claims of a pod together, the one for its extended resources last; those that are not generated yet come from
    their templates. A pod whose claims are all allocated stands for another like it.

    Raises:
        ScenarioError: the pod refers to a claim or template that is not there, or asks for no device at all.
    """
    wanted, held = _claims_of(snapshot, pod)
    made = extended(snapshot, pod) if not pod.extended_claim and (rules is None or rules.extended_resources) else None
    more: tuple[Claim, ...] = ()
    about = f"pod {pod.id}"
    if made is not None:
        more, about = (made.claim,), f"{about} ({made.about})"
    node = pod.node_name
    if not wanted and (held or (made is not None and pod.phase == "Running")):
        about, wanted, held, node = f"another pod like {about}, which has its devices", tuple(map(_again, held)), (), ""
    elif not wanted and made is None:
        raise ScenarioError(
            "ask", f"pod {pod.id} asks for no device: it has no claim, and no extended resource that a class stands for"
        )
    elsewhere, note = (made.elsewhere, made.note) if made is not None else (frozenset(), "")
    return Question(about, (*wanted, *more), held, node, elsewhere, note)


def _claims_of(snapshot: Snapshot, pod: Pod) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """The pod's claims: those to be allocated, and those that are."""
    claims = {claim.id: claim for claim in snapshot.claims}
    templates = {template.id: template for template in snapshot.templates}
    wanted: list[Claim] = []
    held: list[Claim] = []
    for entry in (*pod.claims, *([PodClaim("", claim=pod.extended_claim)] if pod.extended_claim else ())):
        if entry.name in pod.claim_statuses and pod.claim_statuses[entry.name] is None:
            continue  # the controller says that no claim is needed
        name = entry.claim or pod.claim_statuses.get(entry.name) or ""
        identity = ClaimId(pod.meta.namespace, name)
        template = templates.get(ClaimId(pod.meta.namespace, entry.template))
        if name and identity in claims:
            claim = claims[identity]
            (wanted if claim.allocation is None else held).append(claim)
        elif not name and template is not None:
            wanted.append(generated(template, f"{pod.meta.name}-{entry.name}"))
        else:
            kind, missing = ("claim", name) if name else ("claim template", entry.template)
            raise ScenarioError("ask", f"pod {pod.id} refers to the {kind} {missing}, which is not there")
    return tuple(wanted), tuple(held)


def ask_objects(snapshot: Snapshot, added: Snapshot, rules: Release | None = None) -> tuple[Question, ...]:
    """A question for each pod, each unallocated claim that none of these pods uses, and each template likewise."""
    pods = [pod for pod in added.pods if pod.claims or extended(snapshot, pod) is not None]
    used = {ClaimId(pod.meta.namespace, name) for pod in pods for name in pod.claim_names()}
    templates = {ClaimId(pod.meta.namespace, entry.template) for pod in pods for entry in pod.claims if entry.template}
    loose = [claim for claim in added.claims if claim.allocation is None and claim.id not in used]
    return (
        *(ask_pod(snapshot, pod, rules) for pod in pods),
        *(ask_claim(claim) for claim in loose),
        *(
            Question(f"claim from template {each.id}", (generated(each, f"{each.meta.name}-claim"),))
            for each in added.templates
            if each.id not in templates
        ),
    )


def ask_evicted(snapshot: Snapshot, evicted: Sequence[ClaimId]) -> tuple[Question, ...]:
    """Evicted claims again, those of one pod together."""
    claims = {claim.id: claim for claim in snapshot.claims}
    left = dict.fromkeys(evicted)
    questions = []
    for pod in snapshot.pods:
        names = [ClaimId(pod.meta.namespace, name) for name in pod.claim_names()]
        mine = tuple(claims[name] for name in names if name in left)
        if mine:
            held = tuple(claims[name] for name in names if name in claims and claims[name].allocation is not None)
            questions.append(Question(f"pod {pod.id}", mine, held))
            for claim in mine:
                del left[claim.id]
    return (*questions, *(Question(f"claim {name}", (claims[name],)) for name in left))


def selector_for(kind: str, reports: Iterable[PoolReport]) -> str | None:
    """
    A CEL expression that takes exactly the devices of a type, by an attribute that only they share.

    Args:
        kind: the type's label.
        reports: pools in which the type occurs; the expression has to hold in all of them.

    Returns:
        None when no attribute tells the type apart, so that no claim could ask for it alone.
    """
    choices: dict[str, list[_Choice]] = {}
    for report in reports:
        driver = report.pool.id.driver
        found = _telling(report, kind, driver)
        if found is not None:
            choices[driver] = found if driver not in choices else [each for each in choices[driver] if each in found]
    if not choices or not all(choices.values()):
        return None
    ways = {
        driver: _expression(*min(found, key=lambda each: (str(each[2].value) != kind, _rank(each))))
        for driver, found in sorted(choices.items())
    }
    if len(ways) == 1:
        return next(iter(ways.values()))
    return " || ".join(f"(device.driver == {json.dumps(driver)} && {way})" for driver, way in ways.items())


def _telling(report: PoolReport, kind: str, driver: str) -> list[_Choice] | None:
    """The attributes that all devices of a type have, and no other of the pool has so; None without such devices."""
    mine: set[_Choice] | None = None
    others: set[_Choice] = set()
    for each in report.devices:
        if each.pooled is None:
            continue
        own = {
            (*_split(name, driver), value)
            for name, value in each.pooled.device.attributes.items()
            if value.kind in ("string", "int", "bool", "version")
        }
        if each.type != kind:
            others |= own
        else:
            mine = own if mine is None else mine & own
    return None if mine is None else sorted(mine - others, key=_rank)


def _split(name: str, driver: str) -> tuple[str, str]:
    domain, slash, own = name.rpartition("/")
    return (domain, own) if slash else (driver, name)


def _rank(choice: _Choice) -> tuple[bool, bool, str, str, str]:
    """Attributes that speak of the type come first: profile, type and the like, then strings, then by name."""
    domain, own, value = choice
    telling = any(word in own.lower() for word in ("profile", "type", "topology", "size", "shape", "partition"))
    return not telling, value.kind != "string", domain, own, str(value.value)


def _expression(domain: str, own: str, value: AttributeValue) -> str:
    literal = {
        "string": json.dumps(value.value, ensure_ascii=False),
        "version": f"semver({json.dumps(value.value)})",
        "bool": "true" if value.value else "false",
    }.get(value.kind, str(value.value))
    where = f"device.attributes[{json.dumps(domain)}]"
    if _IDENTIFIER.fullmatch(own):
        return f"has({where}.{own}) && {where}.{own} == {literal}"
    return f"{json.dumps(own)} in {where} && {where}[{json.dumps(own)}] == {literal}"
