"""People who were not in the table have no part in what is believed of those who were, however they are ordered."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc

METHODS = [
    pc.Mondrian(l=2, strict=True, retry=False),
    pc.Mondrian(l=2, strict=True),
    pc.Mondrian(l=2, strict=False, retry=False),
    pc.Mondrian(l=2, strict=False),
    pc.SymmetricGrouping(l=2),
    pc.SymmetricGrouping(l=2, order="hilbert"),
    pc.GreedyGrouping(l=2),
    pc.GreedyGrouping(l=2, order="hilbert"),
    pc.Audited(l=2),
    pc.Incognito(l=2),  # which has no law by group: worlds are tried
    pc.Tailor(l=2),
]
TABLES = 8  # of each method; each is attacked twice
ROLES: dict[str, Any] = {"quasi": ["x", "y"], "sensitive": "s", "identifier": "id"}


def drawn(random: Random) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A table, and outsiders who are far from everybody in it, with names between theirs."""
    rows = random.choice([4, 6, 6, 7])
    names = random.sample(range(100), rows + 3)
    wide = random.choice([3, 9])
    table = pl.DataFrame(
        {
            "id": names[:rows],
            "x": [random.randint(0, 3) for _ in range(rows)],
            "y": [random.randint(0, wide) for _ in range(rows)],
            "s": [random.choice("aabc") for _ in range(rows)],
        }
    )
    count = random.randint(1, 3)
    far = {"id": names[rows : rows + count], "x": [random.choice([-90, 1, 70]) for _ in range(count)]}
    return table, pl.DataFrame(far | {"y": [random.choice([-500, 300]) for _ in range(count)]})


def believed(folder: Path, people: pl.DataFrame) -> Any:
    """What is believed of everybody by name, and how sure that is; the reason where nothing is."""
    try:
        beliefs = pc.attack(folder, population=people, identifier="id", exact=True)
    except pc.AttackError as wrong:
        return type(wrong).__name__
    if int(beliefs.evidence.inside.sum()) > int(beliefs.evidence.published.sizes.sum()):
        return None  # a group covers some of them, and they may be in the table
    told = {name: beliefs.posterior_of(row) for row, name in enumerate(beliefs.evidence.names or [])}
    return {name: one for name, one in told.items() if one}, beliefs.exactness


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method))
def test_outsiders_whom_no_group_covers_change_nothing(method: pc.Method, tmp_path: Path) -> None:
    random = Random(repr(method))
    compared = 0
    for number in range(TABLES):
        table, outsiders = drawn(random)
        try:
            release = pc.publish(table, method, **ROLES)
        except pc.PellucidError:
            continue
        if release.recipe["suppressed"]:
            continue  # then it matters who else there is: see below
        folder = release.write(tmp_path / str(number))
        people = table.drop("s")
        alone = believed(folder, people)
        crowd = pl.concat([people, outsiders]).sample(fraction=1, shuffle=True, seed=number)
        among = believed(folder, crowd)
        if among is not None:
            assert among == alone or (among == "NoLaw" and isinstance(method, pc.Incognito))
            compared += not isinstance(alone, str)
    assert compared or isinstance(method, pc.Incognito)


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_where_rows_are_withheld_and_nobody_knows_whose_nothing_is_shown(tmp_path: Path) -> None:
    """The withheld rows stood in the line too; with exactly the people of the table they are known."""
    table = pl.DataFrame({"id": range(5), "q": [1, 2, 3, 4, 9], "s": list("aabcc")})
    folder = pc.publish(table, pc.GreedyGrouping(l=2), quasi="q", sensitive="s", identifier="id").write(tmp_path / "o")
    people = table.drop("s")
    exact = pc.attack(folder, population=people, identifier="id")
    assert exact.exactness.value == "bound"
    assert exact.risk.tolist() == [1, 1, 0.5, 0.5, 1]
    more = pl.concat([people, pl.DataFrame({"id": [7], "q": [20]})])
    with pytest.raises(pc.AttackError, match="not known whose"):
        pc.attack(folder, population=more, identifier="id")
