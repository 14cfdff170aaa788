"""``applies``, ``ruled_out`` and ``merge`` on the page of a column: saved, shown again, refused by their fields."""

from __future__ import annotations

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TABLE = "age,sex,pay\n" + "".join(f"{n},{'fm'[n % 2]},{'' if n < 15 else 'abcd'[n % 4]}\n" for n in range(60))
ROLES = {"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive"}
FORM = {"role": "sensitive", "taxonomy": "none", "ladder": "", "dates": "", "prefix": "", "order": "", "kind": ""}
RULED_OUT = 'a: sex = "m"\nb: age < 20'


def test_a_column_says_to_whom_it_applies_and_which_values_are_one(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    said = {"applies": "age >= 15", "ruled_out": RULED_OUT, "merge": "low: a, b", "labels": "c: middle\nd: high: top"}
    assert steward.post("/roles/2", data={**FORM, **said}).status_code == 303
    server.wait()
    column = server.session.columns["pay"]
    assert column.applies == "age >= 15"
    assert column.ruled_out == {"a": 'sex = "m"', "b": "age < 20"}
    assert column.merge == {"low": ("a", "b")}
    assert column.labels == {"c": "middle", "d": "high: top"}
    page = steward.get("/roles/2").text
    assert 'value="age &gt;= 15"' in page or 'value="age >= 15"' in page
    assert "low: a, b" in page
    assert "d: high: top" in page
    steward.post("/roles/2", data={**FORM, "role": "quasi"})
    server.wait()
    assert server.session.columns["pay"].applies is None


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("applies", "age >=", "To whom it applies"),
        ("ruled_out", "sex", "Values that somebody cannot have"),
        ("merge", "often", "Values that are read as one"),
        ("labels", "1:", "Labels of values"),
    ],
)
def test_what_is_not_understood_names_its_field(
    server: Served, steward: httpx.Client, field: str, typed: str, told: str
) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    answer = steward.post("/roles/2", data={**FORM, field: typed})
    assert answer.status_code != 303
    assert f"{told}:" in text_of(answer)


def test_rows_for_which_a_condition_does_not_hold_are_left_out(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles/consider", data={**ROLES, "where": "age >= 15"})
    assert server.session.where == "age >= 15", "kept as it is typed"
    assert 'value="age &gt;= 15"' in steward.get("/roles").text
    steward.post("/roles", data={**ROLES, "where": "age >= 15", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    release = server.session.release
    assert release is not None
    assert (release["recipe"]["where"], release["recipe"]["rows"]) == ("age >= 15", 45)
    assert 'where = "age >= 15"' in steward.get("/roles/schema.toml").text
    assert 'where = "age >= 15"' in steward.get("/project.toml").text
    answer = steward.post("/roles", data={**ROLES, "where": "age >= 20", "then": "method"})
    assert (answer.status_code, server.session.where) == (422, "age >= 15"), "the release would go"


@pytest.mark.parametrize(("typed", "told"), [('pay = "a"', "looks at 'pay', which is sensitive"), ("age >=", "age >=")])
def test_a_condition_that_cannot_be_is_refused(server: Served, steward: httpx.Client, typed: str, told: str) -> None:
    opened(server, steward, TABLE)
    answer = steward.post("/roles", data={**ROLES, "where": typed, "then": "method"})
    assert answer.status_code == 422
    assert told in text_of(answer)


def test_a_schema_that_is_loaded_brings_its_condition_and_whose_rows_are_one(
    server: Served, steward: httpx.Client
) -> None:
    table = "who,age,pay\n" + "".join(f"{n // 2},{20 + n // 2 % 30},{'abcd'[n % 4]}\n" for n in range(200))
    opened(server, steward, table)
    schema = (
        'where = "age >= 30"\nunique = "who"\n[columns.who]\nrole = "drop"\n[columns.age]\nrole = "quasi"\n'
        '[columns.pay]\nrole = "sensitive"\n'
    )
    steward.post("/roles/load", files={"file": ("s.toml", schema)})
    server.wait()
    assert (server.session.where, server.session.columns["who"].people) == ("age >= 30", "one")


def test_who_has_several_rows_is_asked_before_anything_is_read(server: Served, steward: httpx.Client) -> None:
    table = "patient_id,age,pay\n" + "".join(f"{n // 2},{20 + n // 2 % 30},{'abcd'[n % 4]}\n" for n in range(200))
    opened(server, steward, table)
    roles = {"role-0": "drop", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    asked = text_of(steward.get("/roles"))
    assert "patient_id seems to number people: 100 have 200 rows" in asked
    assert "(100 rows not published)" in asked
    steward.post("/roles", data=roles)
    server.wait()
    assert server.session.checked is None, "nothing is published before it is answered"
    assert 'value="row" checked' in steward.post("/roles/consider", data={**roles, "people-0": "row"}).text
    for answer, rows in (("one", 100), ("row", 200)):
        steward.post("/roles", data={**roles, "people-0": answer})
        server.wait()
        assert server.session.checked is not None
        assert server.session.checked["rows"] == rows
    assert "seems to number people" not in text_of(steward.post("/roles/consider", data={**roles, "role-0": "quasi"}))


def test_who_has_several_rows_is_asked_whatever_their_number_is_called(server: Served, steward: httpx.Client) -> None:
    rows = [(n // 3, n // 3 % 2, n // 3 * 31 % 7, n // 3 * 17 % 5, "abcd"[n % 4]) for n in range(300)]
    opened(server, steward, "zq,born,town,school,pay\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    assert "zq seems to number people: 100 have 300 rows" in text_of(steward.get("/roles"))


def test_people_who_make_an_l_infeasible_are_one_click_from_the_other_answers(
    server: Served, steward: httpx.Client
) -> None:
    rows = [(n, "ab"[n % 2]) for n in range(40) for _ in range(1 + 5 * (n < 2))]
    table = "patient_id,age,pay\n" + "".join(f"{n},{20 + n},{pay}\n" for n, pay in rows)
    opened(server, steward, table)
    roles = {"role-0": "drop", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    steward.post("/roles", data={**roles, "people-0": "person"})
    server.wait()
    assert server.session.checked is not None
    told = steward.post("/method/check", data={"name": "soft-cut", "p-l": "3"}).text
    assert 'value="people-0-one">patient_id: one row each, drawn by lot</button>' in told
    assert "10 rows are not published" in told
    steward.post("/roles/instead", data={"way": "people-0-one"})
    server.wait()
    assert server.session.checked is not None
    assert server.session.checked["rows"] == 40
