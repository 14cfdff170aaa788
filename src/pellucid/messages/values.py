"""The values of messages that surfaces say differently. Plain texts and whole numbers need no type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pellucid.runtime.records import record

if TYPE_CHECKING:
    from pellucid.messages.speaker import Speaker


class Documented:
    """A record that JSON can hold."""

    def document(self) -> dict[str, Any]:
        """The value for JSON: what it is, and its fields."""
        facts = {one.name: plain(getattr(self, one.name)) for one in fields(self)}  # type: ignore[arg-type]  # a record
        return {"type": type(self).__name__, **facts}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """The value again."""
        return cls(**{name: number(fact) for name, fact in document.items() if name != "type"})


class Typed(Documented):
    """A value that a surface says in its own words."""

    def told(self, speaker: Speaker) -> str:
        """The value in the words of a surface, which has a method for each type."""
        said: str = getattr(speaker, type(self).__name__.lower())(self)
        return said


@record()
class Count(Typed):
    """So many of something: ``Count(3, "person", "people")``; without ``many``, an s is added."""

    number: int
    one: str
    many: str = ""


@record()
class People(Typed):
    """These words about people, which are about rows where several rows belong to one person."""

    words: str = "people"  # or other ones that messages/speaker.py has for rows too


@record()
class Probability(Typed):
    """A probability, and what is known of it: ``at most`` for a bound, ``about`` for an estimate.

    A limit that somebody set is a fraction, a measured figure a float.
    """

    value: Fraction | float
    kind: str = ""


@record()
class Belief(Typed):
    """That somebody believes something with a probability: ``believes at most 1/4``, before "of" what or whom."""

    value: Fraction | float
    kind: str = ""
    verb: Literal["believes", "believe", "may believe", "does not believe"] = "believes"


@record()
class Share(Typed):
    """A part of a whole, between 0 and 1; ``digits`` behind the point where it is measured, a sign where it is off."""

    value: Fraction | float
    digits: int = 0
    signed: bool = False


@record()
class Figure(Typed):
    """What was measured, in digits; a page says in percent what is a ``share``."""

    value: float | None
    share: bool = False


@record()
class Term(Typed):
    """Something that surfaces call differently: a parameter, or a step that takes some; ``python`` is Python's word."""

    name: str
    python: str
    value: Any = None

    def such_as(self, value: Any) -> Self:
        """The parameter with a value, as an example or because it is known."""
        return replace(self, python=f"{self.python}{value!r}", value=value)

    def __str__(self) -> str:
        return self.python


@record()
class Column(Typed):
    """A column, by its name."""

    name: str


@record()
class Value(Typed):
    """A value of a column; None is a null."""

    value: Any


@record()
class Names(Typed):
    """Several names, or other words, in their order: ``a, b and c``."""

    names: Sequence[str]
    last: Literal["and", "or"] = "and"

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))


@record()
class File(Typed):
    """A file or folder; a page knows the name that a person gave it."""

    path: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", str(self.path))


@record()
class Given(Documented):
    """Any other object, as it read when the message was made: its text, and the one that ``!r`` shows."""

    text: str
    shown: str

    def __repr__(self) -> str:
        return self.shown

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)


KINDS: dict[str, type[Documented]] = {
    kind.__name__: kind
    for kind in (Count, People, Probability, Belief, Share, Figure, Term, Column, Value, Names, File, Given)
}


def plain(value: Any) -> Any:
    """A field of a value for JSON."""
    if isinstance(value, Fraction):
        return {"type": "Fraction", "value": str(value)}
    if isinstance(value, str | int | float | None):
        return value
    return list(map(plain, value)) if isinstance(value, Iterable) else str(value)


def number(fact: Any) -> Any:
    """A field of a value from JSON."""
    return Fraction(fact["value"]) if isinstance(fact, dict) else fact


def frozen(value: object) -> Any:
    """A value as a message keeps it: what is typed or plain as it is, any other object as it reads now.

    >>> frozen(Path("a.csv")), frozen(3), frozen([1, 2])
    (File(path='a.csv'), 3, [1, 2])
    >>> frozen([1, 2]).text
    '[1, 2]'
    """
    if isinstance(value, Typed | Given | int | float | Fraction | None):
        return value
    if isinstance(value, Path):
        return File(str(value))
    if hasattr(value, "dtype") and not getattr(value, "shape", True):  # a number of numpy
        return value.item()  # type: ignore[attr-defined]
    return Given(str(value), repr(value))
