"""The limit of releases with several sensitive columns: each is protected by itself, not from who knows another."""

from __future__ import annotations

import numpy as np

from pellucid.audit import Audit
from pellucid.group import Method
from pellucid.model.sensitive import code_of
from pellucid.reporting.opened import Given
from pellucid.reporting.promise import LIMITS

MEASURED_BY = "pellucid verify --harmonised --require l-diversity=2 (views='both' in Python)"


def limits_of(given: Given, *, secret: bool) -> tuple[tuple[str, str], ...]:
    """What the guarantee does not cover; with ``secret`` for how many people this limit is one.

    The public report has no figure: a count of people may be a count of one.
    """
    columns = given.audit.sensitive
    if len(columns) < 2:
        return LIMITS
    told = (
        f"{' and '.join(columns)} are protected each by itself: who knows somebody's value of one may learn "
        f"{'the other' if len(columns) == 2 else 'the others'}."
    )
    if secret:
        certain = [certain_words(given.audit, given.method, name) for name in columns]
        told += " In this release, who knows the rest of a row is certain of " + " and of ".join(filter(None, certain))
        told += "."
    return (("Another sensitive column", f"{told} It is measured by {MEASURED_BY}."), *LIMITS)


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
    about = None if method is None else method.about(column)
    found = [(value, code_of(value, groups.attribute)) for value in about or ()]
    values, codes = (
        [value for value, code in found if code is not None],
        [code for _, code in found if code is not None],
    )
    if about is not None and not codes:
        return ""
    counts = (
        np.ones(len(groups.table_counts), np.bool_)
        if about is None
        else np.isin(range(len(groups.table_counts)), codes)
    )
    alone = groups.distinct == 1
    only = groups.codes[groups.starts[:-1]]
    certain, people = int(groups.sizes[alone & counts[only]].sum()), int(groups.table_counts[counts].sum())
    named = "" if about is None else f"{' or '.join('null' if v is None else repr(v) for v in values)} of "
    return f"{named}{column} for {certain:,} of {people:,} {'person' if people == 1 else 'people'}"
