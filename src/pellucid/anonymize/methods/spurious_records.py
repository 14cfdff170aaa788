"""SpuriousRecords: a k-anonymous grouping, and made-up records where a group would tell too much."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.method import DiverseAsPublished, Guarantee, require_quasi, single_sensitive
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.anonymize.requirement import K_MEANING, MOST
from pellucid.core.coins import Coins
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible
from pellucid.kernels import absent as kernel
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress


class SpuriousRecords(DiverseAsPublished):
    """In every published group no value has more than one record in l; for that, records are made up.

    **Definition.** Relaxed Mondrian at k. A group in which some value has more than one row in l, or which has fewer
    than l values, receives records with values that it lacks, each of them once, until neither is so; that is as many
    as l times the count of its most frequent value exceeds its rows. Each is drawn from all values of the table, every
    one with the same probability, and drawn again when the group has it already. The added records carry the group's
    quasi-identifiers. The algorithm of the thesis asks for less than one record in l, its table for one in l, as here.

    **What its decisions look at.** The groups: quasi-identifiers and sizes. The records: which values a group has, how
    often the most frequent one, and coins. No group is merged or cut because of sensitive values, so an argument from
    minimality says nothing. But an added value never repeats one of the group: whoever knows how many people a group
    has, and sees a value twice, knows that it is real and, where it fills the group, whose it is.

    The truth is in ``release.private``: ``added`` tells how many records each group was given.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> table = pc.read(patients, quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> grouping = SpuriousRecords(k=2, l=2).group(table, Coins.from_seed(1))
    >>> grouping.labels.tolist(), grouping.added[0].tolist()
    ([0, 0, 1, 1, 2, 2, 3, 3], [1, 1])

    Reference: Hemantha. On minimality attack in privacy preserving data publishing. Thesis, 2017, section 4.2.
    """

    name: ClassVar[str] = "spurious-records"
    draws: ClassVar[bool] = True
    distorts: ClassVar[bool] = True
    summary: ClassVar[str] = "groups k rows that look alike and adds made-up records where a value is too frequent"
    guarantee: ClassVar[Guarantee] = "minimality"
    explanation: ClassVar[str] = (
        "SpuriousRecords puts people who look alike into groups of at least k, without looking at sensitive values. "
        "Where a value is too frequent in a group, it adds records of people who do not exist, with other values, "
        "until it is not. The published table says that there may be such records, not which. It withstands one who "
        "knows that publishers avoid needless changes, not one who knows how it works and how many people a group has: "
        "a value that occurs twice in a group is always real."
    )
    reference: ClassVar[str] = "Hemantha: On minimality attack in privacy preserving data publishing, 2017, section 4.2"
    attack: ClassVar[str] = (
        "an added value never repeats one that the group has, so a repeated value is real, and whoever knows how many "
        "people a group has can be certain of it"
    )

    k: int = Field(ge=1, le=MOST, description=K_MEANING)
    l: int = Field(ge=1, le=MOST, description="how rare every value is in a published group: at most one record in l")

    @property
    def looks_at_no_value(self) -> bool:
        """Records are added to groups that are made without them."""
        return True

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table and the records that are added to them."""
        require_quasi(table)
        column = single_sensitive(table, "SpuriousRecords")
        threads = thread_count(threads)
        grouping = Mondrian(k=self.k).group(table, coins, threads=threads, progress=progress)
        added = self.records(table.codes[column], table.attributes[column], grouping, coins)
        return Grouping(grouping.members, grouping.starts, grouping.rows, added=added)

    def records(self, codes: Codes, attribute: Attribute, grouping: Grouping, coins: Coins) -> tuple[Codes, Codes]:
        """The group and the value of every record to add."""
        groups = Groups.of(grouping.labels, codes, attribute)
        needs = np.maximum(0, self.l * groups.largest - groups.sizes)
        lacking = len(attribute) - np.diff(groups.starts)
        if (needs > lacking).any():
            raise Infeasible(self._too_few_values(groups, lacking))
        short = np.flatnonzero(needs)
        values = np.empty(int(needs.sum()), np.int32)
        kernel.draw_absent(
            *coins.subkey("spurious records"),
            short,
            needs[short],
            grouping.members,
            grouping.starts,
            codes,
            np.full(len(attribute), -1, np.int64),
            values,
        )
        return np.repeat(short, needs[short]).astype(np.int32), values

    def _too_few_values(self, groups: Groups, lacking: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Message:
        """Which group is in the way, and the largest l for this k."""
        reach = (groups.sizes + lacking) // groups.largest
        worst = int(reach.argmin())
        counts = groups.of_group(worst)
        value = max(counts, key=lambda value: counts[value])
        text = "null" if value is None else repr(value)
        way_out = f"use l = {reach[worst]} or less, or" if reach[worst] > 1 else "no l above 1 is; use"
        return Message(
            "l = {l} is not feasible: {text} is the {name!r} of {largest:,} of {rows:,} rows of a group, and only "
            "{lacking:,} of {values:,} values can be added to it, each once (values that the group lacks, none of them "
            "twice); {way_out} another k",
            l=self.l,
            text=text,
            name=groups.attribute.name,
            largest=int(groups.largest[worst]),
            rows=int(groups.sizes[worst]),
            lacking=int(lacking[worst]),
            values=len(groups.attribute),
            way_out=way_out,
        )

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        name = table.attributes[single_sensitive(table, "SpuriousRecords")].name
        if self.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        return Message(
            "Records that nobody is behind may be added, so that in every published group no {name} has more than "
            "1/{l} of the records. This bounds what somebody learns who does not know the method; somebody who "
            "does may be certain of a person's {name}.",
            name=name,
            l=self.l,
        )
