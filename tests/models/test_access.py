"""Publish tokens, and the one place that answers who may do what."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from pools.access import may_publish, may_see, visible
from pools.models import Cluster, PublishToken

pytestmark = pytest.mark.django_db


def test_a_secret_matches_its_token_only():
    first, secret = PublishToken.issue("first")
    PublishToken.issue("second")

    assert PublishToken.objects.matching(secret) == first
    assert PublishToken.objects.matching(secret + "x") is None
    assert PublishToken.objects.matching("") is None


def test_issuing_again_ends_the_old_secret():
    _, old = PublishToken.issue("name")
    _, new = PublishToken.issue("name")

    assert PublishToken.objects.matching(old) is None
    assert PublishToken.objects.matching(new) is not None


def test_an_expired_token_matches_nothing():
    _, secret = PublishToken.issue("name", expires_at=timezone.now() - timedelta(seconds=1))

    assert PublishToken.objects.matching(secret) is None


@pytest.mark.parametrize(
    ("bounds", "cluster", "driver", "may"),
    [
        ({}, "any", "any", True),
        ({}, "any", None, True),
        ({"cluster": "east"}, "east", None, True),
        ({"cluster": "east"}, "west", None, False),
        ({"driver": "gpu"}, "any", "gpu", True),
        ({"driver": "gpu"}, "any", "nic", False),
        ({"driver": "gpu"}, "any", None, False),
        ({"cluster": "east", "driver": "gpu"}, "west", "gpu", False),
    ],
)
def test_what_a_token_covers(bounds, cluster, driver, may):
    assert may_publish(PublishToken(name="t", **bounds), cluster, driver) is may


def test_everybody_sees_everything_so_far():
    row = Cluster.objects.create(name="c")

    assert list(visible(AnonymousUser(), Cluster.objects.all())) == [row]
    assert may_see(AnonymousUser(), row)
