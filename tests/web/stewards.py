"""What a steward does in most tests of the pages: bring a table, say who is who in it, publish it."""

from __future__ import annotations

import re
from html import unescape

import httpx

from pellucid.datasets import patients
from web.serving import Served, csv_of

COLUMNS = {"role-0": "identifier", "role-1": "quasi", "role-2": "quasi", "role-3": "sensitive"}  # of the patients
ROLES = {**COLUMNS, "then": "method"}
PEOPLE = "who,age,ill\n" + "".join(f"person {i},{20 + i % 5},{'abcd'[i % 4]}\n" for i in range(24))
SETTING = {"name": "hybrid", "p-l": "2"}
STEPS = ["/data", "/roles", "/method", "/result", "/result/risk", "/result/utility", "/result/compare", "/release"]
DETAILS = ["/data/forget", "/roles/1", "/method?name=mondrian&l=2", "/method?name=hybrid&l=9", "/nowhere"]


def opened(server: Served, steward: httpx.Client, text: str, name: str = "table.csv") -> str:
    """Upload a table, and what the page says that follows."""
    steward.post("/data/upload", files=csv_of(text, name))
    server.wait()
    return unescape(steward.get("/data").text)


def checked(server: Served, steward: httpx.Client) -> None:
    """The eight patients with their roles."""
    opened(server, steward, patients().write_csv(), "patients.csv")
    steward.post("/roles", data=ROLES)
    server.wait()
    assert server.session.checked is not None


def published(server: Served, steward: httpx.Client, **form: str) -> None:
    """The eight patients, published and attacked."""
    checked(server, steward)
    steward.post("/method", data={**SETTING, **form})
    server.wait()
    assert server.session.release is not None


def text_of(answer: httpx.Response) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def everything_done(server: Served, steward: httpx.Client, *, to: int) -> None:
    """Everything once, with a method that attackers break: a tree, a comparison up to this l, a release, a person."""
    for address, form in (
        ("/data/demo", {"name": "patients"}),
        ("/roles/1", {"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10, 20"}),
        ("/roles", {"then": "method"}),
        ("/result/compare", {"m-hybrid": "on", "m-mondrian": "on", "from": "2", "to": f"{to}"}),
        ("/method", {"name": "mondrian", "p-l": "2"}),
        ("/result/person", {"who": "Ann"}),
    ):
        steward.post(address, data=form)
        server.wait()
