"""Draws docs/img/web/*.png: every step of `pellucid serve`, and both reports, as Chromium shows them.

.venv/bin/python docs/draw_pages.py [FOLDER]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from pellucid.datasets import census

PICTURES = Path(__file__).parent / "img" / "web"
PROGRAM = "import sys; from pellucid.cli.program import main; sys.exit(main())"
ROWS = 3000
L = 4
SCREEN = {"width": 1280, "height": 800}
NARROW = {"width": 360, "height": 740}
PATIENCE = 180_000  # milliseconds
MOST = 200_000  # bytes of one picture: they are part of every clone
ROLES = {"age": "quasi", "gender": "quasi", "education": "quasi", "birthplace": "quasi", "occupation": "sensitive"}
ROLES |= {"income": "drop"}  # the recommended method protects one sensitive column


@contextmanager
def serving(place: Path, *tables: Path) -> Iterator[str]:
    """`pellucid serve`, on a table if there is one; gives the address that it prints."""
    words = [sys.executable, "-c", PROGRAM, "serve", *map(str, tables), "--no-browser"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(place)})
    assert program.stdout is not None
    try:
        yield next(found[0] for line in program.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        program.terminate()
        program.wait()


def press(page: Page, name: str) -> None:
    """Send a form, and wait until the work is done."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_function("() => document.querySelector('footer') && !document.querySelector('section.job')")
    refused = page.locator("main > .alert, .alert:has-text('did not work')")
    assert refused.count() == 0, refused.first.inner_text()


def draw(page: Page, folder: Path, name: str) -> None:
    """One picture of what is on the screen."""
    path = folder / f"{name}.png"
    page.screenshot(path=path, animations="disabled")
    size = path.stat().st_size
    assert size < MOST, f"{path} has {size:,} bytes, more than {MOST:,}"
    print(f"{path.name}: {size / 1000:.0f} kB")


def walk(page: Page, origin: str, folder: Path, kept: Path) -> None:
    """The five steps, with a picture of each."""
    page.goto(f"{origin}/data")
    page.wait_for_function("() => document.querySelector('table')")
    draw(page, folder, "1-data")
    page.goto(f"{origin}/roles")
    for column, role in ROLES.items():
        page.get_by_label(f"Role of {column}", exact=True).select_option(role)
    draw(page, folder, "2-roles")
    page.get_by_role("button", name="Details of age").click()
    page.get_by_label("An interval ladder, for numbers: widths").check()
    page.get_by_label("Widths of the ladder").fill("5, 10, 20")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", name="The taxonomy").evaluate("one => one.scrollIntoView({ block: 'center' })")
    draw(page, folder, "2-taxonomy")
    page.goto(f"{origin}/roles")
    press(page, "Next: Method")
    page.get_by_label("Strength, l:").fill(str(L))
    page.get_by_text(f"with probability at most 1/{L}").wait_for()
    draw(page, folder, "3-method")
    press(page, "Publish with this setting")
    draw(page, folder, "4-result")
    page.goto(f"{origin}/result/risk")
    page.get_by_label("Row number").fill("17")
    page.get_by_role("button", name="Attack", exact=True).click()
    page.get_by_role("heading", name="row 17").wait_for()
    page.evaluate("() => scrollTo(0, 0)")
    draw(page, folder, "4-risk")
    page.locator(".attacker.outside summary").first.click()
    page.locator(".attacker:has(details[open])").evaluate("one => one.scrollIntoView()")
    draw(page, folder, "4-attackers")
    page.goto(f"{origin}/result/utility")
    draw(page, folder, "4-utility")
    page.goto(f"{origin}/result/compare")
    page.get_by_label("to", exact=True).fill("6")
    press(page, "Compare")
    page.get_by_role("heading", name="What was found").evaluate("one => one.scrollIntoView()")
    draw(page, folder, "4-compare")
    page.goto(f"{origin}/release")
    for title in ("the public report", "the report for your records"):
        press(page, f"Make {title}")
        with page.expect_download() as waiting:
            page.get_by_role("link", name=f"Download {title}").click()
        waiting.value.save_as(kept / waiting.value.suggested_filename)
    draw(page, folder, "5-release")


def chromium() -> str:
    """Where the browser is."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("there is no Chromium on this machine; install Debian's: apt-get install chromium")
    return program


def main(folder: Path) -> None:
    """Walk through the flow once, and draw."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        table = Path(place) / "adults.csv"
        census(ROWS).write_csv(table)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        with serving(Path(place), table) as address:
            origin = address.partition("/?")[0]
            context = browser.new_context(viewport=SCREEN, color_scheme="light", accept_downloads=True)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            page.wait_for_url("**/data")
            walk(page, origin, folder, Path(place))
            page.emulate_media(color_scheme="dark")
            page.goto(f"{origin}/result")
            draw(page, folder, "dark")
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(NARROW)
            page.goto(f"{origin}/roles")
            page.get_by_role("region", name="Columns", exact=True).evaluate("one => one.scrollIntoView()")
            draw(page, folder, "narrow")
            page.set_viewport_size(SCREEN)
            for audience in ("public", "private"):
                page.goto((Path(place) / f"report-{audience}.html").as_uri())
                draw(page, folder, f"report-{audience}")
        browser.close()


if __name__ == "__main__":
    words = argparse.ArgumentParser(description="Draw every step of `pellucid serve`, and both reports.")
    words.add_argument("folder", nargs="?", type=Path, default=PICTURES, help="where the pictures go")
    main(words.parse_args().folder)
