"""Draws the recorded walk: every step from a file to the signed report, on two tables, as Chromium shows it.

.venv/bin/python docs/draw_walk.py FOLDER [--look 390-dark]...

What is read on the way must not need a programmer; where it does, the walk says so at its end.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from draw_pages import PATIENCE, chromium, serving
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web.walking import Walk, walk_census, walk_survey

LOOKS = {  # a browser zoomed to 200 % gives a page half as many pixels, each drawn twice as large
    "1280-light": (1280, 900, "light"),
    "1280-dark": (1280, 900, "dark"),
    "768-light": (768, 1024, "light"),
    "768-dark": (768, 1024, "dark"),
    "390-light": (390, 844, "light"),
    "390-dark": (390, 844, "dark"),
    "zoomed": (640, 450, "light"),
}
WALKS = {"census": walk_census, "survey": walk_survey}


def draw(page: Page, folder: Path, name: str, looks: list[str]) -> None:
    """The whole page in every look that was asked for, and as it was afterwards."""
    for look in looks:
        width, height, colours = LOOKS[look]
        page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=folder / f"{name}-{look}.png", animations="disabled", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


def walked(browser: Browser, table: str, folder: Path, looks: list[str]) -> list[str]:
    """Take one walk and draw it; what was read on the way and should not be there."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, serving(Path(place)) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(address)
        page.wait_for_url("**/data")
        walk = Walk(page, address.partition("/?")[0], lambda name: draw(page, folder, name, looks))
        saved = WALKS[table](walk, Path(place))
        page.emulate_media(media="print")
        page.pdf(path=folder / "5-release.pdf")
        page.emulate_media(media="screen")
        for name, path in saved.items():
            if path.suffix == ".html":
                page.goto(path.as_uri())
                draw(page, folder, f"6-{name.replace(' ', '-')}", looks)
        context.close()
    return walk.wrong


def main(folder: Path, tables: list[str], looks: list[str]) -> None:
    """Both walks; ends with 1 where something on the way needs a programmer."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        wrong = [f"{table}: {one}" for table in tables for one in walked(browser, table, folder / table, looks)]
        browser.close()
    print("\n".join(wrong) or "nothing on the way needs a programmer")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    words = argparse.ArgumentParser(description="Draw the walk from a file to the signed report.")
    words.add_argument("folder", type=Path, help="where the pictures go")
    words.add_argument("--table", action="append", choices=list(WALKS), help="one of the walks; both unless given")
    words.add_argument("--look", action="append", choices=list(LOOKS), help="how to look; 1280-light unless given")
    given = words.parse_args()
    main(given.folder, given.table or list(WALKS), given.look or ["1280-light"])
