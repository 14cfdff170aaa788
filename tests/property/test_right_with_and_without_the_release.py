"""How often attackers with statistics are right, with the release and without, by a plain definition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Roles
from pellucid.risk.report.results import result_of
from pellucid.risk.report.rightly import figures
from pellucid.risk.report.with_statistics import statistics_of
from pellucid.risk.views import Gathered
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.risk.views.known_groups import evidence_of_groups
from plain import statistics as plain

QUASI = ["age", "sex"]
VALUES = [None, ("a",), ("a", "b")]


def table_of(seed: int) -> pl.DataFrame:
    coins = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": coins.integers(20, 24, 40), "sex": coins.choice(["f", "m"], 40)})
    shares = {20: [0.6, 0.2, 0.1, 0.1], 21: [0.1, 0.5, 0.2, 0.2]}
    ill = [coins.choice(list("abcd"), p=shares.get(age, [0.1, 0.2, 0.3, 0.4])) for age in frame["age"]]
    return frame.with_columns(ill=pl.Series(map(str, ill)))


def by_statistics(frame: pl.DataFrame, column: str) -> list[dict[str, Fraction]]:
    """What is believed of each by those who look alike."""
    rows = frame.rows(named=True)
    told = []
    for row in rows:
        alike = Counter(other["ill"] for other in rows if other[column] == row[column])
        told.append({value: Fraction(n, sum(alike.values())) for value, n in alike.items()})
    return told


def from_others(
    frame: pl.DataFrame, labels: list[int], posteriors: list[dict[str, float]]
) -> list[dict[str, Fraction]]:
    """The same by who learns from the beliefs about all people who are in other groups, with a smoothing of 1."""
    rows, values = frame.rows(named=True), sorted(set(frame["ill"]))
    smoothing = Fraction(str(pc.Learned().smoothing))
    told = []
    for row, mine in zip(rows, labels, strict=True):
        others = [i for i, label in enumerate(labels) if label != mine]
        weights = {}
        for value in values:
            count = sum(rows[i]["ill"] == value for i in others)
            weight = Fraction(count)
            for column in QUASI:
                alike = [i for i in others if rows[i][column] == row[column]]
                believed = sum((Fraction(posteriors[i].get(value, 0.0)) for i in alike), Fraction(0))
                weight *= (believed + smoothing) / (count + smoothing * frame[column].n_unique())
            weights[value] = weight
        told.append({value: weight / sum(weights.values()) for value, weight in weights.items()})
    return told


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("seed", range(5))
def test_figures_of_attackers_equal_their_definitions(seed: int, values: tuple[str, ...] | None) -> None:
    frame = table_of(seed)
    method = pc.SoftCut(l=2, **({} if values is None else {"values": values}))
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, method, quasi=QUASI, sensitive="ill", seed=seed)
    report = pc.attack_all(release, truth=frame, adversaries=["learned", "distribution"], quasi=QUASI, sensitive="ill")
    truth = frame["ill"].to_list()
    table = {value: Fraction(n, len(truth)) for value, n in Counter(truth).items()}
    for attempt, one in zip(report.attempts, result_of(report).attackers, strict=True):
        found = one.rightly
        assert found is not None
        posteriors = [attempt.beliefs.posterior_of(row) for row in range(len(truth))]
        given = [posterior.get(value, 0.0) for posterior, value in zip(posteriors, truth, strict=True)]
        assert found.people == len(truth)
        assert found.mean == pytest.approx(sum(given) / len(truth))
        assert found.right == attempt.accuracy
        assert found.mean_column == pytest.approx(float(sum(share * share for share in table.values())))
        assert found.right_column == float(max(table.values()))
        counting = values or tuple(table)
        most = [max((p.get(value, 0.0) for value in counting), default=0.0) for p in posteriors]
        above = [row for row, risk in enumerate(most) if risk > 0.5 * (1 + 1e-9)]
        assert found.believed == len(above)
        assert found.correct == sum(truth[row] in counting and given[row] > 0.5 * (1 + 1e-9) for row in above)
        _base_is_that_of_the_values(found.base, [posteriors[row] for row in above], values, table)
        rows = frame.rows(named=True)
        if one.kind == "learned":
            alone = from_others(frame, attempt.beliefs.evidence.grouping.labels.tolist(), posteriors)
        else:
            alone = by_statistics(frame, one.who.columns[0])
        assert (found.mean_alone, found.right_alone) == pytest.approx(
            tuple(map(float, plain.scored(rows, "ill", alone)))
        )
        limit = Fraction(1, 2) * (1 + Fraction(1, 10**9))
        assert (found.believed_alone, found.correct_alone) == plain.above(rows, "ill", alone, limit, values)


def _base_is_that_of_the_values(
    base: float | None,
    above: list[dict[str, float]],
    values: tuple[str, ...] | None,
    table: dict[str, Fraction],
) -> None:
    """The share in the table of the values that are believed; of some that count that of all of these."""
    if values is not None:
        assert base == pytest.approx(float(sum(table[value] for value in values)))
    elif above:
        believed = [max(posterior, key=lambda value: posterior[value]) for posterior in above]
        assert base == pytest.approx(float(sum(table[value] for value in believed) / len(believed)))


def test_of_nothing_true_nothing_is_told() -> None:
    frame = table_of(1)
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, pc.SoftCut(l=2), quasi=QUASI, sensitive="ill", seed=1)
    people = frame.drop("ill")
    report = pc.attack_all(release, population=people, adversaries=["learned"], quasi=QUASI, sensitive="ill")
    assert [one.rightly for one in result_of(report).attackers] == [None] * len(report.attempts)
    (missed,) = pc.attack_all(release, population=people, adversaries=["distribution"], sensitive="ill").missed
    assert "measured on the true table" in missed.why


ENOUGH = 20  # people: table_of has four values, and five for each of these


def definitions(frame: pl.DataFrame, strata: list[int]) -> dict[str, plain.Known]:
    """Each statistic as it is defined, by kind and columns; the strongest pair is the only one of two columns."""
    rows = frame.rows(named=True)
    placed = [{**row, "stratum": one} for row, one in zip(rows, strata, strict=True)]
    kinds = {"column age": ["age"], "column sex": ["sex"], "pair": QUASI}
    known = {name: plain.by_looks(placed, "ill", columns, ENOUGH) for name, columns in kinds.items()}
    known["columns"] = plain.by_bayes(placed, "ill", QUASI, ENOUGH)
    known["strata"] = plain.by_looks(placed, "ill", ["stratum"], 1)
    return known


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("seed", range(4))
def test_statistics_get_right_what_their_definition_does(seed: int, values: tuple[str, ...] | None) -> None:
    """All arrangements of every group, in fractions; pairs and values that too few have are among the tables."""
    coins = np.random.default_rng(100 + seed)
    frame = pl.concat([table_of(seed), table_of(seed + 50), table_of(seed + 90)])
    rare = pl.Series(
        "age", [30 if coin else age for coin, age in zip(coins.random(120) < 0.1, frame["age"], strict=True)]
    )
    frame = frame.with_columns(rare)
    method = pc.SoftCut(l=2, **({} if values is None else {"values": values}))
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, method, quasi=QUASI, sensitive="ill", seed=seed)
    groups = release.private.labels.tolist()
    assert max(Counter(groups).values()) <= 8, "too many arrangements"
    report = pc.attack_all(release, truth=frame, adversaries=["distribution"], quasi=QUASI, sensitive="ill")
    strata = pc.Strata(l=2, size=50).strata(report.evidence.people).tolist()
    rows = [{**row, "stratum": one} for row, one in zip(frame.rows(named=True), strata, strict=True)]
    known = definitions(frame, strata)
    everybody = plain.shares_of([str(row["ill"]) for row in rows])
    tried = []
    for one in report.statistics:
        name = f"column {one.columns[0]}" if one.by == "column" else one.by
        told = known[name]
        alone = [told(row) for row in rows]
        beliefs = plain.with_release(rows, "ill", groups, told)
        if one.right is None:
            assert one.why, name
            continue
        tried.append(name)
        found = one.right
        assert found.people == len(rows)
        assert (found.mean_alone, found.right_alone) == pytest.approx(
            tuple(map(float, plain.scored(rows, "ill", alone)))
        )
        assert (found.mean, found.right) == pytest.approx(tuple(map(float, plain.scored(rows, "ill", beliefs)))), name
        limit = Fraction(1, 2) * (1 + Fraction(1, 10**9))
        assert (found.believed, found.correct) == plain.above(rows, "ill", beliefs, limit, values), name
        assert (found.believed_alone, found.correct_alone) == plain.above(rows, "ill", alone, limit, values), name
        for base, shares in ((found.base, beliefs), (found.base_alone, alone)):
            told_base = plain.base(rows, "ill", shares, limit, values)
            assert base == (None if told_base is None else pytest.approx(float(told_base))), name
        assert one.unsupported == sum(told(row) == everybody for row in rows) or one.by != "column"
    assert len(tried) >= 3


@pytest.mark.parametrize(
    ("frame", "given", "why"),
    [
        (table_of(1), "population", "measured on the true table"),
        (table_of(1), "truth", "fewer than 20 people share such values"),
        (
            table_of(1).with_columns(ill=pl.Series([f"v{i % 30}" for i in range(40)])),
            "truth",
            "too many for statistics",
        ),
    ],
)
def test_a_figure_that_rests_on_nothing_is_absent_with_the_reason(frame: pl.DataFrame, given: str, why: str) -> None:
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, pc.SoftCut(l=2), quasi=QUASI, sensitive="ill", seed=1)
    known = {given: frame if given == "truth" else frame.drop("ill")}
    report = pc.attack_all(release, **known, adversaries=["distribution"], quasi=QUASI, sensitive="ill")
    absent = [one for one in report.statistics if one.right is None]
    assert absent
    assert why in " ".join(str(one.why) for one in absent)
    told = report.document()["statistics"]
    assert [one["why"] is None for one in told] == [one["right"] is not None for one in told]
    assert all(one.right is None or one.supported >= 20 for one in report.statistics)


def test_people_drawn_by_lot_are_right_about_as_often_as_everybody() -> None:
    frame = pc.datasets.census(4_000)
    roles = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, pc.Strata(l=3), **roles, seed=1)
    gathered = gather(release, Roles(sensitive="occupation"), KnownPeople(truth=frame))
    for one, of_lot in zip(statistics_of(gathered, None), statistics_of(gathered, None, lot=1_500), strict=True):
        assert (one.drawn, of_lot.drawn) == (False, one.right is not None)
        if one.right is not None and of_lot.right is not None:
            assert of_lot.right.people == pytest.approx(1_500, rel=0.1)
            assert of_lot.right.right == pytest.approx(one.right.right, abs=0.05)
            assert of_lot.right.mean_alone == pytest.approx(one.right.mean_alone, abs=0.02)


@pytest.mark.parametrize("few", [3, 40])
def test_no_few_groups_decide_how_often_somebody_is_right(few: int) -> None:
    """Some large groups have most of the people, as where whole columns are recoded, and many small ones the rest."""
    frame = pc.datasets.census(6_000).sort("occupation")  # groups differ much in what their people do
    labels = np.append(np.arange(5_000) % few, few + np.arange(1_000) // 4)
    table = pc.read(frame, quasi=["age", "gender", "education"], sensitive="occupation")
    truth = table.codes[table.attributes.index(next(one for one in table.attributes if one.name == "occupation"))]
    gathered = Gathered(evidence_of_groups(table, np.sort(labels).tolist()), truth)
    for one, of_lot in zip(statistics_of(gathered, None), statistics_of(gathered, None, lot=600), strict=True):
        if one.right is not None and of_lot.right is not None:
            assert of_lot.right.right == pytest.approx(one.right.right, abs=0.05)
            assert of_lot.right.right_column == pytest.approx(one.right.right_column, abs=0.05)


def test_several_values_above_the_bound_are_one_guess() -> None:
    """Two values are believed with 2/5 of each of four people: the likeliest is right of one, one of both of three."""
    truth, guesses = np.array([0, 1, 1, 2], np.int32), np.zeros(4, np.int32)
    chance = np.array([0.4, 0.4, 0.4, 0.2])
    shares, risk = np.array([0.5, 0.3, 0.2]), np.full(4, 0.4)
    found = figures(truth, shares, (chance, guesses, risk), None, (1 / 3, None, False))
    assert (found.believed, found.correct, found.base) == (4, 1, 0.5)
    named = figures(truth, shares, (chance, guesses, risk), None, (1 / 3, np.array([1]), False))
    assert (named.believed, named.correct, named.base) == (4, 2, pytest.approx(0.3))


def test_strata_teach_who_knows_their_statistics_no_more_than_that() -> None:
    """SoftCut's groups mix strata, so that knowing these tells people apart. Bounds are each person's own."""
    frame = pc.datasets.census(6_000)
    roles = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
    right = {}
    for method in (pc.SoftCut(l=8), pc.Strata(l=8, size=50)):
        with pytest.warns(pc.SecretSeedWarning):
            release = pc.publish(frame, method, **roles, seed=1)
        report = pc.attack_all(release, truth=frame, adversaries=["distribution"], classic=False)
        (found,) = [one.right for one in report.statistics if one.by == "strata"]
        assert found is not None
        right[method.name] = found
    assert right["strata"].mean < right["soft-cut"].mean
    assert right["strata"].believed == 0 < (right["soft-cut"].believed or 0)
