"""Every model that is registered is asked, about the groups that were counted, and has its place in what is told.

Groups that floats put into the wrong order: integers decide which is worst.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.models import Groups, models
from pellucid.models.delta_disclosure import DeltaDisclosure, Logarithms
from pellucid.models.figures import Ratios
from pellucid.models.groups import numbered

KINDS: dict[str, dict[str, Any]] = {
    "numbers": {"kind": "number"},
    "categories": {"kind": "category", "taxonomy": {"tree": {"*": {"low": ["0", "1", "2"], "high": ["3", "4", "5"]}}}},
    "ordered": {"kind": "ordered", "order": ["5", "3", "4", "0", "2", "1"]},
}


def table(seed: int) -> pl.DataFrame:
    random = Random(seed)
    n = random.randrange(1, 400)
    return pl.DataFrame(
        {
            "q": [random.randrange(12) for _ in range(n)],
            "r": [random.choice([None, "a", "b", "c"]) for _ in range(n)],
            "s": [min(random.randrange(6), random.randrange(6)) for _ in range(n)],
        }
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_every_model_answers_about_the_groups_that_were_counted(kind: str, seed: int) -> None:
    """Rows sorted and counted here give what the models' own way of counting labels gives."""
    columns = {"q": pc.Column(role="quasi"), "r": pc.Column(role="quasi")}
    schema = pc.Schema(columns=columns | {"s": pc.Column(role="sensitive", **KINDS[kind])})
    frame = table(seed)
    audit = pc.examine(frame, schema=schema)
    coded = pc.read(frame, schema=schema)
    labels = frame.select(pl.struct("q", "r").rank("dense") - 1).to_series().to_numpy().astype(np.int32)
    groups = Groups.of(labels, coded.codes[2], coded.attributes[2])
    asked = [model for name in models() for model in models()[name].surveyed(groups) if model.unfit(groups) is None]
    expected = {(level.model, level.level, level.exact, level.meaning) for level in (m.level(groups) for m in asked)}
    assert {(one.model, one.level, one.exact, one.meaning) for one in audit.levels()} == expected
    for model in asked:
        (verdict,) = audit.verify([model])
        assert verdict.holds == model.check(groups).holds


def test_every_model_is_known_by_what_it_looks_at() -> None:
    """A model about sizes gives the same level whatever the sensitive values are; one about values does not."""
    first = pl.DataFrame({"q": [1, 1, 1, 2, 2, 2], "s": [1, 2, 3, 1, 2, 4]})
    constant = first.with_columns(s=pl.lit(7))
    people = pl.DataFrame({"q": [1] * 7 + [2] * 5 + [3]})

    def levels(frame: pl.DataFrame) -> dict[str, Any]:
        return {one.model: one.level for one in pc.levels(frame, quasi="q", sensitive="s", population=people)}

    changed = {name for name, level in levels(first).items() if levels(constant)[name] != level}
    known = {name for name, kind in models().items() if name in levels(first) and kind.looks_at == "values"}
    assert changed == known


def test_every_model_that_groups_can_answer_has_its_place() -> None:
    silent = {"m-confidentiality", "r-robustness", "transparent l-diversity"}  # these need an adversary
    last = pc.PrivacyModel.place
    assert {name for name, kind in models().items() if kind.place == last} == silent
    told = {kind: kind.place for name, kind in models().items() if name not in silent}
    assert len(set(told.values())) == len(told)


def test_what_needs_an_adversary_says_so() -> None:
    frame = pl.DataFrame({"q": [1, 1], "s": ["a", "b"]})
    answers = pc.levels(frame, quasi="q", sensitive="s")
    for model in (pc.MConfidentiality(m=2), pc.RRobustness(r=2), pc.TransparentLDiversity(l=2)):
        assert "adversary" in answers.unanswered[model.label]
        with pytest.raises(pc.ModelError, match="adversary"):
            pc.verify(frame, [model], quasi="q", sensitive="s")


def test_every_model_has_a_paragraph_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
    assert [name for name in models() if f"**{name}**" not in text] == []


def test_the_worst_of_two_quotients_is_told_exactly() -> None:
    # the first is smaller, but its float is larger
    above = np.array([2490418991633626472, 2490418991633626350])
    below = np.array([2836659595355448467, 2836659595355448307])
    assert Fraction(int(above[0]), int(below[0])) < Fraction(int(above[1]), int(below[1]))
    figures = Ratios(above, below)
    assert figures.floats[0] > figures.floats[1]
    assert figures.worst("largest") == 0
    assert figures.worst("smallest") == 1
    assert Logarithms(figures).worst("smallest") == 1


def test_the_larger_of_two_factors_is_told_exactly() -> None:
    # One value becomes more probable by almost the factor by which the other becomes less so, and the float of the
    # smaller factor is the larger float.
    counts, table = np.array([22070611, 17000867]), np.array([240728836, 312515385])
    rows, size = int(table.sum()), int(counts.sum())
    more, less = Fraction(22070611 * rows, 240728836 * size), Fraction(312515385 * size, 17000867 * rows)
    assert more < less
    figures = DeltaDisclosure(delta=1).figures(Groups.of_counts(counts, table, numbered(2)))["delta"]
    assert isinstance(figures, Logarithms)
    assert figures.ratios.exact(0) == less
