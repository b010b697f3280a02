"""`manage.py token`: made once, shown once, kept as a hash."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.core.management import CommandError

from pools.models import PublishToken


def test_a_token_is_shown_once_and_only_its_hash_is_kept(manage):
    _, out, err = manage("token", "create", "driver", cluster="east", driver="gpu.example.com")

    secret = out.strip()
    assert secret.startswith("dra_")
    token = PublishToken.objects.matching(secret)
    assert (token.name, token.cluster, token.driver, token.expires_at) == ("driver", "east", "gpu.example.com", None)
    assert secret.encode() not in bytes(token.digest)
    assert "cluster east, driver gpu.example.com, does not expire" in err


@time_machine.travel(datetime(2026, 12, 1, tzinfo=UTC), tick=False)
def test_a_token_ends_when_it_says(manage):
    _, out, err = manage("token", "create", "short", expires="90d")

    assert "expires 2027-03-01 00:00 UTC" in err
    with time_machine.travel(datetime(2027, 2, 28, tzinfo=UTC)):
        assert PublishToken.objects.matching(out.strip()) is not None
    with time_machine.travel(datetime(2027, 3, 1, 0, 0, 1, tzinfo=UTC)):
        assert PublishToken.objects.matching(out.strip()) is None


def test_the_list_shows_everything_but_the_secret(manage):
    _, secret, _ = manage("token", "create", "a", driver="gpu.example.com")
    manage("token", "create", "b", cluster="east", expires="1h")

    _, out, _ = manage("token", "list")

    first, second = out.splitlines()
    assert first == "a: any cluster, driver gpu.example.com, does not expire, never used"
    assert second.startswith("b: cluster east, any object, expires ")
    assert secret.strip() not in out


def test_a_revoked_token_ends_at_once(manage):
    _, secret, _ = manage("token", "create", "a")

    manage("token", "revoke", "a")

    assert PublishToken.objects.matching(secret.strip()) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create", " "], "1 to 100 printable characters"),
        (["create", "x" * 101], "1 to 100 printable characters"),
        (["create", "taken"], "there is a token 'taken' already"),
        (["create", "n", "--expires", "soon"], "not a lifetime: 'soon'"),
        (["create", "n", "--expires", "0d"], "not a lifetime"),
        (["create", "n", "--expires", "999999w"], "not a lifetime"),
        (["create", "n", "--cluster", "a b"], "a cluster's name"),
        (["create", "n", "--driver", "x" * 254], "at most 253"),
        (["revoke", "nobody"], "there is no token 'nobody'"),
    ],
)
def test_a_wrong_argument_is_told(manage, arguments, message):
    manage("token", "create", "taken")

    with pytest.raises(CommandError, match=message):
        manage("token", *arguments)
