"""The API's page in a real browser: Swagger UI runs under the strict policy, and a call made from it answers."""


def test_the_api_page_lists_operations_and_runs_one_without_a_complaint(visit):
    page = visit().open("/api/docs/")
    page.wait_for_selector("#operations-pools-pools_list")
    assert page.locator(".opblock").count() >= 20

    page.locator("#operations-revision-revision .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()

    answer = page.locator("#operations-revision-revision .live-responses-table .response")
    answer.wait_for()
    assert "200" in answer.inner_text()
    assert '"cluster": "default"' in answer.inner_text()
