"""Links between the texts of the repository lead somewhere, and what they say about the command line exists.

ARCHITECTURE.md is the map: every folder and file at the top stands on it, and whatever it names is there.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import typer.main

import pellucid
from pellucid.cli.program import VERBS, application

ROOT = Path(__file__).parents[2]
TEXTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmark/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?://|mailto:)([^)\s]*)\)")
CODE = re.compile(r"^ {4}(pellucid .*)|^\$ (pellucid (?:.*\\\n)*.*)|`(pellucid [^`\n]*)`", re.MULTILINE)
PACKAGE = ROOT / "src" / "pellucid"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAP = PAGE.partition("    src/pellucid/\n")[2].partition("\n## ")[0]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def said_in(text: Path) -> str:
    """A text without the changes that it shows, which are examples: they add what is not there."""
    return re.sub(r"^```diff\n.*?^```$", "", text.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(path: Path) -> set[str]:
    """What the headings of a text are called in addresses, as GitHub and the site do it."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("text", TEXTS, ids=name_of)
def test_links_lead_somewhere(text: Path) -> None:
    for target in LINK.findall(said_in(text)):
        file, _, anchor = target.partition("#")
        there = (text.parent / file).resolve() if file else text
        assert there.exists(), f"{name_of(text)} links {target}"
        if anchor and there.suffix == ".md" and "generated:" not in there.read_text(encoding="utf-8"):
            assert anchor in anchors(there), f"{name_of(text)} links {target}"


@cache
def options() -> dict[str, set[str]]:
    """The options of each verb."""
    program = typer.main.get_command(application(list(VERBS)))
    return {
        verb: {name for one in command.params for name in [*one.opts, *one.secondary_opts]} | {"--help", "--debug"}
        for verb, command in program.commands.items()  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize("text", TEXTS, ids=name_of)
def test_commands_in_a_text_exist(text: Path) -> None:
    for groups in CODE.findall(said_in(text)):
        call = next(group for group in groups if group).replace("\\\n", " ").partition("  #")[0].partition("|")[0]
        words = re.split(r"\s+", call)[1:]
        verb = words[0]
        if not re.fullmatch(r"[a-z]+", verb) or verb not in VERBS:
            assert verb.startswith("-") or not re.fullmatch(r"[a-z]+", verb), f"{name_of(text)}: {call}"
            continue
        given = {word.partition("=")[0].rstrip(",.:;)'") for word in words if re.match(r"-{1,2}[a-z]", word)}
        assert given <= options()[verb], f"{name_of(text)}: {call}: {given - options()[verb]}"


@pytest.mark.parametrize("text", TEXTS, ids=name_of)
def test_python_names_in_a_text_exist(text: Path) -> None:
    """What a text calls, such as ``pellucid.risk.composition(...)`` or ``pc.publish(...)``, can be called."""
    for called in re.findall(r"\b(?:pellucid|pc)((?:\.\w+)+)\(", text.read_text(encoding="utf-8")):
        thing: object = pellucid
        for part in called.removeprefix(".").split("."):
            thing = getattr(thing, part)
        assert callable(thing), f"{name_of(text)}: pellucid{called}"


def test_every_folder_and_file_at_the_top_stands_on_the_map() -> None:
    there = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" and not path.name.startswith("__")}
    there |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert {name for name in there if not re.search(rf"(?<![\w/]){re.escape(name)}", MAP)} == set()
    folders = {path.parent.name for path in ROOT.glob("tests/*/test_*.py")}
    assert folders - set(re.findall(r"tests/(\w+)", PAGE)) == set()


def test_whatever_the_map_names_is_there() -> None:
    known = {path.name for base in (PACKAGE, ROOT / "tests") for path in base.rglob("*.py*")}
    folders = {f"{path.name}/" for path in PACKAGE.rglob("*") if path.is_dir()}
    folders |= {f"{path.relative_to(PACKAGE)}/" for path in PACKAGE.rglob("*") if path.is_dir()}
    assert {name for name in re.findall(r"[\w./]+\.pyi?\b", PAGE) if not is_there(name, known)} == set()
    assert {name for name in re.findall(r"^      +([\w/]+/) ", MAP, re.MULTILINE) if name not in folders} == set()


def is_there(name: str, known: set[str]) -> bool:
    return name in known if "/" not in name else any((base / name).exists() for base in (PACKAGE, ROOT))
