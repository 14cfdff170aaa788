"""What a column gives away that a look at the whole of the sensitive one misses: some values, tenths, texts."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.schema import Column, Schema

ROWS = 2_000
COINS = np.random.default_rng(20)
PLACE = COINS.uniform(0, 100, ROWS)
FILL = COINS.choice(["flu", "cold", "gout", "asthma", "ulcer"], ROWS)
ILL = COINS.random(ROWS) < 0.03
AGES = COINS.integers(18, 90, ROWS)


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
    month = 2_000 + 30 * PLACE + COINS.normal(0, 1, ROWS)
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
        assert published(FILL, disease, secret={"protect": ["HIV"]}).recipe["rows"] == ROWS
    with pytest.raises(pc.SchemaError, match=r"known tells 9. % of secret"):
        published(FILL, disease)


def test_what_tells_who_has_a_rare_value_is_warned_about() -> None:
    disease, drug = np.where(ILL, "HIV", FILL), np.where(ILL, "yes", "no")
    with pytest.warns(pc.TellingColumnWarning, match="known tells 100 % of who has 'HIV' as secret, which few have"):
        published(drug, disease)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        published(COINS.permutation(drug), disease)  # the same columns, which have nothing to do with each other
        published(np.where(np.arange(ROWS) < 10, "x", "y"), np.where(np.arange(ROWS) < 10, "HIV", FILL))  # ten people
