"""The decimal sign of a text is a comma where a look at every column says so, though few columns are looked at."""

from __future__ import annotations

from random import Random

import polars as pl

from pellucid.io.guessing_form import of_text
from pellucid.io.inference import has_decimal_commas

VALUES = ["7", "7,5", "1.234,5", "1,234", "x", "", "?", "31.12.1980", " 2,25 ", "-3,0", "07", "a, b"]


def test_the_decimal_sign_is_that_of_a_look_at_every_column() -> None:
    random, found = Random(5), []
    for _ in range(150):
        kinds = [random.sample(VALUES, random.choice([1, 1, 2])) for _ in range(3)]
        rows = [[random.choice(kind) for kind in kinds] for _ in range(random.randrange(1, 6))]
        text = "".join(";".join(row) + "\n" for row in [["one", "two", "three"], *rows])
        form = of_text(text.encode())
        if form.separator != ";" or not form.header:
            continue
        columns = [
            pl.Series([value or None for value in column], dtype=pl.String) for column in zip(*rows, strict=True)
        ]
        assert form.decimal == ("," if any(map(has_decimal_commas, columns)) else "."), text
        found.append(form.decimal)
    assert min(found.count(","), found.count(".")) > 20
