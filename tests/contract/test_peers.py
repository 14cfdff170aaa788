"""The audit of other anonymizers: its page is what was recorded, and what is not there is skipped, and said."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pellucid as pc

BENCHMARK = Path(__file__).parents[2] / "benchmark"
DOCS = BENCHMARK.parent / "docs"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARK))
    return importlib.import_module("peers")


@pytest.fixture
def peers_page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARK))
    return importlib.import_module("peers_page")


def recorded() -> dict[str, Any]:
    results: dict[str, Any] = json.loads((DOCS / "peers.json").read_text(encoding="utf-8"))
    return results


def test_the_page_on_other_anonymizers_is_what_was_recorded(peers_page: ModuleType) -> None:
    assert (DOCS / "peers.md").read_text(encoding="utf-8") == peers_page.page(recorded())
    assert (DOCS / peers_page.CHART).is_file()


def test_every_result_says_of_which_version_it_is() -> None:
    lacking = [
        name
        for name, found in recorded().items()
        if not name.startswith(("SoftCut, l", "black box")) and not found.get("version")
    ]
    assert lacking == []


def test_nothing_found_is_above_what_a_kept_definition_allows(peers_page: ModuleType) -> None:
    """The bounds that the page sets beside the figures, against the figures; suppressed rows keep to nothing."""
    checked = 0
    for sensitive in ("occupation", "salary-class"):
        for case, found in peers_page.done(recorded(), sensitive):
            if found.get("keeps") and not found["suppressed"]:
                assert found["counted"] <= peers_page.allowed(case) + 1e-9, case
                checked += 1
    assert checked > 10


def test_a_figure_that_changes_changes_the_page(peers_page: ModuleType) -> None:
    results = recorded()
    key = next(name for name, found in results.items() if "counted" in found and "keeps" in found)
    page = peers_page.page({**results, key: {**results[key], "counted": 0.12345}})
    assert "**.123**" in page
    assert page != peers_page.page(results)


def test_tools_that_are_not_there_are_skipped_and_named(
    peers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = peers.Tools(python=sys.executable)
    peers.run(tmp_path / "results.json", tools, ["anonypy", "ARX", "pyCANON"], again=False, examples=None)
    said = capsys.readouterr().err
    assert "anonypy is not run: " in said
    assert "cannot import anonypy" in said
    assert "ARX is not run: give its jar, and those it needs, with --arx" in said
    assert "give the folder data of its repository with --examples" in said
    assert not (tmp_path / "results.json").exists()
    assert "give the Python of an environment that has it with --python" in peers.Tools().missing("ANJANA")


def test_the_script_says_what_it_takes() -> None:
    told = subprocess.run(
        [sys.executable, str(BENCHMARK / "peers.py"), "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(option in told for option in ("--python", "--arx", "--examples", "--draw", "--again"))


def test_a_worker_answers_and_tells_its_memory(peers: ModuleType, tmp_path: Path) -> None:
    """The one tool that is surely there: pellucid itself, asked as the others are."""
    table = tmp_path / "table.csv"
    pc.datasets.census(200).write_csv(table)
    worker = peers.Tools().worker("pellucid")
    asked = {"form": "SoftCut", "l": 2, "table": str(table), "out": "", "numbers": ["age"]}
    told = worker.ask(**asked, quasi=["age", "gender"], sensitive="occupation")
    assert told.get("seconds", -1) >= 0, told
    assert worker.ask(**{**asked, "l": 10_000}, quasi=["age", "gender"], sensitive="occupation")["error"]
    assert worker.end() > 20
    assert worker.version
