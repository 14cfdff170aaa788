"""Eight patients and the voter list of their town: the running example of the literature on transparent publishing."""

from __future__ import annotations

import polars as pl

_VOTERS = [
    ("Ann", 21, 10000),
    ("Bob", 27, 18000),
    ("Bruce", 29, 19000),
    ("Cate", 32, 35000),
    ("Don", 32, 35000),
    ("Ed", 54, 60000),
    ("Fred", 60, 63000),
    ("Gill", 60, 63000),
    ("Hera", 60, 63000),
]
_DISEASES = {
    "Ann": "dyspepsia",
    "Bob": "flu",
    "Cate": "gastritis",
    "Don": "gastritis",
    "Ed": "flu",
    "Fred": "bronchitis",
    "Gill": "dyspepsia",
    "Hera": "diabetes",
}


def voters() -> pl.DataFrame:
    """The public list an attacker holds: name, age and zipcode of nine people, Bruce among them, who is no patient.

    >>> voters().height
    9
    """
    return pl.DataFrame(_VOTERS, schema=["name", "age", "zipcode"], orient="row")


def patients() -> pl.DataFrame:
    """The hospital's secret: the eight patients with their diseases.

    >>> patients().row(0)
    ('Ann', 21, 10000, 'dyspepsia')

    Reference: Xiao, Tao, Koudas. Transparent anonymization. ACM TODS 35(2), 2010, table V.
    """
    admitted = voters().filter(pl.col("name").is_in(list(_DISEASES)))
    return admitted.with_columns(disease=pl.col("name").replace_strict(_DISEASES))
