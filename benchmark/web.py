"""How fast the pages of `pellucid serve` answer in a session of a million rows, at rest and while a job runs.

    python benchmark/web.py [--rows 1e6] [--repeat 20] [--out docs/benchmarks/web.md]

The real program serves a Parquet file; every page is asked for over HTTP, one request after the other, and what is
measured is the time from sending the request to having the whole page. Work on the table is in another process, so
that a page need not wait for it; where there are as many processes at work as the machine has cores, it shares them.
The limit is 100 ms at rest; while something is computed, twice that. A browser tells how heavy the first step is and
what jumps on a page (`in_browser`).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from figures import MACHINE, Figure, as_table, replace_between_marks, say, seconds

from pellucid.datasets import census

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PROGRAM = "import sys; from pellucid.cli.program import main; sys.exit(main())"
REST = "at rest"
LIMITS = {REST: 100.0, "while a job runs": 200.0}  # milliseconds
PATIENCE = 1800.0  # seconds for one piece of work
L = 8
WAITED = (  # a page, what it has when it is full, and what it is
    ("/result/utility", "All metrics", "utility"),
    ("/result/risk", "Classic attacks", "risk"),
)
COMPARED = {"m-hybrid": "on", "m-anatomy": "on", "from": str(L), "to": str(L)}
PAGES = {  # what it is, and what an answer must have in it
    "/data": ("Data", "The first 12 rows"),
    "/roles": ("Roles", "Suggestion and reason"),
    "/roles/0": ("Roles, one column", "What a value may become when it is published"),
    "/method": ("Method", "What you would promise"),
    "/method/check": ("Method, a move of the slider", f"with probability at most 1/{L}"),
    "/result": ("Result", "How large the groups are"),
    "/result/risk": ("Risk", "What attackers learn"),
    "/result/utility": ("Utility", "What the release is still good for"),
    "/result/compare": ("Compare", "Values of l"),
    "/release": ("Release", "Download the bundle"),
    "/job": ("Progress of a job", ""),
}


SEEN = ("/data", "/roles", "/method", "/result", "/result/risk", "/result/utility", "/result/compare", "/release")
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


@contextmanager
def serving(table: Path) -> Iterator[httpx.Client]:
    """A browser, as it were, that came in through the printed address of `pellucid serve`."""
    words = [sys.executable, "-c", PROGRAM, "serve", str(table), "--no-browser"]
    program = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(table.parent)}
    )
    assert program.stdout is not None
    try:
        address = next((found[0] for line in program.stdout if (found := re.search(r"http://\S+", line))), "")
        origin = address.partition("/?")[0]
        transport = httpx.HTTPTransport(retries=20)
        with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=600, transport=transport) as client:
            client.get(address)
            yield client
    finally:
        program.terminate()
        program.wait()


def busy(client: httpx.Client) -> bool:
    return '<section class="job"' in client.get("/data").text


def done(client: httpx.Client, patience: float) -> bool:
    """Whether all work ends before patience does."""
    start = time.perf_counter()
    while busy(client):
        if time.perf_counter() - start > patience:
            return False
        time.sleep(0.5)
    return True


def wait(client: httpx.Client, what: str) -> None:
    """Until nothing is being computed."""
    start = time.perf_counter()
    if not done(client, PATIENCE):
        raise SystemExit(f"{what} took longer than {PATIENCE:.0f} s")
    say(f"{what}: {time.perf_counter() - start:.0f} s")


def until(client: httpx.Client, page: str, text: str, what: str, patience: float) -> bool:
    """Until a page has what it is about, or patience ends; other work may go on."""
    start = time.perf_counter()
    while text not in client.get(page).text:
        if not busy(client) or time.perf_counter() - start > patience:
            say(f"{what}: it did not come within {patience:.0f} s")
            return False
        time.sleep(0.5)
    say(f"{what}: {time.perf_counter() - start:.0f} s")
    return True


def table_of(client: httpx.Client) -> dict[str, str]:
    """Which table a form speaks about, and which roles, as pages say it that have a form."""
    pages = client.get("/roles").text + client.get("/method").text
    found = dict(re.findall(r'name="(table|roles)" value="(\w+)"', pages))
    assert "table" in found, "the page has no table"
    return found


def asked(client: httpx.Client, page: str, table: dict[str, str]) -> None:
    move = {"name": "hybrid", "p-l": str(L), **table}
    answer = client.post(page, data=move) if page == "/method/check" else client.get(page)
    assert answer.status_code in (200, 204, 286), (page, answer.status_code)  # 286: the job has ended
    assert PAGES[page][1] in answer.text, page


def measured(client: httpx.Client, repeat: int, when: str) -> list[Figure]:
    figures, table = [], table_of(client)
    for page, (title, _) in PAGES.items():
        times = sorted(1000 * seconds(lambda page=page: asked(client, page, table)) for _ in range(repeat))
        median, worst = statistics.median(times), times[-1]
        figures.append(Figure(f"{title}, {when}", median, "ms", LIMITS[when], f"worst of {repeat}: {worst:.0f} ms"))
        say(figures[-1].line)
    return figures


def load() -> str:
    """How many processes wanted a core while this was measured; they are most of what a busy machine's figures show."""
    processes = os.getloadavg()[2] if hasattr(os, "getloadavg") else 0.0
    return f" Load of the machine meanwhile: {processes:.0f} processes." if processes >= 1 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--patience", type=float, default=1800.0, help="seconds to wait for each tab of the result")
    parser.add_argument("--out", type=Path, help="a document with marks to put the table between")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "census.parquet"
        census(given.rows).write_parquet(file)
        with serving(file) as client:
            wait(client, "reading")
            client.post("/roles", data={"then": "method", **table_of(client)})
            wait(client, "checking the roles")
            table = table_of(client)
            client.post("/method", data={"name": "hybrid", "p-l": str(L), **table})
            if not until(client, "/result", "Before and after</h2>", "publishing", PATIENCE):
                raise SystemExit(client.get("/method").text)
            during = measured(client, given.repeat, "while a job runs") if busy(client) else []
            lacking = [what for page, text, what in WAITED if not until(client, page, text, what, given.patience)]
            if not done(client, given.patience) or "Not all attackers were tried" in client.get("/result/risk").text:
                lacking.append("some attackers of risk")
            client.post("/job/cancel")
            client.post("/result/compare", data={**COMPARED, **table})
            if not until(client, "/result/compare", "What was found", "comparison", given.patience):
                lacking.append("compare")
            client.post("/job/cancel")
            rest = measured(client, given.repeat, REST)
            rest += in_browser(client, [(page, title) for page, (title, _) in PAGES.items() if page in SEEN])
    text = as_table([*rest, *during])
    print(text)
    if given.out is not None:
        about = f"{given.rows:,} rows, measured over HTTP with `benchmark/web.py` (medians). {MACHINE}{load()}"
        if lacking:
            about += f" Not there within {given.patience:.0f} s, so missing from its tab: {', '.join(lacking)}."
        replace_between_marks(given.out, "web", f"\n{about}\n\n{text}\n")


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


if __name__ == "__main__":
    main()
