"""What every recoder is: a function of the groups alone, with rows in canonical order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.lazy_frames import BoxedRows, MadeWhenAsked
from pellucid.anonymize.recode.prune_codebooks import only_published
from pellucid.anonymize.recode.published import Published, own_copy, values_of_keys
from pellucid.anonymize.recode.weights import spelled_means
from pellucid.core.schema import OF_GROUP, Role
from pellucid.core.table import Attribute, Codes, Table, compact
from pellucid.errors import MethodError, PellucidError
from pellucid.io.csv_lines import Column
from pellucid.kernels import canonical as kernel
from pellucid.messages import Message
from pellucid.models.parameters import Parameters
from pellucid.published.choices import Choices, Ticks
from pellucid.published.forms import group_shows
from pellucid.published.grammar import general
from pellucid.published.reader import Anybody, choices_of
from pellucid.runtime.parallel import run, stretches

Behind = Callable[[Codes], NDArray[np.bool_]]


class Recoder(Anybody, Parameters, ABC):
    """Turns groups into the frames that are handed out, and says how their cells are read.

    ``summary`` is what becomes of a group in a few plain words, ``coarse`` whether that may tell less than the ends of
    the group's values do.
    """

    refusal: ClassVar[type[PellucidError]] = MethodError
    summary: ClassVar[str]
    coarse: ClassVar[bool] = False

    @abstractmethod
    def recode(self, table: Table, grouping: Grouping, *, threads: int = 1) -> Mapping[str, pl.DataFrame]:
        """The frames by name."""

    @classmethod
    def uses_names(cls, kind: str) -> bool:  # noqa: ARG003
        """Whether columns of this kind are published by the names in their taxonomies."""
        return False

    @classmethod
    def writes_values(cls, kind: str) -> bool:  # noqa: ARG003
        """Whether in columns of this kind a cell that is no interval, no set and no star is a value for sure."""
        return False

    def describe(self, forms: Sequence[Mapping[str, int]]) -> Message:
        """What the rows of a group show, in a sentence; ``forms`` are how often each column has which form of cell."""
        return group_shows(forms)


class RowRecoder(Recoder):
    """A recoder that publishes one row per person: the group's recoded values and the person's sensitive value.

    Rows are sorted by published values: by each recoded column, then by the sensitive ones. Groups that are published
    alike therefore cannot be told apart, and no order of the input or of the method survives.
    """

    @abstractmethod
    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """What is published for keys that :meth:`spell` gave to another part of the same table, where it gives any."""
        raise NotImplementedError(f"{self.name} orders the cells of {attribute.name} as texts, not by {len(keys)} keys")

    def choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """Which choice each group gets in a column, and what the choices leave open.

        Where a value may be taken for a generalisation of others, it is what anybody reads in the published texts.
        """
        if reads_like_a_group(table.attributes[column]):
            return self._choices_read(table, column, grouping)
        return self.clear_choices(table, column, grouping)

    def clear_choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """The same for a column in which no value reads like a group.

        Reading the texts is always right. A recoder that knows what it leaves open without making texts is faster.
        """
        return self._choices_read(table, column, grouping)

    def _choices_read(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        published = self.spell_column(table, column, grouping, 1)
        texts = pl.DataFrame(published.columns)
        of_text, choices = choices_of(table.attributes[column], texts, texts.columns, self)
        return of_text[published.ranks], choices

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
        """Which codes may be behind what :meth:`spell` makes of a group with these codes, which are at least two.

        A code may be behind a text if some group that has it gets the same text, whatever the texts of single values
        look like. More codes are never wrong, fewer are. Unless a recoder knows better, it is what the text says.
        """
        together = Grouping.from_labels(np.zeros(len(held), np.int32))
        published = self.spell(attribute, held.astype(np.int32), together, 1)
        texts = pl.DataFrame(published.columns)
        _, choices = choices_of(attribute, texts, texts.columns, self)
        return choices.covers(Ticks.of(attribute))

    def tells_apart(self, attribute: Attribute) -> bool:  # noqa: ARG002
        """Whether two groups never read alike where all codes of the one come before all of the other."""
        return False

    def behind(self, attribute: Attribute) -> Behind:
        """Asked with the codes of a group, ascending, tells which codes may be behind what is published of it.

        This is the one place that says so; whoever asks whom a published group may be about asks here.

        >>> import pellucid as pc
        >>> import polars as pl
        >>> towns = pc.read(pl.DataFrame({"town": ["a", "b", "c"], "s": [1, 2, 3]}), quasi="town", sensitive="s")
        >>> held = np.array([0, 1])
        >>> [pc.Intervals(largest_set=n).behind(towns.attributes[0])(held).tolist() for n in (2, 1)]
        [[True, True, False], [True, True, True]]
        """
        odd = codes_like_groups(attribute) | self._may_write(attribute)

        def tell(held: Codes) -> NDArray[np.bool_]:
            if len(held) > 1:  # a single value may be written like what becomes of these
                return self.stands_for(attribute, held) | odd
            if odd[held].any():  # nobody knows whether it is that value or a group
                return np.ones(len(attribute), np.bool_)
            only = np.zeros(len(attribute), np.bool_)
            only[held] = True
            return only

        return tell

    def _may_write(self, attribute: Attribute) -> NDArray[np.bool_]:
        texts = attribute.values.to_list() if attribute.values.dtype == pl.String else [None] * len(attribute)
        return np.array([text is not None and self.may_write(attribute, text) for text in texts], np.bool_)

    def spell_column(self, table: Table, column: int, grouping: Grouping, threads: int) -> Published:
        """How a column is published: a weight as the mean of each group, other columns as the recoder does."""
        if table.attributes[column].role is Role.WEIGHT:
            return spelled_means(table, column, grouping)
        return self.spell_values(table, column, grouping, threads)

    def spell_values(self, table: Table, column: int, grouping: Grouping, threads: int) -> Published:
        """How a column of values is published; a recoder that looks at more than the groups has its own way."""
        return self.spell(table.attributes[column], table.codes[column], grouping, threads)

    def recode(self, table: Table, grouping: Grouping, *, threads: int = 1) -> Mapping[str, pl.DataFrame]:
        """One frame, ``data``, with the columns in the schema's order, made when it is asked for."""
        table = only_published(table, grouping, threads)
        recoded = [i for i, a in enumerate(table.attributes) if a.role in OF_GROUP]
        spelled = {
            i: alike_as_one(self.spell_column(table, i, grouping, threads), table.attributes[i]) for i in recoded
        }
        groups, boxes = sort_rows([spelled[i].ranks for i in recoded], [len(spelled[i]) for i in recoded], threads)
        starts = np.append(0, np.cumsum(grouping.sizes[groups]))[boxes].astype(np.int64)
        keys, key_codes = _sensitive_within(table, grouping, groups, boxes, starts, threads)
        firsts = groups[boxes[:-1]]
        published: dict[int, list[Column]] = {}
        for i, codes in zip(table.having(Role.SENSITIVE), key_codes, strict=True):
            published[i] = [Column(*values_of_keys(table.attributes[i].values, codes, keys, threads), of_row=True)]
        for i in recoded:
            ranks = spelled[i].ranks[firsts].view(np.uint32)
            published[i] = [Column(own_copy(values), ranks) for values in spelled[i].columns]
        columns = [column for i in sorted(published) for column in published[i]]
        require_different([column.values.name for column in columns])
        return MadeWhenAsked(BoxedRows(columns, starts, keys, threads))


