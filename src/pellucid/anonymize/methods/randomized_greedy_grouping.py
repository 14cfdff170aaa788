"""RandomizedGreedyGrouping: as GreedyGrouping, but a group that satisfies the model may go on."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pellucid.anonymize.method import Guarantee
from pellucid.anonymize.methods.greedy_grouping import GreedyMethod


class RandomizedGreedyGrouping(GreedyMethod):
    """Every group satisfies the model; no promise against somebody who knows the method, but less to find.

    **Definition.** As GreedyGrouping, but each time a group satisfies the model and a bucket follows, it goes on with
    probability p, by a coin of its own last row; it then closes at the next bucket where it satisfies the model and the
    coin says so. A group that has gone on and does not satisfy the model at the end is suppressed like any other.

    **What its decisions look at.** What those of GreedyGrouping look at, and coins. That a group went on may now be by
    lot, so it says less; how much less depends on the data. At l = 6 and p = 0.65, of two buckets with two
    positives, a row of the first has one with probability 1.109/l.

    >>> import warnings
    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> with warnings.catch_warnings(action="ignore"):
    ...     release = pc.publish(patients, pc.RandomizedGreedyGrouping(l=2, p=1.0), quasi=["age", "zipcode"],
    ...                          sensitive="disease", identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0]

    Reference: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility: analyzing
    method-based attacks on anonymized data. PVLDB 3(1), 2010, section 4.3.
    """

    name: ClassVar[str] = "randomized-greedy-grouping"
    summary: ClassVar[str] = "greedy-grouping, but a group that satisfies the model goes on with probability p"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "RandomizedGreedyGrouping is GreedyGrouping with a coin: a group that satisfies the model may still take more "
        "people, so that a large group need not mean that its first people were too much alike. The larger p, the less "
        "somebody who knows the method finds out, and the larger the groups. No p makes it safe."
    )
    reference: ClassVar[str] = "Cormode, Srivastava, Li, Li: Minimizing minimality and maximizing utility, VLDB 2010"
    attack: ClassVar[str] = (
        "the minimality attack: a group of several buckets makes it likely that its first buckets did not satisfy the "
        "model, and a suppressed end tells that the last ones did not"
    )

    p: float = Field(ge=0, le=1, description="the probability that a group which satisfies the model goes on")

    @property
    def probability(self) -> float:
        """How likely a group that satisfies the model goes on."""
        return self.p
