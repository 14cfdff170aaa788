"""What gives the sensitive column away where rows belong together: a cluster is never compared with itself."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.shared_values import SharedInClustersWarning
from pellucid.core.attribute_disclosure import said_in

QUASI = ["age", "town"]


def survey(homes: int = 500, seed: int = 3) -> pl.DataFrame:
    """Households of one to five people with a rent, a weight and numbers of their own, and a decile that they share."""
    coins = np.random.default_rng(seed)
    home = np.repeat(np.arange(homes), coins.integers(1, 6, homes))
    decile = coins.integers(1, 11, homes)
    rows = len(home)
    return pl.DataFrame(
        {
            "home": home,
            "age": coins.integers(0, 90, rows),
            "town": coins.integers(0, 12, homes)[home],
            "rent": coins.uniform(300, 2000, homes).round(2)[home],
            "number": np.arange(rows),
            "income": (decile * 1000 + coins.uniform(0, 999, homes))[home].round(2),
            "pay": (decile[home] * 1000 + coins.uniform(0, 999, rows)).round(2),
            "decile": decile[home],
            "ill": np.where(coins.random(homes) < 0.1, "yes", "no")[home],
            "drug": coins.integers(0, 40, rows),
        }
    ).with_columns(pl.col("drug").mod(8).alias("disease").cast(pl.String))


def told(people: pl.DataFrame, known: str, sensitive: str = "decile", cluster: str | None = "home") -> float:
    roles = {"quasi": [*QUASI, known], "sensitive": sensitive}
    table = pc.read(people, **roles, **({} if cluster is None else {"cluster": cluster}))
    return max(one.told for one in said_in(table) if one.column == known)


@pytest.mark.parametrize("known", ["rent", "number"])
def test_what_is_a_households_own_tells_nothing_by_that(known: str) -> None:
    people = survey()
    assert told(people, known, cluster=None) > 0.5
    assert told(people, known) < 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        roles = {"quasi": [*QUASI, known], "sensitive": "decile", "cluster": "home"}
        accepted = [known] if known == "number" else []  # which numbers people
        pc.publish(people, pc.SoftCut(l=3), accept_known=accepted, **roles)


@pytest.mark.parametrize("known", ["income", "pay"])
def test_what_truly_gives_it_away_is_refused_of_households_too(known: str) -> None:
    """One income of the household, or a pay of each: both rise with the decile from household to household."""
    people = survey()
    assert told(people, known) > 0.9
    with pytest.raises(pc.SchemaError, match=f"{known} tells 9. % of decile|{known} tells 100 % of decile"):
        pc.publish(people, pc.SoftCut(l=3), quasi=[*QUASI, known], sensitive="decile", cluster="home")


@pytest.mark.parametrize("homes", [500, 12])
def test_what_gives_away_what_rows_do_not_share_is_found_in_few_clusters_too(homes: int) -> None:
    people = survey(500).with_columns(pl.col("home") % homes)
    assert told(people, "drug", "disease") > 0.9


def test_what_stands_in_the_last_row_of_each_alone_is_found() -> None:
    people = survey().with_columns(last=pl.col("home").ne(pl.col("home").shift(-1)).fill_null(value=True))
    people = people.with_columns(head=pl.when("last").then("income").otherwise(0))
    assert told(people, "head") > 0.9


def test_of_protected_values_alone_it_is_the_same() -> None:
    people = survey().with_columns(own=pl.col("rent"), note=pl.col("ill"))
    for known, refused in (("own", False), ("note", True)):
        roles = {"quasi": [*QUASI, known], "sensitive": "ill", "cluster": "home"}
        method = pc.SoftCut(l=2, values=("yes",))
        if refused:
            with pytest.raises(pc.SchemaError, match="note tells 100 % of ill"):
                pc.publish(people, method, **roles)
        else:
            pc.publish(people, method, **roles)


def test_the_refusal_says_that_an_acceptance_is_about_every_protected_column() -> None:
    """What is accepted is written down as it was given, so the promise excepts each of them."""
    roles = {"quasi": [*QUASI, "income"], "sensitive": ["decile", "disease"], "cluster": "home"}
    with pytest.raises(pc.SchemaError, match=r"which the promise then excepts for decile and disease$"):
        pc.publish(survey(), pc.SoftCut(l=2), **roles)
    with pytest.warns(SharedInClustersWarning):
        kept = pc.publish(survey(), pc.SoftCut(l=2, cluster_rows=1), accept_known=["income"], **roles)
    assert "What income gives away about decile and disease by itself was accepted" in kept.promise
