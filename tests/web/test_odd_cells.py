"""A cell that makes texts of all numbers of a column is told where its role is chosen and beside the release."""

from __future__ import annotations

from random import Random

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

RANDOM = Random(7)
TABLE = "who,age,ill\n" + "".join(
    f"person {i},{'3x' if i == 30 else RANDOM.randrange(20, 80)},{'abcd'[i % 4]}\n" for i in range(60)
)
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
WAY_OUT = (
    "so that all of them are texts in no order; correct it in the file, or list it in “Texts that stand for an empty "
    "value” at Details of the column; choose the kind “category” there if texts are meant"
)


def published(server: Served, steward: httpx.Client) -> str:
    """What the page of the release says."""
    steward.post("/roles", data=ROLES)
    server.wait()
    steward.post("/method", data={"name": "soft-cut", "p-l": "2"})
    server.wait()
    assert server.session.release is not None
    return text_of(steward.get("/result"))


def test_a_cell_that_makes_texts_of_numbers_is_told_beside_its_column_and_the_release(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, TABLE)
    assert f"1 of 60 values is no number ('3x' in line 32), {WAY_OUT}" in text_of(steward.get("/roles"))
    assert f"1 of 60 values of 'age' is no number ('3x' in line 32), {WAY_OUT}" in published(server, steward)


@pytest.mark.parametrize("said", [{"kind": "category"}, {"missing": "3x"}])
def test_nobody_hears_of_it_who_said_what_is_meant(server: Served, steward: httpx.Client, said: dict[str, str]) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles/1", data={"role": "quasi", **said})
    server.wait()
    assert "is no number" not in text_of(steward.get("/roles"))
    assert "is no number" not in published(server, steward)
