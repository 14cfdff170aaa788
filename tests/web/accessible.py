"""What the tests of accessibility share: how people look at a page, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from web.windows import LIGHT

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE = Path(__file__).parent / "axe" / "axe.min.js"

# A browser zoomed to 200 % gives a page half as many pixels, each drawn twice as large.
LOOKS: dict[str, dict[str, Any]] = {
    "light": LIGHT,
    "narrow": {"viewport": {"width": 320, "height": 640}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "zoomed": {"viewport": {"width": 640, "height": 450}, "color_scheme": "dark"},
}
COLOURS = ("dark", "zoomed")  # the same page in other colours: names and structure were looked at before
CONTRAST = ["color-contrast", "link-in-text-block"]

VIOLATIONS = """async (rules) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const found = await axe.run(document, { resultTypes: ["violations"], ...only });
  return found.violations.map((one) => ({
    rule: one.id, impact: one.impact,
    where: one.nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
  }));
}"""

HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter((one) => one.checkVisibility()).map((one) => [Number(one.tagName[1]), one.textContent.trim()])"""

FOCUSED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one);
  const label = one.getAttribute("aria-label") || (one.labels && one.labels.length ? one.labels[0].innerText : "");
  return {
    name: (label || one.innerText || "").trim().split("\\n").pop(), tag: one.tagName.toLowerCase(),
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


def looks(page: Page) -> Iterator[str]:
    """Look at the page as it is now in every way that people do."""
    for look, how in LOOKS.items():
        page.emulate_media(color_scheme=how["color_scheme"])
        page.set_viewport_size(how["viewport"])
        yield look
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(LOOKS["light"]["viewport"])


def violations(page: Page, rules: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What axe-core has to say against the page as it is now, under the page's own Content-Security-Policy."""
    if page.evaluate("() => typeof axe === 'undefined'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(VIOLATIONS, list(rules))
    return found


def sideways(page: Page) -> int:
    """How many pixels one would have to scroll to the right to see all of the page."""
    return int(page.evaluate("() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"))


def skipped_headings(page: Page) -> list[str]:
    """Headings that are more than one level below the one before; a page begins with its only h1."""
    found = page.evaluate(HEADINGS)
    wrong = [text for level, text in found[1:] if level == 1]
    if not found or found[0][0] != 1:
        wrong.append("the first heading is no h1")
    before = 1
    for level, text in found:
        if level > before + 1:
            wrong.append(text)
        before = level
    return wrong


def tab_to(page: Page, name: str) -> None:
    """Press Tab until something of this name has the focus; all that is passed on the way shows where one is."""
    passed = []
    for _ in range(150):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUSED)
        for _ in range(20):  # a page that was just opened may not have its style yet
            if here["tag"] == "body" or (here["ring"] and here["seen"]):
                break
            page.wait_for_timeout(100)
            here = page.evaluate(FOCUSED)
        if here["tag"] != "body":
            assert here["ring"], f"{here} has the focus, and nobody sees it"
            assert here["seen"], f"{here} has the focus, and is not on the screen"
        if here["name"] == name:
            return
        passed.append(here["name"])
    raise AssertionError(f"Tab does not lead to {name!r}; it led to {list(dict.fromkeys(passed))}")
