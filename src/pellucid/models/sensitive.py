"""Which sensitive values count: all of them, some of them one by one, or some of them together as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.messages import Message, Names
from pellucid.models.exact import exact
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel
from pellucid.runtime.arguments import brief
from pellucid.text.suggestions import meant
from pellucid.text.values import ANY, in_quotes, label_of

EACH = " (each by itself)"  # behind several values: that somebody has one or another of them may be certain

EACH_SET = " (each set by itself)"


def _values(given: object) -> object:
    """A list or a set as a tuple; one value alone is a set of one."""
    if given is None:
        return None
    if isinstance(given, set | frozenset):
        return tuple(sorted(given, key=str))
    values = tuple(given) if isinstance(given, list | tuple) else (given,)
    for value in values:
        if not isinstance(value, Hashable):  # a list or a frame, which no cell of a column is
            raise ValueError(f"{brief(value)} is no value of a column; name values such as 'HIV'")
    return values


SomeValues = Annotated[tuple[Any, ...] | None, BeforeValidator(_values)]
"""Some values of the sensitive column, given as a tuple, a list, a set or one value alone."""


def _by_column(given: object) -> object:
    """Values as above, or those of each column by its name."""
    if isinstance(given, Mapping):
        for column, some in given.items():
            if some is None or (isinstance(some, Sized) and not isinstance(some, str) and not len(some)):
                raise ValueError(
                    f"names no value of {str(column)!r}; name some, as in ['HIV'], or leave the column out, which "
                    "protects all of its values"
                )
        return {str(column): _values(some) for column, some in given.items()}
    return _values(given)


ValuesByColumn = Annotated[tuple[Any, ...] | dict[str, tuple[Any, ...]] | None, BeforeValidator(_by_column)]
"""Some values, of every sensitive column or by its name, as in {"disease": ["HIV"]}."""


class DiversityModel(PrivacyModel):
    """A model about how many sensitive values a group mixes, and how evenly.

    With ``sensitive``, only these values are protected: ``("HIV", "cancer")`` each for itself, or with ``together`` as
    one value "HIV or cancer", for whoever must not even learn that somebody has one of the two. The other values
    still serve as cover. A null is named by None. Without ``sensitive`` every value is protected, null as well.
    """

    sensitive: SomeValues = Field(
        default=None, min_length=1, description="the values to protect, all of them when not given"
    )
    together: bool = Field(default=False, description="whether the values to protect count as one value")

    @property
    def as_one(self) -> bool:
        """Whether it says so."""
        return self.together

    @property
    def protects(self) -> tuple[Any, ...] | None:
        """The sensitive values that it is about; None when it is about all of them."""
        return self.sensitive

    def viewed(self, groups: Groups) -> tuple[Groups, NDArray[np.bool_] | None]:
        """The groups with the set as one value where it is together, and which codes are protected; None: all."""
        if self.sensitive is None:
            return groups, None
        codes = codes_of(self.sensitive, groups.attribute)
        protected = np.zeros(len(groups.table_counts), dtype=bool)
        if self.together:
            protected[codes[0]] = True
            return merged(groups, codes), protected
        protected[codes] = True
        return groups, protected

    def viewed_counts(self, counts: Counts, attribute: Attribute | None) -> tuple[Counts, NDArray[np.bool_]]:
        """One group's positive counts, largest first, and which of them are protected."""
        counts = np.array(counts, dtype=np.int64)
        protected = np.ones(len(counts), dtype=bool)
        if self.sensitive is not None:
            if attribute is None:
                raise ModelError(f"{self.label}: the set of sensitive values needs the column", "pass attribute=")
            codes = codes_of(self.sensitive, attribute)
            protected[:] = False
            protected[codes] = True
            if self.together:
                counts[codes[0]], counts[codes[1:]] = counts[codes].sum(), 0
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        return counts[order], protected[order]

    def protecting(self, attribute: Attribute) -> dict[str, Any]:
        """The set of values, as a threshold takes it."""
        if self.sensitive is None:
            return {}
        return {"codes": codes_of(self.sensitive, attribute), "together": self.together}

    def who(self, groups: Groups) -> Message:
        """What is protected, for a sentence."""
        name = groups.attribute.name
        if self.sensitive is None:
            return (
                Message("a person's {name}", name=name)
                if name != "the sensitive column"
                else Message("a person's sensitive value")
            )
        each = EACH if len(set(self.sensitive)) > 1 and not self.together else ""
        return Message(
            "that a person's {name} is {either}{each}",
            name=name,
            either=Names(list(map(in_quotes, self.sensitive)), "or"),
            each=each,
        )

    @property
    def concerned(self) -> Message:
        """Which groups it is about, for a sentence: those with a protected value, where not all values are.

        >>> from pellucid.models.l_diversity import LDiversity
        >>> LDiversity(l=2).concerned, LDiversity(l=2, sensitive=("HIV", "TB")).concerned
        ('group', "group with 'HIV' or 'TB'")
        """
        return (
            Message("group")
            if self.sensitive is None
            else Message("group with {either}", either=Names(list(map(in_quotes, self.sensitive)), "or"))
        )


