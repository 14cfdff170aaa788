"""Mondrian: halve the widest attribute, again and again."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from pellucid.anonymize.disclosure.median_cut_likelihood import told_by_cuts
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.k_anonymity_only import counting, hidden_sentence
from pellucid.anonymize.layout.halving import cut_by_levels, cut_within_limits, lay_out_records
from pellucid.anonymize.layout.limits import limits_of
from pellucid.anonymize.method import DEFAULT, Deciding, Guarantee, informed_sentence, single_sensitive
from pellucid.anonymize.requirement import (
    K_MEANING,
    L_MEANING,
    ModelMethod,
    described,
    smallest_group,
    uninformed_sentence,
)
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.shape import Likelihood
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress


class Mondrian(ModelMethod):
    """Every group satisfies the model; what a refused cut tells somebody who knows the method is mostly not bounded.

    **Definition.** Start with one group. In a group of n rows, the attributes with an extent above 0 are candidates,
    widest first (extent as in Tailor, compared exactly), the lowest of equals first. *Relaxed*: sort the group by
    (code, row order); the first half goes left, with the row in the middle when n is odd. *Strict*: the median is the
    code at place n // 2 (counted from 0) of the sorted codes; smaller codes go left, the others right; an attribute
    where nothing would go left offers no cut, and the next one is asked. The cut is made when both sides satisfy
    the model. When it is refused, ``retry`` goes on to the next widest attribute; without it the group is finished.

    **What its decisions look at.** Quasi-identifiers and row order choose the candidates; the model decides by the
    sensitive values of the sides. Therefore a group that was not cut tells that some side of every cut that was tried
    would have failed (the minimality attack). Three cases: with k-anonymity only sizes decide and nothing is told;
    relaxed without retry, simple l-diversity of all values leaves a posterior of at most 1/(l - 1/2), which was
    enumerated and not proved; otherwise there is no bound, and posterior 1 occurs.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Mondrian(k=2), quasi=["age", "zipcode"], sensitive="disease",
    ...                      identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    >>> release = pc.publish(patients, pc.Mondrian(k=4), quasi=["age", "zipcode"], sensitive=(), identifier="name")
    >>> sorted(release.frame["age"].unique())  # nothing is sensitive: people are hidden among 4
    ['[21, 32]', '[54, 60]']

    Reference: K. LeFevre, D. DeWitt, R. Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006. The bound
    without retry: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility. VLDB 2010.
    """

    name: ClassVar[str] = "mondrian"
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "halves the widest attribute while both halves satisfy the model"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "Mondrian starts with everybody in one group and halves groups along the attribute on which they differ most, "
        "as long as both halves satisfy the privacy model. It is widely used, takes any model and keeps much detail. "
        "Whether a cut is made depends on who has which sensitive value, so a group that was not cut gives something "
        "away to somebody who knows the method, sometimes everything; asking for k-anonymity alone, where only "
        "the number of rows counts, does not. Use it to continue what was published before, or for comparison."
    )
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006"
    attack: ClassVar[str] = (
        "the minimality attack: a refused cut tells that one of its sides would have violated the model, which can "
        "name a person's value with certainty"
    )

    unproved: ClassVar[str] = "enumerated on small tables, not proved"

    k: int | None = Field(default=None, ge=1, description=K_MEANING)
    l: int | None = Field(default=None, ge=1, description=L_MEANING)
    strict: bool = Field(default=False, description="whether rows with equal values stay on the same side of a cut")
    retry: bool = Field(default=True, description="whether the next widest attribute is tried after a refused cut")

    @property
    def _half_bounded(self) -> int | None:
        """The l of the case that leaves at most 1/(l - 1/2), or None."""
        model = self.required
        if isinstance(model, LDiversity) and model.sensitive is None and not self.strict and not self.retry:
            return model.l
        return None

    @property
    def claim(self) -> Guarantee:
        """What is known of this setting: see the three cases above."""
        only_sizes = self.required.looks_at == "sizes"
        return "algorithm" if only_sizes or self._half_bounded is not None else self.guarantee

    @property
    def promised(self) -> Fraction | None:
        """1/(l - 1/2) of whoever knows the method, where that is claimed."""
        l = self._half_bounded
        return self.counted if l is None or l == 1 else Fraction(2, 2 * l - 1)

    @property
    def cuts_between_values(self) -> bool:
        """Strict cuts never separate people with equal values."""
        return self.strict

    @property
    def order_decides(self) -> Deciding:
        """Which rows of equal values are on which side of a relaxed cut."""
        return "nothing" if self.strict else "equal values"

    def alternative(self) -> Message:
        """The safe method to use instead."""
        if isinstance(self.required, LDiversity):
            return Message("use {default}, which does, or audited, which cuts in the same way", default=DEFAULT)
        return Message("use {default}, which does", default=DEFAULT)

    def check(self, table: Table) -> None:
        """Raise when not even the whole table satisfies the model; k-anonymity needs no sensitive column."""
        super().check(counting(table, self.required))

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        table = counting(table, self.required)
        self.check(table)
        threads = thread_count(threads)
        column = single_sensitive(table, self.name)
        attribute = table.attributes[column]
        limits = limits_of(self.required, attribute)
        if limits is not None:
            records = lay_out_records(table, column, limits.class_of, coins, threads)
            return cut_within_limits(
                records, limits, strict=self.strict, retry=self.retry, threads=threads, progress=progress
            )
        records = lay_out_records(table, column, None, coins, threads)
        return cut_by_levels(
            records,
            self.required,
            attribute,
            strict=self.strict,
            retry=self.retry,
            threads=threads,
            progress=progress,
        )

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood | None:
        """A group tells that every cut that was tried of it was refused; cuts through several, so do these together."""
        if self.required.looks_at == "sizes":
            return Likelihood.transparent(grouping.sizes, len(people))
        return told_by_cuts(people, grouping, published, self.required, strict=self.strict, retry=self.retry)

    def sentence(self, table: Table) -> Message:
        """What is promised, and against whom."""
        model = self.required
        if model.looks_at == "sizes" and not table.having(Role.SENSITIVE):
            return hidden_sentence(smallest_group(model))
        column = table.attributes[single_sensitive(table, self.name)].name
        if model.looks_at == "sizes":
            keeps = f"has at least {model.k} rows" if isinstance(model, KAnonymity) else f"satisfies {described(model)}"
            return Message(
                "Every group {keeps}, whatever somebody knows about the method; this says nothing about how much a "
                "group tells of a person's {column}.",
                keeps=keeps,
                column=column,
            )
        if self._half_bounded is None:
            if not isinstance(model, LDiversity) or model.sensitive is not None or model.l == 1:
                return uninformed_sentence(model, table)
            return Message(
                "Somebody who knows everyone's quasi-identifiers but not how the groups were made names any one "
                "person's {column} with probability at most 1/{l}; somebody who knows the method may learn more.",
                column=column,
                l=model.l,
            )
        if self._half_bounded == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=column)
        bound = f"2/{2 * self._half_bounded - 1}, which is 1/({self._half_bounded} - 1/2)"
        informed = informed_sentence([column], bound)
        return Message("{informed} This bound was enumerated on small tables and is not proved.", informed=informed)
