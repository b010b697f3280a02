"""The demo fleet as an operator who was paged goes through it, on a server of its own."""

import pytest

from tests.browser.conftest import Dashboard


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    served = Dashboard(tmp_path_factory.mktemp("demo"))
    served.demo()
    yield served
    served.stop()


def test_three_clicks_lead_to_the_claim_that_has_to_go_and_prove_it(visit):
    page = visit().open("/")

    page.get_by_role("link", name="ml-training/train-3g").first.click()
    first = page.get_by_role("region", name="What would help").get_by_role("row").nth(1).get_by_role("rowheader")
    has_to_go = first.get_by_role("link").inner_text()
    first.get_by_role("link").click()
    page.wait_for_url(f"**/claims/demo/{has_to_go}/")
    page.get_by_role("link", name="this claim is released").click()

    assert page.get_by_role("heading", name="1 pending claim would fit that does not now").is_visible()
    told = page.get_by_role("list", name="Answers").get_by_role("listitem").filter(has_text="ml-training/train-3g")
    assert "does not fit now → would fit" in told.first.inner_text().replace("\n", " ")
