"""An old name works, warns where it is written, and names the new one; later it is refused (docs/versions.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pellucid as pc
from pellucid.cli import program
from pellucid.runtime.renamed import Renamed, renamed_parameters

ROOT = Path(__file__).parents[2]
NEW = Renamed("protect", "0.2")


@renamed_parameters(values=NEW, guard=NEW._replace(refused=True))
def published(table: str, *, protect: str = "all") -> tuple[str, str]:
    """What is published."""
    return table, protect


def test_a_parameter_is_taken_by_its_old_name_and_the_warning_points_at_the_call() -> None:
    with pytest.warns(DeprecationWarning, match="values is called protect since pellucid 0.2") as seen:
        assert published("t", values="HIV") == ("t", "HIV")  # type: ignore[call-arg]
    assert [one.filename for one in seen] == [__file__]


def test_the_new_name_is_taken_without_a_word() -> None:
    assert published("t", protect="HIV") == ("t", "HIV")
    assert published.__name__ == "published"


def test_both_names_at_once_are_refused() -> None:
    with (
        pytest.warns(DeprecationWarning, match="values"),
        pytest.raises(TypeError, match="both are given; keep protect"),
    ):
        published("t", values="HIV", protect="flu")  # type: ignore[call-arg]


def test_a_name_whose_time_is_over_is_refused_with_the_new_one() -> None:
    with pytest.raises(TypeError, match=r"guard is called protect .* and no longer works"):
        published("t", guard="HIV")  # type: ignore[call-arg]


def test_a_public_name_is_found_by_its_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pc._OLD_NAMES, "SmoothCut", Renamed("SoftCut", "0.2"))
    monkeypatch.setitem(pc._OLD_NAMES, "HardCut", Renamed("SoftCut", "0.2", refused=True))
    with pytest.warns(DeprecationWarning, match=re.escape("pellucid.SmoothCut is called SoftCut")) as seen:
        assert pc.SmoothCut is pc.SoftCut  # type: ignore[attr-defined]
    assert [one.filename for one in seen] == [__file__]
    with pytest.raises(AttributeError, match="write SoftCut"):
        _ = pc.HardCut  # type: ignore[attr-defined]
    assert "SmoothCut" not in pc.__all__


def test_an_option_is_taken_by_its_old_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(program.OLD_OPTIONS, "--as-json", Renamed("--json", "0.2"))
    assert program.main(["methods", "--as-json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "note: --as-json is called --json since pellucid 0.2 and will go away; write --json\n"
    assert shown.out.startswith(("[", "{"))


def test_an_option_whose_time_is_over_is_refused_with_the_new_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(program.OLD_OPTIONS, "--as-json", Renamed("--json", "0.2", refused=True))
    assert program.main(["methods", "--as-json"]) == 2
    assert "no longer works; write --json" in capsys.readouterr().err


def test_what_the_names_stand_for_exists() -> None:
    """Also while the tables of old names are empty: a new entry is looked at here."""
    assert {entry.new for entry in pc._OLD_NAMES.values()} <= set(pc.__all__)
    recorded = (ROOT / "tests" / "data" / "public_api.txt").read_text(encoding="utf-8").split()
    assert {entry.new for entry in program.OLD_OPTIONS.values()} <= set(recorded)
