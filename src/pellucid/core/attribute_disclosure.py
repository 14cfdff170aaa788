"""Whether a published column gives a sensitive one away; what does is refused unless somebody accepts it.

A promise of 1/l assumes that nothing published beside a group tells who in it has which value. An income published
beside its protected decile does: whoever sorts both inside a group names nearly everybody. So before anything is
published each column is measured against each sensitive one, by :mod:`pellucid.core.association`, and what determines
it is refused. Columns are looked at one by one: two that determine a third only together (weight and height beside a
body mass index) are not found.

Where a method protects some values only, all others count as one: a promise about HIV alone is broken by a drug that is
given for it, and not by what tells a flu from a cold. A value that few people have is not the column: what tells who
has it is no reason to refuse, unless it is among the protected ones, and a warning names it.

Texts that are numbers are put in the order of these numbers, though the schema calls them categories: who sorts a
yearly pay of ``49.700,50`` beside a monthly one of ``3.681,52`` does not ask what they are called.

Where a column says which rows belong together, members of one household are not each other's others: what is one
household's own, such as its rent, would tell the decile that its members share. If clusters tell half of what their
rows have, or more, each counts once (:func:`rows_compared`); if less, naming a cluster is no more than that.

**No channel.** The figures are computed from the private table and shown to its steward alone; all that follows is
whether anything is published. A refusal is an error before anything is, like an infeasible l, and what is accepted is
written down as it was *given*, not as it was found. That a release exists says that no other figure was 0.8 or more:
one bit about counts of the whole table, in which one person's value has a weight of about 1/n. And it rules hardly any
world out: inside groups in which a value is held by at most one person in l, the values of others foretell a share of
about 1/l under nearly all permutations, and for a share near 1 the probability falls exponentially with n; an order of
whole groups among each other, which a coarse column may have, is the same in all of these worlds.

Strata that are published whole may have one value nearly throughout. Then most arrangements have a figure above 0.8,
and the bit rules these out: of three strata of twenty, with one d in each of two, 18 of 400 arrangements were
published, and all had a d at one place. So for a method with strata each figure is asked again of tables in which the
people of every stratum have traded their values by lot, and refused from 0.7 on. That looks at what each stratum has
and at coins alone. What passes rules hardly any arrangement out. Tables of more rows are not asked, nor those with
Spark: there figures of arrangements are so near each other that a table hardly lies where some are above 0.8 and
others are not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.association import CodePairs, as_a_part, foretold, in_order, in_tenths, of_one_value, of_rare_value
from pellucid.core.coins import Coins
from pellucid.core.schema import OF_GROUP, Kind, Role
from pellucid.core.schema.sides_in_words import in_words
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import SchemaError
from pellucid.messages import Message, Share, Term
from pellucid.messages.terms import APPLIES
from pellucid.runtime.arguments import brief, several
from pellucid.runtime.parallel import run
from pellucid.runtime.records import record
from pellucid.text.figures import percent
from pellucid.text.suggestions import meant

DETERMINED = 0.8  # refused from here on; five equal parts of a sensitive number reach it
BY_STRATA = 0.7  # refused from here on, where the people of each stratum have traded their values
TRADES, FEW, MANY = 5, 5_000, 50_000  # how often they trade in tables of few rows; from so many on they do not
MUCH = 0.5  # told from here on
SOME = 0.05  # from here on a draft says it
SCALE = "0 % is nothing, 100 % gives it away"

NUMBER = r"^[+-]?[0-9]+([.,][0-9]+)?$"
GROUPED = r"^[+-]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$"

How = Literal["value", "order", "part", "one", "near", "protected", "nothing"]


class TellingColumnWarning(UserWarning):
    """A published column says much about a sensitive one; the message has the figure."""


@record()
class Says:
    """How much ``column`` says about ``sensitive``: ``told`` from 0 to 1, and in which way.

    ``rare`` is how much it says about one value that few people have, ``rare_code``, and no part of ``told``.
    ``applies`` is the condition that holds where the other is not null, if the column says that for certain.
    """

    column: str
    sensitive: str
    told: float
    how: How
    code: int = -1  # the value whose people are told, where it is one
    value: object = None
    rare: float = 0.0
    rare_code: int = -1
    rare_value: object = None
    applies: str = ""

    def named(self, value_of: Callable[[int], object]) -> Says:
        """The same with the values of its codes."""
        found = replace(self, value=value_of(self.code)) if self.how == "one" else self
        return found if found.rare_code < 0 else replace(found, rare_value=value_of(found.rare_code))

    @property
    def determines(self) -> bool:
        """Whether the column gives the sensitive value away."""
        return self.told >= DETERMINED

    @property
    def worth_telling(self) -> bool:
        """Whether the column says much, or gives one value away that few people have."""
        return self.told >= MUCH or self.rare >= DETERMINED

    @property
    def worth_a_word(self) -> bool:
        """Whether there is something to say about the column in a draft.

        >>> [Says("age", "disease", told, "value").worth_a_word for told in (0.0, 0.049, 0.05)]
        [False, False, True]
        """
        return self.told >= SOME

    @property
    def figure(self) -> Message:
        """The figure in a few words.

        >>> Says("income", "decile", 0.97, "value").figure
        'tells 97 % of decile'
        """
        return Message("tells {told} of {sensitive}", told=Share(self.told), sensitive=self.sensitive)

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
            "one": f"{self.column} alone tells who has {'one value' if self.value is None else repr(self.value)}",
            "near": f"people next to each other in {self.column} have nearly the same {self.sensitive}",
            "protected": f"{self.column} tells who has a protected value",
            "nothing": "no more than chance",
        }
        if self.told < MUCH and self.rare >= DETERMINED:
            value = "one value" if self.rare_value is None else repr(self.rare_value)
            return f"{self.column} tells {percent(self.rare)} of who has {value} as {self.sensitive}, which few have"
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
    figures["one"], code = of_one_value(cells, null=nulls[1])
    if ordered and max(figures.values()) < DETERMINED:
        figures["near"] = in_tenths(cells.without_nulls(*nulls))
    how = max(figures, key=lambda way: figures[way])
    if figures["value"] >= DETERMINED:  # the plainest reading, where it is as bad as the others
        how = "value"
    rare, rare_code = of_rare_value(cells, null=nulls[1])
    found = Says(column, sensitive, figures[how], how if figures[how] > 0 else "nothing", code)
    return replace(found, rare=rare, rare_code=rare_code) if rare > 0 else found


def says_of_some(column: str, sensitive: str, cells: CodePairs) -> Says:
    """How much a column says about the protected values of another, whose code 0 stands for all others.

    >>> import numpy as np
    >>> drug = np.repeat(np.array([0, 1], np.int32), [970, 30])  # given for one disease alone
    >>> found = says_of_some("drug", "disease", CodePairs.of(drug, 2, drug, 2))
    >>> found.words
    'drug tells 100 % of disease: drug tells who has a protected value'
    """
    found = says_of_cells(column, sensitive, cells, nulls=(False, False), ordered=False)
    rare = found.rare if found.rare_code > 0 else 0.0  # one that is protected
    told = max(found.told, rare)
    return Says(column, sensitive, told, "protected" if told > 0 else "nothing")


def said_in(table: Table, threads: int = 1, protected: Mapping[str, NDArray[np.bool_]] | None = None) -> list[Says]:
    """Each published column that is not protected against each that is, in the table's order.

    ``protected``: which codes of a sensitive column are, where not all of them.
    """
    pairs = [(i, j) for role in OF_GROUP for i in table.having(role) for j in table.having(Role.SENSITIVE)]
    marks = protected or {}
    says_of: dict[tuple[int, int], Says] = {}
    compared = {j: rows_compared(table, j, marks.get(table.attributes[j].name)) for j in table.having(Role.SENSITIVE)}

    def look(i: int, j: int) -> None:
        known, secret = table.attributes[i], table.attributes[j]
        found = [
            says_about(known, table.codes[i][rows], secret, table.codes[j][rows], marks.get(secret.name))
            for rows in compared[j]
        ]
        worst = max(found, key=lambda one: (one.told, one.rare))
        if worst.determines and secret.has_null:
            some = table.codes[j] > 0
            there = says_about(known, table.codes[i][some], secret, table.codes[j][some], marks.get(secret.name))
            worst = worst if there.determines else _with_way_out(worst, known, table.codes[i], some)
        says_of[i, j] = worst

    run([partial(look, *pair) for pair in pairs], threads)
    return [says_of[pair] for pair in pairs]


def _with_way_out(told: Says, known: Attribute, codes: Codes, some: NDArray[np.bool_]) -> Says:
    """The same with the condition that the rows with something in the other column meet, if no other row does."""
    held, lack = (np.bincount(codes[rows], minlength=len(known)) > 0 for rows in (some, ~some))
    mixed = (held & lack).any() or not lack.any()
    words = None if mixed else in_words(known.name, known.kind, known.values, lack)
    return replace(told, applies=words[1]) if words else told


def rows_compared(
    table: Table, sensitive: int, marks: NDArray[np.bool_] | None = None
) -> list[NDArray[np.int64] | slice]:
    """The rows that are compared with each other, all of a table unless its clusters tell what their rows have.

    Where they do, rows of one cluster are no others: a rent that is one household's own says what the household has by
    naming it. Then each cluster counts once, by its first row in the table's order, and again by its last.

    >>> import pellucid as pc
    >>> homes = np.repeat(np.arange(300), 2)
    >>> frame = pl.DataFrame({"home": homes, "rent": homes, "decile": homes * 7919 % 10})
    >>> table = pc.read(frame, quasi="rent", sensitive="decile", cluster="home")
    >>> [rows[:3].tolist() for rows in rows_compared(table, 1)]
    [[0, 2, 4], [1, 3, 5]]
    """
    if table.clusters is None:
        return [slice(None)]
    secret, codes = table.attributes[sensitive], table.codes[sensitive]
    if marks is None:
        cells = CodePairs.of(table.clusters, int(table.clusters.max(initial=0)) + 1, codes, len(secret))
        told = says_of_cells("", secret.name, cells, nulls=(False, secret.has_null), ordered=False)
    else:
        told = says_of_some("", secret.name, _of_marked(table.clusters, int(table.clusters.max()) + 1, codes, marks))
    if max(told.told, told.rare) < MUCH:  # by naming a cluster a column tells no more
        return [slice(None)]
    first = np.unique(table.clusters, return_index=True)[1]
    last = len(codes) - 1 - np.unique(table.clusters[::-1], return_index=True)[1]
    return [first, last]


def _of_marked(codes: Codes, values: int, secret: Codes, marks: NDArray[np.bool_]) -> CodePairs:
    """Counts of pairs where all values that are not marked count as one, which has the code 0."""
    becomes = np.where(marks, np.cumsum(marks), 0).astype(np.int32)
    return CodePairs.of(codes, values, becomes[secret], int(marks.sum()) + 1)


def says_about(
    known: Attribute, codes: Codes, protected: Attribute, secret: Codes, marks: NDArray[np.bool_] | None = None
) -> Says:
    """How much one column of a table says about another, or about those of its values that are marked."""
    codes = _by_number(known, codes)[0]
    if marks is not None:
        return says_of_some(known.name, protected.name, _of_marked(codes, len(known), secret, marks))
    secret, ordered, values = _by_number(protected, secret)
    return says(
        known.name,
        codes,
        len(known),
        protected.name,
        secret,
        len(protected),
        nulls=(known.has_null, protected.has_null),
        ordered=ordered,
    ).named(lambda code: values[code])


def _by_number(attribute: Attribute, codes: Codes) -> tuple[Codes, bool, pl.Series]:
    """The codes in the order of the values, whether these have one, and the values; texts may be numbers."""
    if attribute.kind is not Kind.CATEGORY:
        return codes, True, attribute.values
    numbers = as_numbers(attribute.values)
    if numbers is None:
        return codes, False, attribute.values
    order = numbers.arg_sort(nulls_last=False)
    becomes = np.empty(len(order), np.int32)
    becomes[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    return becomes[codes], True, attribute.values.gather(order)


def as_numbers(values: pl.Series) -> pl.Series | None:
    """The numbers that texts are, with a point or a comma before decimals; None where one is none.

    >>> as_numbers(pl.Series(["3.681,52", "10,5", None, "-7"])).to_list()
    [3681.52, 10.5, None, -7.0]
    >>> as_numbers(pl.Series(["V45", "250"])) is None
    True
    """
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    if values.dtype != pl.String:
        return None
    texts = values.str.strip_chars()
    grouped = texts.str.contains(GROUPED) & texts.str.contains(",", literal=True)
    if not (texts.str.contains(NUMBER) | grouped).all():
        return None
    plain = pl.select(pl.when(grouped).then(texts.str.replace_all(".", "", literal=True)).otherwise(texts)).to_series()
    return plain.str.replace(",", ".", literal=True).cast(pl.Float64)


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


def refuse_determined(columns: Sequence[Says], accepted: Collection[str] = ()) -> list[Says]:
    """Raise when a column gives a sensitive one away and is not accepted; else what says much, for a warning."""
    refused = [one for one in columns if one.determines and one.column not in accepted]
    if refused:
        raise SchemaError(refusal(refused, list(dict.fromkeys(one.sensitive for one in columns))))
    return [one for one in columns if one.worth_telling and one.column not in accepted]


def refuse_told_by_strata(
    table: Table,
    strata: Codes,
    coins: Coins,
    accepted: Collection[str],
    protected: Mapping[str, NDArray[np.bool_]],
    threads: int = 1,
    parts: Callable[[Table], Collection[Table]] = lambda table: [table],
) -> None:
    """Raise where strata nearly give a sensitive column away, whoever in them has which value.

    ``parts``: the rows of each column that are compared, where not all are.
    """
    for number in range(TRADES if len(table) < FEW else 1):
        traded = traded_within(table, strata, coins.draws(np.arange(len(table)), purpose=f"trade {number}"))
        again = [one for part in parts(traded) for one in said_in(part, threads, protected)]
        refused = [one for one in again if one.told >= BY_STRATA and one.column not in accepted]
        if refused:
            raise SchemaError(refusal(refused, list(dict.fromkeys(one.sensitive for one in again))))


def traded_within(table: Table, strata: Codes, draws: NDArray[np.int64]) -> Table:
    """The table in which the people of each stratum have traded their sensitive values, all columns at once, by lot."""
    held, given = np.argsort(strata, kind="stable"), np.lexsort((draws, strata))
    codes = list(table.codes)
    for column in table.having(Role.SENSITIVE):
        codes[column] = np.empty_like(table.codes[column])
        codes[column][held] = table.codes[column][given]
    return replace(table, codes=tuple(codes))


def refusal(columns: Sequence[Says], protected: Sequence[str] = ()) -> Message:
    """One line: which column, the figure, and the ways out.

    ``protected`` names all sensitive columns: an acceptance is about each, as it tells nothing of what was measured.

    >>> refusal([Says("pay", "decile", 1.0, "value")]).values["accept"].value
    'pay'
    """
    worst = max(columns, key=lambda one: one.told)
    more = list(dict.fromkeys(one.column for one in columns if one.column != worst.column))
    also = f" (and so do {', '.join(more)})" if len(more) > 1 else f" (and so does {more[0]})" if more else ""
    name = worst.column
    excepted = f", which the promise then excepts for {' and '.join(protected)}" if len(protected) > 1 else ""
    return Message(
        '{words}, so no group hides it{also}; {first}drop {name} (role = "drop"), protect both (role = "sensitive"), '
        "or accept it with {accept}{excepted}{applies}",
        words=worst.words,
        also=also,
        first=_it_applies_where(worst),
        name=name,
        accept=Term("accept_known", f"accept_known={[name]!r}", name),
        excepted=excepted,
        applies=_if_it_does_not_apply(worst),
    )


def _it_applies_where(told: Says) -> Message | str:
    """The way out where null says that there is nothing, as the cause of death of people who live."""
    if not told.applies:
        return ""
    condition = APPLIES.such_as(f"{told.sensitive}={told.applies}")
    return Message("where null means that {name} does not apply, say {so}, or ", name=told.sensitive, so=condition)


def _if_it_does_not_apply(told: Says) -> Message | str:
    """A way out where one value may be a code for none, as 99 is for the income of children."""
    if told.how != "one" or told.value is None:
        return ""
    return Message(
        "; if {value} means that {sensitive} does not apply to them, declare it with missing and applies under "
        "{sensitive} in a schema: init proposes both lines",
        value=told.value,
        sensitive=told.sensitive,
    )


def warning(columns: Sequence[Says]) -> Message:
    """One line about columns that say much and do not determine.

    >>> warning([Says("age", "band", 0.61, "order")])
    'age tells 61 % of band: sorting by age sorts by band; who knows how the two go together does better than the \
promise says: drop age, or make it coarser, if that matters'
    """
    worst = max(columns, key=lambda one: (one.told >= MUCH, max(one.told, one.rare)))
    more = len({one.column for one in columns}) - 1
    also = f" (and {more} more say much)" if more else ""
    return Message(
        "{words}{also}; who knows how the two go together does better than the promise says: drop "
        "{column}, or make it coarser, if that matters",
        words=worst.words,
        also=also,
        column=worst.column,
    )
