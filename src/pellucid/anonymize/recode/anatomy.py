"""Anatomy: quasi-identifiers and sensitive values in two tables, joined by a group number that carries no meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.prune_codebooks import only_published
from pellucid.anonymize.recode.published import decode
from pellucid.anonymize.recode.recoder import Recoder, sensitive_keys
from pellucid.anonymize.recode.weights import mean_weights, weight_column
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MethodError
from pellucid.kernels import canonical as kernel
from pellucid.messages import Message
from pellucid.runtime.parallel import run, stretches

Longs = NDArray[np.int64]


class TwoTables(Recoder):
    """Publish ``quasi_identifiers`` (exact values and a group number) and ``sensitive`` (group number and value).

    In Python it is ``pellucid.Anatomy()``: without parameters the way to publish, with them the method of that name.

    Who has which value inside a group is not published. Groups are numbered by their content, where a value counts by
    its rank among the published ones, and rows are sorted inside their group, so neither number nor order says anything
    more, nor anything of suppressed rows.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name",
    ...                      recode=pc.Anatomy())
    >>> release.frames["sensitive"].rows()[:4]
    [(1, 'dyspepsia'), (1, 'flu'), (1, 'gastritis'), (1, 'gastritis')]
    """

    name: ClassVar[str] = "anatomy"
    summary: ClassVar[str] = "two tables with exact values, linked by group number only"

    def may_write(self, attribute: Attribute, text: str) -> bool:  # noqa: ARG002
        """A value is that value."""
        return False

    @classmethod
    def writes_values(cls, kind: str) -> bool:  # noqa: ARG003
        """Always."""
        return True

    def describe(self, forms: Sequence[Mapping[str, int]]) -> Message:  # noqa: ARG002
        """Always the same; a weight is that of the group."""
        return Message(
            "Two tables: quasi-identifiers as they are with a group number, and the sensitive values of each group "
            "number."
        )

    def recode(self, table: Table, grouping: Grouping, *, threads: int = 1) -> dict[str, pl.DataFrame]:
        """The two tables."""
        if not table.having(Role.SENSITIVE):
            raise MethodError(
                "anatomy publishes exact quasi-identifiers beside sensitive values, and nothing is sensitive here: it "
                "would hide nobody; use another recoding, such as intervals"
            )
        table = only_published(table, grouping, threads)
        exact = [i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY)]
        vectors, vector_codes = tuple_keys(table, exact, threads)
        secrets, secret_codes = sensitive_keys(table, threads)
        groups = np.arange(len(grouping), dtype=np.int32)
        mine = sorted_keys(vectors, len(vector_codes[0]), grouping, groups, threads)
        theirs = sorted_keys(secrets, len(secret_codes[0]), grouping, groups, threads)
        prints = (
            prints_of(mine, vector_codes, grouping.starts),
            prints_of(theirs, secret_codes, grouping.starts),
        )
        means = None if weight_column(table) is None else mean_weights(table, grouping)
        order = number_groups(mine[grouping.starts[:-1]], *prints, means)
        # the same again in the order of the numbers
        mine = sorted_keys(vectors, len(vector_codes[0]), grouping, order, threads)
        theirs = sorted_keys(secrets, len(secret_codes[0]), grouping, order, threads)
        group = group_column(table.attributes)
        numbers = pl.Series(group, np.repeat(np.arange(1, len(grouping) + 1, dtype=np.int32), grouping.sizes[order]))
        sensitive = table.having(Role.SENSITIVE)
        known = dict(zip(exact, columns(table, exact, vector_codes, mine, threads), strict=True))
        if means is not None:
            (weight,) = table.having(Role.WEIGHT)
            mean_of_row = np.repeat(means[order], grouping.sizes[order])
            known[weight] = pl.Series(table.attributes[weight].name, mean_of_row)
        return {
            "quasi_identifiers": pl.DataFrame([numbers, *(known[i] for i in sorted(known))]),
            "sensitive": pl.DataFrame([numbers, *columns(table, sensitive, secret_codes, theirs, threads)]),
        }


def tuple_keys(table: Table, attributes: list[int], threads: int) -> tuple[Codes, list[Codes]]:
    """Each row's vector on these attributes as one number in lexicographic order, and each number's codes."""
    rows, starts = sort_rows(
        [table.codes[i] for i in attributes], [len(table.attributes[i]) for i in attributes], threads
    )
    keys = np.empty(len(table), np.int32)
    keys[rows] = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    examples = rows[starts[:-1]]
    return keys, [table.codes[i][examples] for i in attributes]


def sorted_keys(keys: Codes, distinct: int, grouping: Grouping, order: Codes, threads: int) -> Codes:
    """The keys of every group in ascending order, group after group in this order."""
    sizes = grouping.sizes[order]
    out = np.empty(int(sizes.sum()), np.int32)
    out_starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    boxes = np.arange(len(order) + 1, dtype=np.int64)
    frozen = (grouping.members, grouping.starts, order, boxes)
    run(
        [
            partial(kernel.sorted_within, keys, *frozen, a, b, distinct, out_starts, out)
            for a, b in stretches(len(order), threads)
        ],
        threads,
    )
    return out


def prints_of(keys: Codes, codes: list[Codes], starts: Longs) -> Longs:
    """A fingerprint of each stretch of keys from the codes that they stand for: the same in any part of a table.

    The codes are ranks among published values (:func:`only_published`); with Spark, which suppresses nothing, all are.
    """
    words = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        kernel.add_to_words(column, words)
    prints = np.empty(len(starts) - 1, np.int64)
    kernel.fingerprints(keys, words, starts, prints)
    return prints


def number_groups(
    smallest: Codes, vector_prints: Longs, secret_prints: Longs, weights: NDArray[np.float64] | None = None
) -> Codes:
    """Groups in the order of their numbers: by smallest vector, then by fingerprints of all their content, then weight.

    Two groups with the same of all these have the same content, so it does not matter which comes first.
    """
    last = () if weights is None else (weights,)
    return np.lexsort((*last, secret_prints, vector_prints, smallest)).astype(np.int32)


def group_column(attributes: Sequence[Attribute]) -> str:
    """What the column of group numbers is called: no other column is."""
    names = [attribute.name for attribute in attributes]
    group = "group"
    while group in names:
        group += "_"
    return group


def columns(table: Table, attributes: list[int], codes: list[Codes], keys: Codes, threads: int) -> list[pl.Series]:
    """The attributes' values for each row's key."""
    return [
        decode(table.attributes[i].values, of_key, keys, threads) for i, of_key in zip(attributes, codes, strict=True)
    ]
