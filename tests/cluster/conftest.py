"""The control plane for tests marked `cluster`, which only run when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .build import CannotBuild, program
from .controlplane import ControlPlane


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave cluster tests out of an ordinary run: the first build takes long."""
    if os.environ.get("DRA_TEST_CLUSTER") or "cluster" in (config.getoption("markexpr") or ""):
        return
    for item in items:
        if item.get_closest_marker("cluster"):
            item.add_marker(pytest.mark.skip(reason="needs a real control plane: make test-cluster"))


RESULT_LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def result_lines(request: pytest.FixtureRequest) -> list[str]:
    """Lines to print at the end of the run, passed or failed."""
    return request.config.stash.setdefault(RESULT_LINES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what tests measured."""
    for line in config.stash.get(RESULT_LINES, []):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def control_plane() -> Iterator[ControlPlane]:
    """One control plane for all tests; a test that breaks it starts its own."""
    try:
        with ControlPlane() as running:
            running.wait_for_namespace()
            yield running
    except CannotBuild as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def upstream_allocator() -> str:
    """The path of the program that asks upstream's allocator."""
    try:
        return str(program("allocate"))
    except CannotBuild as error:
        pytest.fail(str(error), pytrace=False)
