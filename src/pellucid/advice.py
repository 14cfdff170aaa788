"""Texts that say what a person can change, as data until it is known who reads them.

In Python one gives ``quasi=``, on the command line ``--quasi``, on a page a field. So a message does not spell it: it
names a :class:`Term`, and each surface has one function that says how its readers call it. Python's words are the text
itself, so whoever knows nothing of this reads a plain ``str``.

>>> told = Advice(f"name the columns with {QUASI}, as in {QUASI.such_as(['age', 'zip'])}")
>>> told
"name the columns with quasi=, as in quasi=['age', 'zip']"
>>> told.told(lambda term: "--quasi" if term.value is None else f"--quasi {','.join(term.value)}")
'name the columns with --quasi, as in --quasi age,zip'
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Self

from pellucid.records import record

_BEGIN, _NEXT, _END, _SO = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"  # characters that are none, and that no text has
_TERM = re.compile(f"{_BEGIN}([^{_NEXT}]*){_NEXT}([^{_NEXT}]*){_NEXT}([^{_END}]*){_END}")


@record()
class Term:
    """Something that surfaces call differently: a parameter, or a step that takes some; ``python`` is Python's word.

    In a formatted text it stands marked, until :class:`Advice` reads it.
    """

    name: str
    python: str
    value: Any = None

    def such_as(self, value: Any) -> Self:
        """The parameter with a value, as an example or because it is known."""
        return replace(self, python=f"{self.python}{value!r}", value=value)

    def __format__(self, _: str) -> str:
        return f"{_BEGIN}{self.name}{_NEXT}{json.dumps(self.value)}{_NEXT}{self.python}{_END}"


class Advice(str):
    """A text in Python's words that remembers where it names terms."""

    __slots__ = ("marked",)
    marked: str

    def __new__(cls, text: str) -> Self:
        """The text of a formatted string with terms; an advice stays as it is."""
        marked = text.marked if isinstance(text, Advice) else str(text)
        made = super().__new__(cls, _TERM.sub(lambda match: match[3], marked).replace(_SO, "; "))
        made.marked = marked
        return made

    @classmethod
    def of(cls, problem: str, way_out: str = "") -> Self:
        """What is wrong or not known, and what to do about it.

        >>> told = Advice.of("nobody's values are known", f"give them with {POPULATION}")
        >>> told
        "nobody's values are known; give them with population="
        >>> told.problem, told.way_out
        ("nobody's values are known", 'give them with population=')
        """
        return cls(f"{marked(problem)}{_SO}{marked(way_out)}" if way_out else marked(problem))

    @property
    def problem(self) -> Advice:
        """What is wrong or not known, without what to do about it."""
        return Advice(self.marked.partition(_SO)[0])

    @property
    def way_out(self) -> Advice:
        """What to do about it; empty where nobody says so."""
        return Advice(self.marked.partition(_SO)[2])

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that it names, in their order."""
        return tuple(Term(name, python, json.loads(value)) for name, value, python in _TERM.findall(self.marked))

    def told(self, called: Callable[[Term], str]) -> str:
        """The text in the words of those who call terms like this."""
        return self.reworded(called).replace(_SO, "; ")

    def reworded(self, called: Callable[[Term], str]) -> Advice:
        """The same, of which a surface may still tell terms: what is put in their place may name others."""
        return Advice(_TERM.sub(lambda match: called(Term(match[1], match[3], json.loads(match[2]))), self.marked))

    def __add__(self, other: str) -> Advice:
        return Advice(self.marked + marked(other))

    def __radd__(self, other: str) -> Advice:
        return Advice(marked(other) + self.marked)

    def __reduce__(self) -> tuple[Any, ...]:
        return Advice, (self.marked,)


class NoteKind(StrEnum):
    """What a note is about, for whoever treats some apart."""

    CONFIDENCE = "how sure a sampled figure is"
    LOOK_ALIKE = "people who look alike are taken as known apart"
    NOT_KNOWN = "of whom nothing is known"


class Note(Advice):
    """A note of a kind."""

    __slots__ = ("kind",)
    kind: NoteKind

    def __new__(cls, text: str, kind: NoteKind) -> Self:
        """A text and what it is about."""
        made = super().__new__(cls, text)
        made.kind = kind
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Note, (self.marked, self.kind)


def kind_of_note(note: str) -> NoteKind | None:
    """What a note is about; None where nobody treats it apart."""
    return note.kind if isinstance(note, Note) else None


def advised(texts: Iterable[str]) -> tuple[Advice, ...]:
    """Texts as advice; those that are already stay what they are."""
    return tuple(text if isinstance(text, Advice) else Advice(text) for text in texts)


def marked(text: str) -> str:
    """A text to be put into another: where it is an advice, with its terms."""
    return text.marked if isinstance(text, Advice) else text


def joined(texts: Iterable[str], between: str = "; ") -> Advice:
    """Texts after each other, with their terms.

    >>> joined([Advice(f"give {TRUTH}"), "or nothing"]).told(lambda term: f"--{term.name}")
    'give --truth; or nothing'
    """
    return Advice(between.join(map(marked, texts)))


def parameter(name: str) -> Term:
    """A parameter of the Python functions, as in ``quasi=``."""
    return Term(name, f"{name}=")


def bare_term(name: str) -> Term:
    """The same without the sign of equality, as the subject of a sentence."""
    return Term(name, name)


def switch(name: str, on: bool) -> Term:
    """A parameter that is yes or no: ``strict=True``, which is ``--strict`` as an option, and ``--no-strict``."""
    return Term(name if on else f"no_{name}", f"{name}={on}")


def key(name: str, value: str) -> Term:
    """A key of a schema file with a value, as TOML writes it: ``kind = "date"``. A page has a field for it."""
    return Term(f"key {name}", f"{name} = {value}", value)


def quoted_key(name: str, value: str) -> Term:
    """The same of a text, which TOML quotes."""
    return Term(f"key {name}", f'{name} = "{value}"', value)


def place(path: Sequence[object], where: str) -> Term:
    """Where in a schema something is wrong, before what it is: the keys that lead there, and in a file's words."""
    return Term("place", f"{where}: ", [str(part) for part in path])


