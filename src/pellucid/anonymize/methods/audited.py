"""Audited: halve the widest attribute, after making sure that a refusal would tell nothing it must not."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from pellucid.anonymize.disclosure.likelihoods import (
    ShapeCollector,
    median_cuts,
    members_of,
    order_of,
    plain,
    refused,
    whole_counts,
)
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.halving import cut_within_limits, lay_out_records, pascal
from pellucid.anonymize.layout.limits import LARGEST, limits_of
from pellucid.anonymize.method import Deciding, Guarantee, informed_sentence, single_sensitive
from pellucid.anonymize.requirement import L_MEANING, ModelMethod
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from pellucid.kernels import median as kernel
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.shape import Likelihood
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

EXACT_UP_TO = 512  # rows of a group whose audit counts all arrangements when the simple bound does not settle it


class Audited(ModelMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** Start with one group. A group has one candidate cut, that of relaxed Mondrian: sorted by (code, row
    order) on the attribute with the largest extent (ties: the lowest), the first half goes left, with the row in the
    middle when the number of rows is odd. Before the sides are looked at, the cut is audited: for every protected
    value, what would somebody on each side be believed to have if the cut were refused? This needs the counts of the
    group and the sizes of the sides. If a posterior would exceed 1/l, the group is finished without looking. Otherwise
    the cut is made when both sides are l-diverse, and the group is finished when not. There is never a second cut. With
    ``model``, (alpha,k)-anonymity takes the place of l-diversity, and alpha that of 1/l; either may protect some
    values only.

    The audit of equal halves is always passed: exchanging the halves keeps a refusal, so the posterior stays the
    frequency in the group. Otherwise a simple bound is tried first, which settles almost every case; where it
    does not, all arrangements are counted (posterior.refused_cut) in groups of up to 512 rows, and larger groups are
    finished. Up to 50 rows the count is exact; above, a posterior within 1e-9 of 1/l counts as above it.

    **What its decisions look at.** Quasi-identifiers and row order choose the cut; the counts of the group, which are
    published either as its own or as the sum of what is cut from it, decide whether to look; the counts of the sides,
    which are published when the cut is made, decide the rest. When it is refused, what that tells was computed before.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Audited(l=2), quasi=["age", "zipcode"], sensitive="disease",
    ...                      identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]

    Reference: ours; the refused cut is that of G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and
    maximizing utility. VLDB 2010.
    """

    name: ClassVar[str] = "audited"
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "halves the widest attribute unless a refused cut could tell too much"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "Audited cuts as Mondrian does, halving groups along the attribute on which they differ most. But before it "
        "looks whether both halves are diverse, it computes what somebody would learn if they turned out not to be and "
        "the cut were dropped. If that were too much, it leaves the group as it is without looking. So neither a "
        "cut nor a missing cut gives anybody away. Its groups are all of one piece, like Mondrian's, and larger than "
        "Hybrid's; it is the safe way to continue with Mondrian's kind of groups."
    )
    reference: ClassVar[str] = "ours, after Cormode, Srivastava, Li, Li: Minimizing minimality, VLDB 2010"

    one_only: ClassVar[str] = (
        "what a refused cut tells is audited for one bound (k rows and l are (alpha,k)-anonymity=1/l,k)"
    )

    l: int | None = Field(default=None, ge=1, description=L_MEANING)

    @model_validator(mode="after")
    def _one_that_bounds_beliefs(self) -> Self:
        model = self.required
        if not isinstance(model, LDiversity | AlphaKAnonymity):
            raise ValueError(
                f"{model.label} does not bound what is believed of a person, so there is nothing to audit a refused "
                "cut against; use l-diversity or (alpha,k)-anonymity, or mondrian for other models"
            )
        if self.bound.denominator > LARGEST:
            raise ValueError(f"{model.label}: 1/{self.bound.denominator} is too fine; use fewer digits")
        return self

    @property
    def bound(self) -> Fraction:
        """The largest posterior of a protected value."""
        model = self.required
        return Fraction(1, model.l) if isinstance(model, LDiversity) else model.alpha  # type: ignore[attr-defined]

    @property
    def proved(self) -> Fraction | None:
        """The bound, where it protects every value by itself."""
        model = self.required
        whole = isinstance(model, LDiversity | AlphaKAnonymity) and model.sensitive is None
        return self.bound if whole else None

    @property
    def order_decides(self) -> Deciding:
        """Which rows of equal values are on which side of a cut."""
        return "equal values"

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        self.check(table)
        threads = thread_count(threads)
        column = single_sensitive(table, self.name)
        limits = limits_of(self.required, table.attributes[column])
        assert limits is not None
        records = lay_out_records(table, column, limits.class_of, coins, threads)
        audit = min(EXACT_UP_TO, max(2, len(table)))
        return cut_within_limits(
            records, limits, strict=False, retry=False, audit=audit, threads=threads, progress=progress
        )

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:
        """A group tells that its cut was refused, unless the audit had it finished without looking."""
        limits = limits_of(self.required, published.attribute)
        assert limits is not None
        order, whole = order_of(people, grouping), whole_counts(published)
        binomials = pascal(min(EXACT_UP_TO, max(2, len(people))))
        telling = ShapeCollector(len(grouping), len(people))
        for group, members in members_of(grouping):
            cuts = list(median_cuts(people, members, order, strict=False, retry=False))
            size = len(members)
            looked = bool(cuts) and size >= 2 * limits.least
            if looked and size % 2:
                part = slice(int(published.starts[group]), int(published.starts[group + 1]))
                classes = limits.class_of[published.codes[part]]
                counts = np.bincount(classes, weights=published.counts[part], minlength=limits.classes + 1)
                protected = counts[: limits.classes].astype(np.int64)
                looked = kernel.audit(protected, size, limits.p, limits.q, binomials) == 1
            if looked:
                shape, parts = refused(cuts, self.required, whole)
                telling.group(group, shape, members, parts)
            else:
                plain(telling, group, members)
        return telling.likelihood()

    def sentence(self, table: Table) -> Message:
        """The guarantee in one plain sentence."""
        column = table.attributes[single_sensitive(table, self.name)].name
        model = self.required
        assert isinstance(model, LDiversity | AlphaKAnonymity)
        if self.bound == 1:
            return Message(
                "A bound of 1 promises nothing: somebody may learn a person's {column} with certainty.", column=column
            )
        if model.sensitive is None:
            return informed_sentence([column], str(self.bound))
        values = ["null" if value is None else repr(value) for value in model.sensitive]
        whether = (
            f"is {' or '.join(values)}" if model.together else f"is {' (or is '.join(values)}{')' * (len(values) - 1)}"
        )
        return Message(
            "Somebody who knows the method, its parameters and everything about everyone except {column} believes "
            "that any one person's {column} {whether} with probability at most {bound}.",
            column=column,
            whether=whether,
            bound=str(self.bound),
        )
