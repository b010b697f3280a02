"""Running commands in tests."""

import io

import pytest
from django.core.management import call_command


@pytest.fixture
def manage(db):
    """Run a command; gives its exit status, standard output and error output."""

    def manage(*arguments, **options):
        out, err = io.StringIO(), io.StringIO()
        status = 0
        try:
            call_command(*arguments, stdout=out, stderr=err, **options)
        except SystemExit as stop:
            status = stop.code
        return status, out.getvalue(), err.getvalue()

    return manage
