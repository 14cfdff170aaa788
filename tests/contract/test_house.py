"""The house may become smaller, and larger only with a reason: benchmark/house.py counts, house.toml has the limits."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmark"))
    monkeypatch.delitem(sys.modules, "house", raising=False)
    import house

    return house


def test_no_figure_of_the_house_rises_without_a_reason(house: ModuleType) -> None:
    now, limits = house.counted(ROOT), house.limits()
    risen = {name: f"{figure:,}, at most {limits[name]:,}" for name, figure in now.items() if figure > limits[name]}
    assert not risen, (
        "write less, or say why: python benchmark/house.py --record --why '...' "
        "(--places NAME lists what a figure counts)"
    )


def test_each_figure_counts_what_it_says(house: ModuleType, tmp_path: Path) -> None:
    literal = "a text that is long enough to be written only once"
    files = {
        "one.py": "from pellucid import two\n\ndef words() -> str: ...\n\ndef many() -> list[str]: ...\n",
        "two.py": f"import pellucid.three\n\ndef words() -> int: ...\n\nA = '{literal}'\n",
        "three.py": f"B = '{literal}'\n\ndef _words() -> str | None:\n    '{literal}'\n",
        "page.html": "one\ntwo\n",
    }
    for name, text in files.items():
        path = tmp_path / "src" / "pellucid" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    counted = house.counted(tmp_path)
    assert counted == {"lines": 14, "other": 2, "text": 3, "names": 1, "importer": 2, "chain": 3, "literals": 1}


def test_a_rise_is_recorded_with_its_reason_only(
    house: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "house.toml"
    file.write_text("[limits]\nlines = 10\ntext = 5\n")
    monkeypatch.setattr(house, "LIMITS", file)
    assert house.record({"lines": 12, "text": 4}, "") == 1
    assert house.limits() == {"lines": 10, "text": 5}
    assert house.record({"lines": 12, "text": 4}, "it's a new method") == 0
    assert house.limits() == {"lines": 12, "text": 4}
    assert "lines 10 to 12" in file.read_text()
    assert "it's a new method" in file.read_text()
