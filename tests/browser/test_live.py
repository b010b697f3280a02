"""An open page follows the mirror: within two seconds, in place, and honestly when it cannot."""

import pytest

from tests.web import objects
from tests.web.test_pages import PAGES

SOON = 2_000
DEVICE = ("node-0", "gpu-0-mig-1g5gb-19-1")


def settled(page):
    page.wait_for_function("() => document.getElementById('live').dataset.state === 'live'")


@pytest.fixture
def newcomer(dashboard):
    """Makes a claim that takes a device of node-0, and takes it away again afterwards."""
    yield lambda name: dashboard.put(objects.claim(name, DEVICE))
    dashboard.put(*[objects.claim(name) for name in ("first", "second")])


def test_a_change_shows_within_two_seconds_without_a_reload(visit, newcomer):
    page = visit().open(PAGES["card"])
    settled(page)
    page.evaluate("window.untouched = true")
    newcomer("first")

    page.get_by_role("link", name="ml/first").first.wait_for(timeout=SOON)

    assert page.evaluate("window.untouched") is True
    page.wait_for_function("() => document.getElementById('live').textContent === 'Updated'", timeout=SOON)


def test_an_update_keeps_focus_scroll_and_what_is_open(visit, newcomer):
    page = visit(viewport={"width": 1280, "height": 700}).open(PAGES["card"])
    settled(page)
    page.locator("details.table-of summary").first.click()
    link = page.locator("#partitions").get_by_role("link", name="gpu-0-mig-1g5gb-19-3", exact=True)
    link.focus()
    link.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    plot = page.locator(".figure .plot").first.element_handle()
    newcomer("second")
    page.get_by_role("link", name="ml/second").first.wait_for(state="attached", timeout=SOON)

    assert page.evaluate("document.activeElement.textContent") == "gpu-0-mig-1g5gb-19-3"
    assert abs(page.evaluate("scrollY") - place) < 120
    assert page.locator("details.table-of").first.get_attribute("open") is not None
    assert plot.evaluate("node => node.isConnected")


def test_a_new_pool_appears_on_the_fleet_page_and_in_its_heat_map(visit, dashboard):
    page = visit().open("/?cluster=default")
    settled(page)
    dashboard.put(*objects.mig_node("node-9"))

    ticks = "[...document.querySelectorAll('.figure[data-links] .ytick text')]"
    page.wait_for_function(f"() => {ticks}.some((tick) => tick.textContent.trim() === 'node-9')", timeout=SOON)


def test_what_is_being_typed_into_a_filter_survives_an_update(visit, dashboard):
    page = visit().open("/claims/")
    settled(page)
    page.get_by_label("Name", exact=True).fill("half a na")
    dashboard.put(objects.claim("another"))
    page.get_by_role("link", name="another").wait_for(timeout=SOON)

    assert page.get_by_label("Name", exact=True).input_value() == "half a na"


def test_the_time_of_the_data_follows(visit, dashboard):
    page = visit().open("/pools/")
    settled(page)
    before = page.locator("#as-of").inner_text()
    dashboard.put(*objects.mig_node("node-8"))
    page.get_by_role("link", name="node-8").first.wait_for(timeout=SOON)

    assert page.locator("#as-of").count() == 1
    assert page.locator("#as-of").inner_text() != before


def test_unchanged_polls_cost_a_304(visit):
    page = visit().open("/")
    settled(page)
    statuses = []
    page.on("response", lambda answer: statuses.append(answer.status) if answer.url.endswith("/live/") else None)
    page.wait_for_timeout(3_500)

    assert len(statuses) >= 2
    assert set(statuses) == {304}


def test_a_lost_connection_is_said_and_heals_by_itself(chromium, dashboard):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{dashboard.url}/")
    settled(page)
    page.route("**/live/", lambda route: route.abort())
    page.wait_for_function(
        "() => document.getElementById('live').textContent.startsWith('Connection lost, last update')"
    )
    page.unroute("**/live/")
    page.wait_for_function("() => document.getElementById('live').dataset.state === 'live'")
    context.close()


@pytest.mark.parametrize("path", ["/", PAGES["pool"], "/claims/", "/nodes/"])
def test_the_state_of_the_connection_is_announced_politely(visit, path):
    status = visit().open(path).locator("#live")

    assert status.get_attribute("role") == "status"
    assert status.get_attribute("aria-live") == "polite"
