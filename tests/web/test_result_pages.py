"""The pages about a release in a browser, as a steward sees them: Risk, Compare, before and after, paper, colours."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

import polars as pl

import pellucid as pc
from pellucid.datasets import census
from web.holding import Held
from web.serving import Served, csv_of, served
from web.test_accessibility import enter
from web.windows import tab_in, tab_in_new_window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROWS = 120
L = 3
ROLES = {"age": "quasi", "gender": "quasi", "birthplace": "quasi", "occupation": "sensitive", "person": "identifier"}


def people() -> str:
    """A table with names, numbers and few values to protect."""
    found = census(ROWS, seed=2).select("age", "gender", "birthplace", "occupation")
    jobs = pl.Series([f"job {int(one) % 9}" for one in found["occupation"]])
    return found.with_columns(occupation=jobs, person=pl.Series([f"Person {n:03d}" for n in range(ROWS)])).write_csv()


@pytest.fixture(scope="module")
def made() -> Iterator[Served]:
    """A release with the broader names of a column, attacked and compared."""
    with served(seed=7) as running, running.steward() as steward:
        steward.post("/data/upload", files=csv_of(people(), "people.csv"))
        running.wait()
        steward.post("/roles/0", data={"role": "quasi", "taxonomy": "ladder", "ladder": "20"})
        running.wait()
        steward.post("/roles", data={**{f"role-{n}": role for n, role in enumerate(ROLES.values())}, "then": "method"})
        running.wait()
        steward.post("/method", data={"name": "soft-cut", "p-l": str(L), "recode": "taxonomy"})
        running.wait()
        steward.post("/result/compare", data={"m-soft-cut": "on", "m-mondrian": "on", "from": "2", "to": str(L)})
        running.wait()
        assert running.session.risk is not None
        assert running.session.comparison is not None
        yield running


@pytest.fixture
def tab(browser: Browser, made: Served) -> Iterator[Page]:
    """Somebody who came in."""
    with tab_in(browser) as page:
        enter(page, made)
        yield page


def colour(page: Page, where: str, what: str = "color") -> str:
    found: str = page.locator(where).first.evaluate(f"one => getComputedStyle(one).{what}")
    return found


# --- Risk


def test_the_first_screen_of_risk_has_the_verdict_the_promise_and_every_attacker(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/risk")
    risk = made.session.risk
    assert risk is not None
    tops = [tab.locator(one).first.bounding_box() for one in ("#verdict", "blockquote.promise", ".attacker")]
    heights = [box["y"] for box in tops if box is not None]
    assert len(heights) == 3
    assert heights == sorted(heights)
    assert heights[-1] < 700  # what attackers with statistics get right stands before them
    assert "The promise is kept." in tab.locator("#verdict").inner_text()
    tiles = tab.locator(".attacker")
    assert tiles.count() == len(risk["attempts"]) >= 6
    for number, tile in enumerate(tiles.all()):
        told = tile.inner_text()
        assert "Sure at most" in told
        assert f"People above 1/{L}" in told
        assert "Guessing blindly" in told
        assert tile.locator("svg.strip").count() == 1, number
        assert tile.locator("svg.scale text").all_text_contents() == ["0 %", "100 %", "1/3"], number
    assert tab.evaluate("() => document.documentElement.scrollHeight") < 2400
    assert tab.locator("details[open]").count() == 0


def test_who_is_not_covered_is_amber_and_says_so_in_words(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/risk")
    outside, covered = tab.locator(".attacker.outside"), tab.locator(".attacker.covered")
    assert outside.count() >= 4
    assert covered.count() == 2
    assert {one.locator(".cover").inner_text().partition(",")[0] for one in outside.all()} == {"not covered"}
    assert {one.locator(".cover").inner_text() for one in covered.all()} == {"covered by the promise"}
    amber = tab.evaluate("() => getComputedStyle(document.documentElement).getPropertyValue('--warn-line')").strip()
    red, green, blue = (int(amber[n : n + 2], 16) for n in (1, 3, 5))
    assert colour(tab, ".attacker.outside", "borderTopColor") == f"rgb({red}, {green}, {blue})"
    assert colour(tab, ".attacker.covered", "borderTopColor") != f"rgb({red}, {green}, {blue})"


def test_no_bar_lies_on_both_sides_of_the_limit(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/risk")
    found = tab.evaluate("""() => [...document.querySelectorAll(".attacker svg:not(.scale)")].map((svg) => {
      const line = Number(svg.querySelector(".limit").getAttribute("x1"));
      return [...svg.querySelectorAll("rect")].map((bar) => {
        const x = Number(bar.getAttribute("x")), end = x + Number(bar.getAttribute("width"));
        return { straddles: x < line - 1 && end > line + 1, right: x > line - 1, kind: bar.getAttribute("class") };
      });
    })""")
    bars = [bar for svg in found for bar in svg]
    assert len(bars) > 10
    assert not any(bar["straddles"] for bar in bars)
    assert all((bar["kind"] in {"over", "vain"}) == bar["right"] for bar in bars)
    assert any(bar["right"] for bar in bars)


def test_the_worst_groups_open_by_keyboard_in_the_tile(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/risk")
    tile = tab.locator(".attacker.outside").first
    assert not tile.locator(".worst").is_visible()
    before = tile.bounding_box()
    tile.locator("summary").focus()
    tab.keyboard.press("Enter")
    tile.locator(".worst").wait_for()
    after = tile.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] > 2 * before["width"]  # room for its words


def test_on_a_narrow_screen_every_attacker_keeps_both_key_figures(tab: Page, made: Served) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(f"{made.origin}/result/risk")
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for tile in tab.locator(".attacker").all():
        for figure in tile.locator("dd").all()[:2]:
            box = figure.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


# --- Compare


def test_compare_compares_what_is_set_and_marks_your_release(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/compare")
    assert tab.get_by_label("What a group becomes").input_value() == "taxonomy"
    session = made.session
    assert session.comparison is not None
    assert session.release is not None
    (same,) = [one for one in session.comparison["cells"] if (one["method"], one["l"]) == ("soft-cut", L)]
    kept = session.release["account"]["information_kept"]
    assert same["kept"] == pytest.approx(sum(kept.values()) / len(kept), abs=0.06)
    assert tab.locator("svg.chart circle.yours").count() == 1
    assert "your release" in (tab.locator("svg.chart").text_content() or "")
    assert "Your release: soft-cut" in tab.locator("tr.yours").inner_text()
    assert "cannot be compared" not in tab.locator("main").inner_text()


def test_a_point_of_the_chart_keeps_what_a_group_becomes(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/compare")
    tab.locator("svg.chart").get_by_role("link", name="mondrian, l = 2").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/method?name=mondrian&l=2&recode=taxonomy")
    assert tab.get_by_label("What a group becomes").input_value() == "taxonomy"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_have_the_letters_and_the_colours_of_the_page(tab: Page, made: Served, scheme: str) -> None:
    tab.emulate_media(color_scheme=scheme)
    for path, chart in (("/result/compare", "svg.chart"), ("/result", "svg.chart")):
        tab.goto(made.origin + path)
        assert colour(tab, f"{chart} text", "fontFamily") == colour(tab, "body", "fontFamily")
        assert colour(tab, f"{chart} text:not([class])", "fill") == colour(tab, "body", "color")
    background = colour(tab, "body", "backgroundColor")
    assert contrast(colour(tab, "svg.chart .inside", "fill"), background) > 3


def contrast(one: str, other: str) -> float:
    """By the rules for people who see little: how much lighter the lighter of two colours is."""

    def light(text: str) -> float:
        parts = [int(part) / 255 for part in text.removeprefix("rgb(").rstrip(")").split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


# --- before and after


def test_before_and_after_are_one_table_of_aligned_pairs(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result")
    table = tab.get_by_role("table").filter(has=tab.locator(".pair-of-rows"))
    assert table.count() == 1
    assert table.locator("tbody").count() == 10
    places = table.locator("tbody").first.evaluate(
        "one => [...one.rows].map((row) => [...row.cells].slice(-4).map((cell) => cell.getBoundingClientRect().left))"
    )
    assert places[0] == places[1]
    numbers = table.locator("tbody tr.before").first.locator("td")
    assert numbers.nth(1).evaluate("one => getComputedStyle(one).textAlign") == "right"  # an age
    assert numbers.nth(2).evaluate("one => getComputedStyle(one).textAlign") in ("left", "start")  # a gender
    tab.get_by_role("navigation", name="Pages of rows").get_by_role("link", name="Last").click()
    tab.wait_for_url("**/result?page=12#beside")
    assert tab.locator(".pairs tbody").last.locator("th").first.inner_text() == str(ROWS)


def test_one_person_is_found_and_is_in_no_address(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result")
    tab.get_by_label("One person: name, or a part of it").fill("person 07")
    tab.get_by_role("button", name="Show", exact=True).click()
    tab.get_by_text("Rows 1 to 10 of 10 rows.").wait_for()
    assert "Person" not in tab.url
    assert [one.inner_text() for one in tab.locator(".pairs th[rowspan]:nth-child(2)").all()] == [
        f"Person 07{n}" for n in range(10)
    ]
    tab.get_by_label("One person: name, or a part of it").fill("nobody")
    tab.get_by_role("button", name="Show", exact=True).click()
    tab.get_by_text("Nobody in the table is called nobody.").wait_for()
    tab.get_by_role("button", name="Show all rows").click()
    tab.get_by_text(f"Rows 1 to 10 of {ROWS} rows.").wait_for()


# --- progress


def test_work_shows_its_parts_with_their_share_of_the_time(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(seed=7) as running, running.steward() as steward, tab_in(browser) as page:
        enter(page, running)
        steward.post("/data/demo", data={"name": "census"})
        running.wait()
        steward.post("/roles", data={"then": "method"})
        running.wait()
        held = Held(monkeypatch, "measure")  # the work lasts as long as one looks at it
        steward.post("/method", data={"name": "tailor", "p-l": "4"})
        assert held.began_one.wait(900)
        assert running.session.release is not None
        page.goto(f"{running.origin}/result")
        parts = page.locator(".parts li")
        assert parts.count() == 7
        assert parts.first.inner_text().startswith("✓publishing")
        assert page.locator(".parts [aria-current=step]").count() == 1
        before = float(page.get_by_role("progressbar").get_attribute("value") or "nan")
        with page.expect_response("**/job?**"):
            pass
        after = float(page.get_by_role("progressbar").get_attribute("value") or "nan")
        assert 0 < before <= after < 100
        page.goto("about:blank")
        steward.post("/job/cancel")
        held.may_end.set()


# --- paper, colours, weight


def test_the_table_comes_after_next_and_the_upload_is_folded_once_a_table_is_open(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/data")
    upload = tab.get_by_label("A table, one row per person")
    assert not upload.is_visible()
    following = tab.get_by_role("link", name="Next: Roles").bounding_box()
    preview = tab.get_by_role("region", name="First rows of the table").bounding_box()
    assert following is not None
    assert preview is not None
    assert following["y"] < preview["y"]
    assert following["y"] < 900
    tab.get_by_text("Open another table").click()
    assert upload.is_visible()
    assert tab.locator("tbody td").first.evaluate("one => getComputedStyle(one).textAlign") == "right"  # an age


def test_green_means_safe_and_boxes_stand_under_the_words_of_their_choice(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/roles")
    tab.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<i class=\"badge good\">safe</i>')")
    assert colour(tab, ".badge.quasi", "backgroundColor") != colour(tab, ".badge.good", "backgroundColor")
    assert "Others may know it other people know it" not in " ".join(tab.locator("main").inner_text().split())
    tab.goto(f"{made.origin}/roles/0")
    fields = "input[type=text], input[type=file]"
    for choice in tab.locator(f".details .choice:has(input[type=radio]):has({fields})").filter(visible=True).all():
        label, box = choice.locator("label").bounding_box(), choice.locator(fields).bounding_box()
        assert label is not None
        assert box is not None
        assert box["x"] >= label["x"]


def test_the_icon_is_there_and_paper_has_the_content_alone(tab: Page, made: Served) -> None:
    tab.goto(f"{made.origin}/result/risk")
    address = tab.locator("link[rel=icon]").get_attribute("href")
    assert tab.request.get(f"{made.origin}{address}").headers["content-type"].startswith("image/svg")
    tab.emulate_media(media="print", color_scheme="dark")
    for hidden in (".steps", ".tabs", ".actions", "#person form"):
        assert not tab.locator(hidden).first.is_visible()
    assert tab.locator("#verdict").is_visible()
    assert tab.locator(".attacker").first.is_visible()
    assert colour(tab, "body", "backgroundColor") == "rgb(255, 255, 255)"  # also from a dark screen
    assert colour(tab, "body") == "rgb(0, 0, 0)"


def test_the_figures_of_a_release_leave_no_orphan(tab: Page, made: Served) -> None:
    for width in (1280, 768, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(f"{made.origin}/result")
        rows = tab.evaluate("""() => {
          const tiles = [...document.querySelectorAll(".figures > div")].map((one) => one.getBoundingClientRect());
          const last = tiles.filter((one) => one.top === tiles.at(-1).top);
          return { alone: last.length === 1, wide: last[0].width, all: document.querySelector(".figures").clientWidth };
        }""")
        assert not rows["alone"] or rows["wide"] > 0.9 * rows["all"], width
        assert "Method" not in tab.locator(".figures").inner_text()


def test_the_tiles_of_a_row_of_attackers_are_aligned(tab: Page, made: Served) -> None:
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(f"{made.origin}/result/risk")
    tops = tab.evaluate("""() => [...document.querySelectorAll(".attacker:not(.open)")].map((tile) =>
      [tile, ...["svg.strip", "dl", ".stands", "details"].map((one) => tile.querySelector(one))]
        .map((one) => one && Math.round(one.getBoundingClientRect().top)))""")
    for row in {tile[0] for tile in tops}:
        for part in range(5):
            assert len({tile[part] for tile in tops if tile[0] == row and tile[part] is not None}) <= 1, (row, part)
    assert len({tile[0] for tile in tops}) < len(tops)  # some do stand beside each other


def test_the_first_step_is_light_and_nothing_on_a_page_jumps(browser: Browser, made: Served) -> None:
    with tab_in_new_window(browser) as page:
        weighing = page.context.new_cdp_session(page)  # what travels: a file that the browser kept weighs nothing
        weighing.send("Network.enable")
        weights: list[int] = []
        weighing.on("Network.loadingFinished", lambda told: weights.append(int(told["encodedDataLength"])))
        enter(page, made)
        page.goto(f"{made.origin}/data")
        page.wait_for_load_state("networkidle")
        assert 10_000 < sum(weights) < 150_000
        for path in ("/data", "/result/risk", "/result/compare", "/result"):
            page.goto(made.origin + path)
            shift = page.evaluate("""() => new Promise((done) => {
              let total = 0;
              new PerformanceObserver((list) => { for (const one of list.getEntries()) total += one.value; })
                .observe({ type: "layout-shift", buffered: true });
              requestAnimationFrame(() => requestAnimationFrame(() => done(total)));
            })""")
            assert shift < 0.01, path


# --- the bundle's own audit


def test_an_audit_of_the_bundle_with_the_groups_agrees_with_the_page(tab: Page, made: Served, tmp_path: Path) -> None:
    tab.goto(f"{made.origin}/release")
    assert "Without this file an audit of the bundle leaves that open" in tab.locator("main").inner_text()
    (tmp_path / "people.csv").write_text(people())
    with tab.expect_download() as waiting:
        tab.get_by_role("link", name="Download the bundle").click()
    waiting.value.save_as(tmp_path / "release.zip")
    with tab.expect_download() as waiting:
        tab.get_by_role("link", name="Download the groups (private)").click()
    waiting.value.save_as(tmp_path / "groups.csv")
    with zipfile.ZipFile(tmp_path / "release.zip") as bundle:
        assert sorted(bundle.namelist()) == ["data.csv", "recipe.json"]  # and no groups
        bundle.extractall(tmp_path / "out")
    given = {"truth": tmp_path / "people.csv", "identifier": "person"}
    told = pc.attack_all(tmp_path / "out", groups=tmp_path / "groups.csv", **given)
    risk = made.session.risk
    assert risk is not None
    on_page = {one["name"]: (one["max_risk"], one["above"], one["accuracy"]) for one in risk["attempts"]}
    audited = {one.name: (one.max_risk, len(one.above), one.accuracy) for one in told.attempts}
    assert audited.keys() == on_page.keys()
    for name, figures in on_page.items():
        assert audited[name] == pytest.approx(figures), name
    blind = pc.attack_all(tmp_path / "out", adversaries=["nothing"], **given)
    assert any("so figures differ from those of whoever is told it" in note for note in blind.notes)


def test_what_is_signed_is_printed_on_a_page_of_its_own(browser: Browser, tmp_path: Path) -> None:
    table = pl.read_csv(people().encode())
    roles = {"quasi": ["age", "gender", "birthplace"], "sensitive": "occupation", "identifier": "person"}
    release = pc.publish(table, pc.SoftCut(l=L), **roles)
    accepted = ["age is published though it names people."]
    report = pc.report(release, table, accepted=accepted, metrics=[], **roles)
    report.write(tmp_path / "report.html")
    with tab_in(browser) as page:
        page.goto((tmp_path / "report.html").as_uri())
        page.set_viewport_size({"width": 673, "height": 979})  # what A4 leaves inside of its margins
        page.emulate_media(media="print")
        signed = page.locator(".sign").bounding_box()
        assert signed is not None
        assert signed["y"] + signed["height"] < 979
        assert page.locator("#published").evaluate("one => getComputedStyle(one).breakBefore") == "page"
        order = page.locator("section").evaluate_all("all => all.map(one => one.id)")
        assert order[:4] == ["summary", "accepted", "signature", "published"]
        assert not page.locator(".contents").is_visible()
        page.emulate_media(media="screen")
        for link in page.locator(".contents a").all():
            assert page.locator(link.get_attribute("href") or "none").count() == 1
