"""The whole flow in a real browser: what a steward clicks, sees and downloads."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pellucid.cli.program import main
from pellucid.datasets import patients
from web.holding import halt
from web.serving import Served
from web.windows import settles as done

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

from playwright.sync_api import Error

if TYPE_CHECKING:
    from playwright.sync_api import Page


def data_folder() -> Path:
    """Where real tables are, if anywhere."""
    return Path(os.environ.get("PELLUCID_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def press(page: Page, name: str) -> None:
    """Send a form, and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


def follow(page: Page, name: str) -> None:
    """Follow a link."""
    with page.expect_navigation():
        page.get_by_role("link", name=name, exact=True).click()


def load_again(page: Page) -> None:
    """Load the page again; where the work just ended it does so itself, and only one of the two happens."""
    try:
        page.reload()
    except Error as wrong:
        if "ERR_ABORTED" not in str(wrong) and "interrupted by another navigation" not in str(wrong):
            raise


def attack(page: Page, label: str, who: str) -> None:
    """Ask about one person; the answer appears in the page."""
    page.get_by_label(label).fill(who)
    page.get_by_role("button", name="Attack", exact=True).click()


def heading(page: Page) -> str:
    return page.get_by_role("heading", level=1).inner_text()


def downloaded(page: Page, link: str, target: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=link).click()
    waiting.value.save_as(target)
    return target


