"""Roles are kept as they are chosen, and a refusal is told at the top with a way to its row."""

from __future__ import annotations

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TABLE = "id,age,pay,decile\n" + "".join(f"{n},{20 + n % 40},{n * 10},{n // 20}\n" for n in range(200))
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "quasi", "role-3": "sensitive"}


def chosen(server: Served) -> list[str]:
    return [str(column.role) for column in server.session.columns.values()]


def test_roles_are_kept_when_the_page_is_left(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    for roles in (["drop", "quasi", "drop", "sensitive"], ["identifier", "quasi", "carry", "sensitive"]):
        form = {f"role-{place}": role for place, role in enumerate(roles)}
        assert steward.post("/roles/consider", data=form).status_code == 200
        steward.get("/data")  # a click on the steps
        assert chosen(server) == roles


def test_what_was_made_waits_for_save(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, "role-2": "drop", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    before = chosen(server), server.session.release
    assert before[1] is not None
    steward.post("/roles/consider", data={**ROLES, "role-1": "drop", "role-2": "drop"})
    assert (chosen(server), server.session.release) == before


def test_a_refusal_is_told_at_the_top_with_a_way_to_its_row(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, "then": "method"})
    server.wait()
    page = steward.get("/roles")
    assert list(server.session.determined) == ["pay"]
    assert "Nothing is published with these roles: pay gives a sensitive column away." in text_of(page)
    top = page.text.index('<a href="#role-2">pay</a>')
    assert top < page.text.index("<table")
    assert 'id="role-2"' in page.text


def test_no_values_are_chosen_by_the_draft(server: Served, steward: httpx.Client) -> None:
    """Step 3 says that all are protected while none is ticked."""
    table = "age,hiv\n" + "".join(f"{20 + n % 40},{'positive' if n % 10 == 0 else 'negative'}\n" for n in range(200))
    opened(server, steward, table)
    assert str(server.session.columns["hiv"].role) == "sensitive"
    assert server.session.columns["hiv"].protect is None
    assert "choose at step 3 which values are protected" in text_of(steward.get("/roles"))
