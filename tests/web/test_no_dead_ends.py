"""What cannot be published leads, in a real browser, to the nearest settings that can: one click each."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from pellucid.core.schema import Role
from web.serving import Served
from web.test_browser import done, press
from web.test_import import open_file

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page


def people(path: Path, columns: int = 2) -> Path:
    """Half of the people have no disease, so that only l = 1 is possible for all values; and some other columns."""
    others = [f"known_{number}" for number in range(columns)]
    rows, drawn = [], Random(5)
    for i in range(120):
        disease = ["none", "none", "flu", "none", "gout", "cold"][i % 6] if i else "flu"
        known = [str(drawn.randrange(5 + number)) for number in range(columns)]
        rows.append(",".join([str(20 + i // 3), *known, disease]))
    path.write_text("\n".join([",".join(["age", *others, "disease"]), *rows]) + "\n")
    return path


def give_roles(page: Page, server: Served, roles: dict[str, str]) -> None:
    page.goto(f"{server.origin}/roles")
    for name in server.session.columns:
        page.get_by_label(f"Role of {name}", exact=True).select_option(roles.get(name, "quasi"))


def test_a_setting_that_cannot_be_published_leads_to_those_that_can(page: Page, server: Served, tmp_path: Path) -> None:
    path = people(tmp_path / "people.csv")
    path.write_text(path.read_text().replace(",cold\n", ",none\n"))  # now nearly all have none: no l is possible
    open_file(page, path)
    give_roles(page, server, {"disease": "sensitive"})
    press(page, "Next: Method")
    done(page)
    page.goto(f"{server.origin}/method?name=soft-cut&l=2")  # strata have no such limit
    ways = page.locator("#promise .ways a")
    ways.first.wait_for()
    titles = ways.all_inner_texts()
    assert titles == [
        "Protect flu, gout only",
        "Groups of at least 5 people (k-anonymity)",
        "Groups like the whole table (t-closeness 0.2)",
    ]
    page.get_by_role("link", name="Groups of at least 5 people (k-anonymity)").click()
    page.wait_for_url("**/method?name=tailor**")
    assert page.get_by_label("Privacy model").input_value() == "k-anonymity"
    assert page.locator("input[name^='p-model~k~']:visible").input_value() == "5"
    page.go_back()
    page.get_by_role("link", name="Protect flu, gout only").click()
    page.wait_for_url("**values=**")
    press(page, "Publish with this setting")
    page.wait_for_url("**/result")
    server.wait(lambda: server.session.release is not None)
    assert server.session.release is not None


def test_models_are_chosen_with_form_fields(page: Page, server: Served, tmp_path: Path) -> None:
    open_file(page, people(tmp_path / "people.csv"))
    give_roles(page, server, {"disease": "sensitive"})
    press(page, "Next: Method")
    done(page)
    page.goto(f"{server.origin}/method?name=mondrian")
    page.get_by_label("Privacy model").select_option("t-closeness")
    number = page.locator(".model:visible input")
    assert number.count() == 1, "only the numbers of the model that is chosen"
    number.fill("0.4")
    press(page, "Publish with this setting")
    page.wait_for_url("**/result")
    server.wait(lambda: server.session.release is not None)
    assert server.session.parameters["model"] == "t-closeness=0.4"


def test_roles_that_cannot_be_published_lead_to_those_that_can(page: Page, server: Served, tmp_path: Path) -> None:
    open_file(page, people(tmp_path / "people.csv", columns=13))
    give_roles(page, server, {"disease": "sensitive"})
    press(page, "Next: Method")
    page.get_by_role("button", name="Leave out the most telling").click()
    page.wait_for_url("**/method")
    done(page)
    assert len(server.session.names(Role.QUASI)) == 10
    give_roles(page, server, {"disease": "drop", "age": "drop"})
    press(page, "Next: Method")
    offered = page.locator(".ways button").all_inner_texts()
    assert 1 <= len(offered) <= 3
    assert all(title.startswith(("Protect", "Leave out")) for title in offered)
