"""Every command and every line of Python on the pages is run, and prints what the page says.

``pytest tests/documentation --rewrite-golden`` writes what is printed now into the pages; whoever does that reads the
difference as a newcomer would. A reader's coins are secret; here they are fixed, so that there is something to compare.
"""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

from documentation.following import Follower
from documentation.page_code import blocks_of
from pellucid.coins import Coins

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    path for folder in ("tutorials", "howto", "explanation", "reference") for path in (DOCS / folder).glob("*.md")
)
WITH_CODE = [page for page in PAGES if any(True for _ in blocks_of(page))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_says_what_happens(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Coins, "fresh", classmethod(lambda cls: cls.from_seed("the pages")))
    follower = Follower(page, capsys)
    follower.follow()
    before, after = page.read_text(encoding="utf-8"), follower.rewritten()
    if request.config.getoption("--rewrite-golden"):
        page.write_text(after, encoding="utf-8")
    difference = unified_diff(before.splitlines(), after.splitlines(), "the page", "what happens", lineterm="")
    assert before == after, "\n".join(difference)


def test_a_page_that_is_wrong_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo three\nfour\n```\n\n```console\n$ echo one ... five\none ... five\n```\n")
    follower = Follower(page, capsys)
    follower.follow()
    assert [(said, printed) for _, said, printed in follower.new] == [("four\n", "three\n")]
    assert "$ echo three\nthree\n```" in follower.rewritten()


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("```console\n$ cat nowhere\n```\n", "ends with a command that failed"),
        ("```toml\na = 1\n```\n", "is it a file"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```console\n$ curl somewhere\n```\n", "not for these pages"),
    ],
)
def test_a_page_that_cannot_be_followed_is_caught(
    page: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(page)
    with pytest.raises(AssertionError, match=why):
        Follower(tmp_path / "page.md", capsys).follow()
