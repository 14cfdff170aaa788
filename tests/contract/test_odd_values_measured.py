"""A release in memory and the same release in a folder have the same figures, whatever the values look like."""

import datetime as dt
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.recipe import Recipe
from pellucid.metrics import metrics
from pellucid.published.reader import choices_of

pytestmark = pytest.mark.filterwarnings("ignore:seed")
RECODERS = ["intervals", "taxonomy", "suppression", "anatomy"]
# classification learns from all of a release on disk, which does not say whose rows are whose; nobody has weights here
NOT_COMPARED = ("classification", "contrasts", "sse", "weighted-totals")
COMPARED = [pc.Contrasts(support=1), *(kind() for name, kind in metrics().items() if name not in NOT_COMPARED)]
LIKE_SETS = ["a", "b", "{a, b}", "{a}", "a or null", "{a, b} or null", '{"a", b}', "{}", None]
LIKE_STARS = ["*", "**", "a*", "* or null", "a", None]
LIKE_INTERVALS = ["1", "2", "[1, 2]", "(1, 2]", "[1", "2]", "1-2", "01", "1.0", None]
LIKE_QUOTED = ["", '"', '""', '"a"', '"a" or null', 'a "b"', " a", "a, b", "a,b", "\t", "a\nb", None]
PLAIN = ["null", "NaN", "true", "é", "E\u0301", "\u00c9", "\U0001f600", "\ufeffb", None]
TEXTS = [LIKE_SETS, LIKE_STARS, LIKE_INTERVALS, LIKE_QUOTED, PLAIN]
MOMENTS = [dt.datetime(2024, 10, 26, 23, 30) + dt.timedelta(minutes=40 * i) for i in range(5)]


def table_of(column: pl.Series, **told: Any) -> pc.Table:
    """A table with this quasi-identifier, one more, and a sensitive column of odd texts."""
    rows = len(column)
    random = np.random.default_rng(7)
    secrets = ["", None, "*", "{a, b}", "null", "flu", "Flu", "flu "]
    frame = pl.DataFrame(
        {
            "odd": column,
            "age": random.integers(20, 60, rows),
            "d": pl.Series([secrets[i % len(secrets)] for i in range(rows)]),
        }
    )
    columns = {"odd": pc.Column(role="quasi", **told), "age": pc.Column(role="quasi"), "d": pc.Column(role="sensitive")}
    return pc.read(frame, schema=pc.Schema(columns=columns))


