"""Take the README's screenshots of a running demo: `python docs/screenshots.py http://127.0.0.1:8000`."""

import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

IMAGES = pathlib.Path(__file__).parent / "images"
PAGES = {
    "fleet": "/",
    "card": "/cards/demo/gpu.nvidia.com/a100-01/gpu-0-counter-set/",
    "claim": "/claims/demo/ml-training/train-3g/",
}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main(address: str) -> None:
    """Write one picture a page and colour scheme."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for scheme in ("light", "dark"):
            context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            page = context.new_page()
            for name, path in PAGES.items():
                page.goto(address + path)
                page.wait_for_timeout(1500)
                page.screenshot(path=IMAGES / f"{name}-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
