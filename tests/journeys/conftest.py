"""A journey begins in an empty folder with the table that it is about."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

from journeys.census import census_table
from journeys.health import health_table
from journeys.survey import survey_table
from journeys.traps import clinic_table
from journeys.walking import Journey

TABLES = {"census": census_table, "clinic": clinic_table, "health": health_table, "survey": survey_table}
REAL = {"diabetes130": "diabetes130.csv.gz"}
DATA = Path(os.environ.get("PELLUCID_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
Setting = Callable[[str], Journey]


@pytest.fixture
def set_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> Setting:
    """Begin a journey by its name, which begins with that of its table."""
    monkeypatch.chdir(tmp_path)

    def set_out(name: str) -> Journey:
        table = name.partition("-")[0]
        if table in REAL:
            if not (DATA / REAL[table]).is_file():
                pytest.skip(f"{REAL[table]} is not on this machine (PELLUCID_DATA says where tables are)")
            copyfile(DATA / REAL[table], REAL[table])
        else:
            Path(f"{table}.csv").write_text(TABLES[table]())
        return Journey(name, capsys, bool(request.config.getoption("--rewrite-golden")))

    return set_out
