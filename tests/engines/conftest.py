"""One Spark session for all tests that need it, in one process; without Java or pyspark they are skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pellucid.engine.session import QUIET, require_spark
from pellucid.errors import EngineError

SOURCES = str(Path(__file__).parents[2] / "src")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def java() -> None:
    try:
        require_spark()
    except EngineError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """For programs of their own: Spark's workers find this Python and this checkout."""
    return {
        **os.environ,
        "PYTHONPATH": SOURCES + os.pathsep + str(Path(__file__).parents[1]),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture(scope="session")
def spark(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:  # noqa: ARG001
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    builder = SparkSession.builder.master("local[2]").appName("pellucid tests")
    own = {
        "spark.sql.shuffle.partitions": "3",
        "spark.default.parallelism": "2",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": SOURCES,
        "spark.log.level": "OFF",
    }
    for name, value in (QUIET | own).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
