"""GreedyGrouping: rows in a line, bucket after bucket until the group satisfies the model."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.anonymize.disclosure.likelihoods import told_by_size, whole_counts
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.consecutive import (
    ConsecutiveMethod,
    as_grouping,
    bucket_of,
    frequency_sentence,
    greedy_ends,
)
from pellucid.anonymize.layout.sequence import in_line, places_in_line
from pellucid.anonymize.method import Guarantee
from pellucid.anonymize.methods.anatomy import anatomize, dealt
from pellucid.anonymize.requirement import size_sentence, uninformed_sentence
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel
from pellucid.models.exact import exact
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_of
from pellucid.posterior.exclusion import Impossible
from pellucid.posterior.shape import Buckets, Likelihood
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

Longs = NDArray[np.int64]


class GreedyMethod(ConsecutiveMethod):
    """What GreedyGrouping and RandomizedGreedyGrouping share; they differ in the probability of going on."""

    suppresses: ClassVar[bool] = True
    undivided: ClassVar[str] = (
        "decides row after row over the whole table, where a group begins by where the last ended"
    )

    bucket: int | None = Field(
        default=None,
        ge=1,
        description="with model: how many rows a group takes at a time; the model's l or k, or 2, when not given",
    )
    anatomize: bool = Field(
        default=False, description="whether groups are divided further by lot, as Anatomy does; needs l"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.bucket is not None and self.model is None:
            raise ValueError("bucket goes with model; with l a bucket has l rows")
        if (
            self.anatomize
            and self.plain_l is None
            and (self.binary is None or not isinstance(self.required, LDiversity))
        ):
            raise ValueError(
                "anatomize divides groups in which no value, or none of binary, has more than one row in l; "
                "give l, without another model"
            )
        return self

    @property
    def probability(self) -> float:
        """How likely a group that satisfies the model goes on."""
        return 0.0

    @property
    def claim(self) -> Guarantee:
        """A model that looks at nothing but sizes leaves nothing to give away."""
        return "algorithm" if self.required.looks_at == "sizes" else self.guarantee

    @property
    def draws_coins(self) -> bool:
        """Where a group may go on by chance, and inside groups that are anatomized."""
        return 0 < self.probability < 1 or self.anatomize

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        self.check(table)
        threads = thread_count(threads)
        model = self.required
        (column,) = table.having(Role.SENSITIVE)
        attribute = table.attributes[column]
        progress.stage("grouping", len(table))
        rows, orders = in_line(table, self.order, coins, threads)
        key = coins.subkey("goes on")
        codes = table.codes[column][rows]
        ends = self._ends(model, codes, attribute, orders, key)
        if not len(ends):
            raise Infeasible(self._no_group(codes, attribute, orders, key))
        grouping = as_grouping(rows, ends)
        if self.anatomize and isinstance(model, LDiversity):
            kept = orders[: len(grouping.members)]
            values = table.codes[column][grouping.members]
            if model.sensitive is None:
                members, starts = anatomize(values, len(attribute), grouping.starts, kept, model.l, coins, threads)
            else:
                positive = np.isin(values, codes_of(model.sensitive, attribute))
                members, starts = dealt(positive, grouping.starts, kept, model.l, coins)
            grouping = Grouping(grouping.members[members], starts, len(table))
        progress.advance(len(table))
        return grouping

    def _ends(
        self, model: PrivacyModel, codes: Codes, attribute: Attribute, orders: Longs, key: tuple[int, int]
    ) -> Longs:
        """Where the groups of the line end."""
        bucket = self.bucket or bucket_of(model)
        return greedy_ends(model, bucket, codes, attribute, orders, p=self.probability, key=key)

    def _no_group(self, codes: Codes, attribute: Attribute, orders: Longs, key: tuple[int, int]) -> Message:
        """The whole table satisfies the model and no whole number of buckets does: what is in the way, and what works.

        The first l (or k) below the one asked for at which there is a group, with the same coins, is the largest.
        """
        model = self.required
        name = next(iter(model.directions))
        asked = getattr(model, name)
        problem = (
            f"{name} = {asked} is not feasible: no number of buckets of {self.bucket or bucket_of(model)} rows from "
            f"the first satisfies {model.label}, so every row would be suppressed"
        )
        if not isinstance(asked, int):
            return Message(
                "{problem}; use a smaller bucket, or a {name} that is easier to satisfy", problem=problem, name=name
            )
        for smaller in range(asked - 1, 0, -1):
            easier = type(model)(**{field: getattr(model, field) for field in model.model_fields_set} | {name: smaller})
            if len(self._ends(easier, codes, attribute, orders, key)):
                return Message("{problem}; use {name} = {smaller} or less", problem=problem, name=name, smaller=smaller)
        return Message(
            "{problem}; no {name} is feasible with these buckets, use a smaller bucket", problem=problem, name=name
        )

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood | None:
        """A group tells that its first buckets did not satisfy the model, or that a coin said to go on."""
        if self.required.looks_at == "sizes":
            return Likelihood.transparent(grouping.sizes, len(people))
        if self.anatomize:
            return None
        bucket = self.bucket or bucket_of(self.required)
        place, whole = places_in_line(people, grouping, self.order), whole_counts(published)
        chance = exact(self.probability)
        return told_by_size(
            grouping,
            place,
            lambda size: Buckets(self._buckets(size, bucket), self.required, chance, whole),
            lambda rank, _: rank // bucket,
        )

    def _buckets(self, size: int, bucket: int) -> tuple[int, ...]:
        """The buckets of a published group of this size; the method publishes whole buckets and nothing else."""
        if size % bucket:
            raise Impossible(
                f"a group of {size} rows is no number of buckets of {bucket}, which {self.name} makes groups of",
                "the method, its parameters or the release is another one",
            )
        return (bucket,) * (size // bucket)

    def sentence(self, table: Table) -> Message:
        """What is promised, and what somebody who knows the method may reach."""
        model = self.required
        name = table.attributes[table.having(Role.SENSITIVE)[0]].name
        if model.looks_at == "sizes":
            return size_sentence(model, table)
        if not isinstance(model, LDiversity):
            uninformed = uninformed_sentence(model, table)
            return Message("{uninformed} What is suppressed at the end may be disclosed.", uninformed=uninformed)
        if model.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        bound = np.ceil(1000 * (model.l / (model.l - 1)) ** (model.l - 1) / model.l) / 1000
        informed = f"Somebody who does may reach {bound:g} for people in groups, and certainty for suppressed ones"
        if self.anatomize or bound >= 1 or (self.bucket or model.l) != model.l:
            informed = f"Somebody who does may learn the {name} of some people with certainty"
        return Message("{frequency} {informed}.", frequency=frequency_sentence(model, name), informed=informed)


class GreedyGrouping(GreedyMethod):
    """Every group satisfies the model; no promise against somebody who knows the method.

    **Definition.** Sort the rows by quasi-identifiers (column after column in schema order, or along a Hilbert curve),
    then by row order, and divide them into buckets of l consecutive rows. A group takes bucket after bucket until it
    satisfies the model, simple l-diversity unless another is given; then the next group begins. With ``binary`` only
    these values count, together as one. A model without l takes ``bucket`` rows at a time. What remains at the end, a
    group that is never satisfied and the last rows that fill no bucket, is suppressed and counted. With ``anatomize``
    each group is divided further by Anatomy; with ``binary`` too, by lot into parts of at least l rows of which at most
    one has such a value.

    **What its decisions look at.** Quasi-identifiers, row order, and the sensitive values of each bucket: that a group
    went on says that its first buckets did not satisfy the model. Of two buckets with two positives at l = 2 the first
    has both. Somebody who knows the method reaches up to (l/(l-1))**(l-1) / l, which is below e/l, for rows of
    groups; the rows that are suppressed may be disclosed (buckets N P, P P at l = 2), and so may those of groups that
    are divided by Anatomy (six rows with values 0 0 1 2 3 4 at l = 3).

    >>> import warnings
    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> with warnings.catch_warnings(action="ignore"):
    ...     release = pc.publish(patients, pc.GreedyGrouping(l=2), quasi=["age", "zipcode"], sensitive="disease",
    ...                          identifier="name")
    >>> release.private.labels.tolist(), release.recipe["suppressed"]
    ([0, 0, 1, 1, 1, 1, 2, 2], 0)

    Reference: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility: analyzing
    method-based attacks on anonymized data. PVLDB 3(1), 2010, section 4.
    """

    name: ClassVar[str] = "greedy-grouping"
    summary: ClassVar[str] = "sorts the rows and closes a group as soon as it satisfies the model"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "GreedyGrouping puts the rows in a line, so that people who look alike stand close together, and walks along "
        "it: a group takes the next few people until it satisfies the model, then another begins. It is simple and "
        "fast, and it gives something away: a large group says that its first people were not diverse enough. Use it "
        "to study that attack, or where nobody will know how the groups were made. What is left at the end of the line "
        "is suppressed."
    )
    reference: ClassVar[str] = "Cormode, Srivastava, Li, Li: Minimizing minimality and maximizing utility, VLDB 2010"
    attack: ClassVar[str] = (
        "the minimality attack: a group of several buckets tells that its first buckets did not satisfy the model, "
        "and a suppressed end that the last ones did not"
    )
