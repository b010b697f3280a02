"""No link of any page leads to nothing."""

import re
from html import unescape
from urllib.parse import urldefrag

MOST = 600


def links(html):
    for link in re.findall(r'(?:href|src)="(/[^"]*)"', html):
        yield urldefrag(unescape(link))[0]


def test_every_internal_link_answers(chromium, dashboard):
    """Follows links from the fleet page; the API's answers and files are fetched but not followed further."""
    context = chromium.new_context(base_url=dashboard.url)
    waiting, seen, broken = ["/"], {"/"}, {}
    while waiting and len(seen) < MOST:
        address = waiting.pop(0)
        response = context.request.get(address)
        if not response.ok:
            broken[address] = response.status
        if not response.headers["content-type"].startswith("text/html") or address.startswith("/api/"):
            continue
        for link in links(response.text()):
            if link not in seen:
                seen.add(link)
                waiting.append(link)

    context.close()
    assert broken == {}
    assert len(seen) > 100
