"""Every name on the page of the five papers exists: in the package, among its experiments, verbs and tests."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import pytest

import pellucid as pc
import pellucid.risk
from pellucid.anonymize.methods import methods
from pellucid.cli.program import VERBS
from research import experiments

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`([^`]+)`", PAGE)))


def exists(name: str) -> bool:
    """Whether a name of the page is one."""
    if name.startswith("tests/"):
        path, _, test = name.partition("::")
        file = ROOT / path
        return file.is_file() and (not test or f"def {test}(" in file.read_text(encoding="utf-8"))
    kind, _, rest = name.partition(" ")
    if kind == "reproduce":
        return rest in experiments()
    if kind == "pellucid":
        return rest in VERBS
    if name.startswith("pc."):
        return reduce(lambda found, part: getattr(found, part, None), name.split(".")[1:], pc) is not None
    return (ROOT / name).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_it_exists(name: str) -> None:
    assert exists(name)


@pytest.mark.parametrize(
    "name", ["pc.Nothing", "tests/golden/test_papers.py::test_nothing", "reproduce nothing", "pellucid no"]
)
def test_what_does_not_exist_is_noticed(name: str) -> None:
    assert not exists(name)


def test_every_experiment_and_every_method_of_a_paper_has_a_row() -> None:
    assert {name.removeprefix("reproduce ") for name in NAMES if name.startswith("reproduce ")} == set(experiments())
    ours = {"Audited", "SoftCut", "Strata", "Mdav"}  # and one of another literature
    assert {kind.__name__ for kind in methods().values()} - ours <= {name.removeprefix("pc.") for name in NAMES}
    assert all(count == line.count("|") for table in tables() for line in table for count in [table[0].count("|")])


def tables() -> list[list[str]]:
    """The rows of each table."""
    return [[line for line in part.splitlines() if line.startswith("|")] for part in PAGE.split("\n## ")[1:]]
