"""Releases in which nothing is protected: among how many rows everybody is hidden, counted again, and what that is not.

k-anonymity promises something about rows and nothing about values, so there is no value that an attacker could be tried
on. What can be found out is whether the promise is kept, which the release itself tells, and how well rows are linked
to people. The first may stand beside the data; the second is for the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.anonymize.k_anonymity_only import counting
from pellucid.audit.source import WHOLE
from pellucid.core.table import Table
from pellucid.messages import Message
from pellucid.models.k_anonymity import KAnonymity
from pellucid.reports.opened import Given
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.attacks.linkage import marketer, prosecutor, uniqueness
from pellucid.risk.views.known_groups import evidence_of_groups

ABOUT_ROWS = ("Several releases", "Several rows of a person", "Who is in the table", "What is put beside it")
VALUES = (
    "What the values of a group tell",
    "No column is protected. What all rows of a group have in common is true of everybody in it, and whoever finds the "
    "group knows it. If one column must not be learnt about a person, protect it and publish again.",
)
NOTHING = "nothing is promised"


def assumptions_of(*, of_rows: bool) -> tuple[str, str]:
    """What is assumed where nothing is protected; ``of_rows`` of people who have several."""
    several = "Some people have several rows: an attacker who finds several rows of one person may find that person."
    return several if of_rows else "Each person has one row.", "The table is published once."


@dataclass(frozen=True)
class Hidden:
    """Among how many rows everybody is hidden: ``promised``, where anybody says so, and ``least`` as counted."""

    promised: int | None
    least: int
    linked: tuple[Finding, ...] = ()  # how well rows are linked to people; for the file

    @property
    def broken(self) -> bool:
        """Whether somebody is hidden among fewer rows than was promised."""
        return self.promised is not None and self.least < self.promised

    @property
    def verdict(self) -> str:
        """What was counted, beside the promise.

        >>> Hidden(5, 7).verdict
        'The promise is kept: counted in the release, everybody looks like at least 7 rows, their own among them.'
        """
        if self.broken:
            fewest = (
                f"counted in the release, somebody looks like no more than {self.least:,} rows, their own among them"
            )
            return f"The promise is not kept: {fewest}, and {self.promised:,} were promised."
        least = f"everybody looks like at least {self.least:,} rows, their own among them."
        if self.promised is None:
            return f"Counted in the release, {least}"
        return f"The promise is kept: counted in the release, {least}"

    @property
    def problem(self) -> Message:
        """Why nobody should sign this; empty where nothing is in the way."""
        return Message("k = {promised} is not kept", promised=self.promised) if self.broken else Message("")

    @property
    def bounds(self) -> tuple[tuple[str, str], ...]:
        """For each kind of attacker among how many rows a person stays hidden."""
        k = "what the sentence says" if self.promised is None else f"at least {self.promised:,} rows"
        return (
            ("has the release", k),
            ("knows everybody's values, the method and its parameters too", k),
            ("combines several releases of the same people", NOTHING),
            ("asks what the values of a group tell about everybody in it", NOTHING),
        )


def hidden_in(given: Given, table: Table | None = None) -> Hidden | None:
    """What can be said of a release that protects no column; None of any other. The ``table`` is for the file."""
    if given.audit.sensitive:
        return None
    sizes, groups = given.audit.sizes_of_groups()
    _, alike = given.cells(list(given.source.columns(WHOLE)), WHOLE)  # in all that is published, whatever its role
    required = None if given.method is None else given.method.required
    asked = () if required is None else required.parts
    promised = max((part.k for part in asked if isinstance(part, KAnonymity)), default=None)
    linked = () if table is None else _linked(table, np.repeat(sizes, groups))
    return Hidden(promised, min(int(sizes[0]), int(alike.min())), linked)


def _linked(table: Table, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[Finding, ...]:
    """How well rows are linked to people by groups of these sizes: nobody's own group is looked at."""
    if int(sizes.sum()) != len(table):
        return ()
    labels = np.repeat(np.arange(len(sizes)), sizes)
    evidence = evidence_of_groups(counting(table, KAnonymity(k=2)), labels.tolist())
    return prosecutor(evidence), marketer(evidence), uniqueness(evidence)


def limits_of_hiding(limits: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The limits that are about rows and not about values, after the one that is about all of them."""
    return (VALUES, *(one for one in limits if one[0] in ABOUT_ROWS))
