"""How many people of a population each group of a release covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.audit.overlap import Walk, presence
from pellucid.core.schema import Column, Kind, Role, Schema, resolve
from pellucid.core.table import Codes, Table
from pellucid.errors import InputError
from pellucid.io import encode, read_original
from pellucid.io.columns import choose
from pellucid.io.inference import convert, type_of
from pellucid.models.groups import Presence
from pellucid.published.ends import MEAN, MEDIAN, base_name, is_centre, place_of_end
from pellucid.published.matcher import CellMatcher, Flags
from pellucid.published.numbers import numbers_in
from pellucid.text.values import label_of


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The distinct vectors of a population on the columns that the release publishes, and how many share each.

    People with the same vector are at the same place: ``rows`` lists them place after place, as many as ``counts``.
    """

    table: Table
    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    counts: NDArray[np.int64]
    rows: Codes

    @property
    def place(self) -> NDArray[np.int64]:
        """The place of each person, in the order of the population."""
        places = np.empty(len(self.rows), np.int64)
        places[self.rows] = np.repeat(np.arange(len(self.counts)), self.counts)
        return places


def people(source: Any, quasi: Sequence[str], schema: Schema | None) -> People:
    """Read a population: a path or a frame with the quasi-identifiers under the names that the release has.

    ``schema`` is how its values are meant (:func:`pellucid.audit.meaning.meant_by`).
    """
    frame, _ = read_original(source, schema, verbatim=True)
    own = {name for name in frame.columns if name.endswith((MEAN, MEDIAN))}  # a mean there is what it says
    # a release may split an interval into its ends, or have a mean, where the population has the value
    less = {name for name in quasi if name not in own and base_name(name) in frame.columns}
    names = tuple(dict.fromkeys(base_name(name) if name in less else name for name in quasi))
    choose(frame.columns, names, "the population")
    frame = frame.select(_moments(frame[name]) for name in names)
    declared = {name: _plain(schema, name, frame[name]) for name in names}
    table = encode(frame, Schema.model_construct(columns=declared))
    rows, starts = sort_rows(list(table.codes), [len(attribute) for attribute in table.attributes], 1)
    examples = rows[starts[:-1]]
    return People(table, names, tuple(codes[examples] for codes in table.codes), np.diff(starts), rows)


def _moments(series: pl.Series) -> pl.Series:
    """Texts that are all dates, moments or booleans as such: a T or a blank in a moment is no difference here."""
    dtype = type_of(series) if series.dtype == pl.String else None
    typed = dtype is not None and (dtype.is_temporal() or dtype == pl.Boolean())
    return convert(series, dtype) if dtype is not None and typed else series


def _plain(schema: Schema | None, name: str, series: pl.Series) -> Column:
    """Values as they are; text counts as dates where the schema says so."""
    kind = schema.columns[name].kind if schema is not None and name in schema.columns else None
    dates = kind is Kind.DATE and series.dtype == pl.String
    return Column(role=Role.QUASI, kind=Kind.DATE if dates else Kind.CATEGORY)


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """How many people each group covers, how many are covered by none, and how likely who is in the table."""

    covered: NDArray[np.int64]
    absent: int
    presence: Presence | None


def covers(
    published: Mapping[str, pl.Series],
    vectors: Mapping[str, Codes],
    known: People,
    schema: Schema | None = None,
    *,
    anybody: Flags,
    rows: int,
) -> Walk:
    """A walk over the groups, each with the places of the people whom its published vector covers.

    ``published[column]`` has the distinct values of a published column, ``vectors[column]`` each group's code in it.
    Groups in ``anybody`` may be about everyone, whatever their values. Where two ranges meet at a number that somebody
    has, both cover them. That is refused, unless everybody is in one of the ``rows`` and other columns say in which.
    """
    decided = int(known.counts.sum()) == rows and not anybody.any()
    meeting: list[tuple[Codes, Flags, InputError]] = []  # each group's cell, who has the number, what to say
    columns = list(published)
    steps: list[tuple[Codes, dict[int, Flags], Codes]] = []  # each group's choice, what a choice covers, people's codes
    for name, codes, attribute in zip(known.names, known.codes, known.table.attributes, strict=True):
        covering = _covering(attribute.values, name, schema)
        if name in published:
            values = published[name].to_list()
            if decided:
                covering.refuse_unclear_gaps(values, name)
                meeting += [(vectors[name], met[codes], error) for met, error in covering.unclear_ends(values, name)]
            else:
                covering.refuse_unclear(values, name)
            steps.append((vectors[name], {code: covering.of(value) for code, value in enumerate(values)}, codes))
        else:
            # low, high, nulls, whatever the order of the columns
            ends = sorted((column for column in columns if base_name(column) == name), key=place_of_end)
            choice, tuples = _together([vectors[end] for end in ends])
            spelled = [[published[end][int(code)] for end, code in zip(ends, row, strict=True)] for row in tuples]
            centre = is_centre(name, ends)
            steps.append((choice, {i: _parts(covering, row, centre=centre) for i, row in enumerate(spelled)}, codes))
    _refuse_in_both(lambda: _walk(steps, len(known.counts), anybody), meeting, len(known.counts))
    return lambda: _walk(steps, len(known.counts), anybody)


