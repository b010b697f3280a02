"""An open page asks whether anything has changed, and an unchanged answer is empty."""

import re

from tests.web import objects


def test_an_unchanged_mirror_answers_304_without_a_body(client, one_node):
    tag = client.get("/live/").headers["ETag"]

    again = client.get("/live/", headers={"If-None-Match": tag})

    assert again.status_code == 304
    assert again.content == b""


def test_any_change_gives_another_tag(client, one_node):
    tag = client.get("/live/").headers["ETag"]

    objects.put(objects.claim("late"))

    answer = client.get("/live/", headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert answer.headers["ETag"] != tag


def test_a_page_knows_the_state_that_it_shows(client, one_node):
    page = client.get("/").content.decode()
    tag = re.search(r'data-live-tag="&quot;(\w+)&quot;"', page)[1]

    assert client.get("/live/").headers["ETag"] == f'"{tag}"'
