"""Who is in which group of a release on disk, as publishing kept it: then it shows what the release in memory does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Recoder
from pellucid.anonymize.recode.taxonomic import Taxonomic, leaf_chains
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import MeasureError
from pellucid.io.loading import load
from pellucid.metrics.boxes import Shown, shown_groups, weights_of_classes
from pellucid.models.groups import MIX, mixed
from pellucid.published.choices import Choices, Integers

Tally = tuple[NDArray[np.uint64], Integers]  # choices, and how many rows have each
FINE = 1e6  # of a tick: means that are read from a text are those that were written


class NotWithGroups(MeasureError):
    """Releases of this kind are not measured with groups, whosever they are: they are measured without."""


def _other_rows(labels: int, rows: int) -> MeasureError:
    return MeasureError(
        "{GROUPS} has {labels:,} numbers and the original has {original_rows:,} rows; give what publishing kept of "
        "this release",
        labels=labels,
        original_rows=rows,
    )


def refuse_other_groups(groups: Any, own: Codes) -> None:
    """Raise when groups are told of a release in memory that are not its own: it knows them itself."""
    labels = labels_of(groups)
    if len(labels) != len(own) or not _group_alike(labels, own):
        raise MeasureError("{GROUPS} are not those of this release, which knows its own", "leave {GROUPS} out")


def _group_alike(labels: Codes, own: Codes) -> bool:
    """Whether the same rows are together and the same withheld, whatever the numbers are.

    >>> labels = [np.array(one, np.int32) for one in ([5, 5, -1, 0], [0, 0, -1, 1], [0, 0, 1, -1], [0, 0, -1, 0])]
    >>> [_group_alike(labels[0], other) for other in labels]
    [True, True, False, False]
    """
    together = np.unique(np.stack((labels, own)), axis=1).shape[1]
    one_to_one = together == len(np.unique(labels)) == len(np.unique(own))
    return one_to_one and np.array_equal(labels < 0, own < 0)


def with_groups(shown: Shown, recipe: Recipe | None, groups: Any) -> Shown:
    """The same where it is known who is in which group: the class of every row, in the order of the classes shown."""
    labels = labels_of(groups)
    if len(labels) != shown.original_rows:
        raise _other_rows(len(labels), shown.original_rows)
    if recipe is None or shown.replaces or shown.added:
        raise NotWithGroups(
            "{GROUPS} is of a release with a recipe, whose method changes and adds nothing; leave it out"
        )
    numbered = np.unique(labels, return_inverse=True)[1].astype(np.int32) - np.int32(labels.min() < 0)
    local = Grouping.from_labels(numbered)
    for grouping in filter(None, (local, on_levels(shown, local, recipe.recoder))):
        made = _made(shown, grouping, recipe)
        if np.array_equal(_prints(made), _prints(shown)):
            return made
    raise MeasureError(
        "{GROUPS} does not give this release of the original: it has other groups, or the columns were read "
        "differently; give what publishing kept of this release, and the {SCHEMA} that was used, or leave {GROUPS} out"
    )


def _made(shown: Shown, grouping: Grouping, recipe: Recipe) -> Shown:
    """What these groups would show."""
    quasi, sizes, classes, sensitive, rows = shown_groups(shown.table, grouping, recipe.recoder, shown.table)
    weight = weights_of_classes(shown.table, grouping, rows, int(classes.max()) + 1)
    return replace(
        shown, quasi=quasi, sizes=sizes, classes=classes, sensitive=sensitive, class_of_row=rows, weight=weight
    )


def on_levels(shown: Shown, grouping: Grouping, recoder: Recoder) -> Grouping | None:
    """The groups with the level that each whole column is published on (full-domain recoding); None where it is not.

    Levels are kept nowhere, and read off what is published: on which level a column has these names as often.
    """
    if not isinstance(recoder, Taxonomic) or not len(grouping):
        return None
    table = shown.table
    levels: list[int] = []
    for i, cells in zip(table.having(Role.QUASI), shown.quasi, strict=True):
        wanted = _tally(cells.choices, cells.of_box, shown.sizes)
        found = next((at for at in _levels_of(table, i) if _is_on(table, i, grouping, recoder, at, wanted)), None)
        if found is None:
            return None
        levels.append(found)
    return _with_levels(grouping, levels)


def _with_levels(grouping: Grouping, levels: Sequence[int]) -> Grouping:
    return Grouping(grouping.members, grouping.starts, grouping.rows, levels=tuple(levels))


def _levels_of(table: Table, column: int) -> range:
    """The levels that a column can be published on; none of a taxonomy where names have several parents."""
    taxonomy = table.attributes[column].taxonomy
    if taxonomy is None:
        return range(2)
    if not taxonomy.is_tree:
        return range(0)
    return range(len(leaf_chains(table.attributes[column], taxonomy, table.codes[column])[0]))


def _is_on(table: Table, column: int, grouping: Grouping, recoder: Taxonomic, level: int, wanted: Tally) -> bool:
    """Whether these groups are of one value each on a level of a column, and it then has these choices as often."""
    attribute = table.attributes[column]
    if attribute.taxonomy is not None:
        chains, _, codes = leaf_chains(attribute, attribute.taxonomy, table.codes[column])
        node = chains[level, codes[grouping.members]]
        if not np.array_equal(node, np.repeat(node[grouping.starts[:-1]], grouping.sizes)):
            return False
    levelled = _with_levels(grouping, [level] * len(table.having(Role.QUASI)))
    of_group, choices = recoder.choices(table, column, levelled)
    return all(map(np.array_equal, _tally(choices, of_group, grouping.sizes), wanted))


def _tally(choices: Choices, of_box: Codes, sizes: Integers) -> Tally:
    """How many rows are published with each choice that occurs."""
    distinct, place = np.unique(_of_choices(choices)[of_box], return_inverse=True)
    return distinct, np.bincount(place, weights=sizes).astype(np.int64)


def labels_of(groups: Any) -> Codes:
    """The group of each row, from numbers or the file that publishing kept them in; -1 is a row that is withheld."""
    if isinstance(groups, str | PathLike):
        frame, _ = load(groups)
        groups = frame["group"] if frame.columns == ["group"] else None
    numbers = np.asarray([] if groups is None else groups)
    whole = numbers.ndim == 1 and numbers.dtype.kind in "iu" and len(numbers) > 0
    if not whole or numbers.min() < -1 or numbers.max() > np.iinfo(np.int32).max:
        raise MeasureError("{GROUPS} has to be the number of each row's group, or the file that publishing kept")
    return numbers.astype(np.int32)


def _prints(shown: Shown) -> NDArray[np.uint64]:
    """A number for each box, ascending: the same for boxes that show the same of as many rows, in classes alike."""
    prints = mixed(shown.sizes.astype(np.uint64))
    for of in shown.quasi:
        prints = mixed(prints * MIX[0] + _of_choices(of.choices)[of.of_box])
    for groups in shown.sensitive:
        prints = mixed(prints * MIX[1] + groups.prints[shown.classes])
    together = np.zeros(int(shown.classes.max()) + 1, np.uint64)
    np.add.at(together, shown.classes, prints)
    return np.sort(mixed(prints * MIX[2] + together[shown.classes]))


def _of_choices(choices: Choices) -> NDArray[np.uint64]:
    """A number for each choice: the same for choices that leave the same open."""
    runs = mixed(choices.low.astype(np.uint64) * MIX[0] + choices.high.astype(np.uint64) * MIX[1])
    prints = choices.nulls.astype(np.uint64)
    np.add.at(prints, np.repeat(np.arange(len(choices)), np.diff(choices.starts)), runs)
    if choices.centre is None:
        return mixed(prints)
    centres = np.rint(np.where(np.isfinite(choices.centre), choices.centre, -1.0) * FINE).astype(np.int64)
    return mixed(prints * MIX[2] + centres.view(np.uint64))
