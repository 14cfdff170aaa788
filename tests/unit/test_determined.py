"""The roles are safe: what determines the sensitive column is no quasi-identifier.

What a column gives away that a look at the whole of the sensitive one misses: some values, tenths, texts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import pellucid as pc
from pellucid.core import association
from pellucid.core.attribute_disclosure import DETERMINED, Says, says
from pellucid.core.schema import Column, Schema
from plain import association as plain

ROWS = 3_000
Codes = NDArray[np.int64]
PEOPLE = 2_000
COINS = np.random.default_rng(20)
PLACE = COINS.uniform(0, 100, PEOPLE)
FILL = COINS.choice(["flu", "cold", "gout", "asthma", "ulcer"], PEOPLE)
ILL = COINS.random(PEOPLE) < 0.03
AGES = COINS.integers(18, 90, PEOPLE)


def measured(first: Codes, second: Codes, *, ordered: bool = False) -> Says:
    codes = [np.unique(column, return_inverse=True) for column in (first, second)]
    (values, x), (secrets, y) = codes
    return says("x", x.astype(np.int32), len(values), "y", y.astype(np.int32), len(secrets), ordered=ordered)


def income(coins: np.random.Generator) -> tuple[Codes, Codes]:
    money = coins.lognormal(10, 1, ROWS).astype(np.int64)
    return money, np.searchsorted(np.quantile(money, np.arange(0.1, 1, 0.1)), money)


def age(coins: np.random.Generator) -> tuple[Codes, Codes]:
    years = coins.integers(0, 91, ROWS)
    return years, years // 10


def icd(coins: np.random.Generator) -> tuple[Codes, Codes]:
    code = coins.permutation(300)[coins.zipf(1.3, ROWS) % 300]
    return code, code // 15


def city(coins: np.random.Generator) -> tuple[Codes, Codes]:
    """The order of cities says nothing about countries."""
    town = coins.zipf(1.2, ROWS) % 400
    return town, coins.permutation(400)[town] % 12


def birth(coins: np.random.Generator) -> tuple[Codes, Codes]:
    day = coins.integers(0, 33_000, ROWS)
    return day, day // 365


DEPENDENT = [income, age, icd, city, birth]


@pytest.mark.parametrize("made", DEPENDENT)
def test_what_determines_the_sensitive_column_is_found(
    made: Callable[[np.random.Generator], tuple[Codes, Codes]],
) -> None:
    fine, coarse = made(np.random.default_rng(1))
    assert measured(fine, coarse).told > 0.95
    numbers = made in (income, age, birth)
    assert measured(fine, coarse, ordered=numbers).told > 0.95


@pytest.mark.parametrize("made", DEPENDENT)
def test_a_coarser_version_of_the_sensitive_column_is_found(
    made: Callable[[np.random.Generator], tuple[Codes, Codes]],
) -> None:
    fine, coarse = made(np.random.default_rng(2))
    assert measured(coarse, fine, ordered=made in (income, age, birth)).determines


@pytest.mark.parametrize("made", DEPENDENT)
def test_three_percent_of_noise_hide_nothing(made: Callable[[np.random.Generator], tuple[Codes, Codes]]) -> None:
    coins = np.random.default_rng(3)
    fine, coarse = made(coins)
    noisy = np.where(coins.random(ROWS) < 0.97, coarse, coins.permutation(coarse))
    assert measured(fine, noisy, ordered=made in (income, age, birth)).determines
    assert measured(noisy, coarse).determines


def test_half_noise_is_told_and_not_refused() -> None:
    coins = np.random.default_rng(4)
    fine, coarse = age(coins)
    noisy = np.where(coins.random(ROWS) < 0.65, coarse, coins.permutation(coarse))
    assert 0.5 < measured(fine, noisy).told < DETERMINED


def test_a_column_of_distinct_values_is_no_evidence() -> None:
    coins = np.random.default_rng(5)
    secret = coins.integers(0, 10, ROWS)
    assert measured(coins.permutation(ROWS), secret, ordered=True).told < 0.1
    assert measured(secret, coins.permutation(ROWS), ordered=True).told < 0.1


def test_what_goes_together_in_nature_is_not_refused() -> None:
    coins = np.random.default_rng(6)
    height = coins.normal(0, 1, ROWS)
    weight = (0.6 * height + 0.8 * coins.normal(0, 1, ROWS)).round(2)
    assert measured(height.round(2), weight, ordered=True).told < 0.6
    years = coins.integers(20, 95, ROWS)
    demented = (coins.random(ROWS) < 0.3 * (years - 60).clip(0) / 35).astype(int)
    assert measured(years, demented).told < 0.3


def test_random_tables_raise_no_alarm(thorough: bool) -> None:
    coins = np.random.default_rng(7)
    for _ in range(20_000 if thorough else 600):
        rows = int(coins.choice([5, 8, 12, 20, 40, 100, 300]))
        first = coins.integers(0, int(coins.choice([2, 3, 10, 50, 1000])), rows)
        values = int(coins.choice([2, 3, 5, 20]))
        shares = coins.dirichlet(np.full(values, coins.choice([0.1, 1, 10])))
        found = measured(first, coins.choice(values, rows, p=shares), ordered=bool(coins.integers(2)))
        assert found.told < 0.5, found


columns = st.integers(4, 40).flatmap(
    lambda rows: st.tuples(*[st.lists(st.integers(0, width), min_size=rows, max_size=rows) for width in (3, 12)])
)


@settings(max_examples=60)
@given(columns, st.booleans(), st.sampled_from([0.0, 0.5, 2.0]))
def test_figures_equal_their_definitions(pair: tuple[list[int], list[int]], turned: bool, sure: float) -> None:
    first, second = pair[::-1] if turned else pair
    cells = association.CodePairs.of(
        np.array(first, np.int32), max(first) + 1, np.array(second, np.int32), max(second) + 1
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(association, "SURE", sure)
        patch.setattr(association, "FEWEST", 0)
        patch.setattr(association, "SEVERAL", 1.0)
        patch.setattr(association, "FORETOLD", 0.0)
        patch.setattr(association, "SELDOM", 1.0)
        near = plain.foretold(first, plain.tenths(second), sure)
        if near != pytest.approx(0.5):  # where rounding decides, either is right
            assert association.in_tenths(cells) == pytest.approx(near if near >= 0.5 else 0)
        assert association.foretold(cells) == pytest.approx(plain.foretold(first, second, sure))
        assert association.of_one_value(cells)[0] == pytest.approx(plain.of_one_value(first, second, sure))
        assert association.of_rare_value(cells)[0] == pytest.approx(plain.of_rare_value(first, second, sure))
        if len(set(second)) > 1:
            assert association.in_order(cells) == pytest.approx(plain.in_order(first, second))
            expected = plain.foretold(second, first, sure) * plain.apart(first, second)
            assert association.as_a_part(cells) == pytest.approx(expected)


def test_wide_columns_are_counted_like_narrow_ones() -> None:
    coins = np.random.default_rng(8)
    first, second = (coins.integers(0, 500, 400).astype(np.int32) for _ in range(2))
    narrow = association.CodePairs.of(first % 100, 100, second % 100, 100)
    wide = association.CodePairs.of(first % 100, 100_000, second % 100, 100_000)
    assert narrow.first.tolist() == wide.first.tolist()
    assert narrow.second.tolist() == wide.second.tolist()
    assert narrow.rows.tolist() == wide.rows.tolist()


def test_chance_is_bounded_as_it_is_said() -> None:
    """Of tables that have nothing to do with each other, fewer than the bound says pass a laxer test."""
    coins = np.random.default_rng(9)
    passed = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(association, "SURE", log(20))
        for _ in range(400):
            first, second = coins.integers(0, 30, 60).astype(np.int32), coins.integers(0, 3, 60).astype(np.int32)
            passed += association.foretold(association.CodePairs.of(first, 30, second, 3)) > 0
    assert passed <= 400 / 20


def excerpt(rows: int = 900) -> pl.DataFrame:
    """A census excerpt with an income and its decile."""
    coins = np.random.default_rng(10)
    money = coins.lognormal(10, 1, rows).astype(int)
    decile = np.searchsorted(np.quantile(money, np.arange(0.1, 1, 0.1)), money) + 1
    return pl.DataFrame(
        {
            "AGEP": coins.integers(18, 95, rows),
            "SEX": coins.integers(1, 3, rows),
            "PINCP": money,
            "PINCP_DECILE": decile,
        }
    )


def test_what_determines_the_sensitive_column_is_no_quasi_identifier() -> None:
    with pytest.raises(pc.SchemaError) as refused:
        pc.publish(excerpt(), pc.Hybrid(l=3), quasi=["AGEP", "SEX", "PINCP"], sensitive="PINCP_DECILE")
    told = str(refused.value)
    assert "\n" not in told
    for part in (
        "PINCP tells 99 % of PINCP_DECILE",
        'role = "drop"',
        "protect both",
    ):
        assert part in told
    assert "accept_known=['PINCP']" in told


def accidents(rows: int = 3_000) -> pl.DataFrame:
    """A race that is written down of the dead alone, as in registers of accidents."""
    coins = np.random.default_rng(11)
    hurt = coins.choice(["fatal", "heavy", "light", "none"], rows, p=[0.4, 0.2, 0.2, 0.2])
    race = np.where(hurt == "fatal", coins.choice(["black", "white", "other"], rows), "not applicable")
    return pl.DataFrame({"age": coins.integers(18, 95, rows), "race": race, "hurt": hurt})


def test_what_tells_who_has_one_common_value_is_no_quasi_identifier() -> None:
    """Beside a promise of 1/2 it named nine people in ten; by all values together it tells a third of them."""
    people = accidents()
    with pytest.raises(pc.SchemaError, match="race tells 100 % of hurt: race alone tells who has 'fatal'"):
        pc.publish(people, pc.Hybrid(l=2), quasi=["age", "race"], sensitive="hurt")
    release = pc.publish(people, pc.Hybrid(l=2), quasi=["age", "race"], sensitive="hurt", accept_known=["race"])
    assert release.recipe["accepted_known"] == ["race"]
    pc.publish(people, pc.Hybrid(l=2), quasi=["age"], sensitive="hurt")


def test_what_tells_who_has_a_rare_value_or_none_at_all_is_left_alone() -> None:
    """Nobody's occupation is written down of whom there is no employer either: a column of every register."""
    people = accidents().with_columns(
        hurt=pl.when(pl.col("hurt") == "fatal").then(None).otherwise("hurt"),
    )
    coins = np.random.default_rng(12)
    rare = pl.Series(np.where(coins.random(len(people)) < 0.04, "rare", coins.choice(list("abcdef"), len(people))))
    few = pl.DataFrame({"told": (rare == "rare").cast(pl.String), "secret": rare})
    for frame, known, secret in ((people, "race", "hurt"), (few, "told", "secret")):
        x, y = (frame[name].rank("dense").fill_null(0).to_numpy().astype(np.int32) for name in (known, secret))
        cells = association.CodePairs.of(x, 8, y, 8)
        assert association.of_one_value(cells, null=secret == "hurt")[0] == 0


