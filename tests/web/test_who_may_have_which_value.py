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
    said = {"applies": "age >= 15", "ruled_out": RULED_OUT, "merge": "low: a, b"}
    assert steward.post("/roles/2", data={**FORM, **said}).status_code == 303
    server.wait()
    column = server.session.columns["pay"]
    assert column.applies == "age >= 15"
    assert column.ruled_out == {"a": 'sex = "m"', "b": "age < 20"}
    assert column.merge == {"low": ("a", "b")}
    page = steward.get("/roles/2").text
    assert 'value="age &gt;= 15"' in page or 'value="age >= 15"' in page
    assert "low: a, b" in page
    steward.post("/roles/2", data={**FORM, "role": "quasi"})
    server.wait()
    assert server.session.columns["pay"].applies is None


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("applies", "age >=", "To whom it applies"),
        ("ruled_out", "sex", "Values that somebody cannot have"),
        ("merge", "often", "Values that are read as one"),
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
