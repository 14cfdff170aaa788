"""What the page says about a yes/no column: the way out, what is feasible then, and what would be promised."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import pellucid as pc

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


def said(
    parameters: dict[str, str | bool], *, protect: list[str] | None = None, name: str = "hybrid"
) -> dict[str, Any]:
    """What the page tells of a setting, for a table in which one in ten is sick."""
    from pellucid.web.promised import promise
    from pellucid.web.tasks.checking import outline

    frame = pl.DataFrame({"age": range(100), "sick": ["Yes" if i % 10 == 0 else "No" for i in range(100)]})
    columns = {"age": {"role": "quasi"}, "sick": {"role": "sensitive", "protect": protect}}
    table = pc.read(frame, schema=pc.Schema.model_validate({"columns": columns}))
    session: Any = SimpleNamespace(outline=outline(table), data=None, accepted=(), hiding=False)
    return promise(session, name, parameters, {})


def test_where_no_l_is_possible_the_page_names_the_value_that_can_be_protected() -> None:
    assert "protect 'Yes' only: l up to 10" in said({"l": "5"})["wrong"]
    assert "soft-cut and protect 'Yes' only" in said({"l": "5"}, name="tailor")["wrong"]


def test_the_promise_and_the_largest_l_are_those_of_the_protected_value() -> None:
    told = said({"l": "5", "values": "Yes", "k": "10"})
    assert told["wrong"] == ""
    assert told["feasible"] == "l up to 10: 'Yes' is 10 % of the rows"
    assert "names 'Yes' as any one person's sick with probability at most 1/5" in told["sentence"]
    assert "at least 10 rows" in told["sentence"]
    assert "may be told with certainty" in told["sentence"]


def test_a_schema_that_protects_a_value_is_obeyed() -> None:
    assert "names 'Yes'" in said({"l": "5"}, protect=["Yes"])["sentence"]
    assert "the schema says" in said({"l": "5", "values": "No"}, protect=["Yes"])["wrong"]


@pytest.mark.parametrize(
    ("parameters", "wrong"), [({"l": "11", "values": "Yes"}, "11"), ({"l": "5", "values": "yse"}, "no row has")]
)
def test_what_is_not_possible_is_said(parameters: dict[str, str | bool], wrong: str) -> None:
    assert wrong in said(parameters)["wrong"]


def test_a_value_that_is_called_like_a_part_of_the_form_is_ticked_like_others() -> None:
    from pellucid.web.chosen_setting import given_setting

    form = {"name": "soft-cut", "p-l": "2", "p-values~kind": "on", "p-values~other": "on"}
    assert given_setting(form)[1]["values"] == "kind,other"


def test_the_outline_has_no_rows_of_a_column_that_was_rounded() -> None:
    from pellucid.web.tasks.checking import outline

    columns = {"age": pc.Column(role="quasi", round=10), "sick": pc.Column(role="sensitive")}
    frame = pl.DataFrame({"age": [31, 32, 47, 58], "sick": ["a", "b", "c", "d"]})
    left = outline(pc.read(frame, schema=pc.Schema(columns=columns)))
    assert {len(set(codes.tolist())) for codes in left.codes[:1]} == {1}
    assert [was.codes for was in left.before.values() if was.codes is not None] == []
