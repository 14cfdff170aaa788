"""A tree of broader names that a steward writes into the page, and changes there."""

from __future__ import annotations

from html import unescape

import httpx
import pytest

from web.serving import Served, csv_of
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema import Column
from pellucid.web.written_tree import lines_in, lines_of

TABLE = "town,age,ill\n" + "".join(f"{('Rome', 'Oslo', 'Pisa')[i % 3]},{20 + i},{'abcd'[i % 4]}\n" for i in range(24))
LINES = "Rome;Italy\nPisa; Italy;*\n\nOslo;Norway\n"
STORED = ["Rome;Italy;*", "Pisa;Italy;*", "Oslo;Norway;*"]
FORM = {"role": "quasi", "kind": "", "taxonomy": "lines"}


def column(server: Served) -> Column:
    return server.session.columns["town"]


@pytest.mark.parametrize("chosen", ["lines", "none"])  # who writes it means it
def test_a_tree_is_written_shown_kept_and_changed(server: Served, steward: httpx.Client, chosen: str) -> None:
    opened(server, steward, TABLE)
    assert steward.post("/roles/0", data={**FORM, "taxonomy": chosen, "lines": LINES}).status_code == 303
    server.wait()
    assert lines_of(column(server)) == STORED
    page = steward.get("/roles/0")
    assert "The tree written here is taken for the column town." in text_of(page)
    assert (
        "Rome → Italy → *" in text_of(page) or "Oslo → Norway → *" in text_of(page) or "Pisa → Italy" in text_of(page)
    )
    assert ">" + "\n".join(STORED) + "</textarea>" in unescape(page.text)
    before = column(server)
    for kept in ("lines", "keep"):  # as it stands there
        assert (
            steward.post("/roles/0", data={**FORM, "taxonomy": kept, "lines": "\r\n".join(STORED)}).status_code == 303
        )
        server.wait()
        assert column(server) == before
    changed = [*STORED[:2], "Oslo;north;*"]
    assert steward.post("/roles/0", data={**FORM, "lines": "\n".join(changed)}).status_code == 303
    server.wait()
    assert lines_of(column(server)) == changed
    assert steward.post("/roles/0", data={**FORM, "taxonomy": "none", "lines": "\n".join(changed)}).status_code == 303
    server.wait()
    assert column(server).taxonomy is None
    assert not [path for path in server.session.folder.iterdir() if "taxonomy-" in path.name]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"lines": " \n"}, "“A tree of broader names, written here” is chosen and no line is written"),
        ({"lines": "Rome;Italy\nPisa;Italy"}, "Oslo"),
        ({"lines": "Rome;Italy\nRome;Spain\nOslo;x\nPisa;x"}, "Written here, line 2: 'Rome' stands below 'Spain'"),
        (
            {"lines": LINES, "taxonomy": "prefix", "prefix": "2"},
            "“The first characters” is chosen and “A tree of broader names, written here” is filled in too",
        ),
    ],
)
def test_what_is_wrong_is_told_and_what_was_written_stays(
    server: Served, steward: httpx.Client, form: dict[str, str], told: str
) -> None:
    opened(server, steward, TABLE)
    refused = steward.post("/roles/0", data={**FORM, **form})
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert "Choose the file once more" not in text_of(refused)
    assert form["lines"].strip() in unescape(refused.text)
    assert column(server).taxonomy is None
    assert not [path for path in server.session.folder.iterdir() if "taxonomy-" in path.name]


def test_a_file_and_lines_at_once_are_asked_about(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    files = csv_of("Rome;*\nOslo;*\nPisa;*\n", "towns.csv")
    refused = steward.post("/roles/0", data={**FORM, "lines": LINES}, files=files)
    assert refused.status_code == 422
    assert "a file is chosen, and “A tree of broader names, written here” is filled in too" in text_of(refused)
    assert column(server).taxonomy is None


def test_names_that_no_line_can_hold_are_not_shown_as_lines() -> None:
    for name in ("a;b", 'a"b', "a\nb", " "):
        tree = {"*": {name: ["x"], "y": ["z"]}}
        assert lines_of(Column(role="quasi", taxonomy={"tree": tree})) == []  # type: ignore[arg-type]
    many = {"*": [f"v{i}" for i in range(501)]}
    assert lines_of(Column(role="quasi", taxonomy={"tree": many})) == []  # type: ignore[arg-type]
    assert lines_in("a;;b") == ["a;;b;*"]  # what is wrong with it is told when it is read
