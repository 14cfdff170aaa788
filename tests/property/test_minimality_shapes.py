"""What merged classes could have stayed apart by: the counts of people like them who are published as they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.shape import Merged, Plain
from pellucid.risk.inference.likelihoods import minimality
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups


def drawn(seed: int) -> Evidence:
    """People of few looks in groups, of which many have people of one look alone."""
    random = np.random.default_rng(seed)
    rows = 60
    looks = random.integers(0, 4, rows)
    frame = pl.DataFrame(
        {"q": looks % 2, "r": looks // 2, "s": random.choice(["flu", "cold", "cough", "10", "9"], rows)}
    )
    alone = random.random(rows) < 0.6
    labels = np.where(alone, looks * 3 + random.integers(0, 3, rows), 12 + random.integers(0, 6, rows))
    _, labels = np.unique(labels, return_inverse=True)
    evidence = evidence_of_groups(pc.read(frame, quasi=["q", "r"], sensitive="s"), labels.astype(np.int32))
    return replace(evidence, model=pc.DistinctLDiversity(l=2))


def told(evidence: Evidence, group: int) -> tuple[str, tuple[int, ...], list[Counter[Any]]]:
    """By looking at every person: what kind of group it is, the sizes of its classes, and what each stayed apart by."""
    codes = np.stack([evidence.people.codes[0], evidence.people.codes[1]], axis=1)
    classes = {g: Counter(map(tuple, codes[evidence.members(g)].tolist())) for g in range(len(evidence.grouping))}
    mine = sorted(classes[group])
    sizes = tuple(classes[group][look] for look in mine)
    if len(mine) == 1:
        return "Plain", sizes, []
    apart = []
    for look in mine:
        counts: Counter[Any] = Counter()
        for other, looks in classes.items():
            if set(looks) == {look}:
                held, often = evidence.counts(other)
                counts.update(dict(zip([evidence.values[c] for c in held.tolist()], often.tolist(), strict=True)))
        apart.append(counts)
    return ("Generalized" if any(apart) else "Merged"), sizes, apart


@pytest.mark.parametrize("seed", range(8))
def test_shapes_are_those_that_looking_at_everybody_gives(seed: int) -> None:
    evidence = drawn(seed)
    likelihood = minimality(evidence)
    kinds = set()
    for group in range(len(evidence.grouping)):
        shape = likelihood.shapes[int(likelihood.of_group[group])]
        kind, sizes, apart = told(evidence, group)
        assert type(shape).__name__ == kind
        assert isinstance(shape, Plain | Merged | Generalized)
        assert tuple(shape.sizes) == sizes
        if isinstance(shape, Generalized):
            assert [Counter(dict(counts)) for counts in shape.kept] == apart
        kinds.add(kind)
    assert "Generalized" in kinds
    assert len(set(map(id, likelihood.shapes))) == len(likelihood.shapes)
