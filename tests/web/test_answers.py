"""Pages that answer: why a claim waits, what would help, what would be if, what allocations waste."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from pools.models import Claim, SavedScenario, StoredObject
from pools.queries.inquiry import KEPT
from tests.queries.test_whatif import GPU, MIG
from tests.web import objects
from tests.web.test_pages import words

pytestmark = pytest.mark.django_db
WRONG = ("gpu-0-mig-1g5gb-19-1", "gpu-0-mig-1g5gb-19-5")
ONE_3G = {"cel": {"expression": 'has(device.attributes["gpu.nvidia.com"].profile) && '
                                'device.attributes["gpu.nvidia.com"].profile == "3g.20gb"'}}  # fmt: skip


def wanting(name="wanted", **more):
    """A claim for half a card."""
    item = objects.claim(name, **more)
    item["spec"]["devices"]["requests"][0]["exactly"]["selectors"] = [ONE_3G]
    return item


@pytest.fixture
def wrong_halves():
    """One A100 with two small partitions where they block every half, and a claim for a half that waits."""
    waiting = objects.pod("waiter", "wanted")
    told = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes: cannot allocate",
    }
    waiting["status"]["conditions"] = [told]
    held = [objects.claim(f"c{index}", ("n1", name), reserved=f"p{index}") for index, name in enumerate(WRONG)]
    objects.put(MIG, GPU, objects.node("n1"), *objects.mig_node("n1"), *held, wanting(), waiting)


def page(client, address, status=200):
    response = client.get(address)
    assert response.status_code == status, response.content
    return response


CLAIM = "/claims/default/ml/wanted/"
CARD = "/cards/default/gpu.nvidia.com/n1/gpu-0-counter-set/"


def test_a_waiting_claim_says_why_with_the_schedulers_word_beside_it(client, wrong_halves):
    told = words(page(client, CLAIM))

    assert "Why it waits" in told
    assert "2 matching devices are free but short of counters" in told
    assert "The scheduler says of pod ml/waiter : 0/1 nodes: cannot allocate" in told
    assert "It read profile 1g.5gb on 7" in told
    assert "26 seen 25 of the class 2 selected by the request 0 with counters left" in told
    assert "needs 1 of gpu-0-counter-set/memory-slice-1 , 0 left" in told


def test_what_would_help_leads_to_the_claims_and_to_the_question(client, wrong_halves):
    response = page(client, CLAIM)
    told, html = words(response), response.content.decode()

    assert (
        "Any one of these claims would do, the cheapest first. All 1 nodes were looked at; no smaller set helps."
        in told
    )
    for name in ("c0", "c1"):
        assert f'href="/claims/default/ml/{name}/"' in html
        assert "moves to gpu-0-mig" in told
    question = re.search(r'href="(/what-if/\?[^"]*release=ml%2Fc0)"', html)[1].replace("&amp;", "&")
    assert "does not fit now → would fit" in words(page(client, question))


def test_a_claim_that_fits_says_where(client, wrong_halves):
    objects.put(objects.claim("small", device_class="gpu.nvidia.com"), *objects.mig_node("n2"), objects.node("n2"))

    told = words(page(client, "/claims/default/ml/small/"))

    assert "It fits now" in told
    assert "Can be allocated now on node n2" in told
    assert "What would help" not in told


def test_a_claim_that_fits_while_its_pod_does_not_says_so(client, wrong_halves):
    both = objects.pod("both", "small", "wanted")
    objects.put(objects.claim("small", device_class="mig.nvidia.com"), both)

    told = words(page(client, "/claims/default/ml/small/"))

    assert "It fits by itself, but not its pod" in told
    assert re.search(r"Pod ml/both as a whole: ml/wanted: 2 matching devices are free", told)


def test_an_allocated_claim_has_none_of_it(client, wrong_halves):
    assert "Why it waits" not in words(page(client, "/claims/default/ml/c0/"))


def test_a_card_says_what_its_allocations_waste_and_which_move_would_win(client, wrong_halves):
    told = words(page(client, CARD))

    assert re.search(r"3g\.20gb\s+0\s+1\s+move\s+ml/c\d\s+from gpu-0-mig-1g5gb-19-\d to gpu-0-mig-1g5gb-19-\d", told)
    assert "Would this layout fit?" in told


def test_a_well_packed_card_says_so(client):
    objects.fleet(1)

    told = words(page(client, "/cards/default/gpu.nvidia.com/node-0/gpu-0-counter-set/"))

    assert "Nothing is lost to placement" in told


def test_the_fleet_says_what_is_lost_and_on_which_cards(client, wrong_halves):
    objects.put(*objects.mig_node("n2"), objects.node("n2"))
    response = page(client, reverse("web:fragmentation"))

    assert "1 of 2 cards could take more" in words(response)
    rows = {row.type: (row.now, row.repacked) for row in response.context["room"].types}
    assert rows["3g.20gb"] == (2, 3)
    assert f'href="{CARD}#fragmentation-title"' in response.content.decode()
    assert page(client, "/fragmentation/?node=n2").context["room"].cards_losing == 0


def test_a_pool_shows_upstreams_summary_beside_ours_and_why_they_differ(client, wrong_halves):
    told = words(page(client, "/pools/default/gpu.nvidia.com/n1/"))

    assert "As upstream sums it up" in told
    assert re.search(r"available\s+24\s+\d+", told)
    assert "Upstream calls every device available that is neither allocated nor tainted" in told


def test_a_question_is_answered_where_it_is_asked(client, wrong_halves):
    response = page(client, "/what-if/?claim=ml/wanted&drain=n1")

    told = words(response)
    assert "It does not fit" in told
    assert "Has to leave its node" in told
    assert 'aria-label="Take back: drained n1"' in response.content.decode()


def test_what_only_the_question_has_leads_nowhere(client, wrong_halves):
    html = page(client, "/what-if/?claim=ml/wanted&grow=n1:2").content.decode()

    assert "n1-new-1" in html
    links = {
        link.replace("&amp;", "&") for link in re.findall(r'href="(/(?:nodes|devices|cards|pools|claims)/[^"]+)"', html)
    }
    assert all(client.get(link).status_code == 200 for link in links)
    assert not any("n1-new" in link for link in links)


def test_each_change_can_be_taken_back_by_a_link(client, wrong_halves):
    html = page(client, "/what-if/?claim=ml/wanted&release=ml/c0&release=ml/c1").content.decode()

    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]+)" aria-label="Take back', html)]
    assert [parse_qs(urlsplit(link).query)["release"] for link in links] == [["ml/c1"], ["ml/c0"]]


def test_an_address_loses_the_empty_fields_of_a_form(client, wrong_halves):
    response = client.get("/what-if/?claim=ml/wanted&pod=&release=&drain=n1")

    assert response.status_code == 302
    assert response["Location"] == "/what-if/?claim=ml%2Fwanted&drain=n1"


@pytest.mark.parametrize(
    "query", ["claim=ml/nobody", "claim=nobody", "release=ml/wanted", "doc=nonsense", "scenario=none"]
)
def test_a_question_that_cannot_be_asked_says_what_is_wrong(client, wrong_halves, query):
    assert "That cannot be asked" in words(page(client, f"/what-if/?{query}"))


def test_pasted_objects_become_part_of_the_address(client, wrong_halves):
    response = client.post("/what-if/", {"objects": json.dumps(wanting("pasted")), "release": "ml/c0"})

    assert response.status_code == 302
    assert "doc=" in response["Location"]
    told = words(page(client, response["Location"]))
    assert "claim ml/pasted" in told
    assert "It fits" in told
    assert not Claim.objects.filter(name="pasted").exists()


def test_objects_too_long_for_an_address_are_kept_and_named(client, wrong_halves):
    many = [wanting(f"c-{index:x}-{hash(str(index)) & 0xFFFFFFFF:x}") for index in range(150)]
    response = client.post("/what-if/", {"objects": json.dumps(many)})

    assert f"doc={KEPT}" in response["Location"]
    assert len(response["Location"]) < 200
    assert page(client, response["Location"]).context["view"].lines
    SavedScenario.objects.all().delete()
    assert "no longer kept" in words(page(client, response["Location"]))


def test_what_was_pasted_wrongly_is_shown_again_with_the_reason(client, wrong_halves):
    response = client.post("/what-if/", {"objects": "kind: Nonsense\napiVersion: v1\nmetadata: {name: x}"})

    assert response.status_code == 400
    assert "is not accepted" in words(response)
    assert "kind: Nonsense" in response.content.decode()


def test_a_question_can_be_saved_found_and_deleted(client, wrong_halves):
    saved = client.post("/what-if/", {"claim": "ml/wanted", "release": "ml/c0", "save": "free c0"})
    assert saved["Location"] == "/what-if/?scenario=free+c0"

    response = page(client, saved["Location"])
    assert "would fit" in words(response)
    assert "?scenario=free%20c0" in response.content.decode()
    client.post("/what-if/", {"remove": "free c0"})
    assert not SavedScenario.objects.exists()


@pytest.mark.parametrize("name", ["x" * 101, f"{KEPT}mine", "a\x07b"])
def test_a_name_that_cannot_be_kept_is_refused(client, wrong_halves, name):
    assert client.post("/what-if/", {"claim": "ml/wanted", "save": name}).status_code == 400
    assert not SavedScenario.objects.exists()


def test_a_layout_that_cannot_be_placed_says_why(client, wrong_halves):
    address = "/what-if/?pool=gpu.nvidia.com/n1&card=gpu-0-counter-set&emptied=true&layout=4+x+1g.10gb,3+x+1g.5gb"

    told = words(page(client, address))

    assert "The layout cannot be placed" in told
    assert "Each entry would fit by itself, but not all together." in told
    assert "It needs at least 11 of memory-slice, and 8 is free." in told


def test_a_layout_that_fits_is_drawn(client, wrong_halves):
    address = "/what-if/?pool=gpu.nvidia.com/n1&card=gpu-0-counter-set&emptied=true&layout=1+x+3g.20gb,1+x+4g.20gb"

    response = page(client, address)

    assert "The layout fits" in words(response)
    assert "gpu-0-mig-3g20gb-9-4" in response.content.decode()
    assert "<svg" in response.content.decode().partition("layout")[2]


def test_one_of_several_clusters_has_to_be_chosen(client, wrong_halves):
    objects.put(objects.claim("elsewhere"), cluster="edge")

    told = words(page(client, "/what-if/?claim=ml/wanted"))

    assert "there are several clusters" in told
    assert "It does not fit" in words(page(client, "/what-if/?cluster=default&claim=ml/wanted"))


def test_names_that_hold_markup_stay_text(client, wrong_halves):
    html = page(client, "/what-if/?claim=ml/<script>alert(1)</script>&release=ml/c0").content.decode()

    assert "<script>alert" not in html


def test_asking_writes_nothing(client, wrong_halves):
    before = list(StoredObject.objects.order_by("pk").values_list("pk", "digest"))

    page(client, "/what-if/?claim=ml/wanted&release=ml/c0&drain=n1&grow=n1:2")
    page(client, CLAIM)

    assert list(StoredObject.objects.order_by("pk").values_list("pk", "digest")) == before
    assert not SavedScenario.objects.exists()
