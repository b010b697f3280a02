"""What became of a payload, object by object."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["created", "changed", "unchanged", "refused", "deleted"]
VERDICTS: tuple[Verdict, ...] = ("created", "changed", "unchanged", "refused", "deleted")


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    One object's fate.

    `where` is its place in the payload (`file.yaml[2].items[0]`), empty for deletions. `reason` says why it was
    refused, or why an older version left the stored one unchanged; `path` where in the object the fault lies.
    """

    verdict: Verdict
    kind: str = ""
    namespace: str = ""
    name: str = ""
    where: str = ""
    reason: str = ""
    path: str = ""

    @property
    def object(self) -> str:
        """`Kind namespace/name`, as far as it is known."""
        return f"{self.kind} {f'{self.namespace}/' if self.namespace else ''}{self.name}".strip()


@dataclass(frozen=True, slots=True)
class PublishReport:
    """
    What one call did. `revision` is the cluster's afterwards, 0 for a cluster that nothing was ever accepted for.
    `note` is a sentence about the call as a whole, usually empty.
    """

    cluster: str
    revision: int
    objects: tuple[Outcome, ...]
    note: str = ""

    @property
    def summary(self) -> dict[Verdict, int]:
        counts = Counter(item.verdict for item in self.objects)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def all_refused(self) -> bool:
        """Whether there was something to do and none of it was accepted."""
        return bool(self.objects) and all(item.verdict == "refused" for item in self.objects)
