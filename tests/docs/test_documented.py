"""Every setting, command, figure and endpoint is documented; nothing else is."""

import pathlib
import re

import pytest
from django.urls import get_resolver

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text() if (ROOT / "README.md").exists() else ""


def table_keys(heading):
    """First-column code spans of the table under a README heading."""
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", section, re.MULTILINE))


def test_each_setting_has_a_row_and_each_row_a_setting():
    source = "".join(path.read_text() for path in (ROOT / "dra_dashboard").glob("*.py"))
    used = {f"DRA_{name}" for name in re.findall(r'env(?:\.\w+)?\(\s*"([A-Z_]+)"', source)}
    assert used
    assert table_keys("Settings") == used


def test_each_command_has_a_row_and_each_row_a_command():
    commands = {path.stem for path in (ROOT / "pools/management/commands").glob("[a-z]*.py")}
    documented = {key.split()[1] for key in table_keys("Commands") if key.startswith("manage.py")}
    assert documented == commands


def endpoints(patterns=None, prefix=""):
    """Every route as text."""
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from endpoints(pattern.url_patterns, route)
        else:
            yield route


@pytest.mark.django_db
def test_each_api_endpoint_is_in_the_schema(client):
    schema = client.get("/api/schema/?format=json").json()
    documented = {re.sub(r"\{[^}]+\}", "{}", path) for path in schema["paths"]}
    routes = {
        "/" + re.sub(r"<[^>]+>", "{}", route)
        for route in endpoints()
        if route.startswith("api/v1/") and "format" not in route
    }
    assert routes
    assert routes - documented == set()