def _sensitive_within(
    table: Table, grouping: Grouping, groups: Codes, boxes: NDArray[np.int64], sizes: NDArray[np.int64], threads: int
) -> tuple[Codes, list[Codes]]:
    """The sensitive keys of all rows, box after box and in order inside each, and the codes of each key."""
    keys, key_codes = sensitive_keys(table, threads)
    count = len(key_codes[0]) if key_codes else 1
    small = compact(keys, count, threads)
    sorted_keys = np.empty(len(grouping.members), np.int32)
    frozen = (grouping.members, grouping.starts, groups, boxes)
    run(
        [
            partial(kernel.sorted_within, small, *frozen, a, b, count, sizes, sorted_keys)
            for a, b in stretches(len(boxes) - 1, threads)
        ],
        threads,
    )
    if len(sorted_keys) == len(table) or not key_codes:
        return sorted_keys, key_codes
    # what only rows have that are withheld has no number: it would tell of them
    used = np.zeros(count, np.bool_)
    used[sorted_keys] = True
    renumbered = (np.cumsum(used) - 1).astype(np.int32)
    return renumbered[sorted_keys], [codes[used] for codes in key_codes]


def require_different(names: Sequence[str]) -> None:
    """Refuse to publish two columns of one name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MethodError(f"two published columns would be called {twice[0]!r}; rename that column of the table")


def alike_as_one(published: Published, attribute: Attribute) -> Published:
    """Give values that read alike one place, which depends on the text alone.

    A value may read like a generalisation: a literal ``*``, ``[1, 2]``, ``{a, b}`` or ``a or null``. In a column with
    such a value the published texts are ordered as texts, so that the order of rows does not tell one from the other.
    """
    texts = published.columns[0]
    if len(published.columns) > 1 or not (reads_like_a_group(attribute) or texts.n_unique() < len(texts)):
        return published
    distinct = texts.unique().sort(nulls_last=False)
    place = {text: i for i, text in enumerate(distinct.to_list())}
    merged = np.array([place[text] for text in texts.to_list()], np.int32)
    return Published(merged[published.ranks], [distinct])


def reads_like_a_group(attribute: Attribute) -> bool:
    """Whether a value of this attribute is written like something that a recoder makes."""
    return bool(codes_like_groups(attribute).any())


def codes_like_groups(attribute: Attribute) -> NDArray[np.bool_]:
    """For each code whether its value is written like something that a recoder makes."""
    values = attribute.values
    if values.dtype != pl.String:
        return np.zeros(len(attribute), np.bool_)
    return general(values).fill_null(value=False).to_numpy()


def sensitive_keys(table: Table, threads: int) -> tuple[Codes, list[Codes]]:
    """Each row's sensitive values as one number in lexicographic order, and the codes that each number stands for."""
    sensitive = table.having(Role.SENSITIVE)
    if not sensitive:  # every row of a group is published alike
        return np.zeros(len(table), np.int32), []
    if len(sensitive) == 1:
        return table.codes[sensitive[0]], [np.arange(len(table.attributes[sensitive[0]]), dtype=np.int32)]
    from pellucid.anonymize.recode.anatomy import tuple_keys

    return tuple_keys(table, sensitive, threads)