def _refuse_in_both(walk: Walk, meeting: Sequence[tuple[Codes, Flags, InputError]], people: int) -> None:
    """Raise where somebody may be in either of two ranges that meet at their number."""
    cells = [np.full(people, -1, np.int64) for _ in meeting]
    for group, places in walk() if meeting else ():
        for (cell_of, met, error), seen in zip(meeting, cells, strict=True):
            here = places[met[places]]
            if ((seen[here] >= 0) & (seen[here] != cell_of[group])).any():
                raise error
            seen[here] = cell_of[group]


def _parts(covering: CellMatcher, row: Sequence[object], *, centre: bool) -> Flags:
    """Whom a value covers that is published in columns of its own: as ends, or as a mean."""
    if centre:
        return covering.any_value(row[0], row[1] if len(row) > 1 else None)
    return covering.between(*row, *[None] * (3 - len(row)))


def centres_among(names: Iterable[str], published: Sequence[str]) -> list[str]:
    """The columns of a population that a release publishes as means, which cover nobody in particular."""
    return [name for name in names if is_centre(name, published)]


def like_nobody(
    published: Mapping[str, pl.Series], known: People, schema: Schema | None = None
) -> tuple[str, object] | None:
    """A column and a published value of it that nobody is like: other people, or a notation of its own."""
    for name, attribute in zip(known.names, known.table.attributes, strict=True):
        covering = _covering(attribute.values, name, schema)
        for value in published[name].to_list() if name in published else ():
            if not covering.of(value).any():
                return name, value
    return None


def matching(
    published: Mapping[str, pl.Series],
    vectors: Mapping[str, Codes],
    sizes: NDArray[np.int64],
    known: People,
    schema: Schema | None = None,
    *,
    anybody: Flags,
) -> Matched:
    """How many people each published vector covers; ``sizes`` has each group's rows, the rest is as in covers."""
    if means := centres_among(known.names, list(published)):
        raise InputError(
            f"{' and '.join(means)} of the population is in the release as the mean of groups, which covers nobody in "
            "particular: how many people a group may be about cannot be counted; publish with recode = intervals to "
            "ask that, or leave the population out"
        )
    walk = covers(published, vectors, known, schema, anybody=anybody, rows=int(sizes.sum()))
    covered = np.zeros(len(sizes), np.int64)
    met = np.zeros(len(known.counts), np.bool_)
    for group, places in walk():
        covered[group] = known.counts[places].sum()
        met[places] = True
    absent = int(known.counts[~met].sum())
    likely = None
    if int(covered.sum()) + absent > int(known.counts.sum()):  # somebody is covered twice
        likely = presence(walk, sizes, known.counts, covered)
    return Matched(covered, absent, likely)


def _covering(values: pl.Series, name: str, schema: Schema | None) -> CellMatcher:
    """With the taxonomy and the order that the schema gives the column."""
    if schema is None or name not in schema.columns:
        return CellMatcher(values)
    column = schema.columns[name]
    present = values.drop_nulls()
    labels = [label_of(value) for value in present.to_list()]
    numbers = column.kind is Kind.NUMBER
    spelled = present.dtype == pl.String and (numbers or (type_of(present) or pl.String()).is_numeric())
    # a ladder is built on numbers, and a text file has texts
    known = numbers_in(present) if spelled else present.to_list()
    taxonomy = resolve(column, labels, known, schema.folder)
    return CellMatcher(values, taxonomy=taxonomy, order=column.order or (), numbers=numbers)


def _together(codes: Sequence[Codes]) -> tuple[Codes, list[list[int]]]:
    """Each group's combination of several codes as one number, and the codes of each number."""
    combined, choice = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    return choice.astype(np.int32).ravel(), combined.tolist()


def _walk(
    steps: Sequence[tuple[Codes, dict[int, Flags], Codes]], people: int, anybody: Flags
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each group with the places of the people whom it covers.

    Down the columns, groups that agree so far share the people that are still covered.
    """

    def descend(
        depth: int, members: NDArray[np.int64], left: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        if depth == len(steps):
            yield from ((group, left) for group in members.tolist())
            return
        choice, covers, codes = steps[depth]
        mine, theirs = choice[members], codes[left]
        order = np.argsort(mine, kind="stable")
        members, mine = members[order], mine[order]
        starts = np.flatnonzero(np.append(True, mine[1:] != mine[:-1]))
        for start, end in zip(starts, np.append(starts[1:], len(mine)), strict=True):
            yield from descend(depth + 1, members[start:end], left[covers[int(mine[start])][theirs]])

    everyone = np.arange(people)
    if not anybody.all():
        yield from descend(0, np.flatnonzero(~anybody), everyone)
    yield from ((group, everyone) for group in np.flatnonzero(anybody).tolist())
