"""What a card's allocations waste is kept with its rows, and is what the core says."""

import pytest

from pools.core.repack import fragmentation
from pools.domain.quantity import format_nano
from pools.ingest.publish import remove
from pools.models import Card, Pool, TypeCount
from pools.queries.reports import pool_report
from tests.web import objects

pytestmark = pytest.mark.django_db
WRONG = ("gpu-0-mig-1g5gb-19-1", "gpu-0-mig-1g5gb-19-5")


@pytest.fixture
def card():
    objects.put(*objects.mig_node("n1", 2), *(objects.claim(f"c{i}", ("n1", name)) for i, name in enumerate(WRONG)))
    return Card.objects.get(key="gpu-0-counter-set")


def test_rows_say_what_the_core_says(card):
    for row in Card.objects.all():
        found = fragmentation(pool_report(row.pool), row.key)
        rooms = {room.type: (room.now, room.repacked, room.exact) for room in found.types}

        counts = TypeCount.objects.filter(card=row)
        assert {each.type: (each.max_more, each.repacked, each.repacked_exact) for each in counts} == rooms
        assert row.types_lost == len(found.lost)
        assert {each["name"]: each["stranded"] for each in row.stranded} == {
            waste.name: format_nano(waste.stranded_nano, waste.like) for waste in found.wastes if waste.free_nano
        }


def test_two_small_partitions_in_the_wrong_halves_show_what_they_cost(card):
    lost = {row.type: (row.max_more, row.repacked) for row in TypeCount.objects.filter(card=card)}

    assert lost["3g.20gb"] == (0, 1)
    assert lost["4g.20gb"] == (0, 1)
    assert card.types_lost >= 2


def test_releasing_one_of_them_makes_it_good(card):
    remove(cluster="default", kind="ResourceClaim", namespace="ml", name="c0", token=None)

    lost = {row.type: (row.max_more, row.repacked) for row in TypeCount.objects.filter(card=card)}
    assert lost["3g.20gb"] == lost["4g.20gb"] == (1, 1)


def test_nothing_is_stranded_on_an_empty_card(card):
    other = Card.objects.exclude(pk=card.pk).get()

    assert {each["stranded"] for each in other.stranded} == {"0"}
    assert other.stranded_share == 0


def test_of_a_pool_that_cannot_be_used_nothing_is_said():
    objects.put(*objects.mig_node("n1")[:1])

    assert Pool.objects.get().state == "incomplete"
    assert not Card.objects.filter(stranded_share__gt=0).exists()
