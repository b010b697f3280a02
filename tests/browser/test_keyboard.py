"""Everything can be reached and operated with the keyboard alone."""

from tests.web.test_pages import PAGES


def focused(page):
    return page.evaluate("(document.activeElement.textContent || document.activeElement.name || '').trim()")


def test_the_first_stop_skips_to_the_content(visit):
    page = visit().open("/")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"

    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_walk_over_a_page_reaches_every_control_in_order_and_never_gets_stuck(visit):
    page = visit().open(PAGES["card"])
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')]"
        ".filter((node) => node.checkVisibility()).length"
    )
    page.evaluate("window.seen = new Set(); document.addEventListener('focusin', (event) => seen.add(event.target))")
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")

    assert page.evaluate("seen.size") >= wanted


def test_what_has_the_focus_is_marked(visit):
    page = visit().open("/pools/")
    bare = []
    for _ in range(25):
        page.keyboard.press("Tab")
        shown = page.evaluate(
            "(() => { const style = getComputedStyle(document.activeElement);"
            " return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 })()"
        )
        if not shown:
            bare.append(focused(page))
    assert bare == []


def test_details_open_with_the_keyboard(visit):
    page = visit().open(PAGES["card"])
    page.locator("details.table-of summary").first.focus()
    page.keyboard.press("Enter")

    assert page.locator("details.table-of").first.get_attribute("open") is not None
