"""An operator's way from a pending claim to what has to go, and the workbench by hand, with and without scripts."""

import pytest

from tests.browser.rules import too_wide, violations
from tests.queries.test_whatif import GPU, MIG
from tests.web import objects
from tests.web.test_answers import WRONG, wanting


@pytest.fixture(scope="module")
def cluster(dashboard):
    """A cluster of its own: one A100, two small partitions where they block every half, and a claim that waits."""
    held = [
        objects.claim(f"small-{index}", ("m1", name), reserved=f"user-{index}", namespace="answers")
        for index, name in enumerate(WRONG)
    ]
    waiting = wanting("half-card", namespace="answers", created="2026-10-01T10:00:00Z")
    dashboard.put(
        MIG, GPU, objects.node("m1"), *objects.mig_node("m1"), *held, waiting,
        objects.pod("half-0", "half-card", namespace="answers"), cluster="answers",
    )  # fmt: skip


def test_three_clicks_lead_from_the_fleet_to_the_answer_when_the_claim_goes(cluster, visit):
    page = visit().open("/?cluster=answers")

    page.get_by_role("link", name="answers/half-card").first.click()
    help_ = page.get_by_role("region", name="What would help")
    help_.get_by_role("link", name="What if").first.click()
    assert page.get_by_role("heading", name="It fits").is_visible()
    page.get_by_role("link", name="gpu-0 of m1").first.click()
    page.wait_for_url("**/cards/answers/gpu.nvidia.com/m1/gpu-0-counter-set/")


def test_two_clicks_lead_from_the_fleet_to_the_claim_that_has_to_go(cluster, visit):
    page = visit().open("/?cluster=answers")

    page.get_by_role("link", name="answers/half-card").first.click()
    help_ = page.get_by_role("region", name="What would help")
    help_.get_by_role("link", name="answers/small-").first.click()

    page.wait_for_url("**/claims/answers/answers/small-*/")
    assert page.locator("h1").inner_text().startswith("small-")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_workbench_is_operated_by_hand(cluster, visit, scripts):
    watched = visit(java_script_enabled=scripts)
    page = watched.open("/what-if/?cluster=answers", drawn=False)

    page.get_by_label("Claim", exact=True).fill("answers/half-card")
    page.get_by_role("button", name="Ask", exact=True).click()
    assert page.get_by_role("heading", name="It does not fit").is_visible()
    page.get_by_label("Release claim").fill("answers/small-0")
    page.get_by_role("button", name="Ask", exact=True).click()
    assert page.get_by_role("heading", name="It fits").is_visible()
    assert "release=answers%2Fsmall-0" in page.url
    page.get_by_role("link", name="Take back: released answers/small-0").click()
    assert page.get_by_role("heading", name="It does not fit").is_visible()


def test_objects_are_pasted_and_the_question_is_saved_and_found(cluster, visit):
    page = visit().open("/what-if/?cluster=answers", drawn=False)

    page.get_by_label("YAML or JSON").fill(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: pasted, namespace: answers}\n"
        "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}\n"
    )
    page.get_by_role("button", name="Ask with these").click()
    assert page.get_by_role("heading", name="It does not fit").is_visible()
    assert "doc=" in page.url
    page.get_by_label("Save this question as").fill("a whole card")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**scenario=a+whole+card")
    assert page.get_by_role("heading", name="It does not fit").is_visible()
    page.get_by_role("button", name="Delete a whole card").click()
    page.wait_for_url("**/what-if/")


def test_a_layout_is_asked_for_on_the_cards_page(cluster, visit):
    page = visit().open("/cards/answers/gpu.nvidia.com/m1/gpu-0-counter-set/")

    page.get_by_label("Would this layout fit?").fill("4 × 1g.10gb + 3 × 1g.5gb")
    page.get_by_label("as if the card were empty").check()
    page.get_by_role("button", name="Ask").click()

    assert page.get_by_role("heading", name="The layout cannot be placed").is_visible()
    assert page.get_by_text("It needs at least 11 of memory-slice, and 8 is free.").is_visible()


def test_fragmentation_leads_to_the_card_and_the_move(cluster, visit):
    page = visit().open("/fragmentation/?cluster=answers")

    assert page.get_by_text("1 of 1 cards could take more").is_visible()
    page.get_by_role("region", name="Cards that lose most").get_by_role("link", name="gpu-0").first.click()
    section = page.get_by_role("region", name="Fragmentation")
    assert section.get_by_role("link", name="answers/small-").first.is_visible()


def test_a_pool_shows_upstreams_numbers(cluster, visit):
    page = visit().open("/pools/answers/gpu.nvidia.com/m1/")

    assert (
        page.get_by_role("region", name="As upstream sums it up")
        .get_by_text("Upstream calls every device")
        .is_visible()
    )


CARD = "pool=gpu.nvidia.com/m1&card=gpu-0-counter-set"
PAGES = {
    "claim that waits": "/claims/answers/answers/half-card/",
    "answer": "/what-if/?cluster=answers&claim=answers/half-card&release=answers/small-0",
    "evicted": "/what-if/?cluster=answers&drain=m1&grow=m1:2",
    "layout": f"/what-if/?cluster=answers&{CARD}&layout=1+x+3g.20gb,2+x+2g.10gb&emptied=true",
    "impossible layout": f"/what-if/?cluster=answers&{CARD}&layout=4+x+1g.10gb,3+x+1g.5gb",
    "fault": "/what-if/?cluster=answers&claim=answers/nobody",
    "fragmentation": "/fragmentation/?cluster=answers",
    "card": "/cards/answers/gpu.nvidia.com/m1/gpu-0-counter-set/",
}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_answers_keep_the_rules_of_accessibility(cluster, visit, theme):
    assert violations(visit, theme, PAGES) == {}


def test_no_answer_is_wider_than_the_window(cluster, visit):
    assert too_wide(visit, PAGES) == {}
