"""How the cells of a published column are written: counted from the cells, with names told from values where known.

``male`` may be a value or a broader name, and only who knows the column can tell. What is known differs: the private
report has the original, whose values and taxonomies say it of every cell; the public one has what the schema declares,
and where it declares nothing, a text that may be either is called so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pellucid.core.schema import Column, Kind, resolve
from pellucid.core.table import Attribute
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import PellucidError
from pellucid.messages import Message
from pellucid.published import grammar
from pellucid.published.numbers import number_of
from pellucid.runtime.records import record
from pellucid.text.values import label_of

INTERVALS, SET, NAME, PREFIX = "interval", "set of values", "broader name", "prefix"
EITHER, NOTHING, NULL, SINGLE = "value or broader name", "nothing (*)", "null", "single value"
CENTRE = "mean or median"
FORMS = (CENTRE, INTERVALS, SET, NAME, PREFIX, EITHER, NOTHING, NULL, SINGLE)  # as they are told
IN_A_SENTENCE = {
    CENTRE: "the mean or the median of its values",
    INTERVALS: "the interval that spans its values",
    SET: "the set of its values",
    NAME: "a broader name that covers its values",
    PREFIX: "first characters and * for the others",
    EITHER: "a value or a broader name",
    NOTHING: "nothing (*)",
    NULL: "null",
    SINGLE: "a value itself",
}
BROADER_INTERVAL = "a broader interval that covers its values"  # of a taxonomy, whose intervals nobody's values end
CENTRES = {
    "mean": "the mean of its values (of ordered values the median)",
    "median": "the median of its values (of ordered values the median)",
}


@record(eq=False)
class KnownNames:
    """What tells a value from a broader name: the column's values, its taxonomy, or that it has no names (``plain``).

    ``numbers`` says that a number is a value, also where it is written otherwise than in the original.
    """

    values: frozenset[str] = frozenset()
    taxonomy: Taxonomy | None = None
    plain: bool = False
    numbers: bool = False

    def form(self, cell: object) -> str:
        """The form of one cell.

        >>> known = KnownNames(taxonomy=Taxonomy.from_tree({"person": ["male", "female"]}))
        >>> [known.form(cell) for cell in ("person", "male", "[20, 29]", "1011*", "{a, b} or null", "*", "elsewhere")]
        ['broader name', 'single value', 'interval', 'prefix', 'set of values', 'nothing (*)', 'value or broader name']
        """
        if cell is None:
            return NULL
        text = label_of(cell)
        bare, _ = grammar.without_null(text)
        if grammar.is_everything(bare):
            return NOTHING
        if text in self.values:
            return SINGLE
        if grammar.interval_of(bare) is not None or (bare.startswith(grammar.CAPPED) and self.plain):
            return INTERVALS
        if grammar.is_set(bare):
            return SET
        return self._form_of_word(bare)

    def _form_of_word(self, word: str) -> str:
        """The form of a cell that is no interval and no set."""
        if self._is_value(word):
            return SINGLE
        if grammar.PREFIX.match(word):
            return PREFIX
        return NAME if self.values or self._is_node(word) else EITHER

    def _is_node(self, word: str) -> bool:
        return self.taxonomy is not None and self.taxonomy.knows(word)

    def _is_value(self, word: str) -> bool:
        """Whether a word is a leaf of the taxonomy, a value that is known, or a number where numbers are."""
        if self.taxonomy is not None and self.taxonomy.knows(word) and self.taxonomy.level(word) == 0:
            return True
        return self.plain or word in self.values or (self.numbers and number_of(word) is not None)


class Namer(Protocol):
    """A recoder, which knows what it writes (:class:`pellucid.anonymize.recode.Recoder`)."""

    def uses_names(self, kind: str) -> bool:
        """Whether columns of this kind are published by the names in their taxonomies."""

    def writes_values(self, kind: str) -> bool:
        """Whether in columns of this kind a cell that is no interval, no set and no star is a value for sure."""


def _labels_in(original: Attribute) -> frozenset[str]:
    return frozenset(label_of(value) for value in original.values.drop_nulls().to_list())


def _declared_taxonomy(declared: Column, folder: Path) -> Taxonomy | None:
    """The taxonomy that is declared of a column; None where its file is gone, which tells nothing."""
    try:
        return resolve(declared, [], [], folder)
    except PellucidError:
        return None


def _has_a_set(cells: Sequence[object]) -> bool:
    return any(KnownNames().form(cell) == SET for cell in cells)


def known_of(
    kind: str,
    recoder: Namer | None,
    cells: Sequence[object],
    declared: Column | None,
    folder: Path,
    original: object,
) -> KnownNames:
    """What is known of a column: by the recoder, by what is ``declared``, by the ``original`` attribute where given."""
    plain = recoder is not None and recoder.writes_values(kind)
    numbers = kind in ("", Kind.NUMBER)
    if isinstance(original, Attribute):
        return KnownNames(_labels_in(original), original.taxonomy, plain, numbers)
    if plain:
        return KnownNames(plain=True)
    if declared is not None and declared.taxonomy is not None:
        return KnownNames(taxonomy=_declared_taxonomy(declared, folder), numbers=numbers)
    if recoder is not None and not recoder.uses_names(kind):  # who says neither may write anything, such as masks
        return KnownNames(numbers=numbers)
    # where one cell is a set, the column has no taxonomy: the others are values
    sets = recoder is not None and _has_a_set(cells)
    return KnownNames(plain=declared is not None or sets, numbers=numbers)


def counted(cells: Sequence[object], rows: Sequence[int], known: KnownNames) -> dict[str, int]:
    """How many rows have cells of each form, given how many have each cell; forms that none has are left out.

    >>> counted(["[21, 27]", "30", "*"], [2, 1, 1], KnownNames(plain=True))
    {'interval': 2, 'nothing (*)': 1, 'single value': 1}
    """
    times: dict[str, int] = {}
    for cell, number in zip(cells, rows, strict=True):
        form = known.form(cell)
        times[form] = times.get(form, 0) + number
    return {form: times[form] for form in FORMS if form in times}


def group_shows(forms: Sequence[Mapping[str, int]], otherwise: Mapping[str, str] = {}) -> Message:
    """What the rows of a group show, in a sentence that is true of columns with these forms; empty without columns.

    ``otherwise`` has other words for some forms.

    >>> group_shows([{"broader name": 3, "single value": 1}, {"nothing (*)": 4}])
    'Rows of a group show the same: a broader name that covers its values, nothing (*), or a value itself.'
    >>> group_shows([{"interval": 3}], {"interval": "a rung of a ladder"})
    'Rows of a group show the same: a rung of a ladder.'
    """
    words = IN_A_SENTENCE | dict(otherwise)
    kinds = [words[form] for form in FORMS if any(form in of_group for of_group in forms)]
    if not kinds:
        return Message("")
    either = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])}{',' if len(kinds) > 2 else ''} or {kinds[-1]}"
    return Message("Rows of a group show the same: {either}.", either=either)
