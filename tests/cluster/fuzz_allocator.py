"""Ask upstream's allocator and the dashboard's the same random scenarios; print each disagreement, made small."""

from __future__ import annotations

import argparse
import collections
import json
import secrets
import shlex
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from .build import CannotBuild, program
from .fuzz.ask import Program
from .fuzz.compare import UNDECIDED, disagreements
from .fuzz.make import FAMILIES, make
from .fuzz.shrink import shrink
from .fuzz.world import Json

ROOT = Path(__file__).resolve().parents[2]
BATCH = 160
RELEASE = "1.37"
"""The release that go.mod pins, by its minor version."""


@dataclass
class Run:
    """Two programs and how often they agreed."""

    upstream: Program
    ours: Program
    seed: str
    shrink_seconds: float
    count: collections.Counter[str] = field(default_factory=collections.Counter)

    def batch(self, cases: list[tuple[str, Json]]) -> list[Json]:
        """Ask both; the disagreements, each as small as time allowed."""
        expected = self.upstream.answers([scenario for _, scenario in cases])
        given = self.ours.answers([scenario for _, scenario in cases])
        found = []
        for (name, scenario), theirs, own in zip(cases, expected, given, strict=True):
            if theirs is None:
                raise RuntimeError(f"upstream's allocator gave no answer to {name}: {self.upstream.complaint}")
            kinds = disagreements(theirs, own)
            self.count["asked"] += 1
            self.count["undecided"] += UNDECIDED in kinds
            if kinds - {UNDECIDED}:
                self.count["disagree"] += 1
                found.append(self._smallest(name, scenario, kinds - {UNDECIDED}))
        return found

    def _smallest(self, name: str, scenario: Json, kinds: set[str]) -> Json:
        limit = max(self.shrink_seconds, 10)
        upstream, ours = (replace(each, limit=limit) for each in (self.upstream, self.ours))  # no part of the speed

        def still_bad(tries: list[Json]) -> list[bool]:
            pairs = zip(upstream.answers(tries), ours.answers(tries), strict=True)
            return [bool(a and not a.get("error") and disagreements(a, b) & kinds) for a, b in pairs]

        if self.shrink_seconds > 0 and "refusal" not in kinds:
            scenario = shrink(scenario, still_bad, self.shrink_seconds)
        (expected,), (given,) = upstream.answers([scenario]), ours.answers([scenario])
        left = sorted(disagreements(expected, given)) if expected else []
        case = {"id": name, "kinds": left, "scenario": scenario, "expected": _plain(expected), "given": _plain(given)}
        if given is None:
            case["complaint"] = ours.complaint
        return case

    def summary(self) -> str:
        """One line: how many agreed, and how fast each was, starting up included."""
        agree = self.count["asked"] - self.count["disagree"] - self.count["undecided"]
        speeds = [f"{name} {p.asked / max(p.seconds, 1e-9):.0f}/s" for name, p in self._programs()]
        return (
            f"seed {self.seed}: {self.count['asked']} scenarios, {agree} agree, {self.count['undecided']} undecided, "
            f"{self.count['disagree']} disagree ({', '.join(speeds)})"
        )

    def _programs(self) -> list[tuple[str, Program]]:
        return [("upstream", self.upstream), ("dashboard", self.ours)]


def _plain(answer: Json | None) -> Json | None:
    return None if answer is None else {key: value for key, value in answer.items() if key != "id"}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.fuzz_allocator", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2, help="stop after this time (2)")
    parser.add_argument("--seconds", type=float, default=0, help="the same in seconds")
    parser.add_argument("--scenarios", type=int, default=0, help="stop after so many scenarios")
    parser.add_argument("--seed", default="", help="what an earlier run printed, to see it again")
    parser.add_argument("--families", default=",".join(FAMILIES), help="comma-separated; default all")
    parser.add_argument("--twisted", type=float, default=0.4, help="share of scenarios with odd contents (0.4)")
    parser.add_argument("--most", type=int, default=5, help="stop after so many disagreements (5)")
    parser.add_argument("--shrink-seconds", type=float, default=120, help="time to make one disagreement small (120)")
    parser.add_argument("--save", type=Path, help="append each disagreement to this file as well")
    parser.add_argument("--upstream", default="", help="command that answers as upstream; default: built here")
    parser.add_argument(
        "--dashboard",
        default=f"{shlex.quote(sys.executable)} manage.py simulate --kubernetes-version 1.37",
        help="ours",
    )
    args = parser.parse_args()
    unknown = set(args.families.split(",")) - set(FAMILIES)
    if unknown:
        parser.error(f"no such family: {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    return args


def fuzz(args: argparse.Namespace) -> int:
    """Go on until time, number or patience is used up; 1 when the programs disagreed."""
    upstream = Program(
        shlex.split(args.upstream) or [str(program("allocate", quiet=False)), "-strict", "-timeout", "3s"], ROOT
    )
    run = Run(
        upstream, Program(shlex.split(args.dashboard), ROOT), args.seed or secrets.token_hex(4), args.shrink_seconds
    )
    print(f"seed {run.seed}", flush=True)
    end = time.monotonic() + (args.seconds or 60 * args.minutes)
    number = 0
    families = args.families.split(",")
    while time.monotonic() < end and not (args.scenarios and number >= args.scenarios):
        size = min(BATCH, args.scenarios - number) if args.scenarios else BATCH
        cases = []
        for index in range(number, number + size):
            family = families[index % len(families)]
            cases.append((f"{run.seed}-{index}-{family}", make(f"{run.seed}-{index}", family, args.twisted)))
        number += size
        for case in run.batch(cases):
            line = json.dumps(case, separators=(",", ":"))
            print(line, flush=True)
            if args.save:
                with args.save.open("a") as file:
                    file.write(line + "\n")
        if run.count["disagree"] >= args.most:
            break
    print(run.summary())
    return 1 if run.count["disagree"] else 0


def main() -> int:
    """Run from the repository's root."""
    try:
        return fuzz(arguments())
    except (CannotBuild, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
