"""ART: the groups of the plain definition, on thousands of tables, and what it promises about every group."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods.art import ART
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from plain import art as plain
from plain.random_tables import FAMILIES, random_quasi_columns
from plain.tables import line, secret, table_of

CHUNKS, TABLES = 20, 52


def random_case(random: Random, largest: int = 50) -> tuple[Table, dict[str, Any]]:
    """A table of few values, and parameters under which its small counts already are statistics."""
    r = random.choice([1, 2, 2, 2, 3, 3, 4])
    n = random.randint(r, largest)
    most = max(1, n // r)
    values = max(random.randint(r, 7), -(-n // most))
    skew = random.choice([0, 1, 3])
    weights = [random.random() ** skew + 0.01 for _ in range(values)]
    hidden: list[int] = []
    for _ in range(n):
        value = random.choices(range(values), weights)[0]
        while hidden.count(value) >= most:
            value = (value + 1) % values
        hidden.append(value)
    family = random.choice(FAMILIES)
    quasi = random_quasi_columns(random, n, "ties" if family == "cross" else family, 3, hidden)
    parameters: dict[str, Any] = {
        "r": r,
        "attributes": random.randint(1, 3),
        "support": random.choice([1, 2, 4, 8, 20]),
        "bound": random.random() < 0.4,
    }
    if random.random() < 0.4:
        known = sorted(set(hidden))
        parameters["sensitive"] = tuple(
            f"s {v}" for v in random.sample(known, random.randint(1, max(1, len(known) // 2)))
        )
        parameters["together"] = random.random() < 0.5
    columns = [*quasi, secret("s", hidden)]
    random.shuffle(columns)
    return table_of(columns, random.sample(range(n), n)), parameters


def classes_of(table: Table, parameters: dict[str, Any]) -> tuple[list[int], list[bool]]:
    (column,) = table.having(Role.SENSITIVE)
    codes = table.codes[column].tolist()
    names = table.attributes[column].values.to_list()
    if "sensitive" not in parameters:
        return codes, [True] * len(names)
    chosen = [code for code, name in enumerate(names) if name in parameters["sensitive"]]
    count = 1 if parameters["together"] else len(chosen)
    classes = [min(chosen.index(code), count - 1) if code in chosen else count for code in codes]
    return classes, [c < count for c in range(max(classes) + 1 if set(classes) == set(range(count + 1)) else count)]


def plainly(table: Table, parameters: dict[str, Any]) -> tuple[set[frozenset[int]], list[int], list[bool]]:
    classes, protected = classes_of(table, parameters)
    codes = list(zip(*(table.codes[i].tolist() for i in table.having(Role.QUASI)), strict=True))
    assert table.order is not None
    settings = [parameters[name] for name in ("r", "attributes", "support", "bound")]
    return plain.art(codes, table.order.tolist(), classes, protected, *settings), classes, protected


def groups_of(labels: Sequence[int]) -> set[frozenset[int]]:
    return {frozenset(row for row, of in enumerate(labels) if of == label) for label in set(labels) if label >= 0}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definition_and_every_belief_is_within_one_in_r(chunk: int) -> None:
    merged = refused = 0
    for number in range(TABLES):
        table, parameters = random_case(Random(f"art {chunk} {number}"))
        classes, protected = classes_of(table, parameters)
        together = [c for c in set(classes) if protected[c] and classes.count(c) * parameters["r"] > len(table)]
        method = ART(**parameters)
        if together:
            with pytest.raises(pc.Infeasible):
                method.group(table, Coins.from_seed(1))
            continue
        expected, classes, protected = plainly(table, parameters)
        if not expected:
            refused += 1
            with pytest.raises(pc.Infeasible, match="no row can be hidden"):
                method.group(table, Coins.from_seed(1))
            continue
        found = method.group(table, Coins.from_seed(1), threads=1 + number % 2)
        assert groups_of(found.labels.tolist()) == expected
        assert_within(table, classes, protected, parameters, expected)
        merged += any(len(group) > parameters["r"] for group in expected)
    assert merged > TABLES / 4
    assert refused < TABLES / 2


def assert_within(
    table: Table, classes: list[int], protected: list[bool], parameters: dict[str, Any], groups: set[frozenset[int]]
) -> None:
    """By the worlds of each group, whatever the method did."""
    codes = list(zip(*(table.codes[i].tolist() for i in table.having(Role.QUASI)), strict=True))
    for of in plain.measure(codes, classes, len(protected), parameters["attributes"], parameters["support"]):
        for group in groups:
            values = tuple(classes[row] for row in sorted(group))
            found = plain.beliefs(tuple(of[row][1] for row in sorted(group)), values)
            for row in found:
                for value, belief in zip(sorted(set(values)), row, strict=True):
                    assert not protected[value] or belief * parameters["r"] <= 1


def test_a_method_that_trusts_the_bound_of_the_paper_would_be_caught() -> None:
    """Erratum 12 in a table: the deviations are within the bound, and the belief is 16/31."""
    s1, s2 = [8, 3, 9], [5, 5, 10]  # of 20 rows each: x, y, z
    hidden = [v for counts in (s1, s2) for v, count in enumerate(counts) for _ in range(count)]
    table = table_of([line("q", [0] * 20 + [1] * 20), secret("s", hidden)], range(40))
    known = plain.measure([(code,) for code in table.codes[0].tolist()], hidden, 3, 1, 10)
    run = plain.Plain(known, hidden, [True] * 3, 2, True)
    group = [0, 20 + 5, 20 + 10]  # s1: x, s2: y, s2: z
    assert run.within_bound(group)
    assert plain.beliefs(tuple(run.known[0][row] for row in group), (0, 1, 2))[0][0] == Fraction(16, 31)
    assert not run.holds(group)
    for bound in (False, True):
        found = ART(r=2, support=10, bound=bound).group(table, Coins.from_seed(1))
        assert_within(
            table, hidden, [True] * 3, {"r": 2, "attributes": 1, "support": 10}, groups_of(found.labels.tolist())
        )


def test_rows_in_any_order_and_any_number_of_threads_give_the_same_groups() -> None:
    for seed in range(60):
        random = Random(f"permuted {seed}")
        table, parameters = random_case(random)
        rows = np.array(random.sample(range(len(table)), len(table)))
        assert table.order is not None
        other = table.rows(rows)
        try:
            found = ART(**parameters).group(table, Coins.from_seed(seed)).labels
        except pc.Infeasible:
            continue
        assert np.array_equal(ART(**parameters).group(other, Coins.from_seed(seed), threads=2).labels, found[rows])


def test_some_thousand_rows_fall_into_the_groups_of_the_definition() -> None:
    random = Random("thousand")
    n = 1200
    quasi = [
        line("age", [random.randrange(30) for _ in range(n)]),
        line("sex", [random.randrange(2) for _ in range(n)]),
    ]
    hidden = [min(random.randrange(8), random.randrange(8 + row % 3)) for row in range(n)]
    table = table_of([*quasi, secret("s", hidden)], random.sample(range(n), n))
    parameters = {"r": 3, "attributes": 2, "support": 30, "bound": False}
    found = ART(**parameters).group(table, Coins.from_seed(1), threads=2)  # type: ignore[arg-type]
    assert groups_of(found.labels.tolist()) == plainly(table, parameters)[0]


def test_the_bound_is_that_of_the_paper() -> None:
    """Its table of the largest deviation: within at that deviation, not within just above."""
    for f, largest in ((0.1, 0.0474), (0.3, 0.1235), (0.5, 0.1667)):
        for deviation, within in ((largest - 0.0001, True), (largest + 0.0001, False)):
            high, low = Fraction(str(f)), Fraction(str(f)) - Fraction(str(deviation))
            rows = [[((0,), (high, 1 - high)), ((1,), (low, 1 - low)), ((1,), (low, 1 - low))]]
            assert plain.Plain(rows, [0, 1, 1], [True, False], 2, True).within_bound([0, 1, 2]) is within


@pytest.mark.parametrize("r", [2, 3, 8])
def test_a_larger_group_is_within_the_bound_of_a_smaller_one(r: int) -> None:
    """[R] lemma 1, on which merging relies: a deviation that so many rows allow is allowed of more."""
    for high, low in ((9, 8), (9, 4), (5, 4), (2, 1)):
        pair = [
            ((0,), (Fraction(high, 20), Fraction(20 - high, 20))),
            ((1,), (Fraction(low, 20), Fraction(20 - low, 20))),
        ]
        within = []
        for size in range(r, 200):
            rows = [[pair[0], *[pair[1]] * (size - 1)]]
            run = plain.Plain(rows, [0, *[1] * (size - 1)], [True, False], r, True)
            within.append(run.within_bound(range(size)))
        assert within == sorted(within)
        assert within[-1]
        assert not within[0]


def frame() -> pl.DataFrame:
    random = Random("file")
    people = [(random.choice(["Japanese", "French"]), random.choice(["f", "m"])) for _ in range(80)]
    return pl.DataFrame(
        {
            "id": range(80),
            "nationality": [nation for nation, _ in people],
            "sex": [sex for _, sex in people],
            "disease": [random.choice(["flu", "flu", "gout", "cough", "HIV"]) for _ in people],
        }
    )


def publish(path: Path | None, **parameters: Any) -> pc.Release:
    given = {} if path is None else {"distributions": str(path)}
    with pytest.warns(pc.InformedAttackerWarning, match="depends on their sensitive values"):
        return pc.publish(
            frame(),
            pc.ART(r=2, **given, **parameters),
            quasi=["nationality", "sex"],
            sensitive="disease",
            identifier="id",
        )


def test_a_file_with_what_would_be_measured_gives_the_same_groups(tmp_path: Path) -> None:
    data = frame()
    lines = ["nationality,sex,disease,probability"]
    for keys in (["nationality"], ["sex"], ["nationality", "sex"]):
        for key, part in data.group_by(keys, maintain_order=True):
            named = dict(zip(keys, key, strict=True))
            for disease in part["disease"].unique(maintain_order=True):
                count = part.filter(pl.col("disease") == disease).height
                lines.append(f"{named.get('nationality', '')},{named.get('sex', '')},{disease},{count}/{part.height}")
            assert part["disease"].n_unique() == 4
    path = tmp_path / "statistics.csv"
    path.write_text("\n".join(lines) + "\n")
    told = publish(path, support=1)
    measured = publish(None, support=1)
    assert told.private.labels.tolist() == measured.private.labels.tolist()
    assert "the statistics of the given file" in told.recipe["sentence"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nationality,disease,probability\nJapanese,flu,lots\n", r"line 2: probability = 'lots'; it must be a number"),
        ("nationality,disease,probability\nJapanese,flu,1.5\n", r"line 2: probability = '1.5'"),
        ("nationality,disease,probability\nJapanes,flu,0.5\n", r"line 2: no row has 'Japanes'.*mean 'Japanese'"),
        ("nationality,disease,probability\nFrench,flue,0.5\n", r"line 2: no row has 'flue' in 'disease'"),
        ("nationality,disease,probability\nFrench,flu,0.5\nFrench,flu,0.4\n", r"line 3: says a second time"),
        ("nationality,disease,probability\nFrench,flu,0.7\nFrench,gout,0.4\n", r"line 3: .* add up to 1.1"),
        ("nationality,disease,probability\nFrench,flu\n", r"line 2: has not as many cells as the header \(3\)"),
        ("country,disease,probability\nFrench,flu,0.5\n", r"line 1: 'country' is neither"),
        ("nationality,disease\nFrench,flu\n", r"line 1: needs one column 'probability'"),
        ("nationality,disease,probability\n", "has no lines"),
        (
            "nationality,disease,probability\nFrench,HIV,0\n",
            "nobody with nationality = 'French' has 'HIV', and a row has",
        ),
        (
            "nationality,disease,probability\nFrench,HIV,.1\nFrench,flu,.2\nFrench,gout,.1\nFrench,cough,.1\n",
            "name every value and add up to 0.5",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "statistics.csv"
    path.write_text(text)
    with pytest.raises(pc.InputError, match=says) as caught:
        publish(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(pc.InputError, match=r"nowhere\.csv cannot be read"):
        publish(Path("nowhere.csv"))


def test_what_a_file_leaves_open_goes_to_the_other_values(tmp_path: Path) -> None:
    """Japanese seldom have HIV: a Japanese and a French with HIV and flu are not a group at r = 2."""
    path = tmp_path / "statistics.csv"
    path.write_text("nationality,disease,probability\nJapanese,HIV,0.001\n")
    data = pl.DataFrame(
        {"id": range(4), "nationality": ["Japanese"] * 2 + ["French"] * 2, "disease": ["HIV", "flu", "flu", "gout"]}
    )
    with pytest.warns(pc.InformedAttackerWarning):
        release = pc.publish(
            data, pc.ART(r=2, distributions=str(path)), quasi=["nationality"], sensitive="disease", identifier="id"
        )
    assert release.private.labels.tolist()[0] == release.private.labels.tolist()[1]


def test_what_stands_in_the_way_is_named() -> None:
    table = table_of([line("q", [0] * 9 + [1] * 9), secret("s", [0] * 9 + [1] * 9)], range(18))
    with pytest.raises(pc.Infeasible, match=r"people with q = 0 they give 's 0' the probability 1 before.*try r = 1"):
        ART(r=2, support=5).group(table, Coins.from_seed(1))
    with pytest.raises(pc.Infeasible, match=r"'s 0' is the 's' of 9 of 18 rows \(50\.0%\).*use r = 2 or less"):
        ART(r=3).group(table, Coins.from_seed(1))
    with pytest.raises(pc.Infeasible, match=r"'s 0' or 's 1' is the 's' of 18 of 18 rows.*no r above 1"):
        ART(r=2, sensitive=("s 0", "s 1"), together=True).group(table, Coins.from_seed(1))


def test_it_says_what_it_promises_and_what_not() -> None:
    table = table_of([line("q", [0, 1]), secret("s", [0, 1])], range(2))
    assert "1/2" in ART(r=2).sentence(table)
    assert "Somebody who knows the method may learn more" in ART(r=2).sentence(table)
    assert "is 's 1'" in ART(r=2, sensitive=("s 1",)).sentence(table)
    assert "promises nothing" in ART(r=1).sentence(table)
    assert ART(r=2).claim == "frequency"
    assert "narrows them down" in str(ART(r=2).warning)
