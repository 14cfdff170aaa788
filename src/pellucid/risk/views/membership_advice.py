"""What would tell who is in which group, for whoever asks: advice that can be followed, and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from pellucid.core.recipe import Recipe
from pellucid.core.table import Table
from pellucid.errors import PellucidError
from pellucid.messages import Message
from pellucid.messages.terms import IDENTIFIER
from pellucid.risk.views.evidence import Evidence
from pellucid.risk.views.regrouping import HowMade, run_again

KEPT = Message("{TELL_GROUPS}")
IN_MEMORY = "attack the release in Python where it is made: pc.attack(release, truth=table)"  # it knows what it changed
MOST_TRIED = 2  # columns that may be the identifier


def unique_columns(frame: pl.DataFrame, known: Iterable[str]) -> list[str]:
    """The columns that tell all rows apart and are nothing else already.

    >>> unique_columns(pl.DataFrame({"who": [1, 2], "age": [3, 4], "sex": [5, 5]}), known=["age"])
    ['who']
    """
    others = [name for name in frame.columns if name not in set(known)]
    return [name for name in others if frame[name].n_unique() == frame.height and not frame[name].null_count()]


def of_the_table(made: HowMade, table: Table, unique: list[str], ordered_by: Callable[[str], Table]) -> Message:
    """With the table at hand: an identifier only where naming it lets the method be run again, and never by luck."""
    if made.method.draws_coins or table.order is not None or not made.by_identifier:
        return Message(KEPT)
    for name in unique[:MOST_TRIED]:
        try:
            grouping, _ = run_again(ordered_by(name), made)
        except PellucidError:
            continue
        if grouping is not None:
            return Message(
                "its rows were ordered by an identifier: name it with {identifier}, and that tells",
                identifier=IDENTIFIER.such_as(name),
            )
    if unique:
        return Message(KEPT)
    return Message("name the column that ordered its rows with {IDENTIFIER}, or {kept}", kept=KEPT)


def of_a_population(made: HowMade | None, recipe: Recipe | None, *, spare: int) -> Message:
    """Without the table; ``spare`` people fit the groups beyond the rows that these have."""
    suppressed = 0 if recipe is None else recipe.suppressed or 0
    if spare > 0 and not suppressed:
        return Message("")  # exactly the people of the table would do
    if made is None or made.method.draws_coins:
        return Message("give the table as {TRUTH}, and {kept}", kept=KEPT)
    if made.by_identifier:
        return Message("give the table as {TRUTH} with the {IDENTIFIER} that ordered its rows, or {kept}", kept=KEPT)
    return Message("give the table as {TRUTH}, and {kept}", kept=KEPT)


def way_out_of(evidence: Evidence) -> Message:
    """What would tell who is in which group."""
    if evidence.distorted:
        return Message(IN_MEMORY)
    if evidence.way_out:
        return Message(evidence.way_out)
    if evidence.membership is None or int(evidence.membership.covered.sum()) > int(evidence.published.sizes.sum()):
        return Message("give exactly the people of the table as {POPULATION}")
    return Message("{GIVE_TABLE_AND_GROUPS}")
