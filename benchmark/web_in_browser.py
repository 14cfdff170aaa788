"""What only a browser can tell about the pages of `pellucid serve`: how heavy the first step is, and what jumps.

The weight is what travels until the page is still, scripts and style included, with nothing kept from before. What
jumps is the cumulative layout shift that Chromium itself reports (https://web.dev/articles/cls): 0 is a page on which
nothing moves after it was first drawn, and Lighthouse calls up to 0.1 good.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterable
from typing import TYPE_CHECKING

import httpx
from figures import Figure, say

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WEIGHT = 150.0  # kB
SHIFT = 0.01
TIMES = 5
SHIFTED = """() => new Promise((done) => {
  let total = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) total += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(total), 300);
})"""
ANSWERED = """() => { const one = performance.getEntriesByType("navigation")[0];
  return one.responseEnd - one.requestStart; }"""


def in_browser(client: httpx.Client, pages: Iterable[tuple[str, str]]) -> list[Figure]:
    """The figures of a session that a client came into; none where there is no browser."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        say("there is no Chromium on this machine, so nothing is measured in one")
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        figures = [_weight(browser, client), *(_shift(browser, client, *page) for page in pages)]
        browser.close()
    return figures


def _entered(browser: Browser, client: httpx.Client) -> BrowserContext:
    """A browser of somebody who has the cookie of the session."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    address = str(client.base_url)
    for name, value in client.cookies.items():
        context.add_cookies([{"name": name, "value": value or "", "url": address}])
    return context


def _weight(browser: Browser, client: httpx.Client) -> Figure:
    context = _entered(browser, client)
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    weights: list[int] = []
    network.on("Network.loadingFinished", lambda told: weights.append(int(told["encodedDataLength"])))
    page.goto(f"{client.base_url}/data")
    page.wait_for_load_state("networkidle")
    context.close()
    return _told(Figure("First step in a browser, all that travels", sum(weights) / 1000, "kB", WEIGHT, ""))


def _shift(browser: Browser, client: httpx.Client, path: str, title: str) -> Figure:
    context = _entered(browser, client)
    page = context.new_page()
    shifts, answers = zip(*(_looked(page, f"{client.base_url}{path}") for _ in range(TIMES)), strict=True)
    context.close()
    note = f"worst of {TIMES}; answered in {statistics.median(answers):.0f} ms (median)"
    return _told(Figure(f"{title} in a browser, layout shift", max(shifts), "", SHIFT, note))


def _looked(page: Page, address: str) -> tuple[float, float]:
    page.goto(address)
    return float(page.evaluate(SHIFTED)), float(page.evaluate(ANSWERED))


def _told(figure: Figure) -> Figure:
    say(figure.line)
    return figure
