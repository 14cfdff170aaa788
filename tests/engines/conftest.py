"""One Spark session for all tests that ask for one; they run in one process."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@pytest.fixture(scope="session")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java on this machine")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
        # partitions stay as many as a test asks for
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    builder = pyspark.sql.SparkSession.builder.master("local[2]").appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def brought(spark, monkeypatch) -> list[int]:
    """How many rows each call brought to the driver; ways that are not counted raise."""
    from pyspark.sql.classic.dataframe import DataFrame

    assert spark is not None
    found: list[int] = []

    def counted(name):
        real = getattr(DataFrame, name)

        def collects(self, *arguments, **named):
            rows = real(self, *arguments, **named)
            found.append(len(rows))
            return rows

        return collects

    def refused(*_arguments, **_named):
        raise AssertionError("rows are collected in a way that is not counted")

    for name in ("collect", "toArrow"):
        monkeypatch.setattr(DataFrame, name, counted(name))
    for name in ("toPandas", "toLocalIterator", "take", "head", "tail", "first"):
        monkeypatch.setattr(DataFrame, name, refused)
    return found
