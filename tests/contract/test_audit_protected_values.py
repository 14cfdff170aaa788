"""Only some values are sensitive: in which column they are meant, and how they are written."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import pellucid as pc

FRAME = pl.DataFrame(
    {
        "q": ["u", "u", "u", "v", "v", "v"],
        "disease": ["HIV", "flu", "flu", "flu", "cold", "HIV"],
        "job": ["judge", "judge", "cook", "cook", "nurse", "judge"],
    }
)
ROLES: dict[str, Any] = {"quasi": "q", "sensitive": ["disease", "job"]}


def l_of(answers: Any) -> dict[str, Any]:
    return {a.sensitive: a.level for a in answers if a.model == "l-diversity" and a.view == "separate"}


ALONE = {name: l_of(pc.levels(FRAME, quasi="q", sensitive=name))[name] for name in ("disease", "job")}


def test_values_are_meant_in_the_columns_that_have_them_and_the_others_protect_all() -> None:
    found = l_of(pc.levels(FRAME, **ROLES, values=["HIV"]))
    assert found == {"disease": 3, "job": ALONE["job"]}
    assert ALONE == {"disease": 1, "job": 1}


def test_a_mapping_names_them_column_by_column() -> None:
    found = l_of(pc.levels(FRAME, **ROLES, values={"disease": ["HIV"], "job": "nurse"}))
    assert found == {"disease": 3, "job": 3}
    assert l_of(pc.levels(FRAME, **ROLES, values={"job": ["nurse"]})) == {"disease": 1, "job": 3}


def test_verify_takes_them_too_and_a_model_may_bring_its_own() -> None:
    for asked in (
        pc.verify(FRAME, [pc.LDiversity(l=2)], **ROLES, values=["HIV", "nurse"]),
        pc.verify(FRAME, [pc.LDiversity(l=2, sensitive=("HIV", "nurse"))], **ROLES),
        pc.verify(FRAME, [pc.LDiversity(l=2, sensitive=("HIV", "nurse"))], **ROLES, values=["cold"]),
    ):
        assert [(verdict.sensitive, verdict.holds, verdict.level) for verdict in asked] == [
            ("disease", True, 3),
            ("job", True, 3),
        ]


@pytest.mark.parametrize(("together", "level"), [(True, 1), (False, 3)])
def test_values_are_protected_each_or_together(together: bool, level: int) -> None:
    pair = ("HIV", "cold")
    own = pc.verify(FRAME, [pc.LDiversity(l=1, sensitive=pair, together=together)], **ROLES)
    assert l_of(own) == {"disease": level, "job": 1}
    common = pc.verify(FRAME, [pc.LDiversity(l=1)], **ROLES, values={"disease": pair}, together=together)
    assert l_of(common) == {"disease": level, "job": 1}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["hiv"], "no row has 'hiv' in 'disease' or 'job', the sensitive columns; did you mean 'HIV'?"),
        (["HIV", "zebra"], "no row has 'zebra' in 'disease' or 'job', the sensitive columns; name a value that occurs"),
        ([], "values= names no value; name at least one to protect"),
        ({"job": []}, "values= names no value"),
        ({"disase": ["HIV"]}, "column 'disase', which is not sensitive; did you mean 'disease'?"),
        ({"job": ["HIV"]}, "no row has 'HIV' in 'job', which is said to be sensitive; take it out of the set"),
    ],
)
def test_a_slip_is_named(values: Any, said: str) -> None:
    with pytest.raises(pc.ModelError, match=r".*") as wrong:
        pc.levels(FRAME, **ROLES, values=values)
    assert said in str(wrong.value)
    with pytest.raises(pc.ModelError, match=r".*"):
        pc.verify(FRAME, [pc.LDiversity(l=2)], **ROLES, values=values)


def test_one_column_and_a_near_miss_in_another_case() -> None:
    with pytest.raises(pc.ModelError, match="did you mean 'HIV'"):
        pc.levels(FRAME, quasi="q", sensitive="disease", values=["hiv"])


@pytest.mark.parametrize(
    ("held", "named"),
    [
        ([1, 2, 2], "1.0"),
        ([1, 2, 2], "1"),
        ([1, 2, 2], 1.0),
        ([1.0, 2.5, 2.5], "1"),
        ([None, 2, 2], "null"),
        ([None, 2, 2], None),
        (["null", None, None], "null"),
        ([0.1, 2.0, 2.0], "1/10"),
    ],
)
def test_numbers_are_named_as_anybody_writes_them_and_null_by_its_name(held: list[Any], named: Any) -> None:
    frame = pl.DataFrame({"q": ["u"] * 3, "s": held})
    (verdict,) = pc.verify(frame, [pc.LDiversity(l=3, sensitive=(named,))], quasi="q", sensitive="s")
    assert verdict.holds
    assert verdict.level == 3