def each_named(values: Iterable[Any], attribute: Attribute) -> list[Any]:
    """The values of a column that are meant, where all but null may be.

    >>> from pellucid.models.groups import numbered
    >>> each_named(["b", ANY], numbered(2))
    ['b', 0, 1]
    """
    known = attribute.values.to_list()
    every = [] if ANY in known else [value for value in known if value is not None]
    return [one for value in values for one in (every if value == ANY and every else [value])]


def codes_of(values: tuple[Any, ...], attribute: Attribute) -> NDArray[np.int64]:
    """The codes of values, in the order given; a value that does not occur is an error, since it may be a slip."""
    codes = []
    for value in dict.fromkeys(each_named(values, attribute)):
        code = code_of(value, attribute)
        if code is None:
            shown = in_quotes(value)
            texts = [label_of(other) for other in attribute.values.to_list() if other is not None]
            way_out = meant(str(value), texts) or "; take it out of the set"
            raise ModelError(
                "no row has {shown} in {attribute!r}, which is said to be sensitive{way_out}",
                shown=shown,
                attribute=attribute.name,
                way_out=way_out,
            )
        codes.append(code)
    return np.array(list(dict.fromkeys(codes)), dtype=np.int64)


def codes_meant(values: Iterable[Any], attribute: Attribute) -> dict[int, Any]:
    """By its code each of these values that occurs; all but null where that is said."""
    coded = [(code_of(value, attribute), value) for value in each_named(values, attribute)]
    return {code: value for code, value in coded if code is not None}


def _codes_by_label(known: Sequence[Any]) -> dict[str, int]:
    return {label_of(other): code for code, other in enumerate(known) if other is not None}


def code_of(value: Any, attribute: Attribute) -> int | None:
    """The code of a value as it is, as a CSV file has it, or of the same number; None when it does not occur.

    A recipe has ``true`` as JSON does, and the file beside it the text that was written for it.

    The text ``null`` names the null of a column without such a text: a command line has no other word for it.
    """
    known = attribute.values.to_list()
    if value in known:
        return known.index(value)
    texts = _codes_by_label(known)
    if value is None:
        return texts.get(str(value))
    written = next((text for text in (label_of(value), str(value)) if text in texts), None)
    if written is not None:
        return texts[written]
    if value == "null" and attribute.has_null:
        return 0
    return _code_of_number(value, known) if attribute.values.dtype.is_numeric() else None


def _code_of_number(value: Any, known: Sequence[Any]) -> int | None:
    """The code of the same number, however it is written."""
    try:
        number = exact(value)
    except ValueError:
        return None
    return next((code for code, other in enumerate(known) if other is not None and exact(other) == number), None)


def merged(groups: Groups, codes: NDArray[np.int64]) -> Groups:
    """The groups with all these codes counted as the first of them."""
    values = len(groups.table_counts)
    becomes = np.arange(values, dtype=np.int64)
    becomes[codes] = codes[0]
    keys = groups.groups_of_entries * values + becomes[groups.codes]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return Groups(
        groups.sizes,
        np.searchsorted(keys[first], np.arange(len(groups) + 1, dtype=np.int64) * values),
        (keys[first] % values).astype(np.int32),
        np.add.reduceat(groups.counts[order], first),
        np.bincount(becomes, weights=groups.table_counts, minlength=values).astype(np.int64),
        groups.attribute,
        groups.population,
        groups.absent,
    )


def largest_protected(groups: Groups, protected: NDArray[np.bool_] | None) -> Counts:
    """The count of each group's most frequent protected value; 0 where it has none."""
    if protected is None:
        return groups.largest
    return np.maximum.reduceat(np.where(protected[groups.codes], groups.counts, 0), groups.starts[:-1])
