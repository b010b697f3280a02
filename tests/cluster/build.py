#!/usr/bin/env python3
"""Build the Go programs of this folder into a cache outside the checkout, each once per set of sources."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONTROL_PLANE = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}
OLDEST_GO = (1, 26)


class CannotBuild(Exception):
    """A program cannot be built here; the text says why and what would help."""


def own_programs() -> list[str]:
    """The programs whose sources are in this folder."""
    return sorted(path.name for path in (HERE / "cmd").iterdir() if (path / "main.go").exists())


def cache_folder() -> Path:
    """Where built programs are kept: below $XDG_CACHE_HOME, one folder per pinned set of modules."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "dra-dashboard" / "cluster" / _digest(HERE / "go.mod", HERE / "go.sum")


def _digest(*files: Path) -> str:
    total = hashlib.sha256()
    for file in files:
        total.update(f"{file.name}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return total.hexdigest()[:16]


def program(name: str, *, quiet: bool = True) -> Path:
    """
    The path of a built program; it is built first when the cache has none for these sources.

    Raises:
        CannotBuild: no fit Go toolchain, or the build failed (its output is in the text).
    """
    folder = cache_folder()
    if name in CONTROL_PLANE:
        target, package = folder / name, CONTROL_PLANE[name]
    elif name in own_programs():
        sources = sorted((HERE / "cmd" / name).glob("*.go"))
        target, package = folder / f"{name}-{_digest(*sources)}", f"./cmd/{name}"
    else:
        raise CannotBuild(f"{name}: no such program; there are {', '.join([*CONTROL_PLANE, *own_programs()])}")
    if not target.exists():
        _build(package, target, quiet=quiet)
    return target


def _build(package: str, target: Path, *, quiet: bool) -> None:
    """Build beside the target and rename, so that two builders at once do no harm."""
    go = find_go()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    flags = ["-trimpath", "-buildvcs=false", "-ldflags", _ldflags(go)]
    command = [go, "build", *flags, "-o", str(partial), package]
    began = time.monotonic()
    if not quiet:
        print(f"building {target.name} …", file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=HERE, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        partial.unlink(missing_ok=True)
        raise CannotBuild(f"go build {package} failed:\n{done.stderr[-4000:]}")
    partial.rename(target)
    if not quiet:
        seconds, size = time.monotonic() - began, target.stat().st_size
        print(f"built {target.name} in {seconds:.0f} s, {size / 2**20:.0f} MiB", file=sys.stderr, flush=True)


def _environment() -> dict[str, str]:
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}


def _ldflags(go: str) -> str:
    """What tells the programs which release they are; without it the API server calls itself v0.0.0-master."""
    version = release(go)
    major, minor, _ = version.removeprefix("v").split(".", 2)
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    return " ".join(["-s", "-w", *(f"-X {p}.{k}={v}" for p in packages for k, v in values.items())])


def release(go: str | None = None) -> str:
    """The pinned release of Kubernetes, as in v1.37.2."""
    command = [go or find_go(), "list", "-m", "-json", "k8s.io/kubernetes"]
    done = subprocess.run(command, cwd=HERE, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"go list -m failed:\n{done.stderr[-2000:]}")
    return str(json.loads(done.stdout)["Version"])


def find_go() -> str:
    """
    The Go toolchain, at least as new as go.mod demands: on PATH, else where installers put it.

    Raises:
        CannotBuild: none is there, or each is too old; the text names what was found.
    """
    wanted = ".".join(map(str, OLDEST_GO))
    found = [shutil.which("go"), shutil.which("go", path="/usr/local/go/bin:/usr/lib/go/bin")]
    refused = []
    for go in dict.fromkeys(each for each in found if each):
        version = _go_version(go)
        numbers = re.match(r"go(\d+)\.(\d+)", version)
        if numbers and tuple(map(int, numbers.groups())) >= OLDEST_GO:
            return go
        refused.append(f"{go} says {version or 'nothing'}")
    raise CannotBuild(f"Go {wanted} or newer is needed; {'; '.join(refused) or 'no go was found on PATH'}")


def _go_version(go: str) -> str:
    """As in go1.26.8, after a switch of toolchains that go.mod may ask for; else the last line of the complaint."""
    command = [go, "env", "GOVERSION"]
    done = subprocess.run(command, cwd=HERE, env=_environment(), capture_output=True, text=True, check=False)
    return (done.stdout.strip() or done.stderr.strip()).rpartition("\n")[2]


def main() -> int:
    """Build what is asked for, by default everything, and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join([*CONTROL_PLANE, *own_programs()])}")
    parser.add_argument("--go", action="store_true", help="build nothing; print which Go would be used")
    args = parser.parse_args()
    try:
        if args.go:
            print(find_go())
            return 0
        for name in args.names or [*own_programs(), *CONTROL_PLANE]:
            print(program(name, quiet=False))
    except CannotBuild as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
