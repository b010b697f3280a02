"""Looking ahead in a long search: what is left to choose must still have enough devices, or the branch is given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pools.core.attempt import Attempt
    from pools.core.constraints import Tie, Values
    from pools.core.ways import Candidate, Way

TRIAL = 5_000
"""Candidates that a trial of the last requests by themselves may look at."""


class OutOfSteps(Exception):
    """The budget is used up."""


class Hopeless(Exception):
    """What is left to choose does not fit even by itself."""


class Foresight:
    """
    Tells branches without a solution early; never changes which solution is found first.

    It rests on this: choosing more devices only ever leaves less to choose from. That holds unless some selector fails
    (whether the failure is met depends on the path), a device gives to a counter instead of taking, or a constraint can
    end the attempt.
    """

    @classmethod
    def of(cls, attempt: Attempt) -> Foresight | None:
        """
        Look-ahead for an attempt under way; None where it could change the answer.

        Raises:
            Hopeless: the last requests do not fit even by themselves, so there is no solution.
        """
        if not all(_harmless(attempt, claim, way) for claim, _, way in _ways(attempt)):
            return None
        cls._try_the_last(attempt)
        return cls()

    @staticmethod
    def _try_the_last(attempt: Attempt) -> None:
        """Search for the last request, then the last two, and so on, with nothing else chosen."""
        places = [(claim, request) for claim, requests in enumerate(attempt.ways) for request in range(len(requests))]
        for claim, request in reversed(places[1:]):
            trial = attempt.trial()
            trial.budget = TRIAL
            try:
                if trial.request(claim, request) is not True:
                    raise Hopeless
            except OutOfSteps:
                return

    def hopeful(self, attempt: Attempt, way: Way, claim: int, request: int, index: int, start: int) -> bool:
        """
        Whether the way's other devices, and each later request, still have enough devices that could be taken now.

        Args:
            index: how many devices of the way are chosen.
            start: its first candidate that may still be chosen.
        """
        if not _enough(attempt, way, claim, attempt.candidates(way)[start:], way.count - index):
            return False
        for later_claim in range(claim, len(attempt.ways)):
            requests = attempt.ways[later_claim]
            for later in range(request + 1 if later_claim == claim else 0, len(requests)):
                if not any(
                    _enough(attempt, each, later_claim, _choices(attempt, each), each.count) for each in requests[later]
                ):
                    return False
        return True


def _ways(attempt: Attempt) -> Iterator[tuple[int, int, Way]]:
    for claim, requests in enumerate(attempt.ways):
        for request, ways in enumerate(requests):
            for way in ways:
                yield claim, request, way


def _choices(attempt: Attempt, way: Way) -> list[Candidate]:
    return attempt.candidates(way) if way.everything is None else way.everything


def _harmless(attempt: Attempt, claim: int, way: Way) -> bool:
    """Whether nothing about the way can end the attempt, or make choosing more leave more."""
    if way.everything is not None and any(tie.concerns(way.parent, way.name) for tie in attempt.ties[claim]):
        return False
    return all(
        each.error is None
        and all(nano >= 0 for _, nano in each.draws)
        and not (way.request.derived and _has_faults(attempt, way, claim, each))
        for each in _choices(attempt, way)
    )


def _has_faults(attempt: Attempt, way: Way, claim: int, candidate: Candidate) -> bool:
    return any(isinstance(values, Exception) for _, values in attempt.tied(way, claim, candidate))


def _admits(tie: Tie, values: Values | Exception | None) -> bool:
    return not isinstance(values, Exception) and tie.admits(values) is not None


def _enough(attempt: Attempt, way: Way, claim: int, candidates: list[Candidate], count: int) -> bool:
    """Whether *count* of the candidates could each be taken now, looked at one by one."""
    if count <= 0:
        return True
    for candidate in candidates:
        if attempt.busy(way, claim, candidate) or not attempt.counters_allow(candidate):
            continue
        if all(_admits(tie, values) for tie, values in attempt.tied(way, claim, candidate)):
            count -= 1
            if not count:
                return True
    return False