def test_a_carried_column_is_measured_too() -> None:
    with pytest.raises(pc.SchemaError, match="PINCP tells"):
        pc.publish(excerpt(), pc.Hybrid(l=3), quasi=["AGEP", "SEX"], carry=["PINCP"], sensitive="PINCP_DECILE")


def test_each_way_out_leads_on() -> None:
    table, roles = excerpt(), {"quasi": ["AGEP", "SEX", "PINCP"], "sensitive": "PINCP_DECILE"}
    assert pc.publish(table, pc.Hybrid(l=3), quasi=["AGEP", "SEX"], sensitive="PINCP_DECILE").frame.height == 900
    both = pc.publish(table, pc.Tailor(l=2), quasi=["AGEP", "SEX"], sensitive=["PINCP_DECILE", "PINCP"])
    assert both.frame.height == 900
    accepted = pc.publish(table, pc.Hybrid(l=3), **roles, accept_known=["PINCP"])
    assert accepted.recipe["accepted_known"] == ["PINCP"]
    assert "What PINCP gives away about PINCP_DECILE" in accepted.recipe["sentence"]
    assert "accepted_known" not in both.recipe


def test_the_refusal_is_needed() -> None:
    """Sorting both inside the groups names nearly everybody, as it did in the issue."""
    table = excerpt()
    release = pc.publish(
        table, pc.Hybrid(l=3), quasi=["AGEP", "SEX", "PINCP"], sensitive="PINCP_DECILE", accept_known=["PINCP"]
    )
    groups = table.with_columns(group=pl.Series(release.private.labels)).partition_by("group")
    named = sum((g.sort("PINCP")["PINCP_DECILE"] == g["PINCP_DECILE"].sort()).sum() for g in groups)
    assert named > 0.95 * table.height


