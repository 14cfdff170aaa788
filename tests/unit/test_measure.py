"""Metrics computed by hand on five and eight rows, what is refused, and workloads."""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.core.table import Table
from pellucid.errors import MeasureError, OutputError
from pellucid.metrics import metrics
from pellucid.metrics.answering import estimated_answers, true_answers
from pellucid.metrics.boxes import shown_by

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
CITIES = {"*": {"north": ["a", "b"], "south": {"coast": ["c", "d"], "inland": ["e"]}}}


def patients(recode: str | None = None) -> tuple[pc.Release, Table]:
    table = pc.read(pc.datasets.patients(), **ROLES)
    return pc.publish(table, pc.Tailor(l=2), recode=recode), table


def value(release: Any, table: Any, metric: pc.Metric, **roles: Any) -> Any:
    (score,) = pc.measure(release, table, [metric], **roles)
    assert score.metric == metric.name
    return score.value


# Tailor publishes [21, 32] x [10000, 35000] four times, [54, 60] x [60000, 63000] twice and 60 x 63000 twice.


def test_patients_by_hand() -> None:
    release, table = patients()
    extents = [(4 * 11 + 2 * 6) / 39 / 8, (4 * 25 + 2 * 3) / 53 / 8]
    assert value(release, table, pc.Perimeter()) == pytest.approx(sum(extents))
    # five ages and five zipcodes; four rows are one of 3, two are one of 2, two are known
    assert value(release, table, pc.Loss()) == pytest.approx((4 * 3 / 5 + 2 * 2 / 5 + 2 * 1 / 5) / 8)
    assert value(release, table, pc.InformationLoss()) == pytest.approx((4 * 2 / 4 + 2 * 1 / 4) / 8)
    assert value(release, table, pc.NormalizedCertaintyPenalty()) == pytest.approx(sum(extents) / 2)
    weights = {"age": 1.0, "zipcode": 0.0}
    assert value(release, table, pc.NormalizedCertaintyPenalty(weights=weights)) == pytest.approx(extents[0])
    assert value(release, table, pc.Discernibility()) == 16 + 4 + 4
    assert value(release, table, pc.AverageClassSize()) == 8 / 3
    assert value(release, table, pc.Precision()) == 1 - 6 / 8
    bits = (2 + 2 + 1 + 1) + (2 + math.log2(4 / 3))
    most = 3 + 3 + 2 * 2 + 3 + 3 * math.log2(8 / 3)
    assert value(release, table, pc.NonUniformEntropy()) == pytest.approx(bits / most)
    assert value(release, table, pc.SensitiveDistortion()) == 0
    assert value(release, table, pc.SuppressedRows()) == value(release, table, pc.AddedRows()) == 0


def test_anatomy_keeps_the_quasi_identifiers() -> None:
    release, table = patients("anatomy")
    assert value(release, table, pc.Perimeter()) == 0
    assert value(release, table, pc.InformationLoss()) == 0
    assert value(release, table, pc.Loss()) == pytest.approx(1 / 5)
    assert value(release, table, pc.Precision()) == 1
    assert value(release, table, pc.Discernibility()) == 24
    assert value(release, table, pc.Marginals(order=1)) == 0


def test_a_carried_column_is_not_measured(tmp_path: Path) -> None:
    frame = pc.datasets.patients().with_columns(ward=pl.Series(list("abcdabcd")))
    roles = {"quasi": ["age"], "sensitive": "disease", "identifier": "name"}
    with_ward = pc.publish(frame, pc.Tailor(l=2), **roles, carry=["ward"])
    without = pc.publish(frame, pc.Tailor(l=2), **roles)
    folder = with_ward.write(tmp_path / "out")
    ours = [pc.measure(without, frame, **roles), pc.measure(with_ward, frame, **roles), pc.measure(folder, frame)]
    expected, *found = [{score.metric: score.value for score in scores if score.metric != "sse"} for scores in ours]
    assert len(expected) > 10
    assert found == [pytest.approx(expected)] * 2  # of the folder the recipe says the rest, but who is in which group


def test_intervals_of_others_count_as_far_as_they_reach() -> None:
    frame = pl.DataFrame({"age": [20, 22, 30, 40], "ill": list("xyxy")})
    published = frame.with_columns(age=pl.Series(["[20, 30)", "[20, 30)", "(25, 40]", "(25, 40]"]))
    (score,) = pc.measure(published, frame, [pc.Perimeter()], quasi=["age"], sensitive="ill")
    assert score.value == pytest.approx((9 + 9 + 14 + 14) / 20 / 4)  # 20 to 29, and 26 to 40


