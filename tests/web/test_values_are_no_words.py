"""Values of a table and long texts are told as they are."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.web import rows_file
from pellucid.web.jobs import Jobs
from web.serving import Served
from web.stewards import PEOPLE, opened, text_of


def test_a_quoted_value_of_the_table_is_no_word_of_ours(server: Served, steward: httpx.Client) -> None:
    rows = "".join(f"{20 + i},{('null', 'x', 'y')[i % 3]}\n" for i in range(60))
    page = opened(server, steward, f"age,amount\n{rows}")
    page = text_of(steward.get("/roles"))
    assert "take 'null' out of “Texts that stand for an empty value”" in page
    assert "take empty out" not in page


def test_a_column_keeps_the_and_of_its_own_name(server: Served, steward: httpx.Client) -> None:
    rows = "".join(f"{20 + i // 4},{'abcd'[i % 4]},{'wxyz'[i % 4]}\n" for i in range(24))
    opened(server, steward, f"age,ill,bread and butter\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "role-2": "sensitive", "then": "method"})
    server.wait()
    page = text_of(steward.get("/method"))
    assert "everyone except ill and bread and butter names" in page  # one and is theirs, the other one ours


def test_codes_that_are_too_long_are_refused_and_a_table_may_go_while_its_first_rows_are_read(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(server, steward, PEOPLE)
    long = {"header": "yes", "missing": "x" * 200_000}
    assert "are too long; write a few short ones" in text_of(steward.post("/data/preview", data=long))
    assert steward.post("/data/reading", data=long).status_code == 422
    begin = Jobs.start

    def gone(jobs: Jobs, *given: Any, **how: Any) -> Any:
        with jobs._lock:  # before its worker gets to it
            job = begin(jobs, *given, **how)
            server.session.clear()
        return job

    monkeypatch.setattr(Jobs, "start", gone)
    assert steward.post("/data/preview", data={"header": "yes"}).status_code == 204  # given up


def test_a_filter_that_finds_more_than_are_shown_says_so(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_file, "MOST_FOUND", 20)
    opened(server, steward, PEOPLE)
    steward.post("/roles", data={"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    steward.post("/result/rows", data={"who": "person"})
    assert "Rows 1 to 10 of the first 20 of 24 rows" in text_of(steward.get("/result"))
    steward.post("/result/rows", data={"who": "person 1"})
    assert "Rows 1 to 10 of 11 rows." in text_of(steward.get("/result"))
    steward.post("/result/rows", data={"all": "yes"})
    assert "Rows 1 to 10 of 24 rows." in text_of(steward.get("/result"))
