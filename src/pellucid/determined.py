"""Whether a published column gives a sensitive one away; what does is refused unless somebody accepts it.

A promise of 1/l assumes that nothing published beside a group tells who in it has which value. An income published
beside its protected decile does: whoever sorts both inside a group names nearly everybody. So before anything is
published each column is measured against each sensitive one, by :mod:`pellucid.association`, and what determines it is
refused. Columns are looked at one by one: two that determine a third only together (weight and height beside a body
mass index) are not found.

**No channel.** The figures are computed from the private table and shown to its steward alone; all that follows is
whether anything is published. A refusal is an error before anything is, like an infeasible l, and what is accepted is
written down as it was *given*, not as it was found. That a release exists says that no other figure was 0.8 or more:
one bit about counts of the whole table, in which one person's value has a weight of about 1/n. And it rules hardly any
world out: inside groups in which a value is held by at most one person in l, the values of others foretell a share of
about 1/l under nearly all permutations, and for a share near 1 the probability falls exponentially with n; an order of
whole groups among each other, which a coarse column may have, is the same in all of these worlds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pellucid.arguments import brief, several
from pellucid.association import CodePairs, as_a_part, foretold, in_order
from pellucid.errors import SchemaError
from pellucid.parallel import run
from pellucid.schema import Kind, Role
from pellucid.table import Attribute, Codes, Table
from pellucid.text.figures import percent
from pellucid.text.suggestions import meant

DETERMINED = 0.8  # refused from here on; five equal parts of a sensitive number reach it
MUCH = 0.5  # told from here on

How = Literal["value", "order", "part", "nothing"]


class TellingColumnWarning(UserWarning):
    """A published column says much about a sensitive one; the message has the figure."""


@dataclass(frozen=True, slots=True)
class Says:
    """How much ``column`` says about ``sensitive``: ``told`` from 0 to 1, and in which of three ways."""

    column: str
    sensitive: str
    told: float
    how: How

    @property
    def determines(self) -> bool:
        """Whether the column gives the sensitive value away."""
        return self.told >= DETERMINED

    @property
    def figure(self) -> str:
        """The figure in a few words.

        >>> Says("income", "decile", 0.97, "value").figure
        'tells 97 % of decile'
        """
        return f"tells {percent(self.told)} of {self.sensitive}"

    @property
    def words(self) -> str:
        """The figure as a clause.

        >>> Says("income", "decile", 0.97, "value").words
        'income tells 97 % of decile: people next to each other in income have the same decile'
        """
        about = {
            "value": f"people next to each other in {self.column} have the same {self.sensitive}",
            "order": f"sorting by {self.column} sorts by {self.sensitive}",
            "part": f"{self.column} is a coarser {self.sensitive}",
            "nothing": "no more than chance",
        }
        return f"{self.column} {self.figure}: {about[self.how]}"


def says(
    column: str,
    codes: Codes,
    values: int,
    sensitive: str,
    secret: Codes,
    secrets: int,
    *,
    nulls: tuple[bool, bool] = (False, False),
    ordered: bool = False,
) -> Says:
    """How much a column of codes says about another; ``ordered``: whether the codes of the other have an order.

    >>> import numpy as np
    >>> coins = np.random.default_rng(1)
    >>> income = coins.permutation(5000).astype(np.int32)
    >>> found = says("income", income, 5000, "decile", income // 500, 10)
    >>> found.how, round(found.told, 3), found.determines
    ('value', 0.998, True)
    >>> says("shoe", coins.permutation(5000).astype(np.int32), 5000, "decile", income // 500, 10).told < 0.05
    True
    """
    return says_of_cells(column, sensitive, CodePairs.of(codes, values, secret, secrets), nulls=nulls, ordered=ordered)


def says_of_cells(column: str, sensitive: str, cells: CodePairs, *, nulls: tuple[bool, bool], ordered: bool) -> Says:
    """The same from counts of pairs."""
    if not len(cells.rows) or any(part.min() == part.max() for part in (cells.first, cells.second)):
        return Says(column, sensitive, 0.0, "nothing")
    figures: dict[How, float] = {"value": foretold(cells), "order": 0.0, "part": as_a_part(cells)}
    if ordered:
        figures["order"] = in_order(cells.without_nulls(*nulls))
    how = max(figures, key=lambda way: figures[way])
    if figures["value"] >= DETERMINED:  # the plainest reading, where it is as bad as the others
        how = "value"
    return Says(column, sensitive, figures[how], how if figures[how] > 0 else "nothing")


def said_in(table: Table, threads: int = 1) -> list[Says]:
    """Each published column that is not protected against each that is, in the table's order."""
    pairs = [
        (i, j) for i in (*table.having(Role.QUASI), *table.having(Role.CARRY)) for j in table.having(Role.SENSITIVE)
    ]
    found: dict[tuple[int, int], Says] = {}

    def look(i: int, j: int) -> None:
        found[i, j] = says_about(table.attributes[i], table.codes[i], table.attributes[j], table.codes[j])

    run([partial(look, *pair) for pair in pairs], threads)
    return [found[pair] for pair in pairs]


def says_about(known: Attribute, codes: Codes, protected: Attribute, secret: Codes) -> Says:
    """How much one column of a table says about another."""
    return says(
        known.name,
        codes,
        len(known),
        protected.name,
        secret,
        len(protected),
        nulls=(known.has_null, protected.has_null),
        ordered=protected.kind is not Kind.CATEGORY,
    )


def check_accepted(accepted: Collection[str], published: Sequence[str]) -> tuple[str, ...]:
    """The names that are accepted, once each; raise when one is no published column beside the sensitive ones."""
    accepted = several(accepted, "accept_known", "a list of columns, as in accept_known=['income']", SchemaError)
    for name in accepted:
        if not isinstance(name, str) or name not in published:
            raise SchemaError(
                f"accept_known names {brief(name)}, which is no quasi-identifier or carried column"
                f"{meant(str(name), published)}; accept one of {', '.join(map(repr, published))}, or leave it out"
            )
    return tuple(dict.fromkeys(accepted))


def refuse_determined(found: Sequence[Says], accepted: Collection[str] = ()) -> list[Says]:
    """Raise when a column gives a sensitive one away and is not accepted; else what says much, for a warning."""
    refused = [one for one in found if one.determines and one.column not in accepted]
    if refused:
        raise SchemaError(refusal(refused))
    return [one for one in found if one.told >= MUCH and one.column not in accepted]


def refusal(found: Sequence[Says]) -> str:
    """One line: which column, the figure, and the ways out.

    >>> refusal([Says("pay", "decile", 1.0, "value")]).partition("; ")[0]
    'pay tells 100 % of decile: people next to each other in pay have the same decile, so no group hides it'
    """
    worst = max(found, key=lambda one: one.told)
    more = list(dict.fromkeys(one.column for one in found if one.column != worst.column))
    also = f" (and so do {', '.join(more)})" if len(more) > 1 else f" (and so does {more[0]})" if more else ""
    name = worst.column
    return (
        f'{worst.words}, so no group hides it{also}; drop {name} (role = "drop"), protect both (role = '
        f'"sensitive"), or accept it with --accept-known {name} (accept_known in Python and in a job)'
    )


def warning(found: Sequence[Says]) -> str:
    """One line about columns that say much and do not determine.

    >>> warning([Says("age", "band", 0.61, "order")])
    'age tells 61 % of band: sorting by age sorts by band; who knows how the two go together does better than the \
promise says: drop age, or make it coarser, if that matters'
    """
    worst = max(found, key=lambda one: one.told)
    more = len({one.column for one in found}) - 1
    also = f" (and {more} more say much)" if more else ""
    return (
        f"{worst.words}{also}; who knows how the two go together does better than the promise says: drop "
        f"{worst.column}, or make it coarser, if that matters"
    )
