"""Every setting, command, figure and endpoint is documented; nothing else is."""

import pathlib
import re

import pytest
from django.urls import get_resolver

from dra_dashboard import settings

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text() if (ROOT / "README.md").exists() else ""


def table_keys(heading):
    """First-column code spans of the table under a README heading."""
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", section, re.MULTILINE))


def test_the_settings_table_says_what_the_program_says_of_each_setting():
    assert settings.knobs.declared
    for knob in settings.knobs.declared.values():
        assert f"| `{knob.name}` | {knob.purpose} | {knob.accepts} | {shown(knob.default)} |" in README


def test_no_setting_is_documented_that_does_not_exist():
    assert table_keys("Settings") == {knob.name for knob in settings.knobs.declared.values()}


def shown(default):
    """Paths below the checkout are told from there."""
    return default.replace(f"{ROOT}/", "") or "–"


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
