"""How a method takes its parameters, and what it says when they do not fit."""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.core.table import Table
from plain.random_tables import random_table
from plain.settings import SETTINGS, grouped


@pytest.mark.parametrize("name", sorted(name for name, kind in methods().items() if "l" in kind.model_fields))
def test_a_number_from_numpy_is_a_number(name: str) -> None:
    table, _ = random_table(Random(1))
    given = SETTINGS[name](3, table).model_dump(exclude_none=True)
    assert methods()[name](**{**given, "l": np.int64(3)}) == methods()[name](**{**given, "l": 3})


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"l": 0}, ["l = 0", "greater than or equal to 1"]),
        ({"l": 1.5}, ["l = 1.5", "integer"]),
        ({"l": "8"}, ["l = '8'", "integer"]),
        ({"l": True}, ["l = True", "integer"]),
        ({}, ["needs the parameter 'l'"]),
        ({"l": 2, "m": 3}, ["no parameter 'm'", "its parameters are: l, values, k"]),
    ],
)
def test_a_wrong_parameter_is_named_with_the_rule(parameters: dict[str, object], says: list[str]) -> None:
    with pytest.raises(pc.MethodError) as caught:
        pc.Hybrid(**parameters)
    assert "\n" not in str(caught.value)
    for words in says:
        assert words in str(caught.value)


def test_a_method_is_a_value() -> None:
    assert len({pc.Hybrid(l=2), pc.Hybrid(l=2), pc.Hybrid(l=3), pc.Tailor(l=2)}) == 3
    with pytest.raises(ValueError, match="frozen"):
        pc.Hybrid(l=2).l = 3  # type: ignore[misc]


def test_an_infeasible_l_names_the_value_in_the_way_and_the_largest_l() -> None:
    frame = pl.DataFrame({"age": range(9), "disease": ["flu"] * 4 + ["cold"] * 3 + ["gout"] * 2})
    with pytest.raises(pc.Infeasible, match=r"'flu' is the 'disease' of 4 of 9 rows \(44\.4%\).*use l = 2 or less"):
        pc.publish(frame, pc.Hybrid(l=3), quasi=["age"], sensitive="disease")
    assert pc.publish(frame, pc.Hybrid(l=2), quasi=["age"], sensitive="disease").frame.height == 9


def test_where_no_l_above_one_is_feasible_nobody_is_sent_to_l_one() -> None:
    frame = pl.DataFrame({"age": range(4), "disease": ["flu", "flu", "flu", "cold"]})
    with pytest.raises(pc.Infeasible, match="no l above 1 is; protect another column"):
        pc.publish(frame, pc.Hybrid(l=2), quasi=["age"], sensitive="disease")


def test_several_sensitive_columns_are_promised_each_by_itself() -> None:
    frame = pl.DataFrame({"age": range(4), "s": list("abab"), "t": list("aabb")})
    release = pc.publish(frame, pc.Tailor(l=2), quasi=["age"], sensitive=["s", "t"])
    assert "each single one of these columns with probability at most 1/2" in release.recipe["sentence"]


def test_methods_for_one_sensitive_column_send_tables_with_two_to_one_that_protects_both() -> None:
    frame = pl.DataFrame({"age": range(8), "s": list("abcdabcd"), "t": list("ababcdcd")})
    for method in (pc.Anatomy(l=2), pc.Audited(l=2), pc.Anatomy(l=9)):  # said before any complaint about l
        with pytest.raises(pc.MethodError, match="use soft-cut, which protects each of them on its own"):
            pc.publish(frame, method, quasi=["age"], sensitive=["s", "t"])
    for method in (pc.Tailor(l=2), pc.SoftCut(l=2), pc.Hybrid(l=2), pc.Ace(l=2)):
        assert method.several
        labels = pc.publish(frame, method, quasi=["age"], sensitive=["s", "t"]).private.labels
        for column in ("s", "t"):
            for group in set(labels.tolist()):
                values = [value for value, label in zip(frame[column], labels, strict=True) if label == group]
                assert max(map(values.count, values)) * 2 <= len(values)


def test_something_that_is_not_a_method_is_refused_with_an_example() -> None:
    with pytest.raises(pc.MethodError, match=r"pellucid\.Strata\(l=8\)"):
        pc.publish(pc.datasets.patients(), "hybrid", quasi=["age"], sensitive="disease")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"recode": "taxonomies"}, pc.MethodError, r"pellucid\.Taxonomy\(\)"),
        ({"schema": {"age": "quasi"}}, pc.SchemaError, r"pellucid\.Schema"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_with_an_example(
    arguments: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), **arguments)  # type: ignore[arg-type]


def test_parameters_are_given_by_name() -> None:
    with pytest.raises(pc.MethodError, match=r"write Hybrid\(l=8\)"):
        pc.Hybrid(8)


def test_an_anatomy_release_points_to_its_two_tables() -> None:
    release = pc.publish(
        pc.datasets.patients(), pc.Tailor(l=2), quasi=["age"], sensitive="disease", recode=pc.Anatomy()
    )
    with pytest.raises(pc.MethodError, match=r"release\.frames\['quasi_identifiers'\]"):
        _ = release.frame


def test_the_sentence_at_l_one_promises_nothing() -> None:
    release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=1), quasi=["age"], sensitive="disease")
    assert "promises nothing" in release.recipe["sentence"]


def test_long_work_reports_progress_and_stops_when_asked() -> None:
    class Stopwatch:
        def __init__(self, patience: int) -> None:
            self.stages: list[str] = []
            self.calls = 0
            self.patience = patience

        def stage(self, name: str, total: int) -> None:
            self.stages.append(name)
            unknown = name.startswith(("reading", "measuring"))  # nobody knows how much there is to do
            assert total == (0 if unknown else 300_000)

        def advance(self, done: int) -> None:  # noqa: ARG002
            self.calls += 1
            if self.calls > self.patience:
                raise pc.Cancelled("stopped")

    frame = pc.datasets.census(300_000)
    columns = {"quasi": ["age", "gender", "education", "birthplace"], "sensitive": "occupation"}
    watch = Stopwatch(patience=10**9)
    pc.publish(frame, pc.Hybrid(l=8), progress=watch, **columns)
    assert {"grouping", "recoding"} <= set(watch.stages)
    impatient = Stopwatch(patience=watch.stages.index("grouping") + 1)
    with pytest.raises(pc.Cancelled):
        pc.publish(frame, pc.Hybrid(l=8), progress=impatient, **columns)


@pytest.mark.parametrize("seed", range(60))
def test_equal_row_orders_which_coins_may_draw_once_in_a_long_while_still_give_every_row_one_group(seed: int) -> None:
    random = Random(seed)
    table, l = random_table(random)
    order = np.array([random.randrange(max(1, len(table) // 3)) for _ in range(len(table))], np.int64)
    tied = Table(table.attributes, table.codes, order)
    for name in methods():
        grouping = grouped(name, tied, l, seed=seed)
        if grouping is not None:
            held = sorted(grouping.members.tolist())
            assert len(set(held)) == len(held)
            assert held == [row for row in range(len(table)) if grouping.labels[row] >= 0]