def test_a_taxonomy_by_hand() -> None:
    frame = pl.DataFrame({"city": list("abcde"), "ill": list("xyxyx")})
    columns = {"city": pc.Column(role="quasi", taxonomy={"tree": CITIES}), "ill": pc.Column(role="sensitive")}
    schema = pc.Schema(columns=columns)
    published = frame.with_columns(city=pl.Series(["north", "north", "coast", "coast", "*"]))
    found = {score.metric: score.value for score in pc.measure(published, frame, schema=schema)}
    # without a recipe a row of stars is a suppressed one
    assert found["suppressed-rows"] == 1 / 5
    assert found["loss"] == pytest.approx((4 * 2 / 5 + 1) / 5)
    assert found["information-loss"] == pytest.approx((4 * 1 / 4 + 1) / 5)
    assert found["certainty-penalty"] == pytest.approx((4 * 2 / 5 + 1) / 5)
    assert found["precision"] == pytest.approx(1 - (2 * 2 / 3 + 2 * 1 / 3 + 1) / 5)
    assert found["discernibility"] == 4 + 4 + 5
    assert found["class-size"] == 2
    # each of the five cities has 1/5; by the release a, b, c, d have (1 + 1/5) / 5 and e has 1/25
    assert found["entropy"] == pytest.approx((4 * 1 + math.log2(5)) / (5 * math.log2(5)))
    (score,) = pc.measure(published, frame, [pc.Marginals(order=1)], schema=schema)
    assert score.details["columns"]["city"] == pytest.approx(4 * (0.04 + 0.16 / 4) / 2 / 1, abs=1e-9)


def test_null_in_a_foreign_table_is_a_star_where_it_is_in_more_rows_than_in_the_original() -> None:
    """Whoever suppresses cells may write null for them; of a column that had nulls nobody can tell which they are."""
    frame = pl.DataFrame(
        {"city": ["a", "b", "c", None, "e"], "age": [20, 30, 40, 50, 60], "ill": ["x", "y", "x", "y", "x"]}
    )
    schema = pc.Schema(
        columns={
            "city": pc.Column(role="quasi", taxonomy={"tree": CITIES}),
            "age": pc.Column(role="quasi"),
            "ill": pc.Column(role="sensitive"),
        }
    )
    stars = {"city": ["*", "b", "c", "*", "*"], "age": ["20", "*", "40", "50", "*"]}
    nulls = {name: [None if cell == "*" else cell for cell in cells] for name, cells in stars.items()}
    told = [
        [
            (score.metric, score.value, score.details)
            for score in pc.measure(frame.with_columns(**cells), frame, schema=schema)
        ]
        for cells in ({name: pl.Series(cells) for name, cells in some.items()} for some in (stars, nulls))
    ]
    assert told[0] == told[1]
    assert dict(one[:2] for one in told[1])["suppressed-rows"] == 1 / 5
    as_it_was = frame.with_columns(age=pl.Series([20, None, 40, 50, 60]))
    (kept,) = pc.measure(as_it_was, frame, [pc.Kept()], schema=schema)
    assert kept.details["columns"] == {"city": 1.0, "age": 4 / 5}  # the null that was there is a value


def test_a_foreign_table_of_nothing_but_stars_is_one_group() -> None:
    """Generalised as far as it goes: N squared, precision 0, and nothing suppressed, as our own release measures."""
    frame = pl.DataFrame({"city": list("abcde"), "age": [20, 30, 40, 50, 60], "ill": list("xyxyx")})
    columns = {
        "city": pc.Column(role="quasi", taxonomy={"tree": CITIES}),
        "age": pc.Column(role="quasi", taxonomy={"ladder": [20]}),
        "ill": pc.Column(role="sensitive"),
    }
    schema = pc.Schema(columns=columns)
    stars = frame.with_columns(city=pl.lit("*"), age=pl.lit("*"))
    found = {score.metric: score.value for score in pc.measure(stars, frame, schema=schema)}
    assert found["discernibility"] == 25
    assert found["precision"] == found["suppressed-rows"] == found["kept"] == 0
    assert found["class-size"] == 5
    assert found["loss"] == 1
    ours = pc.publish(frame, pc.Incognito(k=5), schema=schema)
    assert ours.private.grouping.levels == (3, 2)
    of_ours = {score.metric: score.value for score in pc.measure(ours, frame)}
    others = found.keys() - {"classification"}  # which learns something else of a release from elsewhere
    assert {name: of_ours[name] for name in others} == {name: found[name] for name in others}


