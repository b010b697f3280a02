"""Settings: every variable is checked, and a wrong one stops the start by name."""

import os
import pathlib
import runpy
import stat
import subprocess
import sys
import threading

import pytest
from django.core.exceptions import ImproperlyConfigured

from dra_dashboard.knobs import Knobs, host_of, is_loopback

ROOT = pathlib.Path(__file__).parents[2]
KEY = "k9-" + "abcdefghij" * 6


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Read the settings under these DRA_* variables only."""

    def load(**variables):
        for name in list(os.environ):
            if name.startswith("DRA_"):
                monkeypatch.delenv(name)
        for name, value in {"VAR_DIR": str(tmp_path), **variables}.items():
            monkeypatch.setenv(f"DRA_{name}", value)
        return runpy.run_path(str(ROOT / "dra_dashboard" / "settings.py"))

    return load


def test_without_any_variable_everything_has_a_safe_value(load, tmp_path):
    settings = load()

    assert settings["DEBUG"] is False
    assert settings["BIND"] == "127.0.0.1:8000"
    assert settings["LOGIN_REQUIRED"] is False
    assert settings["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "[::1]"]
    assert settings["DATABASES"]["default"]["NAME"] == str(tmp_path / "dashboard.sqlite3")
    assert settings["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", "maybe"),
        ("HTTPS", "2"),
        ("LOGIN_REQUIRED", "y"),
        ("BIND", "8000"),
        ("BIND", "127.0.0.1"),
        ("BIND", "127.0.0.1:0"),
        ("BIND", "127.0.0.1:65536"),
        ("BIND", "127.0.0.1:http"),
        ("BIND", "http://127.0.0.1:8000"),
        ("BIND", "*:8000"),
        ("BIND", "::1:8000"),
        ("ALLOWED_HOSTS", "https://dashboard.example.com"),
        ("ALLOWED_HOSTS", "dashboard.example.com:8000"),
        ("ALLOWED_HOSTS", ","),
        ("TRUSTED_ORIGINS", "dashboard.example.com"),
        ("TRUSTED_ORIGINS", "https://dashboard.example.com/path"),
        ("TRUSTED_ORIGINS", "https://x:notaport"),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "a" * 60),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("DATABASE_URL", "postgres://localhost"),
        ("DATABASE_URL", "postgres://localhost:port/x"),
        ("DATABASE_URL", "sqlite:////nonexistent-folder/x.sqlite3"),
        ("DATABASE_URL", "dashboard.sqlite3"),
        ("LOG_LEVEL", "LOUD"),
        ("KUBERNETES_VERSION", "1.30"),
        ("KUBERNETES_VERSION", "v1.37"),
        ("POLL_SECONDS", "0"),
        ("POLL_SECONDS", "nan"),
        ("POLL_SECONDS", "fast"),
        ("MAX_BODY_MIB", "0"),
        ("MAX_BODY_MIB", "64MiB"),
        ("MAX_OBJECTS", "-1"),
        ("MAX_OBJECTS", "1e3"),
        ("MAX_DEPTH", "7"),
        ("MAX_DEPTH", "1.5"),
        ("MAX_ALIASES", "1000000"),
        ("MAX_ALIASES", "٣"),
        ("VAR_DIR", "/proc/nonexistent/var"),
    ],
)
def test_a_value_that_is_not_accepted_stops_the_start_and_says_what_is(load, name, value):
    with pytest.raises(ImproperlyConfigured, match=rf"DRA_{name}=.* is not accepted.*: give ") as excinfo:
        load(**{name: value})

    secret = name in ("SECRET_KEY", "DATABASE_URL")
    assert (value in str(excinfo.value)) is not secret


@pytest.mark.parametrize(
    ("name", "value", "setting", "wanted"),
    [
        ("DEBUG", "TRUE", "DEBUG", True),
        ("HTTPS", "1", "HTTPS", True),
        ("BIND", "[::1]:9000", "BIND", "[::1]:9000"),
        ("BIND", "unix:/run/dra.sock", "BIND", "unix:/run/dra.sock"),
        ("LOG_LEVEL", "debug", "LOG_LEVEL", "DEBUG"),
        ("POLL_SECONDS", "2.5", "POLL_SECONDS", 2.5),
        ("MAX_DEPTH", "", "MAX_DEPTH", 64),
        ("MAX_OBJECTS", " 5 ", "MAX_OBJECTS", 5),
        ("ALLOWED_HOSTS", "a.example.com, .example.org", "ALLOWED_HOSTS", ["a.example.com", ".example.org"]),
        ("TRUSTED_ORIGINS", "https://a.example.com:8443/", "CSRF_TRUSTED_ORIGINS", ["https://a.example.com:8443"]),
        ("KUBERNETES_VERSION", "1.34", "KUBERNETES_VERSION", "1.34"),
        ("SECRET_KEY", KEY, "SECRET_KEY", KEY),
    ],
)
def test_a_value_that_is_accepted_is_taken(load, name, value, setting, wanted):
    assert load(**{name: value})[setting] == wanted


def test_postgresql_is_a_matter_of_the_url(load):
    database = load(DATABASE_URL="postgres://me:p%40ss@db.example.com:5433/dra")["DATABASES"]["default"]

    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["USER"], database["PASSWORD"], database["PORT"], database["NAME"]) == ("me", "p@ss", 5433, "dra")
    assert "transaction_mode" not in database.get("OPTIONS", {})


def test_a_data_folder_may_have_any_name(load, tmp_path):
    folder = tmp_path / "data #1 100%?"

    assert load(VAR_DIR=str(folder))["DATABASES"]["default"]["NAME"] == str(folder / "dashboard.sqlite3")


@pytest.mark.parametrize(
    ("variables", "required"),
    [
        ({"BIND": "127.0.0.1:8000"}, False),
        ({"BIND": "localhost:8000"}, False),
        ({"BIND": "[::1]:8000"}, False),
        ({"BIND": "0.0.0.0:8000"}, True),
        ({"BIND": "[::]:8000"}, True),
        ({"BIND": "10.0.0.7:8000"}, True),
        ({"BIND": "dashboard.example.com:8000"}, True),
        ({"BIND": "unix:/run/dra.sock"}, True),
        ({"HTTPS": "true"}, True),
        ({"BIND": "0.0.0.0:8000", "LOGIN_REQUIRED": "false"}, False),
        ({"BIND": "127.0.0.1:8000", "LOGIN_REQUIRED": "true"}, True),
    ],
)
def test_login_is_asked_for_as_soon_as_others_can_reach_the_server(load, variables, required):
    settings = load(**variables)

    assert settings["LOGIN_REQUIRED"] is required
    assert ("django.contrib.auth.middleware.LoginRequiredMiddleware" in settings["MIDDLEWARE"]) is required


def test_the_server_answers_to_the_name_it_is_bound_to(load):
    assert load(BIND="10.0.0.7:80")["ALLOWED_HOSTS"][-1] == "10.0.0.7"
    assert host_of("0.0.0.0:80") == []
    assert host_of("unix:/run/x") == []
    assert is_loopback("127.9.9.9:1")


def test_the_secret_key_is_made_once_and_only_its_owner_may_read_it(load, tmp_path):
    first = load()["SECRET_KEY"]

    assert len(first) >= 50
    assert load()["SECRET_KEY"] == first
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_servers_that_start_at_once_agree_on_the_key(tmp_path):
    keys, gate = [], threading.Barrier(8)

    def start():
        gate.wait()
        keys.append(Knobs("DRA_UNUSED_").secret_key("SECRET_KEY", tmp_path, ""))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


def run_manage(tmp_path, *arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRA_")}
    environment |= {f"DRA_{name}": value for name, value in {"VAR_DIR": str(tmp_path), **variables}.items()}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_production_setting_passes_djangos_deployment_check(tmp_path):
    done = run_manage(
        tmp_path,
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        HTTPS="true",
        SECRET_KEY=KEY,
        ALLOWED_HOSTS="dashboard.example.com",
        BIND="0.0.0.0:8000",
    )

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_a_wrong_value_stops_any_command_with_one_readable_line(tmp_path):
    done = run_manage(tmp_path, "migrate", MAX_DEPTH="deep")

    assert done.returncode != 0
    assert done.stderr.strip().splitlines()[-1] == (
        "django.core.exceptions.ImproperlyConfigured: "
        "DRA_MAX_DEPTH='deep' is not accepted: give a whole number from 8 to 200."
    )


def test_each_knob_says_what_it_is_for(load):
    declared = load()["knobs"].declared

    assert len(declared) >= 15
    assert all(knob.purpose and knob.accepts and knob.default for knob in declared.values())
