"""SymmetricGrouping: rows in a line, halved while both halves satisfy the model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from pydantic import model_validator

from pellucid.anonymize.disclosure.likelihoods import told_by_size, whole_counts
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.consecutive import ConsecutiveMethod, as_grouping, frequency_sentence, symmetric_ends
from pellucid.anonymize.layout.sequence import in_line, places_in_line
from pellucid.anonymize.method import Guarantee, informed_sentence
from pellucid.anonymize.requirement import size_sentence, uninformed_sentence
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.shape import Likelihood, Plain, Shape
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress


class SymmetricGrouping(ConsecutiveMethod):
    """With simple l-diversity of every value: posterior at most 1/(l - 1/2), not 1/l, against whoever knows the method.

    The bound is what enumerating all small cases finds; it is not proved.

    **Definition.** Sort the rows by quasi-identifiers (column after column in schema order, or along a Hilbert curve),
    then by row order. Cut the line in two halves, of which the left is larger by one row when their number is odd. If
    both satisfy the model, treat each of them in the same way; else the line is a group.

    **What its decisions look at.** Quasi-identifiers, row order, and whether both halves satisfy the model. Of a group
    that was not cut one knows that one of its halves does not. When the halves are equally large, exchanging their
    values preserves that, so the posterior is the frequency; when one has a row more, it exceeds 1/l a little. With
    ``binary`` a half without any of the values satisfies the model, however small: 2l - 1 rows of which one has it give
    1/(l-1). Other models are not covered either. Dividing a group by Anatomy would disclose values and is refused.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.SymmetricGrouping(l=2), quasi=["age", "zipcode"], sensitive="disease",
    ...                      identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]

    Reference: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility: analyzing
    method-based attacks on anonymized data. PVLDB 3(1), 2010, appendix C.3.
    """

    name: ClassVar[str] = "symmetric-grouping"
    summary: ClassVar[str] = "sorts the rows and halves groups while both halves satisfy the model"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "SymmetricGrouping puts the rows in a line, so that people who look alike stand close together, and halves it "
        "again and again as long as both halves satisfy the model. The half that failed cannot be told from the other, "
        "so a group that was not cut gives next to nothing away: with l-diversity of every value, a probability of "
        "1/(l - 1/2) instead of 1/l. With another model, or with only some values protected, it promises no more than "
        "the frequencies in its groups."
    )
    reference: ClassVar[str] = "Cormode, Srivastava, Li, Li: Minimizing minimality and maximizing utility, VLDB 2010"
    unproved: ClassVar[str] = "checked on all small cases, not proved"
    attack: ClassVar[str] = "the refused cut: a group that was not cut tells that one of its halves failed the model"

    @model_validator(mode="before")
    @classmethod
    def _never_anatomized(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("anatomize"):
            raise ValueError(
                "anatomize is refused: what Anatomy makes of a group that was not cut can disclose values with "
                "certainty (erratum 7: six rows, two of them positive, at l = 2); leave it out, or use anatomy"
            )
        return given

    @property
    def claim(self) -> Guarantee:
        """Simple l-diversity of every value, and a model of sizes alone, hold against whoever knows the method."""
        return "algorithm" if self.plain_l is not None or self.required.looks_at == "sizes" else "frequency"

    @property
    def promised(self) -> Fraction | None:
        """1/(l - 1/2) of whoever knows the method, for simple l-diversity of every value."""
        return self.counted if self.plain_l in (None, 1) else Fraction(2, 2 * self.plain_l - 1)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        self.check(table)
        (column,) = table.having(Role.SENSITIVE)
        progress.stage("grouping", len(table))
        rows, _ = in_line(table, self.order, coins, thread_count(threads))
        ends = symmetric_ends(self.required, table.codes[column][rows], table.attributes[column])
        progress.advance(len(table))
        return as_grouping(rows, ends)

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:
        """A group tells that its halves were refused."""
        if self.required.looks_at == "sizes":
            return Likelihood.transparent(grouping.sizes, len(people))
        place, whole = places_in_line(people, grouping, self.order), whole_counts(published)

        def shape(size: int) -> Shape:
            if size < 2:
                return Plain((size,))
            return Refused(((size + 1) // 2, size // 2), ((True, False),), self.required, whole)

        return told_by_size(grouping, place, shape, lambda rank, size: rank >= (size + 1) // 2)

    def sentence(self, table: Table) -> Message:
        """The guarantee in one plain sentence."""
        name = table.attributes[table.having(Role.SENSITIVE)[0]].name
        model = self.required
        if model.looks_at == "sizes":
            return size_sentence(model, table)
        if not isinstance(model, LDiversity):
            return uninformed_sentence(model, table)
        if model.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        if self.plain_l is None:
            reach = "may be certain of it" if model.l == 2 else f"may reach {Fraction(1, model.l - 1)} or more"
            return Message(
                "{frequency} Somebody who does {reach}.", frequency=frequency_sentence(model, name), reach=reach
            )
        checked = f"{self.promised} ({self.unproved})"
        return informed_sentence([name], f"{checked}, and by frequency alone with at most 1/{model.l}")