QUASI, SENSITIVE, IDENTIFIER = parameter("quasi"), parameter("sensitive"), parameter("identifier")
SCHEMA, GROUP, VALUES, TOGETHER = parameter("schema"), parameter("group"), parameter("values"), parameter("together")
TRUTH, POPULATION, GROUPS = parameter("truth"), parameter("population"), parameter("groups")
MADE_BY, MODEL, SEED = parameter("made_by"), parameter("model"), parameter("seed")
CLUSTER_ROWS = parameter("cluster_rows")
THE_BUDGET, PATIENCE, EXACT = parameter("budget"), parameter("patience"), Term("exact", "exact=True")
AUDIENCE = parameter("audience")
WITHOUT_SPARK = Term("without_spark", "write it (release.write(folder)) and report on the folder without Spark")
MAX_RISK = Term("max_risk", "most=")
NULLS_REJECTED = Term("nulls rejected", 'the schema says nulls = "reject"')
ALLOW_NULLS = Term("allow nulls", 'set nulls = "value"')
KNOWS_QUASI_ALONE = Term("knows quasi alone", "knows the quasi-identifiers alone")
VALUES_BY_COLUMN = Term("values_by_column", "values={column: values}")
COUNTS_WITHOUT_SENSITIVE = Term("counts_without_sensitive", "QueryError(sensitive=False)")
OVERWRITE = Term("say_overwrite", "say overwrite")
OVERWRITE_IN_JOB = Term("overwrite_in_job", "set overwrite = true in the job")
BLACK_BOX = Term("attack_anonymizer", "attack_anonymizer()")
MORE_BUDGET = Term("more_budget", "raise the budget")
SAMPLE_OR_MORE_BUDGET = Term("sample_or_more_budget", "sample, or raise the budget")
MORE_BUDGET_OF_ATTACK = Term("more_budget_of_attack", "raise budget")
GIVE_TABLE = Term("give_table", "give the table as truth=")
TELL_GROUPS = Term("tell_groups", "tell who is in which group with groups= (publishing keeps it)")
GIVE_TABLE_AND_GROUPS = Term(
    "give_table_and_groups", "give the table as truth=, and who is in which group with groups= (publishing keeps it)"
)
