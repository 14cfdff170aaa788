"""The site is built strictly, needs no network, and its reference has everything that the package has."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.cli.program import VERBS
from pellucid.metrics import metrics
from pellucid.models import models
from pellucid.risk.adversary_kinds import KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DOCS = Path(__file__).parents[2] / "docs"
SHAPES = [("light", 1280), ("dark", 390)]
PATIENCE = 1800  # seconds to build the site; the machine may be busy


def build(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    strictly = ["--fail-on-warning", "--keep-going", "--quiet", "--builder", "html", "--conf-dir", str(DOCS)]
    doctrees = ["--doctree-dir", str(site.parent / f"{site.name}-doctrees")]
    program = [sys.executable, "-m", "sphinx", *strictly, *doctrees, str(source), str(site)]
    return subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built once."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'pellucid[docs]'")
    folder = tmp_path_factory.mktemp("documentation") / "site"
    built = build(DOCS, folder)
    assert built.returncode == 0, built.stdout + built.stderr
    assert built.stderr == ""
    return folder


def pages(site: Path) -> Iterator[Path]:
    return site.rglob("*.html")


def test_what_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    (tmp_path / "pages").mkdir()
    page = "# Title\n\n[a](nowhere.md) [b](#no-heading)\n\n```{eval-rst}\n.. autofunction:: pellucid.no_function\n\n"
    (tmp_path / "pages" / "index.md").write_text(f"{page}:func:`pellucid.no_name`\n```\n")
    built = build(tmp_path / "pages", tmp_path / "site")
    assert built.returncode != 0
    assert [name for name in ("nowhere.md", "no-heading", "no_function", "no_name") if name not in built.stderr] == []


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    written = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    first = (site / "index.html").read_text(encoding="utf-8")
    assert [str(page) for page in sorted(written) if f'href="{page}"' not in first and page.name != "index.html"] == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"([^\"]+)\"|<link[^>]*\shref=\"([^\"]+)\"")
    found = {one for page in pages(site) for pair in loaded.findall(page.read_text(encoding="utf-8")) for one in pair}
    assert found
    assert [one for one in found if "//" in one] == []


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("verbs", [f"pellucid {verb}" for verb in VERBS]),
        ("methods", sorted(methods())),
        ("models", sorted(models())),
        ("metrics", sorted(metrics())),
        ("adversaries", sorted(KINDS)),
        ("formats", [path.name for path in (DOCS / "schemas").glob("*.json")]),
    ],
)
def test_the_reference_has_everything(site: Path, page: str, names: list[str]) -> None:
    text = re.sub(r"<[^>]*>", "", (site / "reference" / f"{page}.html").read_text(encoding="utf-8"))
    assert [name for name in names if name not in text] == []


def test_every_public_name_has_its_docstring_on_the_page(site: Path) -> None:
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    places = {name: (f'id="pellucid.{name}"', f'id="module-pellucid.{name}"') for name in pc.__all__}
    assert [name for name, marks in places.items() if not any(mark in text for mark in marks)] == []


def test_what_a_page_offers_to_download_is_there(site: Path) -> None:
    assert (site / "tutorials" / "whole-job.ipynb").exists()
    assert {path.name for path in (DOCS / "schemas").glob("*.json")} == {
        path.name for path in (site / "schemas").iterdir()
    }


def test_the_search_works_without_a_server(site: Path, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"file://{site}/search.html?q=minimality")
    page.wait_for_selector("ul.search li a")
    assert "minimality attack in pictures" in page.inner_text("ul.search")
    context.close()


@pytest.mark.parametrize(("scheme", "width"), SHAPES)
def test_pages_fit_the_window_in_light_and_dark(site: Path, browser: Browser, scheme: str, width: int) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page = context.new_page()
    for name in ("index", "tutorials/first-release", "tutorials/notebook", "explanation/minimality", "reference/verbs"):
        page.goto(f"file://{site}/{name}.html")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} wide in a window of {width}"
        red = int(re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[0])
        assert (red > 128) == (scheme == "light")
    context.close()
