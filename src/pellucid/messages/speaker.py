"""How a surface says each kind of value: Python's words, of which others override what they say otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

from pellucid.messages.message import Message
from pellucid.messages.values import (
    Belief,
    Column,
    Count,
    Figure,
    File,
    Names,
    People,
    Probability,
    Share,
    Term,
    Value,
)

IN_ROWS = {
    "people": "rows",
    "People": "Rows",
    "person": "row",
    "somebody": "a row",
    "people who": "rows that",
    "people whose rows are": "rows that are",
    "people of whom": "rows of which",
    "person of whom": "row of which",
}


class Speaker:
    """Python's words; ``called`` has other ones for terms.

    >>> from pellucid.messages.terms import QUASI
    >>> told = Message("{people} with {columns}, as in {such}: {most}", people=Count(3, "person", "people"),
    ...     columns=Names(("age", "zip")), such=QUASI.such_as(["age"]), most=Probability(Fraction(1, 4), "at most"))
    >>> told
    "3 people with age and zip, as in quasi=['age']: at most 1/4"
    >>> told.told(Speaker(lambda term: f"the field {term.name}"))
    '3 people with age and zip, as in the field quasi: at most 1/4'
    """

    def __init__(self, called: Callable[[Term], str] | None = None, *, rows: bool = False) -> None:
        self.called = called
        self.rows = rows  # are counted instead of people: several belong to one

    def tell(self, text: str) -> str:
        """A message in these words; any other text as it is."""
        return text.told(self) if isinstance(text, Message) else text

    def count(self, count: Count) -> str:
        """So many of something."""
        said = count.one if count.number == 1 else count.many or f"{count.one}s"
        unit, blank, rest = said.partition(" ")  # as in "person is"
        return f"{count.number:,} {IN_ROWS.get(unit, unit) if self.rows else unit}{blank}{rest}"

    def people(self, people: People) -> str:
        """What is counted where no number stands beside it.

        >>> PYTHON.people(People("people of whom")), Speaker(rows=True).people(People("people of whom"))
        ('people of whom', 'rows of which')
        """
        return IN_ROWS[people.words] if self.rows else people.words

    def probability(self, probability: Probability) -> str:
        """A probability: a fraction as that, a figure with four digits."""
        from pellucid.text.figures import probability as digits

        value = probability.value
        figure = str(value) if isinstance(value, Fraction) else digits(value)
        return f"{probability.kind} {figure}" if probability.kind else figure

    def belief(self, belief: Belief) -> str:
        """That somebody believes something."""
        return f"{belief.verb} {self.probability(Probability(belief.value, belief.kind))}"

    def share(self, share: Share) -> str:
        """A part of a whole, in percent."""
        from pellucid.text.figures import percent

        if share.digits:
            return f"{float(share.value):{'+' if share.signed else ''}.{share.digits}%}"
        return percent(float(share.value))

    def figure(self, figure: Figure) -> str:
        """What was measured, with the digits that it has everywhere."""
        from pellucid.text.figures import figure as digits

        return "unknown" if figure.value is None else digits(figure.value)

    def term(self, term: Term) -> str:
        """What a person can change."""
        return self.called(term) if self.called is not None else term.python

    def column(self, column: Column) -> str:
        """A column."""
        return column.name

    def value(self, value: Value) -> str:
        """A value of a column, as it is published."""
        from pellucid.text.values import label_of

        return "null" if value.value is None else label_of(value.value)

    def names(self, names: Names) -> str:
        """Names one after the other."""
        some = names.names
        return f" {names.last} ".join(filter(None, (", ".join(some[:-1]), *some[-1:])))

    def file(self, file: File) -> str:
        """A file or folder."""
        return file.path


PYTHON = Speaker()
_speaking: ContextVar[Speaker] = ContextVar("speaking", default=PYTHON)


@contextmanager
def spoken_by(speaker: Speaker) -> Iterator[None]:
    """While a page or a report is made: these are its words."""
    before = _speaking.set(speaker)
    try:
        yield
    finally:
        _speaking.reset(before)


def speak(speaker: Speaker) -> None:
    """From now on in this context: the answer to a request has its own."""
    _speaking.set(speaker)


def now_speaking() -> Speaker:
    """Whose words the page or report has that is being made; Python's elsewhere."""
    return _speaking.get()


def told(text: str) -> str:
    """A text in these words.

    >>> with spoken_by(Speaker(rows=True)):
    ...     told(Message("{people} are above it", people=Count(2, "person", "people")))
    '2 rows are above it'
    """
    return _speaking.get().tell(text)


def people(words: str) -> str:
    """Words of a template about people, or about rows."""
    return _speaking.get().people(People(words))
