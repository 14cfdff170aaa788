"""The worked examples of CONTRIBUTING.md: added to a copy of the package as its text says, found there, and at work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text()
SECTIONS = re.findall(r"^## (Adding an? .*?)$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
FILES_OF = {  # how many files an addition may touch
    "Adding a method": 2,
    "Adding a privacy model": 2,
    "Adding a metric": 2,
    "Adding a classic attack": 2,
    "Adding a kind of adversary": 2,
    "Adding a recoder": 2,
    "Adding a verb": 2,
    "Adding a step of the pages": 4,
}
TRIED = """
import contextlib, io, json, warnings
import pellucid as pc
from pellucid.app.cli import main
from pellucid.app.web.security import Keys
from pellucid.app.web.server import application
from pellucid.app.web.settings import Settings
from pellucid.group import method_named
from pellucid.measuring import metric_named
from pellucid.model import parse
from starlette.testclient import TestClient

people = pc.datasets.patients()
roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
release = pc.publish(people, method_named("together")(l=2), **roles)
verdicts = pc.verify(release, [parse(f"p-sensitive k-anonymity=2,{k}") for k in (8, 9)])
(score,) = pc.measure(release, people, [metric_named("largest-class")()], **roles)
report = pc.attack_all(release, truth=people, **roles)
masked = pc.publish(people, pc.SoftCut(l=2), recode="masked", **roles)
with contextlib.redirect_stdout(io.StringIO()) as printed:
    code = main(["metrics"])
pages = TestClient(application(Settings(), Keys()).app)
shown = pages.get("/words")
print(json.dumps({
    "Adding a method": [release.recipe["method"], release.frame.height, release.recipe["sentence"][:8]],
    "Adding a privacy model": [verdict.holds for verdict in verdicts],
    "Adding a metric": [score.value, score.unit],
    "Adding a classic attack": [one.attack for one in report.findings if one.ran and one.attack == "majority"],
    "Adding a kind of adversary": [one.kind for one in report.attempts if one.kind == "register"],
    "Adding a recoder": [masked.recipe["recode"], any("*" in str(cell) for cell in masked.frame["zipcode"])],
    "Adding a verb": [code, "largest-class" in printed.getvalue()],
    "Adding a step of the pages": [shown.status_code, "Quasi-identifier" in shown.text, ">Words<" in shown.text],
}))
"""
SEEN = {
    "Adding a method": ["together", 8, "Somebody"],
    "Adding a privacy model": [True, False],
    "Adding a metric": [8, "rows"],
    "Adding a classic attack": ["majority"],
    "Adding a kind of adversary": ["register"],
    "Adding a recoder": ["masked", True],
    "Adding a verb": [0, True],
    "Adding a step of the pages": [200, True, True],
}


def changes(section: str) -> dict[str, list[list[str]]]:
    """The files of a section's diff, each with its hunks."""
    (text,) = re.findall(r"^```diff\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    found: dict[str, list[list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("--- "):
            continue
        if line.startswith("+++ "):
            hunks = found[line.removeprefix("+++ b/")] = [[]]
        elif line.startswith("@@"):
            hunks.append([])
        else:
            hunks[-1].append(line)
    return {file: [hunk for hunk in hunks if hunk] for file, hunks in found.items()}


def applied(before: str, hunks: list[list[str]]) -> str:
    """A file after a diff; every line that the diff takes for given is there, and in one place only."""
    for hunk in hunks:
        old, new = (
            "".join(f"{line[1:]}\n" for line in hunk if line[:1] in marks) for marks in (("", " ", "-"), ("", " ", "+"))
        )
        assert not old or before.count(old) == 1, f"CONTRIBUTING.md takes for given, once:\n{old}"
        before = before.replace(old, new) if old else before + new
    return before


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the examples do in a copy of the package."""
    place = tmp_path_factory.mktemp("recipes")
    package = Path(pellucid.__file__).parent
    shutil.copytree(
        package, place / "src" / "pellucid", ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.so", "*.pyd")
    )
    for compiled in [*package.rglob("*.so"), *package.rglob("*.pyd")]:
        shutil.copy2(compiled, place / "src" / "pellucid" / compiled.relative_to(package))
    for _, section in SECTIONS:
        for file, hunks in changes(section).items():
            target, origin = place / file, REPOSITORY / file
            target.parent.mkdir(parents=True, exist_ok=True)
            before = target if target.exists() else origin
            target.write_text(applied(before.read_text() if before.exists() else "", hunks))
    environment = os.environ | {"PYTHONPATH": str(place / "src")}
    done = subprocess.run([sys.executable, "-c", TRIED], env=environment, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_every_recipe_has_an_example_that_touches_as_few_files_as_it_may() -> None:
    assert dict(SECTIONS).keys() == FILES_OF.keys()
    for title, section in SECTIONS:
        named = re.findall(r"^\| `([^`]+)` \|", section.split("```")[0], re.MULTILINE)
        named = [file for file in named if "/" in file]
        touched = changes(section)
        assert len(named) == FILES_OF[title]
        assert len(touched) <= FILES_OF[title]
        for file in touched:
            pattern = f"{Path(file).parent}/NAME{Path(file).suffix}"
            assert file in named or pattern in named, f"{title}: {file} is not in the table"


def test_what_judges_an_addition_exists() -> None:
    for file in set(re.findall(r"`((?:tests|src|docs|script)/[\w/.-]+)`", PAGE)):
        assert (REPOSITORY / file).exists() or "NAME" in file, file


@pytest.mark.parametrize("title", FILES_OF)
def test_an_example_that_is_added_as_the_text_says_works(seen: dict[str, object], title: str) -> None:
    assert seen[title] == SEEN[title]