def test_kl_divergence_by_hand() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 3], "ill": ["x", "y", "x", "x"]})
    published = frame.with_columns(age=pl.Series(["[1, 2]", "[1, 2]", "3", "3"]))
    # (1, x) and (2, y) have 1/4 and get 1/8 by the release, (3, x) has 1/2 and keeps it
    found = value(published, frame, pc.KLDivergence(), quasi=["age"], sensitive="ill")
    assert found == pytest.approx(2 * 1 / 4 * math.log2(2))


def test_a_replaced_value_is_measured_by_its_distance() -> None:
    illnesses = {"*": {"lung": ["flu", "cough"], "skin": ["rash"]}}
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "cough", "rash", "rash"]})
    columns = {"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive", taxonomy={"tree": illnesses})}
    table = pc.read(frame, schema=pc.Schema(columns=columns))
    release = pc.publish(table, pc.Mondrian(k=2))
    old = release.private.grouping
    codes = table.codes[1]
    # in the taxonomy's order flu is 0, cough 1, rash 2: cough becomes flu, one rash becomes cough
    assert codes.tolist() == [0, 1, 2, 2]
    grouping = Grouping(old.members, old.starts, 4, sensitive=np.array([0, 0, 2, 1], np.int32))
    changed = replace(release, private=replace(release.private, grouping=grouping, truth=codes))
    assert value(changed, table, pc.SensitiveDistortion()) == pytest.approx((0 + 1 / 2 + 0 + 1) / 4)
    assert value(changed, table, pc.KLDivergence()) == math.inf


def test_added_and_suppressed_rows_are_shares_of_the_original() -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    with warnings.catch_warnings(action="ignore"):  # neither method withstands somebody who knows it
        added = pc.publish(table, pc.SpuriousRecords(k=2, l=2), seed=1)
        left = pc.publish(table, pc.GreedyGrouping(l=3), seed=1)
    assert value(added, table, pc.AddedRows()) == 2 / 8  # Cate and Don share gastritis: two records make it one in two
    assert value(added, table, pc.SuppressedRows()) == 0
    assert value(left, table, pc.SuppressedRows()) == 2 / 8  # two rows fill no bucket of three
    assert value(left, table, pc.AddedRows()) == 0


@pytest.mark.parametrize("metric", [kind() for kind in metrics().values()])
def test_every_metric_says_what_it_is(metric: pc.Metric) -> None:
    assert metric.summary
    assert metric.unit
    assert metric.reference
    assert metric.direction in ("lower", "higher")
    assert metric.name == metric.name.lower()


def test_large_classes_do_not_overflow() -> None:
    n = 50_000  # squared this is more than 32 bits hold
    frame = pl.DataFrame({"age": np.arange(n) % 7, "ill": np.arange(n) % 2})
    published = frame.with_columns(age=pl.lit("[0, 6]"))
    assert value(published, frame, pc.Discernibility(), quasi=["age"], sensitive="ill") == n * n


# --- queries


def test_a_query_that_is_a_union_of_boxes_is_exact() -> None:
    release, table = patients()
    shown = shown_by(release, table)
    workload = pc.Workload.of(table, dimensions=1, selectivity=0.5, queries=3, seed=1, sensitive=False)
    # ages 21 to 32, 54 to 60, everything; ages start at 21
    aligned = pc.Workload(
        workload.names,
        workload.ticks,
        False,
        np.zeros((3, 1), np.int32),
        np.arange(4),
        np.array([0, 33, 0]),
        np.array([11, 39, 39]),
    )
    assert true_answers(aligned, table).tolist() == [4, 4, 8]
    assert estimated_answers(aligned, shown).tolist() == [4, 4, 8]


