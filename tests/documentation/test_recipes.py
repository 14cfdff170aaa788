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
    "Adding an option": 2,
    "Adding a step of the pages": 4,
}
# names in quotation marks, up to the bracket behind the last of them
ENUMERATION = re.compile(r'^([ +-])(.*"[^"]+")([\]}].*)$')
TRIED = """
import contextlib, io, json, sys, traceback
import pellucid as pc
from pathlib import Path
from generating import adversaries, fields
from pellucid.cli.attack_words import in_words
from pellucid.cli.program import main
from pellucid.web.expected import attack_seconds
from pellucid.web.method_fields import option_fields
from pellucid.web.option_fields import options_in, request_of
from pellucid.web.security import Keys
from pellucid.web.server import application
from pellucid.web.settings import Settings
from pellucid.risk.report.results import result_of
from pellucid.anonymize.methods import method_named
from pellucid.metrics import metric_named
from pellucid.models import parse
from starlette.testclient import TestClient

people = pc.datasets.patients()
roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
release = pc.publish(people, pc.Tailor(l=2), **roles)

def method():
    release = pc.publish(people, method_named("together")(l=2), **roles)
    return [release.recipe["method"], release.frame.height, release.recipe["sentence"][:8]]

def model():
    return [verdict.holds for verdict in pc.verify(release, [parse(f"p-sensitive k-anonymity=2,{k}") for k in (2, 3)])]

def metric():
    (score,) = pc.measure(release, people, [metric_named("largest-class")()], **roles)
    return [score.value, score.unit]

def attack():
    report = pc.attack_all(release, truth=people, adversaries=["nothing"], **roles)
    return [one.attack for one in report.findings if one.ran and one.attack == "majority"]

def kind():
    report = pc.attack_all(release, truth=people, classic=False, **roles)
    (tried,) = [one for one in report.attempts if one.kind == "register"]
    told = " ".join(in_words(result_of(report)).split())
    return [tried.name, ", 1 by age and zipcode" in told, "`register`" in adversaries.text(),
            attack_seconds("register", 8, 2, 60) > 0]

def recoder():
    masked = pc.publish(people, pc.SoftCut(l=2), recode="masked", **roles)
    return [masked.recipe["recode"], any("*" in str(cell) for cell in masked.frame["zipcode"])]

def verb():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(["metrics"])
    return [code, "discernibility" in printed.getvalue()]

def option():
    asked = {"purpose": "care"}
    told = [pc.publish(people, pc.Tailor(l=2), **roles, **asked).recipe["purpose"]]
    words = "publish patients --l 2 --purpose care --quiet --out typed".split()
    lines = ['source = "patients"', 'out = "job"', 'purpose = "care"', '[method]', 'name = "ace"', 'l = 2']
    Path("job.toml").write_text(chr(10).join(lines))
    for code, folder in ((main(words), "typed"), (main(["run", "job.toml", "--quiet"]), "job")):
        told.append(json.loads((Path(folder) / "recipe.json").read_text())["purpose"] if code == 0 else code)
    (field,) = [one for one in option_fields(asked) if one.name == "purpose"]
    page = request_of("patients", pc.Tailor(l=2), options_in({"p-purpose": "care"})).purpose
    return [*told, field.value, page, "care" in pc.report("typed").html, "`purpose`" in fields.text()]

def step():
    shown = TestClient(application(Settings(), Keys()).app).get("/words")
    return [shown.status_code, "Quasi-identifier" in shown.text, ">Words<" in shown.text]

def tried(example):
    try:
        return example()
    except BaseException:
        return traceback.format_exc()

print(json.dumps({
    "Adding a method": tried(method),
    "Adding a privacy model": tried(model),
    "Adding a metric": tried(metric),
    "Adding a classic attack": tried(attack),
    "Adding a kind of adversary": tried(kind),
    "Adding a recoder": tried(recoder),
    "Adding a verb": tried(verb),
    "Adding an option": tried(option),
    "Adding a step of the pages": tried(step),
}))
"""
SEEN = {
    "Adding a method": ["together", 8, "Somebody"],
    "Adding a privacy model": [True, False],
    "Adding a metric": [4, "rows"],
    "Adding a classic attack": ["majority"],
    "Adding a kind of adversary": ["knows the distribution by all quasi-identifiers", True, True, True],
    "Adding a recoder": ["masked", True],
    "Adding a verb": [0, True],
    "Adding an option": ["care", "care", "care", "care", "care", True, True],
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
    """A file after a diff; every line that the diff takes for given is there, and in one place only.

    An enumeration may have become longer since: what the diff adds to it is added to what is there.
    """
    for hunk in hunks:
        hunk = in_longer_lists(before, hunk)
        old, new = (
            "".join(f"{line[1:]}\n" for line in hunk if line[:1] in marks) for marks in (("", " ", "-"), ("", " ", "+"))
        )
        assert not old or before.count(old) == 1, f"CONTRIBUTING.md takes for given, once:\n{old}"
        before = before.replace(old, new) if old else before + new
    return before


def in_longer_lists(before: str, hunk: list[str]) -> list[str]:
    """A hunk whose enumerations are as long as those of the file."""
    found = list(hunk)
    for place, line in enumerate(hunk):
        listed = ENUMERATION.match(line)
        if listed is None or listed[1] != "-" or f"{line[1:]}\n" in before:
            continue
        begins, ends = listed[2], listed[3]
        longer = [one for one in before.splitlines() if one.startswith(begins + ", ") and one.endswith(ends)]
        if len(longer) == 1:
            more = longer[0][len(begins) : len(longer[0]) - len(ends)]
            found[place] = f"-{longer[0]}"
            found[place + 1] = hunk[place + 1].replace(begins, begins + more)
    return found


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
    unfit: dict[str, object] = {}
    for title, section in SECTIONS:
        try:
            files = added(place, changes(section))
        except AssertionError as wrong:
            unfit[title] = str(wrong)
        else:
            for target, text in files.items():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(place / "src"), str(REPOSITORY / "docs")])}
    done = subprocess.run([sys.executable, "-c", TRIED], env=environment, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found | unfit


def added(place: Path, files: dict[str, list[list[str]]]) -> dict[Path, str]:
    """The files of a copy of the package after a diff; none is written unless all fit."""
    found = {}
    for file, hunks in files.items():
        before = place / file if (place / file).exists() else REPOSITORY / file
        found[place / file] = applied(before.read_text() if before.exists() else "", hunks)
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


def test_an_enumeration_that_became_longer_is_taken_as_it_is() -> None:
    hunk = [' K = {"x"}', '-N = ["a", "b"]  # all', '+N = ["a", "b", "example"]  # all']
    assert (
        applied('K = {"x"}\nN = ["a", "b", "c"]  # all\n', [hunk])
        == 'K = {"x"}\nN = ["a", "b", "c", "example"]  # all\n'
    )
    with pytest.raises(AssertionError, match="takes for given"):
        applied('K = {"x"}\nN = ["b", "c"]  # all\n', [hunk])
