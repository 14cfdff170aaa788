"""ARCHITECTURE.md is the map: every folder and file at the top stands on it, and whatever it names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pellucid"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAP = PAGE.partition("    src/pellucid/\n")[2].partition("\n## ")[0]


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
