"""The limit of releases with several sensitive columns: each is protected by itself, not from who knows another."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pellucid.audit import Asking, Audit
from pellucid.group import Method
from pellucid.group.cluster_method import ClusterMethod
from pellucid.model import Groups
from pellucid.model.sensitive import code_of
from pellucid.reporting.hiding import limits_of_hiding
from pellucid.reporting.opened import Given
from pellucid.reporting.promise import general_limits
from pellucid.text.figures import counted

ANOTHER = "Another sensitive column"
MEASURED_BY = "pellucid verify --harmonised --require l-diversity=2 (views='both' in Python)"


def limits_of(given: Given, *, secret: bool) -> tuple[tuple[str, str], ...]:
    """What the guarantee does not cover; with ``secret`` for how many people this limit is one.

    The public report has no figure: a count of people may be a count of one.
    """
    if not given.audit.sensitive:
        return limits_of_hiding(general_limits(clustered=given.clustered, parted=given.parted))
    limit = each_by_itself(given.audit, given.method, secret=secret)
    general = general_limits(clustered=given.clustered, parted=given.parted)
    return ((ANOTHER, f"{limit} It is measured by {MEASURED_BY}."), *general) if limit else general


def each_by_itself(audit: Asking, method: Method | None, *, secret: bool) -> str:
    """What several sensitive columns leave open, and with ``secret`` for how many people; empty where one is."""
    columns = audit.sensitive
    if len(columns) < 2:
        return ""
    sentence = (
        f"{' and '.join(columns)} are protected each by itself: who knows somebody's value of one may learn "
        f"{'the other' if len(columns) == 2 else 'the others'}."
    )
    certain = [certain_words(audit, method, name) for name in columns] if secret and isinstance(audit, Audit) else []
    if not any(certain):
        return sentence
    of_whom = " and of ".join(filter(None, certain))
    return f"{sentence} In this release, who knows the rest of a row is certain of {of_whom}."


def certain_words(audit: Audit, method: Method | None, column: str) -> str:
    """How many people have a protected value that whoever knows their other sensitive values is certain of.

    Their group, as a reader tells groups apart, has no other value of the column beside the same other values.

    >>> import polars as pl
    >>> import pellucid as pc
    >>> people = pl.DataFrame({"age": ["*"] * 4, "ill": list("aabb"), "hiv": ["yes", "no", "no", "no"]})
    >>> audit = pc.audit.examine(people, quasi="age", sensitive=["ill", "hiv"])
    >>> certain_words(audit, None, "hiv"), certain_words(audit, pc.SoftCut(l=2, values={"hiv": ["yes"]}), "hiv")
    ('hiv for 2 of 4 people', "'yes' of hiv for 0 of 1 person")
    """
    groups = audit.groups_beside(column).groups
    rows = isinstance(method, ClusterMethod) and method.cluster_rows is not None
    about = None if method is None else method.about(column)
    if about is None:
        return f"{column} for {_certain_of(groups, range(len(groups.table_counts)), rows=rows)}"
    coded = [(value, code_of(value, groups.attribute)) for value in about]
    there = [(value, code) for value, code in coded if code is not None]
    if not there:
        return ""
    named = " or ".join("null" if value is None else repr(value) for value, _ in there)
    return f"{named} of {column} for {_certain_of(groups, [code for _, code in there], rows=rows)}"


def _certain_of(groups: Groups, codes: Iterable[int], *, rows: bool) -> str:
    """Of how many people with one of these values it is certain, since nobody in their group has another one.

    With ``rows`` it is rows that are counted, because a person may have several.
    """
    counts = np.isin(range(len(groups.table_counts)), [*codes])
    alone = groups.distinct == 1
    only = groups.codes[groups.starts[:-1]]
    certain, people = int(groups.sizes[alone & counts[only]].sum()), int(groups.table_counts[counts].sum())
    return f"{certain:,} of {counted(people, *(('row', 'rows') if rows else ('person', 'people')))}"
