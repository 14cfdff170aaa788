"""A code that stands for an empty value does so in its own column, and in no other that has it as a value."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pandas as pd
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TABLE = "age,job,sick\n" + "".join(
    f"{99 if i % 6 == 0 else 20 + i % 50},{999 if i % 8 == 0 else 90 + i % 10},{'yn'[i % 2]}\n" for i in range(240)
)
FORM = {"header": "yes", "separator": ",", "decimal": ".", "encoding": "utf-8", "date_order": ""}


def fields(page: str) -> dict[str, str]:
    found = re.findall(r'<input type="text" id="missing-[^"]*" name="(missing[^"]*)"[^>]*?value="([^"]*)"', page)
    return {name: value for name, value in found if value}


def test_codes_are_shown_and_changed_column_by_column(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/data/reading", data={**FORM, "missing-place": "0", "missing-more": "99"})
    server.wait()
    assert server.session.columns["age"].missing == ("99",)
    assert server.session.columns["job"].missing == ()  # where 99 is a job
    page = steward.get("/data")
    assert fields(page.text) == {"missing-of-0": "99"}
    assert "empty in age: 99" in text_of(page)
    more = {**FORM, "missing-of-0": "99", "missing-place": "1", "missing-more": "999"}
    shown = steward.post("/data/preview", data=more).text
    assert shown.count('class="null"') == 4  # of the first 12 rows: two ages and two jobs
    steward.post("/data/reading", data=more)
    server.wait()
    assert (server.session.columns["age"].missing, server.session.columns["job"].missing) == (("99",), ("999",))
    assert server.session.data is not None
    assert [one["nulls"] for one in server.session.data["columns"]] == [40, 30, 0]
    assert fields(steward.get("/data").text) == {"missing-of-0": "99", "missing-of-1": "999"}
    steward.post("/data/reading", data={**FORM, "missing": "99", "missing-of-1": ""})  # in every column that has it
    server.wait()
    assert (server.session.columns["age"].missing, server.session.columns["job"].missing) == (("99",), ("99",))
    assert fields(steward.get("/data").text) == {"missing": "99"}


def test_a_column_that_is_not_there_is_refused(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    refused = steward.post("/data/reading", data={**FORM, "missing-of-x": "9"})
    assert refused.status_code == 422
    assert "There is no such column" in text_of(refused)


def test_codes_that_a_survey_file_declares_missing_are_told(
    server: Served, steward: httpx.Client, tmp_path: Path
) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    survey = tmp_path / "survey.sav"
    rows = pd.DataFrame(
        {"age": [20.0 + i % 9 for i in range(60)], "pay": [[1.0, 2.0, 97.0, 99.0][i % 4] for i in range(60)]}
    )
    labels = {"pay": {1: "low", 2: "high", 97: "refused", 99: "not known"}}
    pyreadstat.write_sav(rows, survey, variable_value_labels=labels, missing_ranges={"pay": [97, 99]})
    steward.post("/data/upload", files={"file": ("survey.sav", survey.read_bytes())})
    server.wait()
    told = "97 (refused): 15 rows; 99 (not known): 15 rows"
    page = text_of(steward.get("/data"))
    assert f"pay : {told}" in page.replace("pay:", "pay :")
    assert "become the same empty value" in page
    assert told in text_of(steward.get("/roles/1"))