def test_half_of_an_interval_is_half_of_its_rows() -> None:
    frame = pl.DataFrame({"age": [0, 9, 9, 9], "ill": ["x", "y", "y", "y"]})
    table = pc.read(frame, quasi=["age"], sensitive="ill")
    workload = pc.Workload.of(table, dimensions=1, selectivity=0.5, queries=200, seed=2, sensitive=False)
    # five places of ten hold 2 of the 4 rows by the release; in truth 1 (from 0), 3 (to 9), or none (between)
    truth = np.select([workload.low == 0, workload.high == 9], [1, 3], 0)
    assert set(truth) == {0, 1, 3}
    published = frame.with_columns(age=pl.lit("[0, 9]"))
    found = value(published, table, pc.QueryError(workload=workload, delta=1.0))
    assert found == pytest.approx(np.abs(truth - 2).mean() / 4)


def test_a_workload_comes_back_from_a_file(tmp_path: Path) -> None:
    release, table = patients()
    for form in ("intervals", "sets", "values"):
        made = pc.Workload.of(table, dimensions=2, selectivity=0.2, queries=20, seed=5, form=form)  # type: ignore[arg-type]
        again = pc.Workload.load(made.save(tmp_path / "w.json"))
        same = pc.Workload.of(table, dimensions=2, selectivity=0.2, queries=20, seed=5, form=form)  # type: ignore[arg-type]
        other = pc.Workload.of(table, dimensions=2, selectivity=0.2, queries=20, seed=6, form=form)  # type: ignore[arg-type]
        for one in (again, same):
            assert (one.names, one.ticks, one.sensitive) == (made.names, made.ticks, made.sensitive)
            for part in ("columns", "starts", "low", "high"):
                assert getattr(one, part).tolist() == getattr(made, part).tolist()
        assert other.columns.tolist() != made.columns.tolist() or other.low.tolist() != made.low.tolist()
        assert value(release, table, pc.QueryError(workload=again)) == value(
            release, table, pc.QueryError(dimensions=2, selectivity=0.2, queries=20, seed=5, form=form)
        )
    (tmp_path / "no.json").write_text("{}")
    for path in ("no.json", "nowhere.json"):
        with pytest.raises(MeasureError, match=r"Workload\.save"):
            pc.Workload.load(tmp_path / path)
    other_table = pc.read(pc.datasets.patients().head(7), **ROLES)
    with pytest.raises(MeasureError, match="make the workload from this original"):
        true_answers(made, other_table)


def first_query(content: dict[str, Any], **predicates: Any) -> None:
    content["queries"][0] = predicates


