"""How far strata pin columns down equals its plain definition: every stratum looked at, value by value."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.strata_pins import Pin, pins_of
from pellucid.anonymize.methods import Grouping

TREE = {"*": {"a": ["a1", "a2"], "b": ["b1", "b2", "b3"], "c": ["c1"]}}
ORDER = ["low", "mid", "high", "top"]
LEAVES = [leaf for leaves in TREE["*"].values() for leaf in leaves]


def cells(random: Random, kind: str, rows: int, labels: list[int]) -> list[object]:
    """Values that depend on the stratum more or less."""
    near = random.choice([0, 1, 3, 20])

    def cell(stratum: int) -> object:
        place = 7 * stratum + random.randint(0, near)
        if random.random() < 0.05 and near > 1:
            return None
        values = {"number": place / 4, "date": date(1980, 1, 1) + timedelta(place), "ordered": ORDER[place % 4]}
        values["whole"] = 2**60 + place  # beyond what floats tell apart
        return values.get(kind, LEAVES[place % 6] if kind == "tree" else "xyz"[place % 3])

    return [cell(labels[row]) for row in range(rows)]


def plain(kind: str, values: list[object], strata: list[list[int]]) -> Pin:
    """The definition."""
    if all(len({values[row] for row in stratum}) == 1 for stratum in strata):
        return {"how": "constant"}
    if kind in ("number", "whole", "date", "ordered"):
        used = [one for one in ORDER if one in values]

        def span(rows: list[int]) -> Fraction:
            known = [values[row] for row in rows if values[row] is not None]
            if not known:
                return Fraction(0)
            if kind == "ordered":
                return Fraction(max(map(used.index, known)) - min(map(used.index, known)))
            apart = max(known) - min(known)  # type: ignore[type-var, operator]
            return Fraction(apart.days if kind == "date" else apart)

        spans = [span(stratum) for stratum in strata]
        half = min(
            s for s in spans if 2 * sum(len(g) for g, t in zip(strata, spans, strict=True) if t <= s) >= len(values)
        )
        nulls = any(len({values[row] is None for row in stratum}) == 2 for stratum in strata)
        near = 2 * half < span(list(range(len(values)))) and not nulls
        found: Pin = {"how": "range" if near else "mixed", "half": half}
        return found | {"all": max(spans)} | {"date": {"unit": "days"}, "ordered": {"unit": "steps"}}.get(kind, {})
    if kind == "tree" and all(len({values[row] and str(values[row])[0] for row in stratum}) == 1 for stratum in strata):
        return {"how": "level", "level": 1}
    alone = sum(len(stratum) for stratum in strata if len({values[row] for row in stratum}) == 1)
    return {"how": "mixed", "alone": round(alone / len(values), 4)}


@pytest.mark.parametrize("kind", ["number", "whole", "date", "ordered", "tree", "category"])
def test_pins_are_those_of_the_definition(kind: str) -> None:
    seen = set()
    for number in range(60):
        random = Random(f"pins {kind} {number}")
        rows = random.randint(2, 30)
        labels = sorted(random.randrange(4) for _ in range(rows))
        labels = [sorted(set(labels)).index(one) for one in labels]
        values = cells(random, kind, rows, labels)
        if all(value is None for value in values):
            continue
        column: dict[str, object] = {"role": "quasi", "kind": {"tree": "category", "whole": "number"}.get(kind, kind)}
        column |= {"order": ORDER} if kind == "ordered" else {}
        column |= {"taxonomy": {"tree": TREE}} if kind == "tree" else {}
        schema = {"columns": {"x": column, "ill": {"role": "sensitive"}}}
        frame = pl.DataFrame({"x": values, "ill": [str(row % 3) for row in range(rows)]})
        table = pc.read(frame, schema=pc.Schema.model_validate(schema))
        strata = [[row for row in range(rows) if labels[row] == one] for one in sorted(set(labels))]
        (pin,) = pins_of(table, Grouping.from_labels(np.array(labels, np.int32)))
        assert pin == {"column": "x"} | plain(kind, values, strata), (values, labels)
        seen.add(pin["how"])
    assert {"constant", "mixed"} <= seen
    assert len(seen) > 2 or kind == "category"
