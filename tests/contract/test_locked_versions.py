"""requirements-dev.txt pins everything that development needs, at versions that pyproject.toml admits, and no place.

One version everywhere: the package, the newest release of the changelog, the citation.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = [
    line
    for line in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    if line[:1] not in ("", "#")
]


def pinned(name: str) -> list[str]:
    """The versions that a package is pinned at; several where systems differ."""
    found = [Requirement(line) for line in LINES]
    return [
        str(one.specifier).removeprefix("==") for one in found if canonicalize_name(one.name) == canonicalize_name(name)
    ]


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_one_version_and_names_no_place(line: str) -> None:
    pin = Requirement(line)
    assert pin.url is None
    assert re.fullmatch(r"==[^,*]+", str(pin.specifier))
    assert "--" not in line, "hashes or options: pip would refuse the checkout itself"


@pytest.mark.parametrize("line", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
def test_what_development_needs_is_pinned_at_a_version_that_is_admitted(line: str) -> None:
    needed = Requirement(line)
    versions = pinned(needed.name)
    assert versions, f"{needed.name} is not pinned; run script/lock"
    assert all(needed.specifier.contains(version) for version in versions), "run script/lock"


def test_extras_ask_for_what_development_tries() -> None:
    """What an extra needs is among what the tests are run with."""
    extras = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name not in ("all", "dev")}
    tried = {canonicalize_name(Requirement(line).name) for line in PROJECT["optional-dependencies"]["dev"]}
    for name, needs in extras.items():
        assert {canonicalize_name(Requirement(line).name) for line in needs} <= tried, name


def test_one_lower_bound_for_a_package_wherever_it_is_named() -> None:
    lines = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    bounds: dict[str, set[str]] = {}
    for needed in (Requirement(line) for group in lines for line in group):
        bounds.setdefault(canonicalize_name(needed.name), set()).add(str(needed.specifier))
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}


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
