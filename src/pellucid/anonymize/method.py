"""What every method is: frozen parameters, a stated guarantee, and one function from a table and coins to groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pellucid.anonymize.clusters import cluster_name, units_of
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.protected import Protected
from pellucid.anonymize.withholding import BUDGET, why_not
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table, frequencies
from pellucid.errors import Infeasible, MethodError, PellucidError
from pellucid.messages import Message, Share, Term
from pellucid.models import Groups, PrivacyModel
from pellucid.models.parameters import PARAMETER, Parameters
from pellucid.models.sensitive import codes_of
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.records import record
from pellucid.text.values import ANY, in_quotes, joined_by_and

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood

Longs = NDArray[np.int64]
Guarantee = Literal["none", "frequency", "minimality", "algorithm"]
About = tuple[Any, ...] | Mapping[str, tuple[Any, ...]] | None  # values of every sensitive column, or by its name
Deciding = Literal["nothing", "rows that look alike", "equal values", "anything"]
RecoderName = Literal["intervals", "taxonomy", "anatomy", "suppression", "means"]
DEFAULT = "strata"  # the method that is meant where none is named, and recommended where one is broken
STRICT = "soft-cut"  # its strict form, 1/l for everybody: meant where a table has no strata (usual_method.py)
STRATUM = 50  # people of a stratum, unless another number is named


class Method(Parameters, ABC):
    """A method with its parameters as fields.

    The same class is the Python argument, the section of a job file and the row in ``pellucid methods``.
    """

    @model_serializer(mode="wrap")
    def _said(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The parameters; that values do not count as one is said by saying nothing."""
        return {name: value for name, value in fields(self).items() if name != "together" or value}

    refusal: ClassVar[type[PellucidError]] = MethodError
    summary: ClassVar[str]
    guarantee: ClassVar[Guarantee]
    explanation: ClassVar[str]
    reference: ClassVar[str]
    suppresses: ClassVar[bool] = False  # whether rows may end in no group, with some parameters
    recoder: ClassVar[RecoderName] = "intervals"  # what its groups usually become
    draws: ClassVar[bool] = False  # whether coins decide more than an order of rows that no identifier gives
    divides_together: ClassVar[bool] = False  # whether what one group holds tells of others, as in Slice's buckets
    undivided: ClassVar[str] = "looks at the whole table at once"  # why it needs one machine, where it does
    reckons_with: ClassVar[str] = ""  # what its promise lets somebody know of how values go with quasi-identifiers
    knows_too: ClassVar[str] = ""  # what those may know besides whom its promise covers, and believe no more
    tells_frequencies_only: ClassVar[bool] = False  # whether its groups tell whoever knows it no more, for any model
    distorts: ClassVar[bool] = False  # whether it may replace sensitive values or add records: neither is marked
    weighs_columns: ClassVar[bool] = False  # whether it weighs one quasi-identifier against another, by importance
    l_of_each: ClassVar[bool] = False  # whether each sensitive column may have an l of its own
    several: ClassVar[bool] = False  # whether it protects several sensitive columns at once, each on its own
    assumption: ClassVar[tuple[str, str] | None] = None  # what its promise assumes and leaves out, where not the usual
    unproved: ClassVar[str] = ""  # how what is promised beyond counting is known, where no proof says it
    attack: ClassVar[str] = ""  # how somebody who knows the method breaks it, for methods that do not withstand that

    if TYPE_CHECKING:  # which parameters there are depends on the class

        def __init__(self, *positional: object, **parameters: object) -> None: ...

    @classmethod
    def _renamed(cls, given: dict[str, object]) -> dict[str, object]:
        other = "sensitive" in cls.model_fields and "values" not in cls.model_fields
        if other and "values" in given and "sensitive" not in given:
            given["sensitive"] = given.pop("values")  # what the command line calls it
        if isinstance(given.get("l"), Mapping) and "l" in cls.model_fields and not cls.l_of_each:
            raise cls.refusal(
                "{name} has one l for all sensitive columns",
                "use strata, which keeps an l of each, or give the largest l to all",
                name=cls.name,
            )
        for parameter in given:
            if why := cls.why_without(parameter):
                raise cls.refusal(why)
        return given

    @classmethod
    def why_without(cls, parameter: str, called: Term | None = None) -> Message:
        """Why it has no such parameter and what to do instead, where people ask for it; else empty."""
        if parameter == "model" and "l" in cls.model_fields and parameter not in cls.model_fields:
            return Message(
                "{method} has no {model}: its proof is about l-diversity alone, which {limits} says; "
                "tailor takes one or several models and withstands an attacker who knows the method",
                method=cls.name,
                model=called or Term(PARAMETER, parameter, parameter),
                limits="l, with k the least rows of a group," if "k" in cls.model_fields else "l",
            )
        lacks = parameter == BUDGET and parameter not in cls.model_fields
        return why_not(cls, called) if lacks else Message("")

    @property
    def claim(self) -> Guarantee:
        """The guarantee with these parameters; ``guarantee`` is what the method promises with any."""
        return self.guarantee

    @property
    def required(self) -> PrivacyModel | None:
        """The privacy model that was asked of its groups; None where its promise is put in other words."""
        return None

    @property
    def looks_at_no_value(self) -> bool:
        """Whether its groups, with these parameters, do not depend on sensitive values at all."""
        return self.required is not None and self.required.looks_at == "sizes"

    def satisfied(self, column: str = "") -> PrivacyModel | None:  # noqa: ARG002 - where columns differ
        """The privacy model that its groups satisfy, where it says so; of a sensitive column where columns differ."""
        return self.required

    def bounds(self, table: Table, grouping: Grouping) -> Mapping[str, NDArray[np.float64]] | None:  # noqa: ARG002
        """What whoever knows the method believes of the people of each group at most, where that differs by group.

        By sensitive column.
        """
        return None

    def bounds_of(self, column: str, sizes: Longs, largest: Longs) -> NDArray[np.float64] | None:  # noqa: ARG002
        """The same of groups with so many rows, and so many with the most frequent protected value of a column."""
        return None

    def could_make(self, column: str, sizes: Longs, shares: NDArray[np.float64], groups: Longs) -> bool:  # noqa: ARG002
        """Whether such groups can be its work: their sizes, the largest share and number of groups of each stratum."""
        return True

    def strata(self, people: Table, threads: int = 1) -> Codes | None:  # noqa: ARG002
        """For each person the number of a stratum, where there are some: quasi-identifiers alone decide."""
        return None

    def usual_bound(self, column: str = "") -> Fraction | None:  # noqa: ARG002 - where columns differ
        """The bound of everybody of whom :meth:`bounds_of` allows no more."""
        return self.promised

    @property
    def whole_from(self) -> int | None:
        """How many rows a group has at least that may hold anything; smaller ones satisfy ``satisfied_below``."""
        return None

    def satisfied_below(self, column: str) -> PrivacyModel | None:
        """The privacy model that groups of fewer rows than ``whole_from`` satisfy."""
        return self.satisfied(column)

    @property
    def protects(self) -> About:
        """The values that parameters name, of all columns or by column: verdicts are about these; None: about all."""
        return None if self.required is None else self.required.protects

    @property
    def as_one(self) -> bool:
        """Whether these values count as one: what is bounded is then that somebody has one or another of them."""
        return self.required is not None and self.required.as_one

    @property
    def promises_nothing(self) -> bool:
        """Whether a setting keeps nothing from anybody: one row in one may have a value, or be a group of its own."""
        return self.proved == 1 or (self.required is not None and self.required.asks_nothing)

    def about(self, column: str) -> tuple[Any, ...] | None:
        """The values of a sensitive column that verdicts are about; None when they are about all of them."""
        about = self.protects
        return about.get(column) if isinstance(about, Mapping) else about

    @property
    def at_most(self) -> Fraction | None:
        """The proved bound on beliefs where groups tell the informed more than frequencies; None: they do not."""
        return None

    @property
    def not_computed(self) -> Message:
        """What ``at_most`` bounds and nobody computes, in words."""
        return Message("groups may consist of several smaller ones: what an attacker believes who tells these apart is")

    @property
    def draws_coins(self) -> bool:
        """Whether, with these parameters, coins decide more than an order of rows: run again, it gives other groups."""
        return self.draws

    @property
    def may_suppress(self) -> bool:
        """Whether, with these parameters, rows may end in no group."""
        return self.suppresses

    @property
    def cuts_between_values(self) -> bool:
        """Whether any two of its groups lie apart in some attribute, so that no cut runs through equal values."""
        return False

    @property
    def order_decides(self) -> Deciding:
        """What the order of rows may decide: nothing; between rows that agree in all, or in one, of the attributes.

        Where no two rows are like that, every order gives the same groups. *Anything* claims nothing.
        """
        return "nothing" if self.cuts_between_values else "anything"

    @property
    def proved(self) -> Fraction | None:
        """The most that whoever knows the method can come to believe of anybody's value; None where none is proved.

        It is proved for every table, somebody told who is in which group. Whoever is told less believes a mixture of
        what those believe, so it holds for them too.
        """
        return None

    @property
    def counted(self) -> Fraction | None:
        """The most that whoever counts values in a group comes to believe, of a value that the promise is about.

        None where the method's groups bound no such share. This and ``promised`` are the only places where a bound on
        a belief is declared: a parameter named l may mean another thing.
        """
        return None

    @property
    def promised(self) -> Fraction | None:
        """The most that anybody whom the promise covers comes to believe; None where it is not about beliefs.

        More than ``counted`` where the method tells those who know it a little, which its sentence then says.
        """
        return self.counted

    @property
    def promised_with_statistics(self) -> Fraction | None:
        """As ``promised``, for whoever has the statistics that the method reckons with, where it does."""
        return self.promised

    @property
    def fewest(self) -> int:
        """The least number of rows of a group, beyond what the model that was asked for says."""
        return 1

    @property
    def warning(self) -> str | None:
        """What whoever chooses the method should know: the attack that it is open to, and the safe alternative."""
        if self.claim == "algorithm":
            return None
        return f"{self.name} does not withstand somebody who knows how it works: {self.attack}; {self.alternative()}"

    def alternative(self) -> Message:
        """The safe method to use instead."""
        return Message("use {default}, which does", default=DEFAULT)

    @abstractmethod
    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood | None:  # noqa: ARG002
        """How the method behaves, for somebody who knows it: how likely each group is, by the values of its parts.

        ``people`` has the quasi-identifiers and the row order of everybody in the table and no sensitive column;
        ``published`` has the sensitive counts of the groups. None when no law by group is known: the method is then
        attacked as a black box.
        """
        return None

    def left_open(self, table: Table) -> list[str]:  # noqa: ARG002
        """What its promise about this table lets depend on what, and whom it does not cover, beyond what all say."""
        return []

    @abstractmethod
    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence a steward can sign."""


class DiverseAsPublished(Method):
    """A method whose groups, as they are published, have no sensitive value in more than one row in l."""

    if TYPE_CHECKING:  # among its parameters, where each method has it
        l: int

    def protecting(self, column: str) -> Protected:
        """What is protected of a sensitive column."""
        return Protected(column, self.about(column), self.l, self.as_one)

    def satisfied(self, column: str = "") -> PrivacyModel | None:
        """l-diversity, of the values of the column that the promise is about."""
        return self.protecting(column).model

    @property
    def promises_nothing(self) -> bool:
        """With l = 1 a group may have a single value."""
        return self.l == 1

    @property
    def counted(self) -> Fraction | None:
        """1/l of the published rows."""
        return Fraction(1, self.l)


class DiversityMethod(DiverseAsPublished):
    """A method whose groups are l-diverse: in each, no sensitive value is carried by more than one row in l."""

    l: int = Field(ge=1, description="the promise: at most 1/l; its sentence says for whom that holds")

    @property
    def proved(self) -> Fraction | None:
        """1/l, where the method withstands whoever knows it."""
        return Fraction(1, self.l) if self.claim == "algorithm" else None

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows the most frequent sensitive value has; raises when no release of the table is l-diverse."""
        return check_diverse(table, self.l, threads)

    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence."""
        return diverse_sentence(table, self.l)


@record()
class Feasible:
    """The largest l that a table allows, and the value that is in the way of more.

    >>> Feasible(7, "disease", "flu", 13, 100).sentence
    "l up to 7: 'flu' is 13 % of the rows"
    >>> Feasible(6, "disease", "flu", 116, 800).sentence  # 14.5 %, rounded as everywhere
    "l up to 6: 'flu' is 15 % of the rows"
    >>> Feasible(2, "disease", "flu", 42, 100, "patient", 5).sentence
    "l up to 2: of those with 5 rows (by patient), 42 % have 'flu' in one of them"
    >>> Feasible(50, "", None, 0, 100).sentence  # whatever the values are
    'l up to 50, the least number of people of a stratum'
    """

    largest: int
    column: str
    value: Any
    count: int
    rows: int
    unit: str = ""
    size: int = 1
    parts: bool = False

    @property
    def sentence(self) -> Message:
        """Why no more, in a few words.

        Where rows that belong together count as one: of those of ``size`` rows, or of ``parts`` of so many, and what
        the column is called that tells (``unit``).
        """
        if not self.column:
            return Message("l up to {l}, the least number of people of a stratum", l=self.largest)
        about = {"l": self.largest, "shown": shown_value(self.value), "share": Share(self.count / self.rows)}
        if not self.unit:
            return Message("l up to {l}: {shown} is {share} of the rows", **about)
        about |= {"of": "the parts" if self.parts else "those", "unit": self.unit}
        if self.size == 1:
            return Message("l up to {l}: of {of} with a single row (by {unit}), {share} have {shown} in it", **about)
        told = "l up to {l}: of {of} with {size} rows (by {unit}), {share} have {shown} in one of them"
        return Message(told, size=self.size, **about)


def largest_feasible(table: Table, threads: int = 1, values: About = None, cluster_rows: int | None = None) -> Feasible:
    """The largest l for which :func:`check_diverse` has nothing against the table, where these values are protected.

    ``values``: those of every sensitive column, or by the name of the column. ``cluster_rows``: where rows belong
    together, the most that are taken as one; all when not given.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> largest_feasible(pc.read(pc.datasets.patients(), **roles)).largest
    4
    """
    require_quasi(table)
    if table.clusters is not None:
        largest = int(np.bincount(table.clusters).max())
        asked = min(largest, cluster_rows or largest)
        unit, parts = cluster_name(table), asked < largest
        by_size = [
            replace(largest_feasible(units.table, threads, values), unit=unit, size=units.size, parts=parts)
            for units in units_of(table, asked, Coins.from_seed("counted"), threads)
        ]
        return min(by_size, key=lambda feasible: feasible.largest)
    worst: Feasible | None = None
    for attribute, counts in sensitive_counts(table, threads):
        some = values.get(attribute.name) if isinstance(values, Mapping) else values
        if some is not None:
            marks = np.zeros(len(attribute), dtype=bool)
            marks[codes_of(tuple(some), attribute)] = True
            counts = np.where(marks, counts, 0)
        counts = counts[: len(attribute.values)]
        code = int(counts.argmax())
        most = max(1, int(counts[code]))
        if worst is None or most > worst.count:
            worst = Feasible(len(table) // most, attribute.name, attribute.values[code], most, len(table))
    assert worst is not None
    return worst


def sensitive_counts(table: Table, threads: int = 1) -> list[tuple[Attribute, NDArray[np.int64]]]:
    """Every sensitive column with how many rows each of its codes has; those of one name are counted together."""
    counted: dict[str, tuple[Attribute, NDArray[np.int64]]] = {}
    for column in table.having(Role.SENSITIVE):
        attribute = table.attributes[column]
        counts = frequencies(table.codes[column], len(attribute), threads)
        if attribute.name in counted:
            counts = counts + counted[attribute.name][1]
        counted[attribute.name] = attribute, counts
    return list(counted.values())


def check_diverse(table: Table, l: int, threads: int = 1) -> int:
    """How many rows the most frequent sensitive value has; raises when no release of the table is l-diverse."""
    require_quasi(table)
    most = 0
    for column in table.having(Role.SENSITIVE):
        attribute = table.attributes[column]
        counts = frequencies(table.codes[column], len(attribute), threads)
        most = max(most, check_column(attribute, counts, l))
    return most


def check_column(
    attribute: Attribute,
    counts: NDArray[np.int64],
    l: int,
    protected: NDArray[np.bool_] | None = None,
    *,
    protectable: bool = False,
    rows: int | None = None,
    things: str = "rows",
) -> int:
    """How many rows the most frequent (protected) value of a column has; raises when no release of it is l-diverse.

    To protect some values only is named as a way out where it helps. ``protectable``: the method itself can. ``rows``
    where they have several values each; ``things`` is what they are, if not rows of the table that somebody gave.
    """
    rows = int(counts.sum()) if rows is None else rows
    held = (counts if protected is None else np.where(protected, counts, 0))[: len(attribute.values)]
    worst = int(held.argmax())
    if int(held[worst]) * l > rows:
        others = protect_only(attribute, held, rows, l)
        if others and not protectable:
            others = Message("use {method} and {others}", method=STRICT, others=others)
        finding = _in_the_way(attribute, worst, int(held[worst]), rows, l, things)
        raise Infeasible(finding, _way_out(attribute, worst, int(held[worst]), rows, others))
    return int(held[worst])


def protect_only(attribute: Attribute, counts: NDArray[np.int64], rows: int, l: int) -> Message:
    """Which values could be protected with this l if the too frequent ones were not; empty when there are none.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease")
    >>> sick = table.attributes[-1]
    >>> protect_only(sick, np.array([80, *[5] * (len(sick) - 1)]), 100, 4).split(":")[1].split(",")[0]
    ' l up to 20'
    """
    allowed = np.flatnonzero((counts > 0) & (counts <= rows // l))
    if not len(allowed) or (attribute.has_null and allowed.tolist() == [0]):  # nobody means to protect nulls alone
        return Message("")
    largest = rows // int(counts[allowed].max())
    frequent = [_shown(attribute, int(code)) for code in np.flatnonzero(counts > rows // l)]
    but = Message.joined(frequent, " and ")
    return Message(
        "protect {named}: l up to {largest}{null}, and {but} {are} then not protected",
        named=Message("{value} only", value=_shown(attribute, int(allowed[0])))
        if len(allowed) == 1
        else Message("all values but {but}", but=but),
        largest=largest,
        null=Message(', with {NULL} written as "null"') if attribute.has_null and 0 in allowed else "",
        but=but,
        are="is" if len(frequent) == 1 else "are",
    )


def _shown(attribute: Attribute, code: int) -> Message:
    return shown_value(attribute.values[code])


def shown_value(value: object) -> Message:
    """A value in a sentence, as Python writes it; a page says of null that it is empty."""
    return Message("{NULL}") if value is None else Message("{value!r}", value=value)


def _in_the_way(attribute: Attribute, code: int, count: int, rows: int, l: int, things: str) -> Message:
    """Which value is too frequent for this l; a cluster has it if one of its rows has."""
    return Message(
        "l = {l} is not feasible: {value} is the {name!r} of {some}{count:,} of {rows:,} {things} ({share}), and "
        "l-diversity needs at most one in {l}",
        l=l,
        value=_shown(attribute, code),
        name=attribute.name,
        some="" if things == "rows" else "some row of ",
        count=count,
        rows=rows,
        things=things,
        share=Share(count / rows, 1),
    )


def _way_out(attribute: Attribute, code: int, count: int, rows: int, others: str) -> Message:
    """What can be done about a value that is too frequent."""
    largest = rows // count
    first = f"use l = {largest} or less" if largest > 1 else "no l above 1 is; protect another column"
    split = Message("split {value} into finer values", value=_shown(attribute, code))
    return Message.joined([way for way in (first, split, others) if way], ", or ")


def each_value(about: Collection[Sequence[Any] | None], who: str) -> Message:
    """What a promise about several values of a column leaves open, as its next sentence; empty without several.

    ``about`` has the protected values of each sensitive column, None for all of them.

    >>> each_value([("flu", "gout"), None], "a person")
    ' Each of these values is meant by itself: that a person has one or another of them is not promised, and may be \
certain.'
    >>> each_value([("flu",), None], "a person")
    ''
    """
    if not any(len(set(some)) > 1 for some in about if some):
        return Message("")
    return Message(
        " Each of these values is meant by itself: that {who} has one or another of them is not promised, and may be "
        "certain.",
        who=who,
    )


def named_values(values: Sequence[Any] | None, *, together: bool = False) -> str:
    """These values, as what somebody names as a person's; empty: whichever the person has.

    >>> named_values(("flu", "gout"), together=True)
    "'flu' or 'gout', whichever it is, as "
    >>> named_values(("flu", None)), named_values(("flu",)), named_values(None)
    ("any one of 'flu' and null as ", "'flu' as ", '')
    """
    if values is None:
        return ""
    if tuple(values) == (ANY,):
        return ""
    named = [in_quotes(value) for value in values]
    if together and len(named) > 1:
        return f"{' or '.join(named)}, whichever it is, as "
    return f"{named[0]} as " if len(named) == 1 else f"any one of {joined_by_and(named)} as "


def informed_sentence(columns: Sequence[str], bound: str, named: str = "", each: str = "") -> Message:
    """The promise against somebody who knows everything but the sensitive columns."""
    whose = columns[0] if len(columns) == 1 else "value of each single one of these columns"
    return Message(
        "Somebody who knows the method, its parameters and everything about everyone except {hidden} names {named} "
        "with probability at most {bound}.{each}",
        hidden=joined_by_and(columns),
        named=named or f"any one person's {whose}",
        bound=bound,
        each=each,
    )


def diverse_sentence(table: Table, l: int, values: About = None, *, together: bool = False) -> Message:
    """What l-diverse groups promise against somebody who knows the method, where it gives nothing away."""
    columns = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
    if values is not None and l > 1:
        by_column = values if isinstance(values, Mapping) else dict.fromkeys(columns, values)
        told = [f"{named_values(by_column.get(name), together=together)}any one person's {name}" for name in columns]
        named = f"{joined_by_and(told)}, each by itself," if len(told) > 1 else told[0]
        each = each_value([] if together else by_column.values(), "a person")
        return informed_sentence(columns, f"1/{l}", named, each)
    if l == 1:
        names = " and ".join(columns)
        return Message("l = 1 promises nothing: somebody may learn a person's {names} with certainty.", names=names)
    return informed_sentence(columns, f"1/{l}")


def usual_name(table: Table) -> str:
    """The method that is meant for a table where none is named: its clusters and its number of rows decide.

    Both are public. Strata are of people of their own, and fewer rows than two have are never cut.

    >>> import pellucid as pc
    >>> usual_name(pc.read(pc.datasets.patients(), quasi="age", sensitive="disease"))
    'soft-cut'
    """
    return STRICT if table.clusters is not None or len(table) < 2 * STRATUM else DEFAULT


def require_quasi(table: Table) -> None:
    """Raise unless the table has rows, a quasi-identifier and a sensitive column."""
    if len(table) == 0:
        raise MethodError("the table has no rows", "there is nothing to publish")
    require_columns(table)


def require_columns(table: Table) -> None:
    """Raise unless the table has a quasi-identifier and a sensitive column."""
    if not table.having(Role.QUASI):
        raise MethodError("the table has no quasi-identifier", "name at least one column that an attacker may know")
    if not table.having(Role.SENSITIVE):
        raise MethodError(
            "the table has no sensitive column, and this method protects one",
            "name it, or hide people among k others with mondrian and k",
        )


def single_sensitive(table: Table, method: str) -> int:
    """The one sensitive column, or an error that names the method that protects several."""
    columns = table.having(Role.SENSITIVE)
    if len(columns) > 1:
        names = ", ".join(table.attributes[i].name for i in columns)
        raise MethodError(
            "{method} protects one sensitive column, and this table has {columns} ({names})",
            "use {default}, "
            "which protects each of them on its own, or drop all but one (a release for each column is no way out: no "
            "promise covers two releases of the same people)",
            method=method,
            columns=len(columns),
            names=names,
            default=usual_name(table),
        )
    return columns[0]
