"""What several sensitive columns leave open: each is protected by itself, not from who knows another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pellucid.audit import Asking, Audit
from pellucid.group import Method
from pellucid.group.cluster_method import ClusterMethod
from pellucid.group.one_or_another import one_or_another
from pellucid.group.one_tells_another import Told, told_of, worst_of_each
from pellucid.model import Groups
from pellucid.model.sensitive import codes_meant
from pellucid.reporting.hiding import limits_of_hiding
from pellucid.reporting.opened import Given
from pellucid.reporting.promise import general_limits
from pellucid.text.figures import counted
from pellucid.text.values import in_quotes, joined_by_and

ANOTHER = "Another sensitive column"
MEASURED_BY = "pellucid verify --harmonised --require l-diversity=2 (views='both' in Python)"


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What the promise does not say and the release tells all the same; ``certain``: of somebody it is certain."""

    text: str
    certain: bool = False


def limits_of(given: Given, open_: LeftOpen | None) -> tuple[tuple[str, str], ...]:
    """What the guarantee does not cover, with what several columns leave open where there are several."""
    if not given.audit.sensitive:
        return limits_of_hiding(general_limits(clustered=given.clustered, parted=given.parted))
    general = general_limits(clustered=given.clustered, parted=given.parted)
    return general if open_ is None else ((ANOTHER, f"{open_.text} It is measured by {MEASURED_BY}."), *general)


def each_by_itself(audit: Asking, method: Method | None, *, secret: bool) -> LeftOpen | None:
    """What several sensitive columns leave open, and with ``secret`` for how many people; None where one is.

    The public report has no figure: a count of people may be a count of one.
    """
    columns = audit.sensitive
    if len(columns) < 2:
        return None
    each = f"{joined_by_and(columns)} are protected each by itself"
    if not secret or not isinstance(audit, Audit):
        others = "the other" if len(columns) == 2 else "the others"
        return LeftOpen(f"{each}: who knows somebody's value of one may learn {others}.")
    pairs = _told_of_each(audit, method)
    told = [found for name in columns if (found := certain_of(audit, method, name)) is not None]
    rest = [f"Who knows the rest of a row is certain of {one.text}." for one in told] if len(columns) > 2 else []
    certain = any(one.certain for one in pairs) or any(one.certain for one in told)
    return LeftOpen(" ".join([f"{each}.", *(one.sentence for one in pairs), *rest]), certain)


def _told_of_each(audit: Audit, method: Method | None) -> list[Told]:
    """Of each column the other that tells most of it."""
    pairs = permutations(audit.sensitive, 2)
    return worst_of_each(told_of(audit.groups_by(known, name).groups, known, method) for name, known in pairs)


def one_of_several(audit: Audit, method: Method | None) -> list[LeftOpen]:
    """Of how many people it is certain that they have one of several protected values, for each column with some."""
    told = [one_or_another(method, audit.groups_of(name).groups) for name in audit.sensitive]
    return [LeftOpen(f"{text}.", certain=True) for text in told if text]


def certain_of(audit: Audit, method: Method | None, column: str) -> LeftOpen | None:
    """How many people have a protected value that whoever knows their other sensitive values is certain of.

    Their group, as a reader tells groups apart, has no other value of the column beside the same other values. None:
    nobody has a protected value.

    >>> import polars as pl
    >>> import pellucid as pc
    >>> people = pl.DataFrame({"age": ["*"] * 4, "ill": list("aabb"), "hiv": ["yes", "no", "no", "no"]})
    >>> audit = pc.examine(people, quasi="age", sensitive=["ill", "hiv"])
    >>> certain_of(audit, None, "hiv")
    LeftOpen(text='hiv for 2 of 4 people', certain=True)
    >>> certain_of(audit, pc.SoftCut(l=2, values={"hiv": ["yes"]}), "hiv")
    LeftOpen(text="'yes' of hiv for 0 of 1 person", certain=False)
    """
    groups = audit.groups_beside(column).groups
    rows = isinstance(method, ClusterMethod) and method.cluster_rows is not None
    about = None if method is None else method.about(column)
    if about is None:
        return _counted(column, groups, range(len(groups.table_counts)), rows=rows)
    there = codes_meant(about, groups.attribute)
    if not there:
        return None
    named = " or ".join(in_quotes(value) for value in there.values())
    return _counted(f"{named} of {column}", groups, there, rows=rows)


def _counted(what: str, groups: Groups, codes: Iterable[int], *, rows: bool) -> LeftOpen:
    """Of how many people with one of these values it is certain, since nobody in their group has another one.

    With ``rows`` it is rows that are counted, because a person may have several.
    """
    counts = np.isin(range(len(groups.table_counts)), [*codes])
    alone = groups.distinct == 1
    only = groups.codes[groups.starts[:-1]]
    certain, people = int(groups.sizes[alone & counts[only]].sum()), int(groups.table_counts[counts].sum())
    of_all = counted(people, *(("row", "rows") if rows else ("person", "people")))
    return LeftOpen(f"{what} for {certain:,} of {of_all}", certain > 0)
