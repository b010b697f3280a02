"""What the fleet page counts."""

from django.contrib.auth.models import AnonymousUser

from pools.queries.fleet import type_sums
from pools.queries.scope import Scope
from tests.web import objects


def sums():
    return {row.type: row.max_more for row in type_sums(AnonymousUser(), Scope())}


def test_every_type_of_every_model_is_listed(db):
    objects.put(*objects.mig_node("a"))

    assert sums() == {
        "whole gpu": 1,
        "7g.40gb": 1,
        "4g.20gb": 1,
        "3g.20gb": 2,
        "2g.10gb": 3,
        "1g.10gb": 4,
        "1g.5gb": 7,
        "1g.5gb+me": 1,
    }


def test_types_of_a_pool_that_cannot_be_used_are_not_counted_as_full(db):
    objects.put(*objects.mig_node("a", 2)[:2])

    assert sums() == {}
