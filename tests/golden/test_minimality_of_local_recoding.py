"""Two cases that Wong et al. found on Adult (VLDB 2007, section 7.1): one row of a class is generalised with one other.

People who look like the other one are published as they are, so their class did not violate 2-diversity: the first
person's did, by having a low education.
"""

from __future__ import annotations

import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking import infer
from pellucid.attacking.evidence.known_groups import evidence_of_groups


@pytest.mark.parametrize("others", [2, 17])
def test_the_one_who_stands_alone_is_disclosed(others: int) -> None:
    frame = pl.DataFrame(
        {
            "age": [80] * (others + 1),
            "workclass": ["self-emp-not-inc", *["private"] * others],
            "education": ["7th-8th", *["HS-grad"] * others],
        }
    )
    table = pc.read(frame, quasi=["age", "workclass"], sensitive="education")
    labels = [0, 0, *[1] * (others - 1)]  # the first two are generalised together, the rest stay as they are
    model = pc.LDiversity(l=2, sensitive=("7th-8th",))
    beliefs = infer(evidence_of_groups(table, labels, model=model), pc.Adversary(knows="minimality"), exact=True)
    assert beliefs.posterior(0, "7th-8th") == 1
    assert beliefs.belief("7th-8th").tolist() == [1.0, *[0.0] * others]
    assert "as they are" in beliefs.explain(0)


def test_without_anybody_kept_either_may_be_the_one() -> None:
    frame = pl.DataFrame({"workclass": ["self-emp", "private"], "education": ["7th-8th", "HS-grad"]})
    table = pc.read(frame, quasi=["workclass"], sensitive="education")
    model = pc.LDiversity(l=2, sensitive=("7th-8th",))
    beliefs = infer(evidence_of_groups(table, [0, 0], model=model), pc.Adversary(knows="minimality"))
    assert beliefs.belief("7th-8th").tolist() == [0.5, 0.5]