def mixed(values: list[Any], dtype: Any = None, rows: int = 160) -> pl.Series:
    """Some rows that share each value, and some in any order, so that groups with and without generalisation occur."""
    random = np.random.default_rng(3)
    chosen = [values[i * len(values) // rows] for i in range(rows // 2)]
    return pl.Series("odd", [*chosen, *(values[i] for i in random.integers(0, len(values), rows - len(chosen)))], dtype)


def figures(release: Any, table: pc.Table) -> dict[str, float | None]:
    return {score.metric: score.value for score in pc.measure(release, table, COMPARED)}


def check_folders(table: pc.Table, recode: Any, folder: Path, formats: tuple[str, ...] = ("parquet", "csv")) -> None:
    release = pc.publish(table, pc.Tailor(l=2), recode=recode, seed=5)
    live = figures(release, table)
    assert live["loss"] is not None
    for format_ in formats:
        release.write(folder / format_, format=format_)
        written = figures(folder / format_, table)
        assert written.keys() == live.keys()
        for name, value in live.items():
            other = written[name]
            assert (value is None and other is None) or math.isclose(value, other, rel_tol=1e-12), (format_, name)  # type: ignore[arg-type]


@pytest.mark.parametrize("recode", RECODERS)
@pytest.mark.parametrize("texts", TEXTS, ids=["sets", "stars", "intervals", "quoted", "plain"])
@pytest.mark.parametrize("ordered", [False, True])
def test_odd_texts_have_the_same_figures_in_memory_and_on_disk(
    texts: list[Any], recode: str, ordered: bool, tmp_path: Path
) -> None:
    told = {"kind": "ordered", "order": tuple(text for text in texts if text is not None)} if ordered else {}
    check_folders(table_of(mixed(texts), **told), recode, tmp_path)


@pytest.mark.parametrize("recode", [*RECODERS, pc.Intervals(split=True)], ids=str)
@pytest.mark.parametrize(
    "column",
    [
        mixed([None, float("nan"), -0.0, 0.0, 1.5, 1e300, -2.25, 1e-7]),
        mixed([None, 0.1, 0.2, 0.3, 1e30], pl.Float32),
        mixed([None, 0.1, 0.2, 0.3, 0.7], pl.Float32),
        mixed([None, 1, 2, 3, 2**62, -5]),
        mixed([2**63 + i for i in range(5)], pl.UInt64),
        *(mixed([None, *MOMENTS], pl.Datetime(unit)) for unit in ("ms", "us", "ns")),
        mixed([None, *MOMENTS], pl.Datetime("us")).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Rome"),
        mixed([None, True, False]),
    ],
    ids=["floats", "float32 outlier", "float32", "outlier", "unsigned", "ms", "us", "ns", "Rome", "booleans"],
)
def test_odd_numbers_and_times_have_the_same_figures_in_memory_and_on_disk(
    column: pl.Series, recode: Any, tmp_path: Path
) -> None:
    check_folders(table_of(column), recode, tmp_path)


@pytest.mark.parametrize("recode", RECODERS)
def test_a_zero_byte_is_measured_from_parquet_and_refused_in_text_with_the_way_out(recode: str, tmp_path: Path) -> None:
    table = table_of(mixed(["\x00b", "", "a", None]))
    check_folders(table, recode, tmp_path, ("parquet",))
    pc.publish(table, pc.Tailor(l=2), recode=recode, seed=5).write(tmp_path / "csv", format="csv")
    with pytest.raises(pc.InputError, match=r"has a zero byte\); give .* Parquet"):
        pc.measure(tmp_path / "csv", table)


def cells(texts: list[str | None], published: list[str | None], recode: str | None) -> list[tuple[int, float]]:
    """How many values each published text leaves possible, and how much of the column it leaves open."""
    attribute = table_of(pl.Series("odd", texts)).attributes[0]
    codes, choices = choices_of(
        attribute, pl.DataFrame({"odd": published}), ["odd"], Recipe.of({"recode": recode}).writer
    )
    return [(int(choices.covered[c]), float(choices.extent[c])) for c in codes]


def test_a_text_that_is_a_value_and_a_generalisation_leaves_open_what_either_does() -> None:
    texts: list[str | None] = ["a", "b", "c", "{a, b}", "*"]
    assert cells(texts, ["{a, b}", "*", "a"], "intervals") == [(3, 0.5), (1, 0.0), (1, 0.0)]
    assert cells(texts, ["{a, b}", "*", "a"], "suppression") == [(1, 0.0), (5, 1.0), (1, 0.0)]
    assert cells(texts, ["{a, b}", "*", "a"], "taxonomy") == [(3, 0.5), (5, 1.0), (1, 0.0)]
    assert cells(texts, ["{a, b}", "*", "a"], "anatomy") == [(1, 0.0), (1, 0.0), (1, 0.0)]
    assert cells(texts, ["{a, b}", "*", "a"], None) == [(3, 0.5), (5, 1.0), (1, 0.0)]  # whoever made it


def test_what_stands_before_or_null_is_read_with_its_quotation_marks() -> None:
    texts = ["", " a", "{b, c}", "b", "c", None]
    assert cells(texts, ['"" or null', '" a" or null', "b or null"], "intervals") == [(2, 0.2)] * 3
    assert cells(texts, ['"{b, c}" or null', "{b, c} or null", "{b, c}"], "intervals") == [(2, 0.2), (3, 0.4), (3, 0.4)]


@pytest.mark.parametrize("recode", ["intervals", "taxonomy"])
def test_another_table_is_still_refused(recode: str, tmp_path: Path) -> None:
    texts = mixed([text for text in LIKE_QUOTED if text is not None])
    pc.publish(table_of(texts), pc.Tailor(l=2), recode=recode, seed=5).write(tmp_path / "out", format="parquet")
    with pytest.raises(pc.MeasureError, match="give the table that the release was made of"):
        pc.measure(tmp_path / "out", table_of(texts.reverse()))
