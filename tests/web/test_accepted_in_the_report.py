"""What a steward ticks against a warning stands in the report that is signed, and in no public one."""

from __future__ import annotations

import json
import zipfile

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

ROWS = 120
TABLE = "who,age,town,ward,visit\n" + "".join(
    f"person {i},{20 + i // 3 % 9},{'abc'[i % 3]},{'ABC'[i % 3]},V{1000 + i}\n" for i in range(ROWS)
)
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "quasi", "role-3": "sensitive", "role-4": "carry"}
TICKED = {"publish": "4:carry:category", "accept-2": "yes", "then": "method"}


def reports(server: Served, steward: httpx.Client) -> dict[str, str]:
    for audience in ("public", "private"):
        steward.post("/release/report", data={"audience": audience})
        server.wait()
    return {one: text_of(steward.get(f"/release/report/{one}")) for one in ("public", "private")}


def test_what_was_ticked_stands_above_the_signature(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={**ROLES, **TICKED})
    server.wait()
    assert server.session.checked is not None, text_of(steward.get("/roles"))
    steward.post("/method", data={"name": "soft-cut", "p-l": "2"})
    server.wait()
    told = reports(server, steward)
    above, _, below = told["private"].rpartition(" Signature I have checked")
    assert "What was published" in below, "what is signed comes first, and the details after it"
    assert "What was published" not in above
    accepted = above[above.index("Accepted against a warning") :]
    assert "visit is published though it names people." in accepted
    assert "120 different values" in accepted
    assert "town is published though it gives a protected column away (" in accepted
    assert accepted.count("is published though") == 2
    assert "Accepted against a warning" not in told["public"]
    assert "though it names people" not in told["public"]
    with zipfile.ZipFile(server.session.folder / "bundle.zip") as bundle:
        assert json.loads(bundle.read("recipe.json"))["accepted_known"] == ["town", "visit"]


def test_where_nothing_was_ticked_the_report_says_nothing_of_it(kept: Served) -> None:
    with kept.steward() as steward:
        kept.session.reports.clear()
        assert "Accepted against a warning" not in reports(kept, steward)["private"]
