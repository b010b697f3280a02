"""The claims' part of an inspection: which can be allocated, where, by what, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pools.core.answers import Answers, ClaimAnswer, PodAnswer
from pools.domain.cluster import Snapshot
from pools.domain.state import PoolReport
from pools.queries.following import rules

_OVER = ("Succeeded", "Failed")


def claims_section(snapshot: Snapshot, reports: Sequence[PoolReport]) -> dict[str, Any]:
    """
    The keys that speak of claims and pods, each by `namespace/name`.

    `claims` says `allocated`, `pending-feasible`, `pending-infeasible` or `pending-undecided`; the other keys hold only
    what applies: `candidates` for claims of one request, `match_values`, `would_consume` and the like.
    """
    answers = Answers(snapshot, rules())
    claims = [answers.claim(claim) for claim in snapshot.claims]
    pods = [answers.pod(pod) for pod in snapshot.pods if pod.claims or pod.extended_claim]
    pending = [each for each in claims if each.state != "allocated"]
    return {
        "claims": {str(each.claim.id): _state(each) for each in claims},
        "candidates": {
            str(each.claim.id): _candidates(answers, each) for each in pending if len(each.claim.requests) == 1
        },
        "feasible_nodes": {str(each.claim.id): list(each.nodes) for each in pending},
        "match_values": dict(_match_values(answers, pending)),
        "would_choose": {str(each.claim.id): dict(each.would_choose) for each in pending if each.would_choose},
        "chosen": {str(each.claim.id): dict(each.chosen) for each in claims if each.chosen},
        "would_consume": dict(_would_consume(answers, pending)),
        "reasons": dict(_reasons(snapshot, pending, pods)),
        "pods": {str(each.pod.id): each.state for each in pods},
    }


def _state(answer: ClaimAnswer) -> str:
    return answer.state if answer.state == "allocated" else f"pending-{answer.state}"


def _candidates(answers: Answers, answer: ClaimAnswer) -> list[str]:
    fatal = any(each.verdict == "error" and not each.node_only for each in answer.answers)
    return [] if fatal else [str(device) for device in answers.candidates(answer.claim)]


def _match_values(answers: Answers, pending: Iterable[ClaimAnswer]) -> Iterator[tuple[str, Any]]:
    for each in pending:
        for values in answers.match_values(each.claim)[:1]:
            yield (
                str(each.claim.id),
                {
                    "attribute": values.attribute,
                    "feasible": list(values.feasible),
                    "infeasible": list(values.infeasible),
                },
            )


def _would_consume(answers: Answers, pending: Iterable[ClaimAnswer]) -> Iterator[tuple[str, dict[str, str]]]:
    for each in pending:
        charge = answers.would_charge(each.claim) if len(each.claim.requests) == 1 else {}
        if charge:
            yield str(each.claim.id), {name: str(amount) for name, amount in charge.items()}


def _reasons(
    snapshot: Snapshot, pending: Iterable[ClaimAnswer], pods: Iterable[PodAnswer]
) -> Iterator[tuple[str, str]]:
    """Why a claim is not feasible, or that nobody uses one that is; pods as `pod:namespace/name`."""
    used = set(_used_claims(snapshot))
    for each in pending:
        if each.why is not None:
            yield str(each.claim.id), each.why.code
        elif each.state == "feasible" and str(each.claim.id) not in used:
            yield str(each.claim.id), "no-consumer"
    for pod in pods:
        if pod.why is not None:
            yield f"pod:{pod.pod.id}", pod.why.code


def _used_claims(snapshot: Snapshot) -> Iterator[str]:
    for pod in snapshot.pods:
        if pod.phase not in _OVER:
            for name in pod.claim_names():
                yield f"{pod.meta.namespace}/{name}"
