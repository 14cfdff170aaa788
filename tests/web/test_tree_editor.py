"""Line 7 of the page as a product: the tree of a column, edited with its values prefilled, by mouse and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from web.accessible import looks, sideways, skipped_headings, violations
from web.serving import Served
from web.stewards import opened, text_of
from web.test_browser import press

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema import Column, Schema
from pellucid.core.taxonomy import Taxonomy
from pellucid.web.edited_tree import from_edit

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TOWNS = ("Bern", "Oslo", "Pisa", "Rome")
TABLE = "town,age,ill\n" + "".join(f"{TOWNS[i % 4]},{20 + i},{'abcd'[i // 3 % 4]}\n" for i in range(24))
ITALY: dict[str, Any] = {"*": {"Italy": {"Pisa": {}, "Rome": {}}, "Bern": {}, "Oslo": {}}}
FORM = {"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "stay"}


def tree_of(server: Served, name: str = "town") -> Any:
    taxonomy = server.session.columns[name].taxonomy
    return None if taxonomy is None else json.loads(json.dumps(taxonomy.tree))


def began(server: Served, table: str = TABLE) -> None:
    with server.steward() as steward:
        opened(server, steward, table)
        steward.post("/roles", data=FORM)
        server.wait()


def row(page: Page, name: str) -> Locator:
    return page.locator(f'.grown .node:has(.called:text-is("{name}"))')


def names(page: Page) -> list[str]:
    return page.locator(".grown .called").all_inner_texts()


def status(page: Page) -> str:
    return page.locator('[data-part="status"]').inner_text()


def test_line_7_a_tree_is_made_with_the_keyboard_alone_and_saved_as_a_schema_file_has_it(
    page: Page, server: Served, tmp_path: Path
) -> None:
    began(server)
    page.goto(f"{server.origin}/roles/0")
    press(page, "Group the values by hand…")
    assert names(page) == ["everything (*)", *TOWNS]
    page.locator(".grown [tabindex='0']").focus()
    for key in ("P", "Space", "Shift+ArrowDown"):  # Pisa, and Rome after it
        page.keyboard.press(key)
    assert page.locator('[aria-selected="true"]').count() == 2
    page.get_by_label("Broader name").focus()
    page.keyboard.type("Italia")
    page.keyboard.press("Enter")
    assert names(page) == ["everything (*)", "Italia", "Pisa", "Rome", "Bern", "Oslo"]
    assert status(page) == "2 put into the new group Italia."
    row(page, "Italia").focus()
    page.keyboard.press("F2")
    assert page.get_by_label("Broader name").evaluate("one => one === document.activeElement && one.value") == "Italia"
    page.keyboard.type("Italy")
    page.keyboard.press("Enter")
    assert status(page) == "Italia is called Italy now."

    # moved, taken back, done again, taken back; the focus stays in the tree
    row(page, "Oslo").focus()
    page.keyboard.press("Space")
    page.get_by_label("Move what is ticked into").focus()
    page.keyboard.press("I")
    page.get_by_role("button", name="Move", exact=True).press("Enter")
    assert names(page) == ["everything (*)", "Italy", "Pisa", "Rome", "Oslo", "Bern"]
    row(page, "Bern").focus()
    for keys, place in (("Control+z", 5), ("Control+y", 4), ("Control+z", 5)):
        page.keyboard.press(keys)
        assert names(page).index("Oslo") == place
        assert row(page, "Bern").evaluate("one => one === document.activeElement")
    for keys, shown in (("ArrowLeft", 6), ("ArrowUp", 6)):  # up to the top, which is open
        page.keyboard.press(keys)
        assert len(names(page)) == shown
    row(page, "Italy").focus()
    page.keyboard.press("ArrowLeft")
    assert names(page) == ["everything (*)", "Italy", "Bern", "Oslo"]
    page.keyboard.press("ArrowRight")
    assert len(names(page)) == 6
    press(page, "Save the tree")
    page.wait_for_url("**/roles/0")
    assert tree_of(server) == ITALY
    assert "The tree written here is taken for the column town." in page.locator("#done").inner_text()

    # what is saved is what a schema file with this tree says
    tree = '[columns.town.taxonomy.tree."*"]\nBern = []\nOslo = []\nItaly = ["Pisa", "Rome"]\n'
    path = tmp_path / "schema.toml"
    path.write_text(f'[columns.town]\nrole = "quasi"\n{tree}[columns.ill]\nrole = "sensitive"\n')
    written = Schema.load(path).columns["town"]
    assert written.taxonomy is not None
    assert written.taxonomy.tree is not None
    assert Taxonomy.from_tree(tree_of(server)) == Taxonomy.from_tree(written.taxonomy.tree)

    # and it is there to be changed again
    press(page, "Group the values by hand…")
    assert names(page) == ["everything (*)", "Italy", "Pisa", "Rome", "Bern", "Oslo"]
    row(page, "Italy").focus()
    page.keyboard.press("Delete")
    assert names(page) == ["everything (*)", *TOWNS]
    press(page, "Save the tree")
    assert "No value is in a group yet" in page.locator("#error").inner_text()
    assert tree_of(server) == ITALY
    assert names(page) == ["everything (*)", *TOWNS]  # what was done stays


def test_line_7_values_and_groups_are_dragged_and_what_cannot_be_is_said(page: Page, server: Served) -> None:
    began(server)
    page.goto(f"{server.origin}/roles/0/tree")
    for town in ("Rome", "Pisa"):
        row(page, town).click()
    page.get_by_label("Broader name").fill("Italy")
    page.get_by_role("button", name="Group", exact=True).click()
    for town in ("Bern", "Oslo"):
        row(page, town).click()
    row(page, "Oslo").drag_to(row(page, "Italy"))  # what is ticked goes along
    assert names(page) == ["everything (*)", "Italy", "Pisa", "Rome", "Bern", "Oslo"]
    assert [row(page, town).get_attribute("aria-level") for town in ("Pisa", "Oslo")] == ["3", "3"]
    row(page, "Oslo").drag_to(row(page, "everything (*)"))
    row(page, "Bern").click()
    page.get_by_label("Broader name").fill("Switzerland")
    page.get_by_role("button", name="Group", exact=True).click()
    row(page, "Switzerland").drag_to(row(page, "Oslo"))  # onto a value: where it stands, which is the top
    assert row(page, "Switzerland").get_attribute("aria-level") == "2"
    row(page, "Bern").drag_to(row(page, "everything (*)"))
    assert "Nothing was left in Switzerland, so it is gone." in status(page)

    row(page, "Oslo").click()
    for name, told in (("", "Write the name of the group first."), ("Rome", "already something called Rome")):
        page.get_by_label("Broader name").fill(name)
        page.get_by_role("button", name="Group", exact=True).click()
        assert told in status(page)
    page.get_by_role("button", name="Rename").click()
    assert status(page) == "Tick one group to rename it."
    row(page, "Bern").click()
    page.get_by_label("Broader name").fill("Oslo")  # a value may stand in a group of its own name
    page.get_by_role("button", name="Group", exact=True).click()
    row(page, "Italy").click()
    page.get_by_label("Move what is ticked into").select_option("Italy")
    page.get_by_role("button", name="Move", exact=True).click()
    assert status(page) == "A group cannot be moved into itself."
    press(page, "Save the tree")
    assert tree_of(server) == {"*": {"Italy": {"Pisa": {}, "Rome": {}}, "Oslo": {"Oslo": {}, "Bern": {}}}}


def test_line_7_some_hundred_values_are_found_ticked_and_grouped(page: Page, server: Served) -> None:
    rows = [
        f"{kind} {at:03},{20 + at % 30},{'abcde'[at % 5]}" for at in range(200) for kind in ("nurse", "baker", "smith")
    ]
    began(server, "town,age,ill\n" + "\n".join(rows) + "\n")
    page.goto(f"{server.origin}/roles/0/tree")
    assert page.locator(".grown .node").count() == 400
    assert "201 more are not drawn" in page.locator('[data-part="more"]').inner_text()
    for kind, called in (("nurse", "care"), ("smith", "craft")):
        page.get_by_label("Find a value").fill(kind)
        page.get_by_role("button", name="Tick all shown").click()
        assert page.get_by_text("Ticked: 200").is_visible()
        page.get_by_label("Broader name").fill(called)
        page.keyboard.press("Enter")
        assert f"200 put into the new group {called}." in status(page)
    press(page, "Save the tree")
    tree = tree_of(server)
    assert {name: len(below) for name, below in tree["*"].items() if below} == {"care": 200, "craft": 200}
    assert sum(not below for below in tree["*"].values()) == 200
    page.goto(f"{server.origin}/roles/0/tree")
    assert names(page)[:3] == ["everything (*)", "care", "craft"]  # closed, and before the values
    assert page.evaluate("document.documentElement.scrollHeight") < 2_000


def test_line_7_the_editor_is_accessible_narrow_and_dark(page: Page, server: Served) -> None:
    began(server)
    with server.steward() as steward:
        lines = {"role": "quasi", "kind": "", "taxonomy": "lines", "lines": "Rome;Italy\nPisa;Italy\nOslo;*\nBern;*"}
        steward.post("/roles/0", data=lines)
    page.goto(f"{server.origin}/roles/0/tree")
    row(page, "Oslo").click()
    page.locator("details.terms summary").click()
    assert "Group the values of town" in page.locator("h1").inner_text()
    for look in looks(page):
        assert violations(page) == [], look
        assert sideways(page) == 0, look
    assert skipped_headings(page) == []


def test_what_the_editor_sends_is_not_trusted(server: Served, steward: httpx.Client) -> None:
    began(server)
    steward.get("/roles/0/tree")
    values = list(TOWNS)
    wrong = {
        "": "did not arrive whole",
        "[0, 1, 2, 7]": "did not arrive whole",
        '[["x", [0, 1]]]': "Pisa, Rome: no longer in the tree",
        "[0, 1, 2, 3]": "no value is in a group yet",
        '[["x", [0, 1]], ["x", [2, 3]]]': "'x' stands in the tree twice",
        '[["Oslo", [0, 2]], 1, 3]': "'Oslo' stands in the tree twice",
        '[["a", [["Oslo", [0, 2]]]], 1, 3]': "'Oslo' stands in the tree twice",
        '[["*", [0, 1, 2, 3]]]': "'*' stands in the tree twice",
        '[[" ", [0, 1]], 2, 3]': "a group has no name",
        '[["x", []], 0, 1, 2, 3]': "the group 'x' is empty",
        "[[" * 3000: "did not arrive whole",
        '["x", [0, 1, 2, 3]]': "did not arrive whole",
        "[true, 0, 1, 2, 3]": "did not arrive whole",
    }
    for sent, told in wrong.items():
        answer = steward.post("/roles/0/tree", data={"tree": sent})
        assert answer.status_code == 422
        assert told.lower() in text_of(answer).lower(), sent
        assert tree_of(server) is None
    assert from_edit('[["Oslo", [1, 2]], 0, 3]', values) == {
        "*": {"Oslo": {"Oslo": {}, "Pisa": {}}, "Bern": {}, "Rome": {}}
    }
    hostile = "<script>alert(1)</script>\"'&"
    answer = steward.post("/roles/0/tree", data={"tree": json.dumps([[hostile, [0, 1]], ["y", [2]]])})
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert not [path for path in server.session.folder.iterdir() if "taxonomy-" in path.name]


@pytest.mark.parametrize(
    ("towns", "said", "told"),
    [
        (4, {"tree": {"*": {"a": ["T0", "T1"], "b": ["T0", "T2", "T3"]}}}, "stands below several others"),
        (5_001, None, "There are 5,001 values in town, more than the 5,000 that can be grouped by hand"),
    ],
)
def test_what_cannot_be_edited_by_hand_is_said(
    server: Served, steward: httpx.Client, towns: int, said: Any, told: str
) -> None:
    began(server, "town,age,ill\n" + "".join(f"T{at},{20 + at % 9},{'abcd'[at % 4]}\n" for at in range(towns)))
    server.session.columns = {**server.session.columns, "town": Column(role="quasi", taxonomy=said)}
    answer = steward.get("/roles/0/tree")
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert "tree_editor.js" not in answer.text
