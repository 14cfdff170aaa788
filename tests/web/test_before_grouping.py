"""What happens to columns before people are grouped, on the page: rounding, classes by quantiles, weights."""

from __future__ import annotations

import io
import json
import zipfile
from random import Random

import httpx
import polars as pl
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema.rounding import Quantiles

ROWS = 48
DRAWN = Random("ill")
TABLE = "id,age,born,weight,ill\n" + "".join(
    f"{i},{20 + i},19{50 + i % 40}-0{1 + i % 9}-03,{100 + i * i % 37}.5,{DRAWN.choice('abcdefgh')}\n"
    for i in range(ROWS)
)
ID, AGE, BORN, WEIGHT, ILL = range(5)
FORM = {"role": "quasi", "taxonomy": "none", "ladder": "", "dates": "", "prefix": "", "order": "", "kind": ""}
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "drop", "role-3": "weight", "role-4": "sensitive"}


def published(server: Served, steward: httpx.Client, **setting: str) -> tuple[pl.DataFrame, dict[str, object]]:
    """The bundle of a release with these roles: its rows and its recipe."""
    steward.post("/roles", data={**ROLES, "then": "method"})
    server.wait()
    assert server.session.checked is not None
    steward.post("/method", data=setting or {"name": "hybrid", "p-l": "3"})
    server.wait()
    assert server.session.release is not None
    packed = zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content))
    return pl.read_csv(packed.read("data.csv")), json.loads(packed.read("recipe.json"))


@pytest.mark.parametrize(
    ("number", "way", "typed", "stored"),
    [
        (AGE, "quantiles", "4", Quantiles(4)),
        (AGE, "multiples", "5", 5),
        (AGE, "classes", "0, 30, 50", (0, 30, 50)),
        (BORN, "quarter", "", "quarter"),
        (BORN, "quantiles", "3", Quantiles(3)),
    ],
)
def test_how_exactly_a_column_is_read_is_chosen_stored_and_shown(
    server: Served, steward: httpx.Client, number: int, way: str, typed: str, stored: object
) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, "role-2": "quasi"})
    assert steward.post(f"/roles/{number}", data={**FORM, "rounding": way, "rounded": typed}).status_code == 303
    server.wait()
    assert list(server.session.columns.values())[number].round == stored
    page = steward.get(f"/roles/{number}").text
    assert f'<option value="{way}" selected>' in page
    assert typed == "" or f'value="{typed}"' in page
    again = {**FORM, "rounding": way, "rounded": typed, "missing": "-9"}  # as it stands: nothing was typed there
    assert steward.post(f"/roles/{number}", data=again).status_code == 303
    server.wait()
    assert list(server.session.columns.values())[number].round == stored
    cleared = {**FORM, "rounding": "", "rounded": typed}
    assert steward.post(f"/roles/{number}", data=cleared).status_code == 303
    server.wait()
    assert list(server.session.columns.values())[number].round is None


def test_classes_by_quantiles_are_published_as_the_page_said(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    steward.post(f"/roles/{AGE}", data={**FORM, "rounding": "quantiles", "rounded": "4"})
    server.wait()
    frame, recipe = published(server, steward)
    (age,) = (column for column in recipe["columns"] if column["name"] == "age")  # type: ignore[attr-defined]
    assert age["round"]["measured"] == 4
    begins = age["round"]["begin"]
    assert len(begins) == 4
    ends = {int(part.strip("[]()<>= ")) for cell in frame["age"].unique() for part in str(cell).split(",")}
    assert ends <= set(begins)
    assert not {str(begin) for begin in begins} & set(frame["age"])  # no class is published as if it were a value


@pytest.mark.parametrize(
    ("way", "typed", "told"),
    [
        ("quantiles", "", "is chosen, and the box beside it is empty"),
        ("quantiles", "many", "is not a number"),
        ("quantiles", "1", "names no classes"),
        ("quantiles", "40", "leaves no two classes of three people or more"),
        ("classes", "30, 20", "does not go up"),
        ("", "5", "is written, and “as it is written” needs nothing"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_typed_is_lost(
    server: Served, steward: httpx.Client, way: str, typed: str, told: str
) -> None:
    few = TABLE if typed != "40" else "\n".join(TABLE.splitlines()[:5]) + "\n"
    opened(server, steward, few)
    steward.post("/roles", data=ROLES)
    before = dict(server.session.columns)
    refused = steward.post(f"/roles/{AGE}", data={**FORM, "rounding": way, "rounded": typed})
    server.wait()
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert server.session.columns == before
    if typed:
        assert f'value="{typed}"' in refused.text


def test_a_sensitive_column_is_offered_no_quantiles(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, "role-1": "sensitive", "role-4": "quasi"})
    page = steward.get(f"/roles/{AGE}").text
    assert 'value="multiples"' in page
    assert 'value="quantiles"' not in page


def test_weights_of_a_survey_from_the_role_to_the_bundle(server: Served, steward: httpx.Client) -> None:
    """The role is offered, digits are its own detail, and every group shows one mean of its weights."""
    opened(server, steward, TABLE)
    assert '<option value="weight"' in steward.get("/roles").text
    steward.post("/roles", data=ROLES)
    assert server.session.columns["weight"].role == "weight"
    assert "the mean of the group's weights" in text_of(steward.get(f"/roles/{WEIGHT}"))
    saved = steward.post(f"/roles/{WEIGHT}", data={"role": "weight", "kind": "", "digits": "2"})
    server.wait()
    assert saved.status_code == 303
    assert server.session.columns["weight"].digits == 2
    refused = steward.post(f"/roles/{WEIGHT}", data={"role": "weight", "kind": "", "digits": "9"})
    assert refused.status_code == 422
    assert "is no whole number from 1 to 6" in text_of(refused)
    frame, recipe = published(server, steward)
    assert "weight" in str(recipe["sentence"])
    by_group = frame.group_by("age").agg(pl.col("weight").n_unique(), pl.len())
    assert by_group["weight"].to_list() == [1] * by_group.height  # one number for each group
    assert by_group["len"].min() >= 3  # type: ignore[operator]
    assert all(weight == float(f"{weight:.2g}") for weight in frame["weight"].to_list())  # two digits
    true = sum(float(line.split(",")[WEIGHT]) for line in TABLE.splitlines()[1:])
    assert frame["weight"].sum() == pytest.approx(true, rel=0.05)


def test_rows_are_withheld_where_the_page_says_so(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE.replace("\n0,20,", "\n0,95,"))
    steward.post("/roles", data=ROLES)
    steward.post(f"/roles/{AGE}", data={**FORM, "taxonomy": "ladder", "ladder": "10, 100"})
    server.wait()
    frame, recipe = published(server, steward, name="incognito", **{"p-k": "4", "p-max_suppressed": "5%"})
    assert recipe["suppressed"] == 1
    assert frame.height == ROWS - 1
    shown = text_of(steward.get("/method?name=incognito&k=4&max_suppressed=5%25"))
    assert "Rows to withhold at most" in shown
    assert "Up to 5 % of the rows may be withheld" in shown
