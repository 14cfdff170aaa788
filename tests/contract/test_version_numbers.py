"""One version everywhere: the package, the newest release of the changelog, the citation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d)$", re.MULTILINE)


def test_the_changelog_has_a_section_for_what_is_next_and_one_for_each_release_newest_first() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections[0] == "Unreleased"
    releases = RELEASE.findall(text)
    assert [f"{number}, {day}" for number, day in releases] == sections[1:]
    numbers = [tuple(map(int, number.split("."))) for number, _ in releases]
    assert numbers == sorted(set(numbers), reverse=True)
    assert releases[0][0] == VERSION


def test_whoever_cites_cites_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = re.search(r'^version: "?([^"\n]+)"?$', text, re.MULTILINE)
    assert found is not None
    assert found.group(1) == VERSION


@pytest.mark.parametrize("name", ["pyproject.toml", "CITATION.cff", "Containerfile"])
def test_what_is_packaged_names_no_registry(name: str) -> None:
    """Where packages come from is set on the machine that installs them, not here."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"index-url|extra-index|find-links|//[\w.]*pypi|/simple\b", text)
