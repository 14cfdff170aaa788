"""A column's name with a dot, as R writes them, is put between backquotes in a condition; the error shows it."""

from __future__ import annotations

import pytest

from pellucid.core.schema.condition import Condition
from pellucid.errors import SchemaError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("wait.time >= 0", "`wait.time` >= 0"),
        ("age > 3 and not fu.date is null", "age > 3 and not `fu.date` is null"),
        ("`x.y` = 1 or hla-a2 in [1, 2]", "`x.y` = 1 or `hla-a2` in [1, 2]"),
    ],
)
def test_the_error_shows_how_the_name_is_written(written: str, meant: str) -> None:
    with pytest.raises(SchemaError) as refused:
        Condition.of(written)
    assert str(refused.value).endswith(f"put it in backquotes: {meant}")
    assert Condition.of(meant).columns


@pytest.mark.parametrize("written", ["age > 1.5.2", "age >> 3", 'town = "St. Gallen" and', "age > a.b"])
def test_another_mistake_is_not_taken_for_a_name(written: str) -> None:
    with pytest.raises(SchemaError, match="must stand"):
        Condition.of(written)
