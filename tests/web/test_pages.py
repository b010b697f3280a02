"""Each page answers, says when its data are from, and names its JSON twin."""

import re

import pytest
from django.urls import reverse

from tests.web import objects

POOL = ["default", "gpu.nvidia.com", "node-0"]
PAGES = {
    "fleet": reverse("web:fleet"),
    "fleet by largest": f"{reverse('web:fleet')}?colour=largest",
    "pools": reverse("web:pools"),
    "pool": reverse("web:pool", args=POOL),
    "pool with all counters": f"{reverse('web:pool', args=POOL)}?counter=*",
    "card": reverse("web:card", args=[*POOL, "gpu-0-counter-set"]),
    "devices": reverse("web:devices"),
    "device": reverse("web:device", args=[*POOL, "gpu-0-mig-3g20gb-9-4"]),
    "claims": reverse("web:claims"),
    "claim": reverse("web:claim", args=["default", "ml", "train-0"]),
    "pending claim": reverse("web:claim", args=["default", "ml", "waiting-0"]),
    "nodes": reverse("web:nodes"),
    "node": reverse("web:node", args=["default", "node-0"]),
    "findings": reverse("web:findings"),
    "what-if": reverse("web:what-if"),
    "what-if with an answer": f"{reverse('web:what-if')}?cluster=default&class=mig.nvidia.com&release=ml/train-0",
    "fragmentation": reverse("web:fragmentation"),
}


def words(response):
    """The text of a page, without its markup."""
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", response.content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES.keys())
def test_a_page_answers_with_its_time_and_its_json_twin(client, one_node, address):
    response = client.get(address)

    assert response.status_code == 200
    assert re.search(r"As of 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", words(response))
    assert re.search(r'<link rel="alternate" type="application/json" href="/api/v1/[^"]+">', response.content.decode())


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES.keys())
def test_htmx_gets_only_the_part_that_changes(client, one_node, address):
    response = client.get(address, headers={"HX-Request": "true"})

    assert "<html" not in response.content.decode()
    assert 'id="live-part"' in response.content.decode()
    assert "HX-Request" in response.headers["Vary"]


@pytest.mark.parametrize(
    "address",
    [*(reverse(f"web:{name}") for name in ("fleet", "pools", "devices", "claims", "nodes", "findings", "search"))],
)
def test_an_empty_dashboard_says_so_on_every_list(client, db, address):
    response = client.get(address)

    assert response.status_code == 200
    assert 'class="empty"' in response.content.decode()


@pytest.mark.parametrize(
    ("view", "args"),
    [
        ("pool", ["default", "gpu.nvidia.com", "absent"]),
        ("pool", ["other", "gpu.nvidia.com", "node-0"]),
        ("card", [*POOL, "absent"]),
        ("slots", [*POOL, "absent"]),
        ("device", [*POOL, "absent"]),
        ("claim", ["default", "ml", "absent"]),
        ("node", ["default", "absent"]),
    ],
)
def test_what_is_not_there_is_a_404_in_the_same_look(client, one_node, view, args):
    response = client.get(reverse(f"web:{view}", args=args))

    assert response.status_code == 404
    assert "There is no such page" in words(response)
    assert 'href="/pools/"' in response.content.decode()


@pytest.mark.parametrize(
    "address",
    [
        "/?state=nonsense",
        "/pools/?has=x",
        "/?colour=red",
        "/findings/?severity=x",
        "/pools/?name=%00",
        f"/?node={'x' * 999}",
    ],
)
def test_a_value_that_a_page_does_not_know_is_a_400(client, db, address):
    assert client.get(address).status_code == 400


def test_the_fleet_answers_what_is_wrong_full_and_waiting(client, db):
    objects.fleet(1)
    objects.put(objects.claim("whole", ("node-1", "gpu-0")), *objects.mig_node("node-1"))

    page = words(client.get("/"))

    assert re.search(r"1 of 2 cards take no further device", page)
    assert re.search(r"No\s+7g.40gb\s+fits anywhere", page)
    assert re.search(r"1 claim without an allocation", page)


