"""Every page in a real browser: no complaint in the console, no violation of accessibility rules, no wide page."""

import pytest

from tests.browser.rules import too_wide, violations
from tests.web.test_pages import PAGES

EVERY = {**PAGES, "search": "/search?q=gpu", "login": "/login/", "empty search": "/search"}
EVERY["pending claim"] = "/claims/default/ml/waiting/"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_keeps_the_rules_of_accessibility(visit, theme):
    assert violations(visit, theme, EVERY) == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_draws_its_figures_without_a_complaint(visit, theme):
    watched = visit(color_scheme=theme)
    for path in EVERY.values():
        page = watched.open(path)
        assert page.locator("h1").count() == 1
        for plot in page.locator(".figure .plot").all():
            assert plot.locator("svg").count() > 0
            plot.scroll_into_view_if_needed()
            box = plot.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)


def test_no_page_is_wider_than_the_window(visit):
    assert too_wide(visit, EVERY) == {}


def test_every_page_can_be_read_without_a_script(visit):
    watched = visit(java_script_enabled=False)
    for name, path in EVERY.items():
        page = watched.open(path, drawn=False)
        assert page.locator("h1").is_visible(), name
        assert page.locator("main").inner_text().strip(), name
        assert page.locator(".needs-script:visible").count() == 0, name
    page = watched.open(PAGES["card"], drawn=False)
    assert "needs 1, 0 left, held by ml/train-0" in page.locator("main").inner_text()
    assert [drawing.is_visible() for drawing in page.locator(".drawing-wrap svg").all()] == [True, True]


def test_filters_work_without_a_script_and_keep_the_view_in_the_address(visit):
    page = visit(java_script_enabled=False).open("/claims/", drawn=False)
    page.get_by_label("State").select_option("pending")
    page.get_by_role("button", name="Apply").click()

    assert "state=pending" in page.url
    states = page.locator("tbody .badge").all_inner_texts()
    assert states
    assert set(states) == {"pending"}


def test_the_heat_map_leads_to_the_card_that_is_clicked(visit):
    page = visit().open("/?cluster=default")
    box = page.locator(".figure[data-links] .nsewdrag").bounding_box()
    page.mouse.click(box["x"] + 12, box["y"] + 12)

    page.wait_for_url("**/cards/default/gpu.nvidia.com/node-0/gpu-0-counter-set/")


def test_the_theme_can_be_chosen_and_stays_chosen(visit):
    page = visit(color_scheme="light").open("/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button = page.locator("[data-theme-button]")
    button.click()
    button.click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()

    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert dark == page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_figures_follow_the_theme(visit):
    page = visit(color_scheme="light").open(PAGES["card"])
    ink = "getComputedStyle(document.querySelector('.figure .ytick text')).fill"
    before = page.evaluate(ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => {ink} !== '{before}'")
