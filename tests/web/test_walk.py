"""The recorded walk: from a file to the signed report, and on the way not one message that needs a programmer."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

from web.serving import Served
from web.walking import Walk, programmers_words, walk_census, walk_survey

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = {"1-nothing-yet", "1-opened", "2-suggested", "2-one-column", "3-method", "4-result", "4-risk", "4-one-attacker"}
STEPS |= {"4-one-person", "4-utility", "4-compare", "5-release", "5-reports-made"}
Way = Callable[[Walk, Path, int], dict[str, Path]]


@pytest.mark.parametrize(("way", "rows"), [(walk_census, 300), (walk_survey, 300)])
def test_the_walk_from_a_file_to_the_signed_report(
    page: Page, server: Served, tmp_path: Path, way: Way, rows: int
) -> None:
    if way is walk_survey:
        pytest.importorskip("pyreadstat", reason="the extra 'statistics' is not installed")
    seen: list[str] = []
    walk = Walk(page, server.origin, seen.append)
    saved = way(walk, tmp_path, rows)
    assert walk.wrong == []
    assert set(seen) >= STEPS
    report = saved["report for"].read_text(encoding="utf-8")
    assert "<p>Released by</p><p>Date</p><p>Signature</p>" in report
    with zipfile.ZipFile(saved["bundle"]) as bundle:
        labels = ["labels.csv"] if way is walk_survey else []
        assert sorted(bundle.namelist()) == ["data.csv", *labels, "recipe.json", "report-public-en.html"]
        published = bundle.read("data.csv").decode()
    assert len(published.splitlines()) == rows + 1
    assert len(saved["groups"].read_text().splitlines()) == rows + 1


def test_labels_of_an_spss_file_are_what_is_published(page: Page, server: Served, tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat", reason="the extra 'statistics' is not installed")
    walk = Walk(page, server.origin)
    from web.walking import write_survey

    walk.opens(write_survey(tmp_path, 200))
    walk.says_roles({}, "region")
    walk.publishes(2)
    told = page.locator("#beside").inner_text()
    assert "female" in told
    assert "university" in told
    assert "empty" in told  # 99 was declared as missing


@pytest.mark.parametrize(
    "said",
    [
        "use --recode intervals",
        "Traceback (most recent call last)",
        "PolarsError: not found",
        "columns[3].role is wrong",
        'with role = "sensitive" here too',
        "the value is None",
        "run pellucid attack release",
        "groups_overlap is unknown",
    ],
)
def test_the_walk_finds_what_needs_a_programmer(said: str) -> None:
    assert programmers_words(said)
    assert not programmers_words("None of the 2 attackers is more than 1/3 sure; OWN_RENT is published as a range.")