@pytest.mark.parametrize(
    ("query", "shown", "hidden"),
    [
        ("cluster=east", ">node-east<", ">node-west<"),
        ("node=node-west", ">node-west<", ">node-east<"),
        ("driver=gpu.nvidia.com", ">node-east<", "nothing-of-the-kind"),
    ],
)
def test_filters_of_the_fleet_leave_out_what_they_say(client, db, query, shown, hidden):
    objects.put(*objects.mig_node("node-east"), cluster="east")
    objects.put(*objects.mig_node("node-west"), cluster="west")

    page = client.get(f"/?{query}").content.decode()

    assert shown in page
    assert hidden not in page


def test_the_card_page_names_the_counter_and_the_claim_that_block_a_partition(client, one_node):
    page = words(client.get(PAGES["card"]))

    assert re.search(r"memory-slice-\d of gpu-0-counter-set: needs 1, 0 left, held by ml/train-0", page)


def test_the_card_page_lists_only_the_state_asked_for(client, one_node):
    page = client.get(f"{PAGES['card']}?state=allocated").content.decode()
    table = page[page.index('id="partitions-title"') :]

    assert "gpu-0-mig-3g20gb-9-4" in table
    assert "gpu-0-mig-3g20gb-9-0" not in table[: table.index('id="mixes-title"')]


def test_amounts_are_human_with_the_published_text_on_hover(client, one_node):
    page = client.get(PAGES["device"]).content.decode()

    assert re.search(r'title="19968Mi">19.5 Gi<', page)


def test_an_incomplete_pool_says_why_nothing_can_be_allocated(client, db):
    objects.put(*objects.mig_node("node-0", 2)[:2])

    page = words(client.get(reverse("web:pool", args=POOL)))

    assert "The pool is incomplete" in page


def test_the_picture_of_a_card_is_svg_that_can_run_nothing(client, one_node):
    response = client.get(reverse("web:slots", args=[*POOL, "gpu-0-counter-set"]), {"theme": "dark"})

    assert response.headers["Content-Type"].startswith("image/svg+xml")
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "3g.20gb" in response.content.decode()


def test_search_finds_every_kind_by_a_part_of_its_name(client, one_node):
    page = words(client.get("/search?q=node-0"))
    assert all(kind in page for kind in ("Nodes", "Pools"))

    page = words(client.get("/search?q=ML/TRAIN"))
    assert "ml/train-0" in page
    assert "ml/trainer-0" in page


def test_search_without_a_hit_says_so(client, one_node):
    assert "No name holds" in words(client.get("/search?q=absent"))


def test_a_person_who_must_sign_in_sees_the_form_in_the_same_look(client, db):
    page = client.get("/login/")

    assert page.status_code == 200
    assert 'name="username"' in page.content.decode()
    assert 'class="top"' in page.content.decode()


def test_a_chosen_theme_is_in_the_page_from_its_first_byte(client, db):
    client.cookies["theme"] = "dark"
    assert '<html lang="en" data-theme="dark">' in client.get("/").content.decode()

    client.cookies["theme"] = '"><script>'
    assert '<html lang="en">' in client.get("/").content.decode()


def test_no_page_holds_inline_code_or_style(client, one_node):
    for address in PAGES.values():
        html = client.get(address).content.decode()
        assert not re.search(r"<style\b|\sstyle=|\son\w+=|javascript:", html), address
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", html), address


def test_search_answers_programs_too(client, one_node):
    answer = client.get("/search?q=train-0&format=json").json()

    assert {"name": "ml/train-0", "url": "/claims/default/ml/train-0/"} in [
        row for hits in answer["hits"] for row in hits["rows"]
    ]


def test_a_broken_page_is_told_in_the_same_look_without_a_database(client, settings):
    from django.template.loader import render_to_string

    page = render_to_string("500.html")

    assert "Something broke" in page
    assert 'class="top"' in page
