"""Files of others lie in the repository as published, with version and licence, and fit the pages that load them."""

import re
from pathlib import Path

import pytest
from plotly.offline import get_plotlyjs_version

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static" / "vendor"
FOLDERS = [*sorted(VENDOR.iterdir()), ROOT / "tests" / "browser" / "vendor" / "axe-core"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_vendored_thing_says_its_version_and_licence(folder):
    assert re.search(r"\d+\.\d+\.\d+", (folder / "VERSION").read_text())
    assert (folder / "LICENSE").read_text().strip()


def test_plotly_in_the_page_is_the_one_that_python_draws_for():
    assert get_plotlyjs_version() in (VENDOR / "plotly" / "VERSION").read_text()


def test_the_page_stands_in_for_every_style_that_plotly_would_write_into_it():
    bundle = (VENDOR / "plotly" / "plotly-cartesian.min.js").read_text()
    page = (ROOT / "templates" / "parts" / "plotly.html").read_text()
    written = set(re.findall(r'document\.getElementById\("(\w{64})"\)', bundle))

    assert written
    assert all(f'id="{name}"' in page for name in written)
    assert 'id="plotly.js-style-global" class="no-inline-styles"' in page
    assert "eval(" not in bundle
    assert "new Function" not in bundle


def test_no_template_or_script_of_ours_loads_from_elsewhere():
    ours = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("static/js/*.js"), *ROOT.glob("static/css/*.css")]
    loads = re.compile(r"""(?:src|href)=["'](?:https?:)?//|url\(["']?(?:https?:)?//|import\(|fetch\(["']http""")

    assert [path.name for path in ours if loads.search(path.read_text())] == []
