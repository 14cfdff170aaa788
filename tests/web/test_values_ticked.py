"""Which values of a yes/no column are protected is ticked on the page, beside how many people have them."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import httpx
import pytest

from pellucid.cli.program import main
from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

SICK = "who,age,sick\n" + "".join(f"person {i},{20 + i % 9},{'Yes' if i % 10 == 0 else 'No'}\n" for i in range(60))
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
TICKED = {"name": "soft-cut", "p-l": "5", "p-k": "6", "p-values~Yes": "on"}


def checked(server: Served, steward: httpx.Client, table: str) -> str:
    opened(server, steward, table)
    steward.post("/roles", data=ROLES)
    server.wait()
    return steward.get("/method").text


def ticks(page: str) -> dict[str, bool]:
    found = re.findall(r'<input type="checkbox"[^>]*name="p-values~([^"]*)"([^>]*)>', page)
    return {label: "checked" in rest for label, rest in found}


def test_values_are_ticked(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK)
    assert ticks(page) == {"No": False, "Yes": False}
    assert "Yes 6 rows, 10 %" in text_of(steward.get("/method"))
    said = steward.post("/method/check", data=TICKED).text
    assert "may be told with certainty" in said
    steward.post("/method", data=TICKED)
    server.wait()
    assert server.session.release is not None
    assert server.session.parameters["values"] == "Yes"
    assert ticks(steward.get("/method").text) == {"No": False, "Yes": True}  # as it was published


def test_empty_values_are_counted_beside_the_ticks(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK.replace("person 5,25,No", "person 5,25,"))
    assert ticks(page) == {"No": False, "Yes": False}
    assert "Empty values (1 row) cannot be ticked" in text_of(steward.get("/method"))


def test_values_that_no_list_can_name_are_written(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK.replace("Yes", '"Yes, ill"'))
    assert ticks(page) == {}
    assert re.search(r'<input type="text"[^>]*name="p-values"', page)


BOTH = "who,age,sick,income\n" + "".join(
    f"person {i},{20 + i % 9},{'Yes' if i % 10 == 0 else 'No'},{1000 + 10 * (i % 30)}\n" for i in range(60)
)
OF_BOTH = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "role-3": "sensitive", "then": "method"}
SOME = {"name": "soft-cut", "p-l": "5", "p-values~sick=Yes": "on"}


def test_values_of_each_protected_column_are_ticked_by_themselves(
    server: Served, steward: httpx.Client, tmp_path: Path
) -> None:
    opened(server, steward, BOTH)
    steward.post("/roles", data=OF_BOTH)
    server.wait()
    page = steward.get("/method")
    assert ticks(page.text) == {"sick=No": False, "sick=Yes": False}
    assert "income all its values are protected (30 different values)" in text_of(page)
    assert "Protect Yes only" in text_of(page)  # where all cannot be: nine in ten have No
    (way,) = re.findall(r'href="(/method\?[^"]*values=[^"]*)"', page.text)
    assert ticks(steward.get(unescape(way)).text) == {"sick=No": False, "sick=Yes": True}
    said = text_of(steward.post("/method/check", data=SOME))
    assert re.search(r"with probability at most 1/5", said), said
    steward.post("/method", data=SOME)
    server.wait()
    release = server.session.release
    assert release is not None
    assert release["recipe"]["parameters"]["values"] == {"sick": ["Yes"]}
    assert ticks(steward.get("/method").text) == {"sick=No": False, "sick=Yes": True}

    # the comparison, and a project that is saved and opened again, mean the same values
    steward.post("/result/compare", data={"m-ace": "on", "from": "2", "to": "2"})
    server.wait()
    assert server.session.comparison is not None
    (cell,) = server.session.comparison["cells"]
    assert not cell["refused"]
    assert "values=sick%3DYes" in cell["link"]
    project = steward.get("/project.toml").text
    assert 'values = {sick = ["Yes"]}' in project
    opened(server, steward, BOTH)
    steward.post("/project/open", files={"file": ("project.toml", project.encode())})
    server.wait()
    steward.post("/roles", data=OF_BOTH)
    server.wait()
    assert ticks(steward.get("/method").text) == {"sick=No": False, "sick=Yes": True}

    # and the command line makes such a release of the project
    (tmp_path / "table.csv").write_text(BOTH)
    (tmp_path / "project.toml").write_text(project)
    assert main(["run", str(tmp_path / "project.toml")]) in (0, None)
    recipe = json.loads((tmp_path / "release" / "recipe.json").read_text())
    assert recipe["parameters"]["values"] == {"sick": ["Yes"]}


def test_what_was_ticked_stays_ticked_when_another_column_is_no_longer_protected(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, BOTH)
    steward.post("/roles", data=OF_BOTH)
    server.wait()
    steward.post("/method", data=SOME)
    server.wait()
    assert server.session.parameters["values"] == "sick=Yes"
    steward.post("/roles", data={**OF_BOTH, "role-3": "drop", "discard": "on"})
    server.wait()
    page = steward.get("/method")
    assert ticks(page.text) == {"No": False, "Yes": True}
    assert "no row has" not in page.text.lower()
    steward.post("/roles", data={**OF_BOTH, "discard": "on"})
    server.wait()
    assert ticks(steward.get("/method").text) == {"sick=No": False, "sick=Yes": True}


def test_empty_is_no_different_value_at_any_step(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, BOTH.replace("person 5,25,No,1050", "person 5,25,No,"))
    steward.post("/roles", data=OF_BOTH)
    server.wait()
    assert server.session.data is not None
    assert server.session.checked is not None
    assert server.session.data["columns"][3]["distinct"] == server.session.checked["sensitive"][1]["distinct"] == 30
    assert "income all its values are protected (30 different values, 1 empty)" in text_of(steward.get("/method"))
