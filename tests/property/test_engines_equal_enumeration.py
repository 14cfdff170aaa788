"""The engines of ``posterior`` equal enumeration of all arrangements, as fractions; their floats to a billionth."""

from __future__ import annotations

from fractions import Fraction
from math import isclose
from random import Random

import pytest

from pellucid.errors import ModelError
from pellucid.model import PrivacyModel, parse
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.shape import Buckets, Merged, Plain, Shape
from plain.arrangements import shares

VALUES = [10, 20, 30, 40]
CASES = 2_000


def random_model(random: Random, values: list[int]) -> PrivacyModel:
    chosen = random.choice(
        [
            "l-diversity=2",
            "l-diversity=2",
            "l-diversity=3",
            "distinct l-diversity=2",
            "entropy l-diversity=1.5",
            "recursive (c,l)-diversity=2,2",
            "t-closeness=0.3",
            "ordered t-closeness=0.2",
            "(k,e)-anonymity=2,10",
            "beta-likeness=1",
        ]
    )
    model = parse(chosen)
    if "sensitive" in type(model).model_fields and random.random() < 0.5:
        some = tuple(random.sample(values, random.randint(1, len(values))))
        model = type(model)(**{name: getattr(model, name) for name in model.model_fields_set}, sensitive=some)
    return model


def random_column(random: Random, rows: int) -> SensitiveColumn:
    drawn = [random.choice(VALUES[: random.randint(2, 4)]) for _ in range(rows)]
    return SensitiveColumn.of({value: drawn.count(value) for value in set(drawn)})


def merged(random: Random) -> tuple[Shape, SensitiveColumn]:
    sizes = tuple(random.randint(1, 4) for _ in range(random.randint(1, 3)))
    column = random_column(random, sum(sizes))
    whole = tuple(
        (value, count + random.randint(0, 2)) for value, count in zip(column.values, column.counts, strict=True)
    )
    return Merged(sizes, random_model(random, column.values), whole), column


def buckets(random: Random) -> tuple[Shape, SensitiveColumn]:
    l, number = random.randint(2, 3), random.randint(1, 4)
    column = random_column(random, l * number)
    whole = tuple(zip(column.values, column.counts, strict=True))
    p = random.choice([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(13, 20), Fraction(1)])
    return Buckets((l,) * number, random_model(random, column.values), p, whole), column


def plain(random: Random) -> tuple[Shape, SensitiveColumn]:
    sizes = tuple(random.randint(1, 3) for _ in range(random.randint(1, 3)))
    return Plain(sizes), random_column(random, sum(sizes))


@pytest.mark.parametrize("make", [merged, buckets, plain])
def test_an_engine_equals_enumeration(make) -> None:  # type: ignore[no-untyped-def]
    told = refused = 0
    for seed in range(CASES):
        shape, column = make(Random(f"{make.__name__} {seed}"))
        expected = shares(shape, column)
        if expected is None:
            refused += 1
            with pytest.raises(ModelError):
                shape.shares(column, exact=True)
            continue
        told += 1
        found = shape.shares(column, exact=True)
        assert [[part[value] for value in column.values] for part in found] == expected, (seed, shape)
        floats = shape.shares(column)
        for part, of_part in zip(floats, expected, strict=True):
            for value, share in zip(column.values, of_part, strict=True):
                assert isclose(part[value], share, rel_tol=1e-9, abs_tol=1e-12), (seed, shape)
    assert told > CASES / 4
    assert refused > 0 or make is plain