# a query has one quasi-identifier and the disease; ages are 0 to 39
SPOILT = {
    "below the column": lambda c: first_query(c, age=[[-1, 3]], disease=[[0, 1]]),
    "beyond the column": lambda c: first_query(c, age=[[3, 40]], disease=[[0, 1]]),
    "far beyond the column": lambda c: first_query(c, age=[[3, 2**62]], disease=[[0, 1]]),
    "more than a machine counts": lambda c: first_query(c, age=[[3, 2**80]], disease=[[0, 1]]),
    "downwards": lambda c: first_query(c, age=[[3, 2]], disease=[[0, 1]]),
    "runs that descend": lambda c: first_query(c, age=[[5, 6], [1, 2]], disease=[[0, 1]]),
    "runs that overlap": lambda c: first_query(c, age=[[1, 5], [5, 9]], disease=[[0, 1]]),
    "half a value": lambda c: first_query(c, age=[[0.5, 3]], disease=[[0, 1]]),
    "true for a value": lambda c: first_query(c, age=[[True, 3]], disease=[[0, 1]]),
    "a run of three": lambda c: first_query(c, age=[[1, 2, 3], [4, 5, 6]], disease=[[0, 1]]),
    "the sensitive column first": lambda c: first_query(c, disease=[[0, 1]], age=[[0, 3]]),
    "no sensitive column": lambda c: first_query(c, age=[[0, 3]], zipcode=[[0, 3]]),
    "fewer predicates": lambda c: first_query(c, disease=[[0, 1]]),
    "another column": lambda c: first_query(c, sex=[[0, 1]], disease=[[0, 1]]),
    "no queries": lambda c: c.update(queries=[]),
    "no predicates": lambda c: c.update(queries=[{}, {}]),
    "a word for true": lambda c: c.update(sensitive="no"),
    "a column of no values": lambda c: c["columns"].update(zipcode=0),
    "a column of many values": lambda c: c["columns"].update(zipcode=2**70),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_workload_that_somebody_spoilt_is_refused(tmp_path: Path, spoil: Any) -> None:
    made = pc.Workload.of(patients()[1], dimensions=1, selectivity=0.2, queries=3, seed=5)
    content = json.loads(made.save(tmp_path / "w.json").read_text())
    spoil(content)
    (tmp_path / "w.json").write_text(json.dumps(content))
    with pytest.raises(MeasureError, match=r"w\.json.*Workload\.save"):
        pc.Workload.load(tmp_path / "w.json")


def test_what_is_wrong_with_a_query_is_told() -> None:
    made = pc.Workload.of(patients()[1], dimensions=1, selectivity=0.2, queries=3, seed=5)
    with pytest.raises(MeasureError, match=r"query 2 asks for 7 to 99999 of '(age|zipcode)', which must .* within"):
        replace(made, low=np.array([0, 0, 7, 0, 0, 0]), high=np.array([0, 0, 99_999, 0, 0, 0]))


def test_a_workload_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    made = pc.Workload.of(patients()[1], dimensions=1, selectivity=0.2, queries=3, seed=5)
    (tmp_path / "w.json").mkdir()  # where no file can be
    with pytest.raises(OutputError, match=r"w\.json: cannot be written"):
        made.save(tmp_path / "w.json")
    assert [path.name for path in tmp_path.iterdir()] == ["w.json"]
    os.link(made.save(tmp_path / "old.json"), tmp_path / "kept.json")
    before = (tmp_path / "kept.json").read_text()
    pc.Workload.of(patients()[1], dimensions=1, selectivity=0.2, queries=9, seed=5).save(tmp_path / "old.json")
    assert (tmp_path / "kept.json").read_text() == before  # the old file was replaced, not written over
    assert len(pc.Workload.load(tmp_path / "old.json")) == 9


@pytest.mark.parametrize("seed", [-1, "one", 0.5])
def test_a_seed_that_is_none_is_told(seed: Any) -> None:
    with pytest.raises(MeasureError, match="seed = "):
        pc.Workload.of(patients()[1], dimensions=1, selectivity=0.2, queries=3, seed=seed)


def test_intervals_have_the_share_that_was_asked_for() -> None:
    coins = np.random.default_rng(1)
    columns = {"a": 100, "b": 40, "s": 9}
    frame = pl.DataFrame({name: coins.integers(0, many, 999) for name, many in columns.items()})
    table = pc.read(frame, quasi=["a", "b"], sensitive="s")
    workload = pc.Workload.of(table, dimensions=2, selectivity=0.125, queries=500, seed=1)
    lengths = (workload.high - workload.low + 1) / np.array(workload.ticks)[workload.columns.ravel()]
    assert np.abs(lengths - 0.5).max() < 0.1
    assert (workload.low >= 0).all()
    assert (workload.high < np.array(workload.ticks)[workload.columns.ravel()]).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pc.QueryError(selectivity=0.0), "selectivity = 0.0"),
        (lambda: pc.QueryError(selectivity=1.1), "selectivity = 1.1"),
        (lambda: pc.QueryError(queries=0), "queries = 0"),
        (lambda: pc.QueryError(form="circles"), "form = 'circles'"),
        (lambda: pc.QueryError(dimensions=0, sensitive=False), "asks nothing"),
        (lambda: pc.AverageClassSize(k=0), "k = 0"),
        (lambda: pc.Loss(k=3), "no parameter 'k'"),
        (lambda: pc.AverageClassSize(2), "by name"),
    ],
)
def test_wrong_parameters_are_refused(make: Any, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        make()


def test_what_does_not_fit_the_table_is_refused() -> None:
    release, table = patients()
    with pytest.raises(MeasureError, match="dimensions = 3: the table has 2 quasi-identifiers"):
        value(release, table, pc.QueryError(dimensions=3))
    with pytest.raises(MeasureError, match="'zipcode' has no weight"):
        value(release, table, pc.InformationLoss(weights={"age": 1.0}))
    with pytest.raises(MeasureError, match="'sex' is no quasi-identifier"):
        value(release, table, pc.InformationLoss(weights={"sex": 1.0}))
    with pytest.raises(MeasureError, match=r"give metrics with their parameters"):
        pc.measure(release, table, ["loss"])  # type: ignore[list-item]


def test_a_release_of_another_table_is_refused() -> None:
    release, _ = patients()
    fewer = pc.read(pc.datasets.patients().head(7), **ROLES)
    with pytest.raises(MeasureError, match="made of 8 rows and the original has 7"):
        pc.measure(release, fewer)
    renamed = pc.read(pc.datasets.patients().rename({"age": "years"}), quasi=["years", "zipcode"], sensitive="disease")
    with pytest.raises(MeasureError, match="give the table that it was made of"):
        pc.measure(release, renamed)
    with pytest.raises(MeasureError, match="no column 'years'"):
        pc.measure(release.frame, renamed)
    with pytest.raises(MeasureError, match="8 rows, and the original has 7"):
        pc.measure(release.frame, fewer)
    ill = pc.datasets.patients().with_columns(disease=pl.Series(["flu", *["cold"] * 7]))
    with pytest.raises(MeasureError, match="published 'disease'"):
        pc.measure(release.frame, ill, **ROLES)
    older = pc.datasets.patients().with_columns(age=pl.col("age") + 50)
    with pytest.raises(MeasureError, match=r"'age'.*original"):
        pc.measure(release.frame, older, **ROLES)


ABOUT_PEOPLE: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease"}
# the forest of one draws rows, and the other is about weights, which these people have not
NOT_ASKED = ("classification", "contrasts", "sse", "weighted-totals")
ASKED = [pc.Contrasts(support=1), *(kind() for name, kind in metrics().items() if name not in NOT_ASKED)]


def people(rows: int = 120) -> pl.DataFrame:
    coins = np.random.default_rng(3)
    sizes = {"age": 60, "zipcode": 20, "disease": 6}
    return pl.DataFrame({name: coins.integers(0, size, rows) for name, size in sizes.items()})


@pytest.mark.parametrize("recode", ["intervals", "anatomy", "suppression"])
def test_the_order_of_the_original_does_not_matter(recode: str) -> None:
    release = pc.publish(people(), pc.Mondrian(k=4), recode=recode, **ABOUT_PEOPLE)
    shuffled = people().sample(fraction=1.0, shuffle=True, seed=1)
    expected = pc.measure(release, people(), ASKED, **ABOUT_PEOPLE)
    found = {score.metric: score.value for score in pc.measure(release, shuffled, ASKED, **ABOUT_PEOPLE)}
    assert found == {score.metric: pytest.approx(score.value) for score in expected}


def later(column: str) -> pl.Expr:
    """A column whose second half has 0 wherever it had a larger value: the same values, but not as often."""
    return pl.when((pl.int_range(pl.len()) > 60) & (pl.col(column) > 2)).then(0).otherwise(column)


@pytest.mark.parametrize("recode", ["intervals", "anatomy"])
@pytest.mark.parametrize(
    ("column", "other"), [("disease", {"disease": later("disease")}), ("age", {"age": pl.col("age") + 100})]
)
def test_a_foreign_original_with_as_many_rows_is_refused(recode: str, column: str, other: dict[str, pl.Expr]) -> None:
    release = pc.publish(people(), pc.Mondrian(k=4), recode=recode, **ABOUT_PEOPLE)
    with pytest.raises(MeasureError, match=f"'{column}'.*original"):
        pc.measure(release, people().with_columns(**other), **ABOUT_PEOPLE)


def test_a_release_in_memory_knows_how_its_table_was_read() -> None:
    frame = pl.DataFrame({"city": list("abcdeabcde"), "age": range(10), "ill": list("xyxyxyxyxy")})
    columns = {
        "city": pc.Column(role="quasi", taxonomy={"tree": CITIES}),
        "age": pc.Column(role="quasi"),
        "ill": pc.Column(role="sensitive"),
    }
    schema = pc.Schema(columns=columns)
    with warnings.catch_warnings(action="ignore"):
        release = pc.publish(frame, pc.Mask(k=2, l=2, sensitive="x"), schema=schema, recode="taxonomy", seed=1)
    asked = [pc.SensitiveDistortion(), pc.Precision()]
    with_schema = [score.value for score in pc.measure(release, frame, asked, schema=schema)]
    assert [score.value for score in pc.measure(release, frame, asked)] == with_schema


def test_sensitive_values_that_occur_more_often_in_the_file_than_in_the_original_are_refused(tmp_path: Path) -> None:
    release, _ = patients()
    folder = release.write(tmp_path / "out")
    # flu and the others occur, but not as often as they are published
    commonest = pc.datasets.patients()["disease"].mode().sort()[0]
    fewer = pl.when(pl.col("disease") == commonest).then(pl.col("disease").shift(1, fill_value=commonest))
    other = pc.datasets.patients().with_columns(disease=fewer.otherwise("disease"))
    assert set(other["disease"]) == set(pc.datasets.patients()["disease"])
    with pytest.raises(MeasureError, match=r"'disease'.*give the table that the release was made of"):
        pc.measure(folder, other, **ROLES)


def test_metrics_that_say_nothing_say_why() -> None:
    frame = pc.datasets.patients()
    roles = {"quasi": ["age"], "sensitive": ["disease", "zipcode"], "identifier": "name"}
    release = pc.publish(frame, pc.Tailor(l=2), **roles)
    found = {score.metric: score for score in pc.measure(release, frame, **roles)}
    assert not found["kl-divergence"].applies
    assert "one sensitive column" in found["kl-divergence"].meaning
    assert found["loss"].applies
    with pytest.raises(MeasureError, match="one sensitive column"):
        pc.measure(release, frame, [pc.KLDivergence()], **roles)


def test_classification_on_a_table_that_can_be_learnt() -> None:
    pytest.importorskip("sklearn")
    coins = np.random.default_rng(1)
    age = coins.integers(0, 40, 400)
    frame = pl.DataFrame({"age": age, "sex": coins.choice(["f", "m"], 400), "ill": np.where(age < 20, "x", "y")})
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill"}
    table = pc.read(frame, **roles)
    fine, coarse = (pc.publish(table, pc.Mondrian(k=k), accept_known="age") for k in (5, 200))
    good, bad = (pc.measure(r, table, [pc.ClassificationUtility()])[0] for r in (fine, coarse))
    assert good.value is not None
    assert bad.value is not None
    assert good.value > 0.9
    assert bad.value < good.value
    assert good.details["original"] > 0.95
    assert good.details["held_out"] is True
    anatomy = pc.publish(table, pc.Tailor(l=1), recode="anatomy", accept_known="age")
    assert value(anatomy, table, pc.ClassificationUtility()) <= good.details["original"]
    (apart,) = pc.measure(fine.frame, frame, [pc.ClassificationUtility()], **roles)
    assert apart.details["held_out"] is False
    assert "includes the rows tested on" in apart.meaning


def test_learning_of_many_values_says_nothing_of_another_library() -> None:
    """It warns where half of the rows have a value of their own; warnings are errors here."""
    pytest.importorskip("sklearn")
    frame = pl.DataFrame({"age": [*range(40)], "ill": [f"ill {i % 30}" for i in range(40)]})
    (score,) = pc.measure(frame, frame, [pc.ClassificationUtility()], quasi=["age"], sensitive="ill")
    assert score.details["tested"] == 12


def test_how_often_the_commonest_value_is_right_is_told_for_all_rows_too() -> None:
    """Other places tell that figure of all rows; of those that are tested on it is another one."""
    pytest.importorskip("sklearn")
    frame = pl.DataFrame({"age": [*range(101)], "ill": [*"aaabb" * 20, "a"]})
    release = pc.publish(frame, pc.Tailor(l=1), quasi=["age"], sensitive="ill", accept_known="age")
    (score,) = pc.measure(release, frame, [pc.ClassificationUtility()], quasi=["age"], sensitive="ill")
    assert f"naming the commonest value {score.details['majority']:.1%} (of all rows 60.4% have it)" in score.meaning


def test_what_cannot_be_learnt_is_not_learnt_from_the_rows_tested_on(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    coins = np.random.default_rng(2)
    frame = pl.DataFrame({"age": coins.integers(0, 1000, 600), "ill": coins.integers(0, 12, 600)})
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
    release = pc.publish(frame, pc.Hybrid(l=3), **roles)
    for published in (release, release.write(tmp_path / "out")):
        (score,) = pc.measure(published, frame, [pc.ClassificationUtility()], **roles)
        assert score.details["original"] < 0.25  # by chance one in twelve; of rows it has seen it would know most


def test_without_scikit_learn_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    release, table = patients()
    with pytest.raises(MeasureError, match=r"pip install 'pellucid\[learn\]'"):
        pc.measure(release, table, [pc.ClassificationUtility()])


def test_scores_print_as_a_small_table() -> None:
    release, table = patients()
    lines = str(pc.measure(release, table, [pc.Discernibility(), pc.Loss()])).splitlines()
    assert lines[0].split() == ["metric", "value", "better", "unit", "meaning"]
    assert [line.split()[:2] for line in lines[1:]] == [["discernibility", "24"], ["loss", "0.45"]]
