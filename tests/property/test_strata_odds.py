"""What columns tell inside strata is what the definition says, and never public."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.strata_odds import Odds, odds_inside, sentence, told_inside
from pellucid.core.coins import Coins
from plain import strata_odds as plain


def drawn(random: Random, rows: int) -> pl.DataFrame:
    town = [random.choice(["x", "y", "z", None]) for _ in range(rows)]
    age = [random.choice([None, *range(20, 20 + random.choice([2, 30]))]) for _ in range(rows)]
    ill = [
        random.choices("abc", [3 + 4 * (t == "x"), 2 + (a or 0) // 10, 1])[0] for t, a in zip(town, age, strict=True)
    ]
    return pl.DataFrame({"sex": [random.choice("mf") for _ in range(rows)], "town": town, "age": age, "ill": ill})


@pytest.mark.parametrize("number", range(40))
def test_ratios_are_those_of_the_definition(number: int) -> None:
    random = Random(f"odds {number}")
    rows = random.choice([20, 80, 300])
    frame = drawn(random, rows)
    table = pc.read(frame, quasi=["sex", "town", "age"], sensitive="ill")
    labels = np.array([random.randrange(max(1, rows // 30)) for _ in range(rows)])
    if number % 3 == 0:  # strata that fix sex
        labels = labels * 2 + np.array([one == "m" for one in frame["sex"]])
    _, labels = np.unique(labels, return_inverse=True)
    protected = random.choice([["a"], ["a", "b", "c"]])
    values = table.attributes[3].values.to_list()
    found = odds_inside(table, labels.astype(np.int32), {"ill": np.array([value in protected for value in values])})
    strata = [np.flatnonzero(labels == one).tolist() for one in range(labels.max() + 1)]
    mixed = [name for name in ("sex", "town", "age") if any(len(set(frame[name][s])) > 1 for s in strata)]
    assert [odds.column for odds in found] == mixed
    for odds in found:
        column = frame[odds.column].to_list()
        sides = plain.of_ordered(column) if odds.column == "age" else plain.of_category(column)
        expected = plain.ratios(strata, sides, frame["ill"].to_list(), protected)
        if not expected:
            assert odds.sensitive is None
            continue
        ratios = [float("inf") if ratio is None else float(ratio) for ratio, _, _ in expected]
        assert odds.ratio == pytest.approx(max(ratios))
        near = [one[1:] for one, ratio in zip(expected, ratios, strict=True) if ratio == pytest.approx(odds.ratio)]
        assert (odds.people, odds.strata) in near
        assert odds.value in protected


def test_a_ratio_rests_on_people_who_could_have_been_more() -> None:
    """Of 60 people 52 are ill and 10 live in x: all 10 may be, and 8.7 are expected."""
    frame = pl.DataFrame({"town": ["x"] * 10 + ["y"] * 50, "ill": ["a"] * 9 + ["b"] + ["a"] * 43 + ["b"] * 7})
    table = pc.read(frame, quasi="town", sensitive="ill")
    (odds,) = odds_inside(table, np.zeros(60, np.int32), {"ill": np.array([True, False])})
    assert (odds.sensitive, odds.of) == (None, 0)


def test_all_columns_fixed_say_nothing_and_too_few_people_say_so() -> None:
    assert not sentence([])
    assert "by age, not known: too few people" in sentence([Odds("age", ordered=True)])


def survey() -> pl.DataFrame:
    random = Random("survey")
    sexes, ages = random.choices("mf", k=600), [random.randint(20, 80) for _ in range(600)]
    ill = [random.choices("uvw", [1, 2, 1 + 4 * (age > 50)])[0] for age in ages]
    return pl.DataFrame({"name": range(600), "sex": sexes, "age": ages, "ill": ill})


def test_the_private_report_tells_it_and_the_public_one_does_not() -> None:
    frame, roles = survey(), {"quasi": ["sex", "age"], "sensitive": "ill", "identifier": "name"}
    release = pc.publish(frame, pc.Strata(l=2, size=200, same=("sex",)), **roles)
    private = pc.report(release, frame, audience="private", **roles).html
    assert (
        "Statistics inside strata, measured on the true table, are not covered by the promise: by age, the odds of"
        in private
    )
    for original in (frame, None):
        public = pc.report(release, original, audience="public", **roles).html
        assert "odds" not in public
        assert "Statistics inside strata" not in public
    assert "odds" not in str(release.recipe)


def test_a_report_of_files_cuts_strata_again(tmp_path: Path) -> None:
    frame, roles = survey(), {"quasi": ["sex", "age"], "sensitive": "ill", "identifier": "name"}
    release = pc.publish(frame, pc.Strata(l=2, size=200, same=("sex",)), **roles)
    release.write(tmp_path / "out")
    sources = ((release, None), (tmp_path / "out", release.private.labels.tolist()))
    pages = [pc.report(one, frame, groups=groups, identifier="name").html for one, groups in sources]
    told = [page.partition("Statistics inside")[2][:200] for page in pages]
    assert told[0]
    assert told[0] == told[1]


def test_strata_are_those_of_the_table_whatever_the_order_of_its_rows() -> None:
    """A report may be given the original in another order than it was grouped in."""
    random = Random("shuffled")
    rows = 400
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": [random.randint(20, 80) for _ in range(rows)],
            "sex": [random.choice("mf") for _ in range(rows)],
            "ill": [random.choice("aab") for _ in range(rows)],
            "pay": [random.choice("xyz") for _ in range(rows)],
        }
    )
    roles = {"quasi": ["age", "sex"], "sensitive": ["ill", "pay"], "identifier": "name"}
    method = pc.Strata(l=2, size=50)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    told = [str(told_inside(pc.read(one, **roles), method)) for one in (frame, shuffled)]
    assert told[0] == told[1]
    assert "by age, the odds of" in told[0]
    table = pc.read(frame, **roles)
    grouping = method.group(table, Coins.from_seed(1))
    assert grouping.strata is not None
    again = method.strata(table)
    assert len({*zip(grouping.strata[grouping.labels].tolist(), again.tolist(), strict=True)}) == again.max() + 1
