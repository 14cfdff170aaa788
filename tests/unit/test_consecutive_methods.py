"""Anatomy, greedy and symmetric grouping as users meet them: parameters, claims, what is suppressed."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode import TwoTables
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain import two_meanings
from plain.tables import line, secret, table_of

LINED = [
    pc.GreedyGrouping(l=2),
    pc.GreedyGrouping(l=2, anatomize=True),
    pc.RandomizedGreedyGrouping(l=2, p=0.5),
    pc.SymmetricGrouping(l=2),
]
ALL: list[Method] = [pc.Anatomy(l=2), *LINED]


def published(frame: pl.DataFrame, method: Method, **more: Any) -> pc.Release:
    with warnings.catch_warnings(action="ignore"):
        return pc.publish(frame, method, quasi=["age"], sensitive="disease", **more)


FRAME = pl.DataFrame({"age": range(7), "disease": ["flu", "cold", "flu", "flu", "cold", "gout", "gout"]})


def test_anatomy_without_parameters_is_the_recoder_and_with_them_the_method() -> None:
    assert isinstance(pc.Anatomy(), TwoTables)
    method = pc.Anatomy(l=3)
    assert isinstance(method, Method)
    assert isinstance(method, pc.Anatomy)
    for same in (
        pickle.loads(pickle.dumps(method)),
        copy.copy(method),
        copy.deepcopy(method),
        method.model_copy(),
        pc.Anatomy.model_validate({"l": 3}),
    ):
        assert same == method
        assert type(same) is pc.Anatomy
    assert pickle.loads(pickle.dumps(pc.Anatomy())) == TwoTables()
    with pytest.raises(pc.MethodError, match=r"write Anatomy\(l=3\)"):
        pc.Anatomy(3)
    with pytest.raises(pc.MethodError, match="needs the parameter 'l'"):
        pc.Anatomy.model_validate({})


def test_the_method_publishes_two_tables_and_both_meanings_go_together() -> None:
    release = published(FRAME, pc.Anatomy(l=2))
    assert set(release.frames) == {"quasi_identifiers", "sensitive"}
    assert release.recipe["guarantee"] == "algorithm"
    both = published(FRAME, pc.Anatomy(l=2), recode=pc.Anatomy())
    assert set(both.frames) == {"quasi_identifiers", "sensitive"}
    assert published(FRAME, pc.Anatomy(l=2), recode=pc.Intervals()).frame.height == 7
    with pytest.raises(pc.MethodError, match="recode = "):
        published(FRAME, pc.Anatomy(l=2), recode=pc.Anatomy(l=2))


def test_what_the_type_checker_accepts_works() -> None:
    """mypy looks at tests/plain/two_meanings.py."""
    for release in (two_meanings.as_recoder(FRAME), two_meanings.as_method(FRAME)):
        assert set(release.frames) == {"quasi_identifiers", "sensitive"}


def test_a_group_of_anatomy_has_each_value_once() -> None:
    diseases = ["flu"] * 5 + ["cold"] * 4 + ["gout"] * 3 + ["mumps"] * 2
    release = published(pl.DataFrame({"age": range(14), "disease": diseases}), pc.Anatomy(l=2))
    labels = release.private.labels
    assert release.private.grouping.sizes.tolist().count(2) == 7
    assert max(Counter(zip(labels.tolist(), diseases, strict=True)).values()) == 1


def test_what_is_left_at_the_end_is_suppressed_and_counted() -> None:
    """Seven rows at l = 2: the last row fills no bucket."""
    release = published(FRAME, pc.GreedyGrouping(l=2), identifier=None)
    assert release.private.labels.tolist() == [0, 0, 1, 1, 1, 1, -1]
    assert (release.recipe["rows"], release.recipe["suppressed"]) == (6, 1)
    assert release.frame.height == 6


def test_a_last_group_that_is_never_satisfied_is_suppressed() -> None:
    frame = pl.DataFrame({"age": range(6), "disease": ["flu", "cold", "gout", "flu", "cold", "cold"]})
    release = published(frame, pc.GreedyGrouping(l=2))
    assert release.private.labels.tolist() == [0, 0, 1, 1, -1, -1]
    assert release.recipe["suppressed"] == 2


def test_groups_are_divided_so_that_one_value_stands_at_most_once_in_a_part() -> None:
    frame = pc.datasets.census(2000, seed=1).select("age", disease="occupation")
    some = tuple(frame["disease"].value_counts().sort("count")["disease"][-2:])
    whole = published(frame, pc.RandomizedGreedyGrouping(l=6, p=0.5, binary=some), seed=1).private.labels
    for threads in (1, 2):
        method = pc.RandomizedGreedyGrouping(l=6, p=0.5, binary=some, anatomize=True)
        labels = published(frame, method, seed=1, threads=threads).private.labels
        parts = frame.with_columns(part=labels, of=whole).filter(pl.col("part") >= 0).group_by("part")
        found = parts.agg(n=pl.len(), held=pl.col("disease").is_in(some).sum(), of=pl.col("of").n_unique())
        assert (labels < 0).sum() == (whole < 0).sum()
        assert found["held"].max() == 1
        assert found["n"].min() >= 6
        assert found["of"].max() == 1
        assert found.height > len(set(whole.tolist()))


def test_symmetric_grouping_suppresses_nobody() -> None:
    assert published(FRAME, pc.SymmetricGrouping(l=2)).recipe["suppressed"] == 0


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: pc.SymmetricGrouping(l=2, anatomize=True), "anatomize is refused.*erratum 7"),
        (lambda: pc.GreedyGrouping(model="t-closeness=0.2", anatomize=True), "give l, without another model"),
        (lambda: pc.GreedyGrouping(l=2, bucket=3), "with l a bucket has l rows"),
        (lambda: pc.GreedyGrouping(), "give one of l, model"),
        (lambda: pc.SymmetricGrouping(l=2, model="k-anonymity=2"), "asked for together"),
        (lambda: pc.RandomizedGreedyGrouping(l=2), "needs the parameter 'p'"),
        (lambda: pc.RandomizedGreedyGrouping(l=2, p=1.5), "p = 1.5 must be less than or equal to 1"),
        (lambda: pc.GreedyGrouping(l=2, order="random"), "'lexicographic' or 'hilbert'"),
        (lambda: pc.GreedyGrouping(model="t-closeness=0.2", binary="flu"), "t-closeness looks at every value"),
        (
            lambda: pc.GreedyGrouping(model=pc.LDiversity(l=2, sensitive=("flu",)), binary="flu"),
            "name them once",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_reason(build: Any, says: str) -> None:
    with pytest.raises(pc.MethodError, match=says) as refusal:
        build()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("method", "claim"),
    [
        (pc.SymmetricGrouping(l=3), "algorithm"),
        (pc.SymmetricGrouping(model="l-diversity=3"), "algorithm"),
        (pc.SymmetricGrouping(l=3, binary="flu"), "frequency"),
        (pc.SymmetricGrouping(model="t-closeness=0.3"), "frequency"),
        (pc.SymmetricGrouping(model="k-anonymity=3"), "algorithm"),
        (pc.GreedyGrouping(l=3), "frequency"),
        (pc.GreedyGrouping(model="k-anonymity=3"), "algorithm"),
        (pc.RandomizedGreedyGrouping(l=3, p=0.65), "frequency"),
        (pc.Anatomy(l=3), "algorithm"),
    ],
    ids=repr,
)
def test_a_method_claims_what_holds_with_its_parameters(method: Method, claim: str) -> None:
    assert method.claim == claim
    assert (method.warning is None) == (claim == "algorithm")


def test_sentences_say_what_somebody_who_knows_the_method_reaches() -> None:
    table = pc.read(FRAME, quasi=["age"], sensitive="disease")
    assert "at most 2/5 (checked on all small cases, not proved)" in pc.SymmetricGrouping(l=3).sentence(table)
    assert "may reach 1/2 or more" in pc.SymmetricGrouping(l=3, binary="flu").sentence(table)
    greedy = pc.GreedyGrouping(l=3).sentence(table)
    assert "at most 1/3" in greedy
    assert "may reach 0.75 for people in groups, and certainty for suppressed ones" in greedy
    assert "some people with certainty" in pc.GreedyGrouping(l=3, anatomize=True).sentence(table)
    assert "disease to be 'flu' or 'gout'" in pc.GreedyGrouping(l=3, binary=("flu", "gout")).sentence(table)
    assert "promises nothing" in pc.GreedyGrouping(l=1).sentence(table)
    assert "nothing is promised about a person's disease" in pc.GreedyGrouping(model="k-anonymity=3").sentence(table)


@pytest.mark.parametrize("method", ALL, ids=repr)
def test_an_empty_table_and_several_sensitive_columns_are_refused(method: Method) -> None:
    empty = table_of([line("age", []), secret("disease", [])], [])
    with pytest.raises(pc.MethodError, match="no rows"):
        method.group(empty, Coins.from_seed(0))
    two = table_of([line("age", [1, 2]), secret("s", [0, 1]), secret("t", [0, 1])], [0, 1])
    with pytest.raises(pc.MethodError, match="use soft-cut"):
        method.group(two, Coins.from_seed(0))


@pytest.mark.parametrize("method", ALL, ids=repr)
def test_one_value_for_all_is_infeasible_and_the_largest_l_is_named(method: Method) -> None:
    table = table_of([line("age", [1, 2, 3]), secret("disease", [4, 4, 4])], [0, 1, 2])
    with pytest.raises(pc.Infeasible, match="disease 4"):
        method.group(table, Coins.from_seed(0))


def test_a_value_that_no_row_has_is_a_slip() -> None:
    with pytest.raises(pc.ModelError, match="did you mean 'flu'"):
        published(FRAME, pc.GreedyGrouping(l=2, binary="fluu"))


def test_every_row_suppressed_is_an_error() -> None:
    """The whole table satisfies the model, but no whole number of buckets does."""
    frame = pl.DataFrame({"age": range(3), "disease": ["flu", "flu", "cold"]})
    with pytest.raises(pc.Infeasible, match="every row would be suppressed; use l = 1 or less"):
        published(frame, pc.GreedyGrouping(model="distinct l-diversity=2", bucket=2))
    with pytest.raises(pc.Infeasible, match="use a smaller bucket, or a t that is easier to satisfy"):
        published(frame, pc.GreedyGrouping(model="t-closeness=0.1", bucket=2))


@pytest.mark.parametrize(("p", "bucket"), [(None, None), (None, 3), (0.5, None), (0.5, 3)])
def test_where_no_bucket_satisfies_the_largest_l_that_works_is_named(p: float | None, bucket: int | None) -> None:
    """Taken at its word, the message is right: that l works, and no l between it and the one asked for does.

    (With l itself there is always a group: where no value has more than n/l of the rows, all whole buckets are one.)
    """
    random = np.random.default_rng(5)
    refused = 0
    for _ in range(400):
        rows = int(random.integers(3, 12))
        table = table_of(
            [line("age", list(range(rows))), secret("s", random.integers(0, 4, rows).tolist())], list(range(rows))
        )

        def grouped(l: int, table: Table = table) -> Grouping:
            given: dict[str, Any] = {"model": f"distinct l-diversity={l}", "bucket": bucket}
            method = pc.GreedyGrouping(**given) if p is None else pc.RandomizedGreedyGrouping(**given, p=p)
            return method.group(table, Coins.from_seed(0))

        asked = int(random.integers(2, 6))
        try:
            grouped(asked)
        except pc.Infeasible as wrong:
            named = re.search(r"every row would be suppressed; use l = (\d+) or less", str(wrong))
            if named is None:  # too frequent in the whole table
                continue
            refused += 1
            assert len(grouped(int(named[1]))) > 0
            for between in range(int(named[1]) + 1, asked):
                with pytest.raises(pc.Infeasible):
                    grouped(between)
    assert refused > 5


@pytest.mark.parametrize("method", LINED, ids=repr)
def test_rows_that_are_alike_are_told_apart_by_the_identifier_alone(method: Method) -> None:
    generator = np.random.default_rng(3)
    n = 400
    values = generator.integers(0, 9, n)
    order = generator.permutation(n)
    table = table_of([line("age", [5] * n), secret("s", values.tolist())], order.tolist())
    turned = generator.permutation(n)
    again = table_of([line("age", [5] * n), secret("s", values[turned].tolist())], order[turned].tolist())
    coins = Coins.from_seed(9)
    assert np.array_equal(method.group(again, coins).labels, method.group(table, coins).labels[turned])


@pytest.mark.parametrize("model", ["t-closeness=0.3", "k-anonymity=5", "distinct l-diversity=4", "t-closeness=0.02"])
def test_any_model_is_asked_in_about_linear_time(model: str) -> None:
    """A hundred thousand rows, in short groups and in long ones."""
    generator = np.random.default_rng(4)
    n = 100_000
    columns = [line("age", generator.integers(0, 90, n).tolist()), secret("s", generator.integers(0, 20, n).tolist())]
    table = table_of(columns, generator.permutation(n).tolist())
    for method in (pc.GreedyGrouping(model=model), pc.SymmetricGrouping(model=model)):
        begun = time.process_time()
        found = method.group(table, Coins.from_seed(0), threads=1)
        assert time.process_time() - begun < 6
        assert len(found) > 1


def test_the_public_classes_are_there_for_who_imports_lazily() -> None:
    code = "import pellucid as pc; print(pc.Anatomy(), pc.Anatomy(l=2))"
    assert (
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
        == b" l=2 values=None k=None together=False\n"
    )
