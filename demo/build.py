"""Write the demo fleet's manifests: `python -m demo.build`. A test checks that the files are what this writes."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import yaml

from demo import claims, hardware

FOLDER = pathlib.Path(__file__).parent
FILES: dict[str, tuple[str, Callable[[], list[dict[str, Any]]]]] = {
    "10-nodes.yaml": ("Nodes of the demo cluster.", hardware.nodes),
    "20-classes.yaml": ("Device classes, a claim template and a taint rule.", claims.classes),
    "30-a100.yaml": ("Two nodes of four A100-SXM4-40GB with dynamic MIG.", hardware.a100),
    "31-h100.yaml": ("Two nodes of eight H100 80GB with dynamic MIG.", hardware.h100),
    "32-b200.yaml": ("A node of eight B200 with dynamic MIG; GPU 5 is tainted by its driver.", hardware.b200),
    "33-mi300x.yaml": ("A node of four MI300X: one partition mode at a time, shares of it.", hardware.mi300x),
    "34-tpu.yaml": ("A TPU 4x4 slice over four hosts: 4x4, 2x4 and 2x2 topologies.", hardware.tpu),
    "35-compound.yaml": ("GPU and NIC compounds, as the 2024 prototype publishes them.", hardware.compound),
    "40-broken.yaml": ("An incomplete pool, and one made invalid by a typo.", hardware.broken),
    "50-running.yaml": ("Claims that hold devices, and their pods.", claims.running),
    "60-waiting.yaml": ("Claims and pods that wait: some can be served, some cannot.", claims.waiting),
}


class _Line(dict[str, Any]):
    """A mapping written on one line."""


class _Dumper(yaml.SafeDumper):
    """Block style, with devices and counter sets on one line each."""


_Dumper.add_representer(
    _Line, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=True)
)
_Dumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]


def _folded(item: dict[str, Any]) -> dict[str, Any]:
    spec = item.get("spec")
    if not isinstance(spec, dict):
        return item
    lines = {
        key: [_Line(entry) for entry in spec[key]]
        for key in ("devices", "sharedCounters", "sharedConsumable")
        if isinstance(spec.get(key), list)
    }
    return {**item, "spec": {**spec, **lines}}


def render(comment: str, objects: list[dict[str, Any]]) -> str:
    """The text of one manifest file."""
    documents = yaml.dump_all(
        [_folded(item) for item in objects], Dumper=_Dumper, sort_keys=False, width=100_000, allow_unicode=True
    )
    return f"# {comment} Written by demo/build.py.\n---\n{documents}"


def main() -> None:
    """Write every file."""
    for name, (comment, build) in FILES.items():
        (FOLDER / name).write_text(render(comment, build()))


if __name__ == "__main__":
    main()