def test_an_acceptance_names_a_published_column() -> None:
    with pytest.raises(pc.SchemaError, match=r"accept_known names 'PINC'.*did you mean 'PINCP'"):
        pc.publish(excerpt(), pc.Hybrid(l=3), quasi=["AGEP", "PINCP"], sensitive="PINCP_DECILE", accept_known=["PINC"])


def test_what_says_much_is_warned_about() -> None:
    table = excerpt().with_columns(half=pl.col("PINCP_DECILE") // 3)
    with pytest.warns(pc.TellingColumnWarning, match=r"half tells 7. % of PINCP"):
        pc.publish(table, pc.Hybrid(l=3), quasi=["AGEP", "half"], sensitive="PINCP")


def test_a_job_refuses_and_accepts(tmp_path: Path) -> None:
    excerpt().write_csv(tmp_path / "t.csv")
    job = """source = "t.csv"
out = "out"
{accept}
[schema.columns]
AGEP = {{role = "quasi"}}
PINCP = {{role = "quasi"}}
PINCP_DECILE = {{role = "sensitive"}}
[method]
name = "hybrid"
l = 3
"""
    (tmp_path / "job.toml").write_text(job.format(accept=""))
    with pytest.raises(pc.SchemaError, match="PINCP tells"):
        pc.run(tmp_path / "job.toml")
    assert not (tmp_path / "out").exists()
    (tmp_path / "job.toml").write_text(job.format(accept='accept_known = ["PINCP"]'))
    assert pc.run(tmp_path / "job.toml").recipe["accepted_known"] == ["PINCP"]
    (tmp_path / "job.toml").write_text(job.format(accept="accept_known = [3]"))
    with pytest.raises(pc.SchemaError, match=r"line 3.*list of columns"):
        pc.run(tmp_path / "job.toml")


def published(
    first: object, second: object, l: int = 3, *, accept: bool = False, **said: dict[str, object]
) -> pc.Release:
    frame = pl.DataFrame({"age": AGES, "known": first, "secret": second})
    columns = {
        "age": Column(role="quasi"),
        "known": Column(**({"role": "carry"} | said.get("known", {}))),
        "secret": Column(**({"role": "sensitive"} | said.get("secret", {}))),
    }
    return pc.publish(frame, pc.SoftCut(l=l), schema=Schema(columns=columns), accept_known=["known"] * accept)


def comma(values: np.ndarray, thousands: str = "") -> list[str]:
    written = [f"{value:,.2f}".replace(",", "_") for value in values]
    return [text.replace(".", ",").replace("_", thousands) for text in written]


@pytest.mark.parametrize("thousands", ["", "."])
def test_pay_by_the_month_beside_pay_by_the_year_is_refused_though_both_are_texts(thousands: str) -> None:
    """With decimal commas both were categories, and sorting them named everybody beside a promise of 1/3."""
    month = 2_000 + 30 * PLACE + COINS.normal(0, 1, PEOPLE)
    with pytest.raises(pc.SchemaError, match="sorting by known sorts by secret"):
        published(comma(13.5 * month, thousands), comma(month, thousands))


def test_numbers_that_are_called_categories_are_still_in_order() -> None:
    with pytest.raises(pc.SchemaError, match="sorting by known sorts by secret"):
        published(13.5 * PLACE, PLACE, known={"kind": "category"}, secret={"kind": "category"})


@pytest.mark.parametrize("function", [lambda x: (x - 40) ** 2, lambda x: np.sin(x / 9)], ids=["a valley", "waves"])
def test_a_function_that_falls_and_rises_gives_the_value_away(function: object) -> None:
    """Nobody has the same value as a neighbour, and sorting sorts nothing."""
    with pytest.raises(pc.SchemaError, match="people next to each other in known have nearly the same secret"):
        published(PLACE, function(PLACE))  # type: ignore[operator]


def test_what_tells_who_has_the_protected_value_is_refused_however_few_have_it() -> None:
    """A drug that is given for HIV alone; of all diseases together it tells a twelfth."""
    disease, drug = np.where(ILL, "HIV", FILL), np.where(ILL, "yes", "no")
    with pytest.raises(pc.SchemaError, match="known tells 100 % of secret: known tells who has a protected value"):
        published(drug, disease, secret={"protect": ["HIV"]})
    accepted = published(drug, disease, accept=True, secret={"protect": ["HIV"]})
    assert accepted.recipe["accepted_known"] == ["known"]
    with pytest.raises(pc.SchemaError, match="protected value"):  # where nothing is written down
        published([None if ill else "no" for ill in ILL], disease, secret={"protect": ["HIV"]})
    with pytest.raises(pc.SchemaError, match="protected value"):  # one of two, the other of which nothing tells
        published(drug, disease, secret={"protect": ["HIV", "gout"]})


def test_what_tells_values_that_are_not_protected_is_no_matter() -> None:
    """They may be told with certainty, as the promise says."""
    disease = np.where(ILL, "HIV", FILL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert published(FILL, disease, secret={"protect": ["HIV"]}).recipe["rows"] == PEOPLE
    with pytest.raises(pc.SchemaError, match=r"known tells 9. % of secret"):
        published(FILL, disease)


def test_what_tells_who_has_a_rare_value_is_warned_about() -> None:
    disease, drug = np.where(ILL, "HIV", FILL), np.where(ILL, "yes", "no")
    with pytest.warns(pc.TellingColumnWarning, match="known tells 100 % of who has 'HIV' as secret, which few have"):
        published(drug, disease)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        published(COINS.permutation(drug), disease)  # the same columns, which have nothing to do with each other
        published(
            np.where(np.arange(PEOPLE) < 10, "x", "y"), np.where(np.arange(PEOPLE) < 10, "HIV", FILL)
        )  # ten people


def test_where_null_says_that_a_column_does_not_apply_this_is_the_first_way_out() -> None:
    """Who lives has no cause of death, and being dead tells so: among the dead it tells nothing."""
    coins = np.random.default_rng(35)
    dead = coins.random(600) < 0.3
    causes = [cause if died else None for cause, died in zip(coins.choice([*"abcdef"], 600), dead, strict=True)]
    for state, condition in [
        (dead.astype(int).tolist(), "state >= 1"),
        ([1.0 if died else None for died in dead], "state is not null"),
        (["dead" if died else "alive" for died in dead], 'state not in ["alive"]'),
    ]:
        table = pl.DataFrame({"age": coins.integers(40, 90, 600), "state": state, "cause": causes})
        with pytest.raises(pc.SchemaError) as refused:
            pc.publish(table, pc.Strata(l=2), quasi=["age", "state"], sensitive="cause")
        way = f"where null means that cause does not apply, say applies={f'cause={condition}'!r}, or drop state"
        assert way in str(refused.value)
        release = pc.publish(
            table, pc.Strata(l=2), quasi=["age", "state"], sensitive="cause", applies=f"cause={condition}"
        )
        assert release.recipe["rows"] == 600


def test_the_way_out_is_not_named_where_null_does_not_follow() -> None:
    """One person who lives has a cause, or nobody lacks one, or what is left is told as well."""
    coins = np.random.default_rng(36)
    dead = coins.random(600) < 0.3
    causes = np.where(dead, "a", None).tolist()
    causes[int(np.flatnonzero(~dead)[0])] = "a"
    for cause in (causes, np.where(dead, "a", "b").tolist()):
        table = pl.DataFrame({"state": dead.astype(int), "cause": cause})
        with pytest.raises(pc.SchemaError, match="no group hides it; drop state"):
            pc.publish(table, pc.Strata(l=2), quasi="state", sensitive="cause")
    pay = [float(one) if died else None for one, died in zip(coins.integers(0, 1000, 600), dead, strict=True)]
    table = pl.DataFrame({"state": pay, "cause": [None if one is None else f"tenth {one // 100}" for one in pay]})
    with pytest.raises(pc.SchemaError, match="no group hides it; drop state"):
        pc.publish(table, pc.Strata(l=2), quasi="state", sensitive="cause")
