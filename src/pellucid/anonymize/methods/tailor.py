"""Tailor: cut while both sides are sure to satisfy the model."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.by_cuts import RowsNeeded, by_model, sensitive_of, times_most_frequent
from pellucid.anonymize.layout.entries import lay_out
from pellucid.anonymize.layout.side_sizes import Sides
from pellucid.anonymize.layout.tree import grow_tree
from pellucid.anonymize.method import (
    Deciding,
    Guarantee,
    check_column,
    check_diverse,
    diverse_sentence,
    require_columns,
    require_quasi,
)
from pellucid.anonymize.requirement import ModelMethod, described, enforced_otherwise
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Message, Term
from pellucid.models import Groups, PrivacyModel, models
from pellucid.models.groups import Counts
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import DiversityModel
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood


class Tailor(ModelMethod):
    """Whoever knows the method, its parameters and everyone's quasi-identifiers learns the groups' frequencies only.

    With ``l``: a posterior of at most 1/l. With ``model``: every group satisfies the model, and somebody's posterior
    is the frequency in their group.

    **Definition.** Start with one group. Let s* be the least number of rows of which any choice from the group
    satisfies the model, and so does any choice of more: with ``l`` it is l * c, c being the number of rows of the
    most frequent sensitive value. While a group has at least 2 * s* rows, replace it by its canonical cut. A cut on
    attribute i at position k sorts the group by (code on i, row order) and takes the first k rows,
    s* <= k <= size - s*. The canonical cut has the smallest total perimeter; ties go to the lowest attribute, then to
    the smallest k. With several sensitive columns, s* is the largest over all of them, and each column is protected.
    With several models s* is the largest of theirs, so that from s* rows on every choice satisfies each of them. Each
    follows from the group's own counts, and so does the largest.
    (With ``l`` = 1, which promises nothing, rows of one value stay together: s* is c, and 1 with the model.)

    **What its decisions look at.** Quasi-identifiers, row order, and how often each sensitive value occurs in the
    group that is to be cut, never what a side of the cut would hold. Permuting sensitive values inside the final
    groups changes none of these, so every such permutation would have led to the same release: the posterior of a
    value is its frequency in the group. Each final group is the whole table or a choice of at least s* rows of the
    group it was cut from, so it satisfies the model.

    A model that asks groups to look like the table allows few cuts: a bad half of the rows is far from the whole.
    With many values t-closeness cuts nothing for t below about 1/2 (about 1/4 with ordered distances), and
    delta-disclosure never.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]
    >>> close = pc.Tailor(model="t-closeness=0.6")
    >>> release = pc.publish(patients, close, quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]

    Reference: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization: thwarting adversaries who know the algorithm.
    ACM TODS 35(2), 2010, section 3.1, for l; any model with a worst-case size is our extension.
    """

    name: ClassVar[str] = "tailor"
    several: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "cuts groups only where both sides are sure to satisfy the model"
    guarantee: ClassVar[Guarantee] = "algorithm"
    tells_frequencies_only: ClassVar[bool] = True
    explanation: ClassVar[str] = Message(
        "Tailor starts with everybody in one group and cuts groups in two as long as both parts are certain to stay "
        "diverse, whichever way the sensitive values fall. Whether to cut never depends on who has which value, so the "
        "cuts give nothing away. It draws no coins, except for the order of rows when there is no identifier. It is "
        "the method, with {model}, for most other privacy models, such as entropy l-diversity or (k,e)-anonymity; its "
        "groups are larger than Hybrid's.",
        model=Term("any model", "model="),
    )
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization, TODS 2010, section 3.1"

    l: int | None = Field(
        default=None, ge=1, description="the promise: at most 1/l; its sentence says for whom that holds"
    )

    @model_validator(mode="after")
    def _sure_sizes(self) -> Self:
        for model in () if self.model is None else self.model.parts:
            if not enforceable(model):
                known = ", ".join(name for name, kind in models().items() if _offers(name, kind))
                raise ValueError(
                    f"{model.label} has no number of rows from which on any choice satisfies it{_why(model)}; "
                    f"models that have one: {known}"
                )
        return self

    @property
    def only_l(self) -> int | None:
        """The l where nothing else is asked."""
        return self.l if self.model is None else None

    @property
    def proved(self) -> Fraction | None:
        """1/l, for l-diversity: of every value, of those that are named, or of having one of these."""
        bounds = [Fraction(1, part.l) for part in self.required.parts if isinstance(part, LDiversity)]
        return min(bounds, default=None)

    def check(self, table: Table, threads: int = 1) -> None:
        """Raise when not even the whole table satisfies the model."""
        if self.only_l is not None:
            check_diverse(table, self.only_l, threads)
            return
        require_quasi(table)
        for column in table.having(Role.SENSITIVE):
            self._check_column(table, column)

    @property
    def order_decides(self) -> Deciding:
        """Which rows of equal values are on which side of a cut."""
        return "equal values"

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        threads = thread_count(threads)
        self.check(table, threads)
        sides = self.only_l if self.only_l is not None else Sides.of(table, self.required)
        return self._grow(table, sides, coins, threads, progress)

    def _grow(self, table: Table, sides: int | Sides, coins: Coins, threads: int, progress: Progress) -> Grouping:
        entries = lay_out(table, coins, threads)
        if isinstance(sides, Sides):
            entries = sides.seen(entries)
        return grow_tree(entries, sides, ace=False, coins=coins, threads=threads, progress=progress)

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise when a table with these attributes and sensitive counts does not satisfy the model."""
        require_columns(outline)
        for attribute, of_column in zip(sensitive_of(outline), counts, strict=True):
            if self.only_l is not None:
                check_column(attribute, of_column, self.only_l)
            else:
                self._check_counts(attribute, of_column)

    def rows_needed(self, outline: Table, counts: Sequence[Counts]) -> RowsNeeded:
        """What says how many rows each side of a cut needs, for a table with these sensitive counts."""
        if self.only_l is not None:
            return times_most_frequent(self.only_l)
        return by_model(self.required, sensitive_of(outline), counts)

    def group_part(self, table: Table, counts: Sequence[Counts], coins: Coins) -> Grouping:
        """The groups of one part of a cut table, given the sensitive counts of the whole."""
        sides = self.only_l if self.only_l is not None else Sides(sensitive_of(table), lambda: counts, self.required)
        return self._grow(table, sides, coins, 1, SILENT)

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:  # noqa: ARG002
        """Nothing but the frequencies: every arrangement inside a group has the same probability."""
        from pellucid.posterior.shape import Likelihood  # here: publishing asks for none

        return Likelihood.transparent(grouping.sizes, len(people))

    def sentence(self, table: Table) -> Message:
        """The guarantee in one plain sentence."""
        model = self.required
        if isinstance(model, LDiversity) and model.sensitive is None:
            return diverse_sentence(table, model.l)
        columns = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
        listed = columns[0] if len(columns) == 1 else ", ".join(columns[:-1]) + " and " + columns[-1]
        whose = columns[0] if len(columns) == 1 else "value of each single one of these columns"
        return Message(
            "Somebody who knows the method, its parameters and everything about everyone except {listed} learns of "
            "any one person's {whose} no more than its frequencies in the person's group, and every group satisfies "
            "{model}.",
            listed=listed,
            whose=whose,
            model=described(model),
        )


def enforceable(model: PrivacyModel) -> bool:
    """Whether a side of a cut can be sure to satisfy a model by its number of rows."""
    return model.has_worst_case_size and model.looks_at != "population" and model.by_group


def _offers(name: str, kind: type[PrivacyModel]) -> bool:
    usual = {field: int(text) if text.isdigit() else text for field, text in kind.examples.items()}
    return enforceable(kind(**{**usual, **kind.variants.get(name, {})}))


def _why(model: PrivacyModel) -> Message:
    if model.looks_at == "population":
        return Message(" (it is about people who are not in the table)")
    if not model.by_group:
        return Message(" (it is about the table as a whole{instead})", instead=enforced_otherwise(model))
    if isinstance(model, DiversityModel) and model.sensitive is not None:
        return Message(" when some values only are protected")
    return Message("")
