"""A file that cannot be read takes nothing away: the open table, what was said of it, and its release stay."""

from __future__ import annotations

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TABLE = "id,age,zip,ill\n" + "".join(f"{n},{20 + n},{n % 7},{'abcdefgh'[n % 8]}\n" for n in range(48))
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "drop", "role-3": "sensitive"}


def sent(server: Served, steward: httpx.Client, content: str, name: str = "next.csv", **fields: str) -> httpx.Response:
    """Another file, sent by a tab that shows the open table."""
    fields = {"table": server.session.table_id, **fields}
    answer = steward.post("/data/upload", data=fields, files={"file": (name, content.encode())})
    server.wait()
    return answer


@pytest.mark.parametrize("content", ["", "a,b\n", '{"not": "a table"}'])
def test_a_file_that_cannot_be_read_leaves_the_open_table(server: Served, steward: httpx.Client, content: str) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    session = server.session
    before = dict(session.columns), session.data, session.release, session.table_id
    assert session.release is not None
    sent(server, steward, content, "x.json" if content.startswith("{") else "next.csv", discard="on")
    assert (dict(session.columns), session.data, session.release, session.table_id) == before
    assert not list(session.folder.glob("upload-*next*"))
    assert steward.get("/release/bundle.zip").status_code == 200
    said = text_of(steward.get("/data"))
    assert "48" in said
    assert session.jobs.current is None or session.jobs.current.message or "no" in said
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})  # and it can be worked on
    server.wait()
    assert session.release is not None


def test_a_file_that_can_be_read_takes_its_place(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    table = server.session.table_id
    assert sent(server, steward, "a,b\n1,x\n2,y\n").status_code == 303
    assert [*server.session.columns] == ["a", "b"]
    assert server.session.table_id != table
    assert len(list(server.session.folder.glob("upload-*"))) == 1
    assert "2 rows" in text_of(steward.get("/data"))
