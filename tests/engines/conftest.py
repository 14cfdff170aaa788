"""One Spark session for all tests that need it, in one process; without Java or pyspark they are skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.quick_java import INTERPRETED, WARM, home, quick_java, told
from pellucid.errors import EngineError
from pellucid.spark.engine.session import QUIET, require_spark

SOURCES = str(Path(__file__).parents[2] / "src") + os.pathsep + str(Path(__file__).parents[1])
QUICK = INTERPRETED | WARM


@pytest.fixture(scope="session")
def java() -> None:
    try:
        require_spark()
    except EngineError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def environment(compiling: dict[str, str], thorough: bool) -> dict[str, str]:
    """For programs of their own that interpret their queries and load little twice."""
    return compiling if thorough else compiling | {"SPARK_SUBMIT_OPTS": quick_java() + told(QUICK)} | home()


@pytest.fixture(scope="session")
def compiling() -> dict[str, str]:
    """For programs of their own, as users run them: Spark's workers find this Python and this checkout."""
    return {
        **{name: value for name, value in os.environ.items() if name != "SPARK_HOME"},
        "PYTHONPATH": SOURCES,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": quick_java(),
    }


@pytest.fixture(scope="session")
def spark(java: None, thorough: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:  # noqa: ARG001
    from pyspark.sql import SparkSession

    os.environ |= {} if thorough else home()
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_SUBMIT_OPTS": quick_java()}
    builder = SparkSession.builder.master("local[2]").appName("pellucid tests")
    own = {
        "spark.sql.shuffle.partitions": "3",
        "spark.default.parallelism": "2",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.driver.memory": "1g",
        # partitions stay as many as a test asks for
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.executorEnv.PYTHONPATH": SOURCES,
        "spark.log.level": "OFF",
    }
    for name, value in (QUIET | own | ({} if thorough else QUICK)).items():
        builder = builder.config(name, value)
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
