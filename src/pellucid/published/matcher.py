"""Which values of a population a published value stands for.

A population table has people's own values; a release has intervals, sets, taxonomy nodes, masks. A published value
covers, among the values of the population's column,

===================== ==============================================================================================
``27``                the same value; in a column of numbers the same number, however it is written
``[21, 27]``          everything from 21 to 27: numbers, dates, and ordered values in the order of the schema
``[20, 30)``          everything from 20 up to but not including 30; ``(20, 30]`` leaves 20 out; ``[20, 30[`` and
                      ``]20, 30]`` say the same
``{flu, cold}``       each member
``flu,cold``          each member, where all of them are values of the population
``Europe``            everything below that node, when the schema has the column's taxonomy
``>=150``, ``<=40``   what is not below, or not above; of dates too, and as an end of an interval: ``[120, >=150]``
``<18``               what is below, also as an end: ``[<18, 65)``
``20-29``, ``30+``    the numbers in that range, and other notations of other tools: :mod:`pellucid.published.numbers`
``130**``, ``**053``  every text of that length with these characters in these places
``*``, ``*****``      everything, null included
null                  null
``... or null``       null besides
===================== ==============================================================================================

A text that the population has itself, whatever it looks like, covers that value and nothing else. As a part of a longer
text a value that could be misread is in quotation marks: :mod:`pellucid.published.grammar`. Numbers are compared
exactly. In a column of texts, an interval between numbers covers the texts that are numbers in it. Ranges that meet at
a number which somebody has, and do not say whose it is (``20-30`` beside ``30-40``), are refused; so is whatever else
may be read in two ways by which people differ: :meth:`CellMatcher.refuse_unclear`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import le

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import InputError
from pellucid.io.inference import type_of
from pellucid.published.grammar import (
    CAPPED,
    MASK,
    ONE_STAR,
    OR_NULL,
    Interval,
    interval_of,
    is_everything,
    is_quoted,
    is_set,
    members_of,
    unquoted,
)
from pellucid.published.numbers import (
    NumberLine,
    Range,
    just_outside,
    meeting,
    number_of,
    numbers_in,
    range_of,
    two_numbers,
)
from pellucid.published.times import moment_of, moments_in
from pellucid.text.values import label_of

Flags = NDArray[np.bool_]


class CellMatcher:
    """Asked with a published value, tells which of the population's values it covers.

    ``numbers`` says that texts are numbers even where they have leading zeros, which otherwise make them codes.
    ``as_written`` says that the release was made of this very table: among its texts "1" is "1" and not "1.0".

    >>> ages = CellMatcher(pl.Series([None, 21, 27, 30]))
    >>> [ages.of(text).tolist() for text in ("[21, 27]", "27", "30 or null")]
    [[False, True, True, False], [False, False, True, False], [True, False, False, True]]
    """

    def __init__(
        self,
        values: pl.Series,
        *,
        taxonomy: Taxonomy | None = None,
        order: Sequence[str] = (),
        numbers: bool = False,
        as_written: bool = False,
    ) -> None:
        self._dtype = values.dtype
        self._labels = _labels_of(values)
        self._null = values.is_null().to_numpy()
        self._as_written = as_written and values.dtype == pl.String
        self._numeric = numbers or _type_by_looks(values).is_numeric()
        self._line = NumberLine(numbers_in(values) if self._numeric or values.dtype == pl.String else [])
        self._zoned = _is_zoned(values.dtype)
        self._moments = moments_in(values) if isinstance(values.dtype, pl.Datetime) else []
        self._ranks = {label: rank for rank, label in enumerate(order)}
        self._place = {label: i for i, label in enumerate(self._labels) if not self._null[i]}
        self._below = {} if taxonomy is None else self._places_below(taxonomy)

    def _places_below(self, taxonomy: Taxonomy) -> dict[str, list[int]]:
        """The places of the values below each node of a taxonomy."""
        missing = set(taxonomy.missing(self._labels))
        below: dict[str, list[int]] = {}
        for i, label in enumerate(self._labels):
            if label not in missing and not self._null[i]:
                for node in taxonomy.above(label):
                    below.setdefault(node, []).append(i)
        return below

    def of(self, published: object) -> Flags:
        """A flag for each value of the population."""
        if published is None:
            return self._null.copy()
        text = label_of(published)
        return self._same(text) if text in self._place else self.generalised(text)

    def generalised(self, text: str) -> Flags:
        """The same for a text that is not, or need not be, one of the population's values.

        >>> texts = CellMatcher(pl.Series(["a", "b", "{a, b}"]))
        >>> texts.of("{a, b}").tolist(), texts.generalised("{a, b}").tolist()
        ([False, False, True], [True, True, False])
        """
        if is_everything(text):
            return np.ones(len(self._labels), np.bool_)
        if text.endswith(OR_NULL):
            return self._null | self.part(text.removesuffix(OR_NULL))
        return self._general(text) if text in self._place else self._spelled(text)

    def part(self, text: str) -> Flags:
        """The same for what stands before ``or null``: there a value that reads like something else is quoted."""
        if is_quoted(text) and (covered := self._same(unquoted(text))).any():
            return covered
        if text.startswith(("{", "[")) and (covered := self._general(text)).any():
            return covered
        return self._spelled(text)

    def refuse_unclear(self, published: Iterable[object], column: str) -> None:
        """Raise when these values can be read in two ways that differ in whom of the population they cover.

        That is: two ranges meet at somebody's number and neither says that it has it; somebody's number lies between
        the ends of ``20-29`` and ``30-39``, or between those of ``20,29``; ``13*`` may hide more than one character.
        """
        for _, unclear in self.unclear_ends(published, column):
            raise unclear
        self.refuse_unclear_gaps(published, column)

    def _texts(self, published: Iterable[object]) -> list[str]:
        texts = [label_of(value).removesuffix(OR_NULL) for value in published if value is not None]
        return [text for text in texts if not is_everything(text) and text not in self._below]

    def unclear_ends(self, published: Iterable[object], column: str) -> Iterator[tuple[Flags, InputError]]:
        """The values of the population at which two ranges meet and neither says that it has it, with the error."""
        texts = self._texts(published) if self._ranged else []
        # numbers as they are may meet ranges; other texts that the population has itself stand for themselves
        spelled = (text for text in texts if text not in self._place or number_of(text) is not None)
        for number, (first, other) in sorted(meeting(spelled).items()):
            if (met := self._line.equal(number)).any():
                low = one_end(first)
                error = InputError(
                    f"{column}: {first!r} and {other!r} both end at {number}, which people of the population have, and "
                    f"it is not clear in which they are; write which ends belong to it, as in [{low}, {number}) or "
                    f"[{low}, {number}]"
                )
                yield met, error

    def refuse_unclear_gaps(self, published: Iterable[object], column: str) -> None:
        """Raise where somebody's value lies next to a range, or between two numbers, or may be hidden by one star."""
        texts = self._texts(published)
        spelled = [text for text in texts if text not in self._place]
        suspects = [text for text in spelled if just_outside(text) or two_numbers(text) or ONE_STAR.match(text)]
        if not suspects:
            return
        covered = np.logical_or.reduce([self._spelled(text) for text in texts])
        for text in suspects:
            self._refuse_open_ends(text, column, covered)
            self._refuse_two_numbers(text, column)
            self._refuse_one_star(text, column, covered)

    def _refuse_open_ends(self, text: str, column: str, covered: Flags) -> None:
        """Raise for 20-29 beside 30-39 where somebody is 29.5."""
        for gap in just_outside(text) if self._ranged else ():
            if (who := self._first(self._within(gap) & ~covered)) is not None:
                raise InputError(
                    f"{column}: {text!r} does not say whether it covers {who}, which somebody of the "
                    "population has and no other published value covers; write [20, 30) or [20, 29] in place "
                    "of 20-29"
                )

    def _refuse_two_numbers(self, text: str, column: str) -> None:
        """Raise for 20, 30 where somebody is 25."""
        if self._numeric and (two := two_numbers(text)) and (who := self._first(self._within(two))) is not None:
            raise InputError(
                f"{column}: {text!r} may be two numbers or all between them, such as {who}, which somebody of the "
                f"population has; write {{{two.low}, {two.high}}} or [{two.low}, {two.high}]"
            )

    def _refuse_one_star(self, text: str, column: str, covered: Flags) -> None:
        """Raise for 130* where somebody has 13012."""
        if not ONE_STAR.match(text):
            return
        longer = [len(label) > len(text) and label.startswith(text[:-1]) for label in self._labels]
        if (who := self._first(self._known(longer) & ~covered)) is not None:
            raise InputError(
                f"{column}: {text!r} may hide one character or more, as in {who}, which somebody of the "
                "population has and no other published value covers; write a * for each hidden character, or "
                "give a schema with the column's taxonomy"
            )

    def _within(self, ends: Range) -> Flags:
        return self._line.between(ends.low, ends.high, without_low=ends.without_low, without_high=ends.without_high)

    def _first(self, flags: Flags) -> str | None:
        """One of the values that are flagged."""
        return self._labels[int(np.argmax(flags))] if flags.any() else None

    def between(self, low: object, high: object, nulls: object) -> Flags:
        """The same for an interval whose ends are columns of their own."""
        ends = None if low is None else Interval(label_of(low), label_of(high), without_low=False, without_high=False)
        inside = self._nothing() if ends is None else self._interval(ends)
        return inside | (self._null if nulls in ("all", "some") else False)

    def any_value(self, centre: object, nulls: object) -> Flags:
        """The same for the mean or the median of a group, in a column of its own: whoever has a value may be in it."""
        covered = self._nothing() if centre is None else ~self._null
        return covered | (self._null if centre is None or nulls in ("all", "some") else False)

    def _known(self, flags: Sequence[bool] | Flags) -> Flags:
        """These flags as far as there is a value."""
        covered: Flags = np.asarray(flags, np.bool_) & ~self._null
        return covered

    def _nothing(self) -> Flags:
        return np.zeros(len(self._labels), np.bool_)

    def _spelled(self, text: str) -> Flags:
        covered = self._same(text)
        return covered if covered.any() else self._general(text)

    def _general(self, text: str) -> Flags:
        if text in self._below:
            covered = self._nothing()
            covered[self._below[text]] = True
            return covered
        if (interval := interval_of(text)) is not None:
            return self._interval(interval)
        if is_set(text):
            return self._any_of(map(self._member, members_of(text)))
        if self._dtype.is_temporal() and text.startswith(CAPPED):
            closed = text.startswith((">=", "<="))
            return self._beyond(text[2 if closed else 1 :].strip(), above=text[0] == ">", without=not closed)
        if self._ranged and (ranged := range_of(text)) is not None:
            return self._within(ranged)
        if MASK.match(text):
            return self._masked(text)
        members = text.split(",")
        return self._listed(members) if len(members) > 1 else self._nothing()

    def _beyond(self, end: str, *, above: bool, without: bool) -> Flags:
        """What lies at an end of a capped column of dates, and beyond it; of classes, below where one ends."""
        return self._after(end, without=without) if above else self._before(end, without=without)

    def _masked(self, text: str) -> Flags:
        """What a text with stars for characters covers."""
        pattern = re.compile(re.escape(text).replace(r"\*", "."), re.DOTALL)
        return self._known([pattern.fullmatch(label) is not None for label in self._labels])

    def _listed(self, members: Sequence[str]) -> Flags:
        """What a list without braces covers: its values, if each of them is one."""
        flags = [self._same(member.strip()) for member in members]
        return self._any_of(flags) if all(same.any() for same in flags) else self._nothing()

    def _member(self, text: str) -> Flags:
        """What a member of a set covers: the value itself, all beyond an end, or a class."""
        same = self._same(text)
        broader = text.startswith(CAPPED) or interval_of(text) is not None
        return same if same.any() or not broader else self._general(text)

    def _any_of(self, flags: Iterable[Flags]) -> Flags:
        covered = self._nothing()
        for of_member in flags:
            covered |= of_member
        return covered

    @property
    def _ranged(self) -> bool:
        """Whether ranges of numbers can be meant."""
        return not self._dtype.is_temporal() and (self._numeric or self._dtype == pl.String)

    def _may_be_a_number(self, text: str) -> bool:
        return self._numeric and not (self._as_written and text in self._place)

    def _same(self, text: str) -> Flags:
        number = number_of(text) if self._may_be_a_number(text) else None
        if number is not None:
            return self._line.equal(number)
        if self._moments and (moment := moment_of(text, zoned=self._zoned)) is not None:
            return np.array([other == moment for other in self._moments], np.bool_)
        covered = self._nothing()
        if self._dtype == pl.Boolean and text.lower() in ("true", "false"):
            text = text.lower()
        if text in self._place:
            covered[self._place[text]] = True
        return covered

    def _interval(self, interval: Interval) -> Flags:
        run = self.run_of(interval)
        if run is None:
            return self._looked_at(interval)
        covered = self._nothing()
        covered[run.start : run.stop] = True
        return covered

    def run_of(self, interval: Interval) -> range | None:
        """The places of the values that an interval covers, where they are ascending and its ends tell; else None.

        Of a column of many values no other is looked at, so that many intervals take no time that grows with both.

        >>> above_21 = Interval("21", "29", without_low=True, without_high=False)
        >>> CellMatcher(pl.Series([None, 21, 27, 30])).run_of(above_21)
        range(2, 3)
        """
        low, high, without_low, without_high = interval
        if low in self._ranks and high in self._ranks and not self._dtype.is_temporal():
            return self._run_of_ranks(self._ranks[low] + without_low, self._ranks[high] - without_high)
        if low.startswith("<") or high.startswith(">="):
            return None
        if self._dtype.is_temporal():
            first, end = self._first_after(low, without=without_low), self._end_before(high, without=without_high)
            return None if first is None or end is None else range(first, max(first, end))
        start, end_ = number_of(low), number_of(high)
        if start is None or end_ is None or not self._ranged:
            return None
        return self._line.run(start, end_, without_low=without_low, without_high=without_high)

    @cached_property
    def _nulls_first(self) -> int | None:
        """How many nulls there are, where they stand before all values; else None."""
        count = int(self._null.sum())
        return count if self._null[:count].all() else None

    @cached_property
    def _rank_of_value(self) -> NDArray[np.int64]:
        """The rank of each value, -1 for one that has none."""
        return np.array([self._ranks.get(label, -1) for label in self._labels], np.int64)

    @cached_property
    def _ascending_ranks(self) -> NDArray[np.int64] | None:
        """The ranks of the values behind the nulls, where they are ascending; else None."""
        ranks = None if self._nulls_first is None else self._rank_of_value[self._nulls_first :]
        return ranks if ranks is not None and (ranks >= 0).all() and (np.diff(ranks) > 0).all() else None

    def _run_of_ranks(self, first: int, last: int) -> range | None:
        ranks, nulls = self._ascending_ranks, self._nulls_first
        if ranks is None or nulls is None:
            return None
        start, end = int(np.searchsorted(ranks, first, "left")), int(np.searchsorted(ranks, last, "right"))
        return range(nulls + start, nulls + max(start, end))

    @cached_property
    def _texts_ascend(self) -> tuple[bool, bool]:
        """Whether labels, and whether moments, are ascending texts behind the nulls."""
        nulls = self._nulls_first
        if nulls is None:
            return False, False
        return _ascend(self._labels[nulls:]), _ascend(self._moments_or_empty[nulls:])

    def _first_after(self, low: str, *, without: bool) -> int | None:
        """Where the first value stands that :meth:`_after` has, if all behind it are also among these."""
        low, texts, ascend = self._in_time(low)
        if not ascend or self._nulls_first is None:
            return None
        if not without:
            return bisect_left(texts, low, lo=self._nulls_first)
        return bisect_right(texts, low, lo=self._nulls_first, key=lambda text: text[: len(low)])

    def _end_before(self, high: str, *, without: bool) -> int | None:
        """Where the first value stands that :meth:`_before` has not, if all before it are among these."""
        high, texts, ascend = self._in_time(high)
        if not ascend or self._nulls_first is None:
            return None
        if without:
            return bisect_left(texts, high, lo=self._nulls_first)
        return bisect_right(texts, high, lo=self._nulls_first, key=lambda text: text[: len(high)])

    def _looked_at(self, interval: Interval) -> Flags:
        """What an interval covers, each value looked at: the definition."""
        low, high, without_low, without_high = interval
        if low in self._ranks and high in self._ranks and not self._dtype.is_temporal():  # also where one is called >=5
            return self._between_ranks(self._ranks[low] + without_low, self._ranks[high] - without_high)
        if low.startswith("<") or high.startswith(">="):
            return self._open_ended(low, high, without_high=without_high)
        start, end = number_of(low), number_of(high)
        if self._dtype.is_temporal():
            return self._after(low, without=without_low) & self._before(high, without=without_high)
        if start is not None and end is not None and self._ranged:
            return self._line.between(start, end, without_low=without_low, without_high=without_high)
        return self._nothing()

    def _open_ended(self, low: str, high: str, *, without_high: bool) -> Flags:
        """What an interval covers with an end of a capped column, which stands for whatever lies beyond it."""
        above = ~self._null if low.startswith("<") else self._general(f">={low}")
        below = ~self._null if high.startswith(">=") else self._general(f"{'<' if without_high else '<='}{high}")
        return self._known(above & below)

    def _between_ranks(self, first: int, last: int) -> Flags:
        return self._known((self._rank_of_value >= first) & (self._rank_of_value <= last))

    # ISO dates are in the order of their texts, and an end such as 2020-02 stands for all of February

    def _after(self, low: str, *, without: bool) -> Flags:
        low, texts, _ = self._in_time(low)
        return self._known([text > low and not text.startswith(low) if without else text >= low for text in texts])

    def _before(self, high: str, *, without: bool) -> Flags:
        high, texts, _ = self._in_time(high)
        return self._known([text < high or (text.startswith(high) and not without) for text in texts])

    def _in_time(self, end: str) -> tuple[str, list[str], bool]:
        """An end of an interval, the values in texts to compare it with, and whether these are ascending."""
        moment = moment_of(end, zoned=self._zoned) if self._moments else None
        if moment is None:
            return end, self._labels, self._texts_ascend[0]
        return moment, self._moments_or_empty, self._texts_ascend[1]

    @cached_property
    def _moments_or_empty(self) -> list[str]:
        return [text or "" for text in self._moments]


def _labels_of(values: pl.Series) -> list[str]:
    return ["" if value is None else label_of(value) for value in values.to_list()]


def _ascend(texts: Sequence[str]) -> bool:
    return all(map(le, texts, texts[1:]))


def _type_by_looks(values: pl.Series) -> pl.DataType:
    return (type_of(values) if values.dtype == pl.String else values.dtype) or pl.String()


def _is_zoned(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Datetime) and dtype.time_zone is not None


def one_end(text: str) -> str:
    """The lower end of a range, as a text has it.

    >>> one_end("20-30")
    '20'
    """
    ends = range_of(text)
    return "..." if ends is None else str(ends.low)
