"""Shared test helpers: where the reference material lies, and a plain skip when it is not there.

Examples of property tests have no time limit each: a busy machine must not fail them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_path(*parts: str) -> Path:
    """
    A path below the reference material next to the repository (fixtures, cases, conformance, tools).

    At module level (e.g. to parametrise) and inside tests alike, the calling test is skipped when it is absent.
    """
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference material not found: {path}", allow_module_level=True)
    return path


@pytest.fixture
def shared() -> Path:
    """The root of the reference material; skips the test when it is absent."""
    return shared_path()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory):
    """SQLite in a file, as in production: tests of racing writers need a real connection in each thread."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database.setdefault("TEST", {})["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def static_files_from_the_source():
    """Static files as they are now, whatever was collected under var/ some time ago."""
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(
        STORAGES={**settings.STORAGES, "staticfiles": plain}, WHITENOISE_USE_FINDERS=True, WHITENOISE_AUTOREFRESH=True
    ):
        yield
