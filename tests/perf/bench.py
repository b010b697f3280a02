"""
Measures how fast the dashboard answers: `make bench`, or `python -m tests.perf.bench [SECTION…]`.

Each module of `sections` measures one thing; what has a rival is measured beside it in the same run. Nothing here is a
test: a figure depends on the machine, and a missed goal does not fail the run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import sections
from .figures import Measured, Options, as_json, skipped, table

ROOT = Path(__file__).resolve().parents[2]


def names() -> list[str]:
    """The sections there are."""
    return sorted(module.name for module in pkgutil.iter_modules(sections.__path__))


def measure(wanted: Iterable[str], options: Options) -> list[Measured]:
    """Run sections one after the other."""
    found = []
    for name in wanted:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        module = importlib.import_module(f"{sections.__name__}.{name}")
        found.append(Measured(name, tuple(module.measure(options))))
    return found


def write(path: Path, measured: Sequence[Measured], options: Options) -> None:
    """Keep the figures, and what they were measured on, as JSON."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "options": vars(options), "lines": as_json(measured)}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    usual = Options()
    parser = argparse.ArgumentParser(prog="python -m tests.perf.bench", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(names())}; default all")
    parser.add_argument("--nodes", type=int, default=usual.nodes, help="size of the fleet (%(default)s)")
    parser.add_argument("--sample", type=int, default=usual.sample, help="scenarios asked (%(default)s)")
    parser.add_argument("--evaluations", type=int, default=usual.evaluations, help="of CEL (%(default)s)")
    parser.add_argument("--repeats", type=int, default=usual.repeats, help="the best of so many counts (%(default)s)")
    parser.add_argument("--json", type=Path, default=ROOT / "var" / "bench.json", help="where to write (%(default)s)")
    args = parser.parse_args(given)
    unknown = sorted(set(args.sections) - set(names()))
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)}; there are {', '.join(names())}")
    small = [name for name in ("nodes", "sample", "evaluations", "repeats") if getattr(args, name) < 1]
    if small:
        parser.error(f"--{small[0]} is at least 1")
    return args


def main(given: Sequence[str] | None = None) -> int:
    """Measure, print one table, say what was skipped, write the JSON."""
    args = arguments(given)
    options = Options(args.nodes, args.sample, args.evaluations, args.repeats)
    measured = measure(args.sections or names(), options)
    print(table(measured))
    print(*skipped(measured), sep="\n", end="\n" if skipped(measured) else "")
    write(args.json, measured, options)
    print(f"written to {args.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
