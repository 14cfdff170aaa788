"""Who of a population is in which group of a release, as far as its published values tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pellucid.audit.partition import Partition, partition
from pellucid.audit.population import People, centres_among, like_nobody, people
from pellucid.audit.two_tables import numbers_of_groups
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import AttackError
from pellucid.models import Groups
from pellucid.published.ends import base_name
from pellucid.risk.views.membership import Fit, Membership, apart
from pellucid.risk.views.missing_inputs import SHARES
from pellucid.risk.views.population import Crowd

if TYPE_CHECKING:
    from pellucid.risk.views.opened_release import ReleaseView


@dataclass(frozen=True, eq=False)
class WhoIsWhere:
    """Who of a population is in which group, as far as its published values tell."""

    published: Groups
    membership: Membership
    lookalikes: Membership | None
    notes: tuple[str, ...]


def who_is_where(view: ReleaseView, crowd: Crowd, more_people: bool) -> WhoIsWhere:
    """Whoever of the crowd is in which group; ``more_people``: than the release has rows."""
    return _vectors_among(view, crowd, more_people) if view.in_two else _groups_among(view, crowd, more_people)


def _vectors_among(view: ReleaseView, crowd: Crowd, more_people: bool) -> WhoIsWhere:
    """Of two tables: people are in the groups of the rows that have exactly their values."""
    known = people(crowd.frame, _known_columns(view, crowd), view.meant)
    if view.by_share and view.source.recipe is None and more_people:
        raise AttackError(
            "the tables show a column's values up to its ends, and not which ends: {shares}", shares=SHARES
        )
    return WhoIsWhere(view.groups.groups, *_by_vector(view, known))


def _groups_among(view: ReleaseView, crowd: Crowd, more_people: bool) -> WhoIsWhere:
    """People are in the groups whose published values cover theirs."""
    published, names = view.groups.groups, _known_columns(view, crowd)
    known = people(crowd.frame, names, view.meant)
    whole = replace(
        view.groups, forming=tuple(i for i in view.groups.forming if view.audit.table.attributes[i].name in names)
    )
    _refuse_unread(view, whole, known)
    fit = Fit.of(view.audit.covering(whole, known)(), published.sizes, known.counts)
    settled = fit.forced()
    # the means of groups fit each other in few of the ways to give each row a person: they are not counted
    by_means = _weighed(view) or centres_among(
        known.names, [view.audit.table.attributes[i].name for i in whole.forming]
    )
    if settled is not None:
        membership, lookalikes, notes = _apart(settled, known, crowd.table)
    else:
        membership, lookalikes, notes = fit.bounds(known.place) if by_means else fit.membership(known.place), None, ()
    if lookalikes is not None and _weighed(view):  # whose weights may tell them apart
        membership, lookalikes, notes = fit.bounds(known.place), None, ()
    if more_people and not by_means:
        absent = len(crowd.table) - int(membership.covered.sum())
        published = replace(published, population=fit.covered, absent=absent)
    return WhoIsWhere(published, membership, lookalikes, notes)


def _weighed(view: ReleaseView) -> bool:
    """Whether groups show the mean of their weights, which tells more about who is in which than is counted here."""
    return bool(view.source.facts.names(Role.WEIGHT))


def _known_columns(view: ReleaseView, crowd: Crowd) -> list[str]:
    """The published columns that a population has, under their own name or that of what they were made of."""
    columns = crowd.frame.columns
    return [name for name in _published_columns(view) if name in columns or base_name(name) in columns]


def _refuse_unread(view: ReleaseView, whole: Partition, known: People) -> None:
    """Raise when nobody is like a published value: these are other people, or the value is not understood."""
    values = {view.audit.table.attributes[i].name: view.audit.table.attributes[i].values for i in whole.forming}
    lacking = like_nobody(values, known, view.schema)
    if lacking is not None and lacking[1] is not None:
        column, value = lacking
        raise AttackError(
            "the population does not fit the release: nobody in it has a {column!r} like the published {value!r}",
            "give the people from whom the table was drawn, a {SCHEMA} with the taxonomy of the column, or write "
            "values as 27, [20, 29], {a, b}, 130** or *",
            column=column,
            value=value,
        )


def _by_vector(view: ReleaseView, known: People) -> tuple[Membership, Membership | None, tuple[str, ...]]:
    """Two tables: whoever has the exact values of a row is one of those who may be behind it."""
    shown = _published_columns(view)
    table = view.audit.quasi_table
    known_too = [i for i, a in enumerate(table.attributes) if a.name in shown and a.name in known.names]
    whole = partition(table, known_too, None)
    of_row = group_of_rows(view)
    fit = Fit.of(view.audit.covering(whole, known)(), whole.groups.sizes, known.counts)
    found = {
        place: _rows_by_group(np.concatenate([whole.rows_of(vector) for vector in vectors]), of_row)
        for place, vectors in fit.of_place.items()
    }
    of_anybody = (np.bincount(fit.groups, minlength=1) > 1).any()  # a row without any value
    if of_anybody or (_weighed(view) and any(len(groups) > 1 for groups in found.values())):
        bounds = {place: [(group, 1.0) for group in groups] for place, groups in found.items()}
        return Membership.by_place(bounds, np.zeros(len(known.counts), np.bool_), known.place), None, ()
    if int(known.counts.sum()) == len(of_row):
        return _apart(found, known, None)
    chances = _chances(found, known.counts.tolist())
    return Membership.by_place(chances, np.ones(len(known.counts), np.bool_), known.place), None, ()


def _rows_by_group(rows: NDArray[np.int64], of_row: Codes) -> dict[int, int]:
    """How many of these rows are in each group."""
    groups, counts = np.unique(of_row[rows], return_counts=True)
    return dict(zip(groups.tolist(), counts.tolist(), strict=True))


def _apart(
    found: Mapping[int, Mapping[int, int]], known: People, table: Table | None
) -> tuple[Membership, Membership | None, tuple[str, ...]]:
    """Who is in which group where only those who look exactly alike are open: by row order, and who else it may be."""
    rows = known.rows
    if table is not None and table.order is not None:  # never by the order of the file
        rows = rows[np.lexsort((table.order[rows], known.place[rows]))]
    membership, note = apart(found, rows)
    if not note:
        return membership, None, ()
    everyone = {place: sum(groups.values()) for place, groups in found.items()}
    chances = _chances(found, everyone)
    return membership, Membership.by_place(chances, np.ones(len(known.counts), np.bool_), known.place), note


def _chances(
    found: Mapping[int, Mapping[int, int]], everyone: Mapping[int, int] | Sequence[int]
) -> dict[int, list[tuple[int, float]]]:
    """How likely each of those at a place is in each group, of which rows were found there, by how many they are."""
    return {
        place: [(group, rows / everyone[place]) for group, rows in sorted(groups.items())]
        for place, groups in found.items()
    }


def group_of_rows(view: ReleaseView) -> Codes:
    """The group of each row of the quasi-identifier table."""
    (column,) = view.audit.forming
    numbers = numbers_of_groups(view.source, view.audit.table.attributes[column].name)
    spelled = [str(value) for value in view.audit.table.attributes[column].values.to_list()]
    code_of = {text: code for code, text in enumerate(spelled)}
    group_of = {
        int(code): group for group, code in enumerate(view.groups.vectors()[view.audit.table.attributes[column].name])
    }
    return np.array([group_of[code_of[str(number)]] for number in numbers.to_list()], np.int32)


def _published_columns(view: ReleaseView) -> list[str]:
    table = view.audit.quasi_table
    return [a.name for a in table.attributes if a.role in (Role.QUASI, Role.CARRY)]
