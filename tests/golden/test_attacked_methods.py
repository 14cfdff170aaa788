"""Worked examples of the papers that attack Mask and spurious records: what is published of their tables."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import pellucid as pc

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")

NAMES = ["Ann", "Bob", "Cate", "Don", "Ed", "Fred", "Gill"]
PATIENTS = pl.DataFrame(
    {"name": NAMES, "age": [21, 27, 32, 32, 54, 60, 60], "disease": ["dyspepsia"] * 3 + ["flu"] * 4}
)

# Hemantha, tables 4.6 and 4.7: two classes, and one of them has nothing but HIV
CLASSES = pl.DataFrame({"qid": [1] * 2 + [2] * 5, "disease": ["HIV"] * 3 + ["other"] * 4})


def test_mask_publishes_the_table_of_the_appendix() -> None:
    """Xiao, Tao, Koudas, appendix: with the paper's own donors it is the only outcome, with all it is one of two."""
    expected = [
        ("32", "dyspepsia"),
        ("32", "flu"),
        ("[21, 27]", "dyspepsia"),
        ("[21, 27]", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
    ]
    undone = sorted([*expected[:2], ("[21, 27]", "flu"), *expected[3:]])
    seen = Counter()  # type: ignore[var-annotated]
    for _ in range(64):  # two outcomes of probability 1/2: one of them is missed with probability 2**-63
        for donors in ("highest", "all"):
            method = pc.Mask(k=2, l=2, sensitive="dyspepsia", donors=donors)
            release = pc.publish(PATIENTS, method, quasi="age", sensitive="disease", identifier="name")
            seen[donors, tuple(sorted(release.frame.rows()))] += 1
    assert set(seen) == {("highest", tuple(expected)), ("all", tuple(expected)), ("all", tuple(undone))}


def test_added_records_never_repeat_a_value() -> None:
    """The thesis' own table 4.7 adds the same value twice; with two values in the table, only one can be added."""
    with pytest.raises(pc.Infeasible, match="'HIV' is the 'disease' of 2 of 2 rows of a group, and only 1 of 2 values"):
        pc.publish(CLASSES, pc.SpuriousRecords(k=2, l=2), quasi="qid", sensitive="disease")