def files_in(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_whole_flow_on_the_demo_table(page: Page, server: Served, tmp_path: Path) -> None:
    press(page, "Eight patients")
    done(page)
    assert "8 rows" in page.locator("main").inner_text()
    follow(page, "Next: Roles")
    assert page.get_by_label("Role of disease").input_value() == "sensitive"
    assert "38 % of rows are unique on age + zipcode" in page.locator("main").inner_text().replace(
        "\N{NO-BREAK SPACE}", " "
    )
    press(page, "Next: Method")
    done(page)
    page.wait_for_url("**/method")

    # what is feasible follows the slider
    slider = page.get_by_label("l by slider, up to 4")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("with probability at most 1/3").wait_for()
    assert page.get_by_label("Strength, l:").input_value() == "3"
    page.get_by_label("Strength, l:").fill("9")
    page.get_by_text("l = 9 is not feasible").wait_for()
    page.get_by_label("Strength, l:").fill("2")
    page.get_by_text("with probability at most 1/2").wait_for()
    press(page, "Publish with this setting")
    done(page)
    page.wait_for_url("**/result")
    assert "dyspepsia or gastritis" in page.get_by_role("region", name="Rows before and after").inner_text()

    # risk, and one person
    follow(page, "Next: Risk")
    done(page)
    assert "Knows the algorithm" in page.get_by_role("region", name="How sure each attacker can be").inner_text()
    attack(page, "Name, as in the identifier column", "Ann")
    page.get_by_role("heading", name="Ann", exact=True).wait_for()
    assert page.url.endswith("/result/risk")  # nothing about anybody in an address

    # utility, compare, and a point of the chart that loads its setting
    follow(page, "Next: Utility")
    assert "query-error" in page.locator("main").inner_text()
    follow(page, "Next: Compare")
    for name in ("tailor", "ace", "mondrian"):
        page.get_by_label(name, exact=True).uncheck()
    page.get_by_label("to", exact=True).fill("3")
    press(page, "Compare")
    done(page)
    page.locator("svg.chart").get_by_role("link", name="anatomy, l = 3").click()
    page.wait_for_url("**/method?name=anatomy&l=3")
    assert page.get_by_label("Strength, l:").input_value() == "3"

    # Back leads back, and every step has its address
    page.go_back()
    assert heading(page) == "Which setting is best?"
    follow(page, "Utility")
    follow(page, "Risk")
    page.go_back()
    assert heading(page) == "What the release is still good for"
    steps = {"/data": "Is this your table", "/roles": "What is each", "/method": "How should", "/release": "Hand it"}
    for path, title in steps.items():
        page.goto(server.origin + path)
        assert heading(page).startswith(title)

    # a second tab sees the same session
    second = page.context.new_page()
    second.goto(f"{server.origin}/result")
    assert heading(second) == "What became of the table"
    second.close()

    bundle = downloaded(page, "Download the bundle", tmp_path / "release.zip")
    (tmp_path / "patients.csv").write_text(patients().write_csv())
    words = ["publish", str(tmp_path / "patients.csv"), "--quasi", "age,zipcode", "--sensitive", "disease"]
    words += ["--identifier", "name", "--l", "2", "--seed", "7", "--out", str(tmp_path / "out"), "--quiet"]
    assert main(words) == 0
    assert files_in(bundle) == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    press(page, "Make the public report")
    done(page)
    report = downloaded(page, "Download the public report", tmp_path / "report.html")
    assert "with probability at most 1/2" in " ".join(report.read_text().split())


def test_the_whole_flow_on_adult(page: Page, server: Served, tmp_path: Path, thorough: bool) -> None:
    """Thorough: the whole table."""
    whole = data_folder() / "adult" / "adult.csv"
    if not whole.is_file():
        pytest.skip("Adult is not on this machine (PELLUCID_DATA says where tables are)")
    path = tmp_path / "adult.csv"
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines if thorough else lines[:3000]), encoding="utf-8")
    page.get_by_label("A table, one row per person").set_input_files(path)
    press(page, "Open")
    done(page)
    follow(page, "Next: Roles")
    quasi = {"age", "workclass", "education", "marital-status", "race", "sex"}
    assert server.session.data is not None
    for column in server.session.data["columns"]:
        role = "quasi" if column["name"] in quasi else "sensitive" if column["name"] == "occupation" else "drop"
        page.get_by_label(f"Role of {column['name']}", exact=True).select_option(role)
    press(page, "Save the roles")
    done(page)  # a page that shows work loads itself again when it ends, under the hand of who clicks
    schema = downloaded(page, "Save the schema", tmp_path / "adult.toml")
    press(page, "Next: Method")
    done(page)
    assert "Prof-specialty" in page.locator("main").inner_text()
    page.get_by_label("Strength, l:").fill("4")
    press(page, "Publish with this setting")
    page.wait_for_url("**/result")
    load_again(page)  # a page that is loaded again while the work goes on finds it again
    done(page)
    follow(page, "Risk")
    assert "Knows the algorithm" in page.get_by_role("region", name="How sure each attacker can be").inner_text()
    attack(page, "Row number", "17")
    page.get_by_role("heading", name="Row 17", exact=True).wait_for()
    follow(page, "Release")
    bundle = downloaded(page, "Download the bundle", tmp_path / "release.zip")
    words = ["publish", str(path), "--schema", str(schema), "--l", "4", "--seed", "7"]
    assert main([*words, "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert files_in(bundle) == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_a_column_that_names_people_is_told_of_while_it_is_being_chosen(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    done(page)
    page.goto(f"{server.origin}/roles")
    warning = page.get_by_text("The values themselves would stand in the published table")
    tick = page.get_by_label("Publish these columns though nearly every value belongs to one person")
    assert warning.count() == tick.count() == 0
    page.get_by_label("Role of name").select_option("carry")
    warning.wait_for()
    press(page, "Next: Method")  # and it is no matter of script
    assert page.url.endswith("/roles")
    assert "nearly every value belongs to one person" in page.get_by_role("alert").inner_text()
    page.get_by_label("Role of name").select_option("identifier")
    warning.wait_for(state="detached")
    page.get_by_label("Role of name").select_option("carry")
    tick.check()
    press(page, "Next: Method")
    done(page)
    page.wait_for_url("**/method")


def test_what_is_wrong_with_l_takes_the_place_of_the_promise_while_it_is_typed(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    done(page)
    page.goto(f"{server.origin}/roles")
    press(page, "Next: Method")
    done(page)
    page.wait_for_url("**/method")
    promise = page.locator("#promise blockquote")
    wrong = {"0": "is too small", "": "is empty or not a number", "2.5": "is not a whole number"}
    wrong |= {"1": "promises nothing"}
    for typed, told in wrong.items():
        page.get_by_label("Strength, l:").fill("3")
        page.get_by_text("with probability at most 1/3").wait_for()
        page.get_by_label("Strength, l:").fill(typed)
        page.locator("#promise").get_by_text(told).wait_for()
        assert promise.count() == 0
        page.locator("#promise").get_by_text("from 2 to 4").wait_for()
    page.get_by_role("button", name="Publish with this setting").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "promise-wrong"  # the reason is read, nothing is sent
    assert server.session.release is None


def test_a_second_tab_that_opens_another_table_makes_the_first_one_stale(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    done(page)
    follow(page, "Next: Roles")
    second = page.context.new_page()
    second.goto(f"{server.origin}/data")
    second.get_by_text("Open another table").click()
    press(second, "Eight patients")
    done(second)
    page.get_by_label("Role of disease").select_option("carry")
    page.get_by_text("so this page is out of date").wait_for()
    press(page, "Next: Method")
    assert "The table has changed in another tab; here it is as it is now" in page.locator("#error").inner_text()
    assert page.get_by_label("Role of disease").input_value() == "sensitive"
    press(page, "Next: Method")
    done(page)
    press(page, "Publish with this setting")
    done(page)
    follow(page, "Next: Risk")
    done(page)
    page.get_by_label("Name, as in the identifier column").press_sequentially("an")
    page.wait_for_function("() => document.querySelector('#names option[value=Ann]')")  # the field sends its form along
    second.close()


def test_cancel_stops_and_the_page_survives_a_reload_meanwhile(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    done(page)
    page.goto(f"{server.origin}/roles")
    press(page, "Next: Method")
    done(page)
    page.goto(f"{server.origin}/result/compare")
    page.get_by_label("to", exact=True).fill("3")
    halt(server)  # it lasts as long as one looks at it
    press(page, "Compare")
    page.get_by_role("progressbar").wait_for()
    load_again(page)
    page.get_by_role("progressbar").wait_for()
    second = page.context.new_page()
    second.goto(f"{server.origin}/data")
    second.get_by_role("progressbar").wait_for()
    press(page, "Cancel")
    page.get_by_text("Cancelled: Comparing").wait_for()
    assert server.session.jobs.running is None
    done(second)  # the other tab hears of it
    second.close()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.csv", "a,b\n1,2\n3,4,5\n", "broken.csv, line 3"),
        ("header.csv", "name,age\n", "header.csv has a header but no rows"),
        ("empty.csv", "", "empty.csv"),
    ],
)
def test_a_table_that_cannot_be_read_is_explained(
    page: Page, tmp_path: Path, name: str, content: str, told: str
) -> None:
    (tmp_path / name).write_text(content)
    page.get_by_label("A table, one row per person").set_input_files(tmp_path / name)
    press(page, "Open")
    done(page)
    alert = page.get_by_role("alert")
    alert.first.wait_for()
    assert told in alert.first.inner_text()


def test_a_file_over_the_limit_is_refused_with_and_without_script(page: Page, server: Served, tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    large.write_text("a,b\n" + "1,2\n" * 6_000_000)
    page.get_by_label("A table, one row per person").set_input_files(large)
    page.get_by_text("larger than the limit of 20 MB").wait_for()
    page.get_by_role("button", name="Open", exact=True).click()
    assert page.url.endswith("/data")  # it was not even sent
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(java_script_enabled=False) as plain:
        tab = plain.new_page()
        tab.goto(server.start)
        tab.wait_for_url("**/data")
        tab.get_by_label("A table, one row per person").set_input_files(large)
        tab.get_by_role("button", name="Open").click()
        tab.get_by_text("larger than the limit of 20 MB").wait_for()
    assert list(server.session.folder.iterdir()) == []


def test_everything_works_without_script(page: Page, server: Served) -> None:
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(java_script_enabled=False) as plain:
        tab = plain.new_page()
        tab.set_default_timeout(900_000)
        tab.goto(server.start)
        tab.wait_for_url("**/data")
        tab.get_by_role("button", name="Eight patients").click()
        server.wait()
        tab.goto(f"{server.origin}/roles")
        tab.get_by_role("button", name="Next: Method").click()
        server.wait()
        tab.goto(f"{server.origin}/method")
        tab.get_by_role("button", name="Publish with this setting").click()
        server.wait()
        tab.goto(f"{server.origin}/result/risk")
        tab.get_by_label("Name, as in").fill("Bob")
        tab.get_by_role("button", name="Attack", exact=True).click()
        tab.get_by_role("heading", name="Bob", exact=True).wait_for()
