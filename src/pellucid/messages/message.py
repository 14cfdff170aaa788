"""Sentences as data until it is known who reads them.

In Python one gives ``quasi=``, on the command line ``--quasi``, on a page a field; 0.25 reads as 25 % elsewhere. So a
message is a template with typed values, and a :class:`~pellucid.messages.speaker.Speaker` says them. As a ``str`` it is
the English sentence in Python's words: it can be raised, warned, logged and written as it is. The template is always a
literal, so that catalogs can be extracted from the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pellucid.messages.values import KINDS, File, Given, Term, Typed, frozen, number, plain

if TYPE_CHECKING:
    from pellucid.messages.speaker import Speaker

_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")  # where text.splitlines() begins a new line
_NAMED = re.compile(r"\{([A-Z][A-Z_]+)\}")
_BOTH = "{problem}; {way_out}"


class Message(str):
    r"""A sentence: a template and its values. Without values, the template is the text as it stands.

    >>> from pellucid.messages import Count, Term
    >>> told = Message("{people} are known; give the rest with {option}", people=Count(1, "person", "people"),
    ...     option=Term("truth", "truth="))
    >>> told
    '1 person are known; give the rest with truth='
    >>> Message.from_document(told.document()).values == told.values
    True
    >>> Message("{k} is no number", k="1\n2")  # whatever a value looks like, a message has the lines of its template
    '1 2 is no number'
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """A sentence with its values; a message stays as it is."""
        if cls is Message and isinstance(template, Message):
            return template  # type: ignore[return-value]  # a Note is a Message
        named = _terms_in(template)
        if named and not values:  # no other place is one
            escaped = template.replace("{", "{{").replace("}", "}}")
            template = _NAMED.sub(lambda place: place[1] if place[1] in named else place[0], escaped)
        kept = {name: _kept(value) for name, value in (named | values).items()}
        made = super().__new__(cls, _filled(template, kept, None))
        object.__setattr__(made, "template", str.__str__(template))
        object.__setattr__(made, "values", MappingProxyType(kept))
        return made

    @classmethod
    def of(cls, problem: str, way_out: str = "") -> Message:
        """What is wrong or not known, and what to do about it.

        >>> told = Message.of("nobody's values are known", "give them")
        >>> told, told.problem, told.way_out
        ("nobody's values are known; give them", "nobody's values are known", 'give them')
        """
        return Message(_BOTH, problem=Message(problem), way_out=Message(way_out)) if way_out else Message(problem)

    @classmethod
    def joined(cls, parts: Iterable[str | Typed], between: str = "; ") -> Message:
        """Texts or values after each other.

        >>> Message.joined(["one", Message("{n} more", n=2)])
        'one; 2 more'
        """
        some = {f"part{n}": Message(part) if isinstance(part, str) else part for n, part in enumerate(parts)}
        return Message(between.join(f"{{{name}}}" for name in some), **some)

    @property
    def problem(self) -> Message:
        """What is wrong or not known, without what to do about it: also where a message ends with such a one."""
        return self._divided()[0]

    @property
    def way_out(self) -> Message:
        """What to do about it; empty where nobody says so."""
        return self._divided()[1]

    def _divided(self) -> tuple[Message, Message]:
        if self.template == _BOTH:
            return self.values["problem"], self.values["way_out"]
        for name, value in self.values.items():
            if isinstance(value, Message) and self.template.endswith(f"{{{name}}}") and value.way_out:
                return Message(self.template, **{**self.values, name: value.problem}), value.way_out
        return self, Message("")

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that it names, its parts' too."""
        return tuple(self._terms())

    def _terms(self) -> Iterator[Term]:
        for value in self.values.values():
            if isinstance(value, Message):
                yield from value.terms
            elif isinstance(value, Term):
                yield value

    def told(self, speaker: Speaker) -> str:
        """The sentence in the words of a surface."""
        return _filled(self.template, self.values, speaker)

    def with_terms(self, change: Callable[[Term], object]) -> Message:
        """The same with something else in the place of terms: a text, a message, another term."""

        def changed(value: Any) -> Any:
            if isinstance(value, Message):
                return value.with_terms(change)
            return change(value) if isinstance(value, Term) else value

        return Message(self.template, **{name: changed(value) for name, value in self.values.items()})

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """The same with its finished texts changed: a path that somebody gave another name, what the system said."""
        values = {name: _changed(value, change) for name, value in self.values.items()}
        return Message(self.template, **values) if values else Message(change(self.template))

    def document(self) -> dict[str, Any]:
        """Template and values for JSON."""
        values = {name: document_of(value) for name, value in self.values.items()}
        return {"type": "Message", "template": self.template, "values": values}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Message:
        """The message again; a template that asks for more than its values is refused."""
        names = [name for _, name, _, _ in Formatter().parse(document["template"]) if name is not None]
        if document["values"] and set(names) != set(document["values"]):
            raise ValueError("the template of a message names its values, and nothing else")
        return Message(document["template"], **{name: value_of(fact) for name, fact in document["values"].items()})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a message is frozen: its {name} stays as it is")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.template, dict(self.values))


def _terms_in(template: str) -> dict[str, Any]:
    """The terms that a template names."""
    if not (names := _NAMED.findall(template)):
        return {}
    from pellucid.messages.terms import TERMS

    return {name: TERMS[name] for name in names if name in TERMS}


def _again(template: str, values: dict[str, Any]) -> Message:
    return Message(template, **values)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return value.with_texts(change)
    if isinstance(value, str):
        return change(value)
    if isinstance(value, File):
        return File(change(value.path))
    if isinstance(value, Term):
        return replace(value, python=change(value.python))
    return Given(change(value.text), change(value.shown)) if isinstance(value, Given) else value


def document_of(value: Any) -> Any:
    """A value of a message for JSON."""
    return value.document() if isinstance(value, Message | Typed | Given) else plain(value)


def value_of(fact: Any) -> Any:
    """A value of a message from JSON."""
    kind = fact["type"] if isinstance(fact, dict) else ""
    return (
        Message.from_document(fact)
        if kind == "Message"
        else KINDS[kind].from_document(fact)
        if kind in KINDS
        else number(fact)
    )


def _kept(value: object) -> Any:
    if isinstance(value, Message):
        return value
    return on_one_line(value) if isinstance(value, str) else frozen(value)


def _filled(template: str, values: Mapping[str, Any], speaker: Speaker | None) -> str:
    if not values:
        return template
    if speaker is None:
        from pellucid.messages.speaker import PYTHON

        speaker = PYTHON
    said = {name: one.told(speaker) if isinstance(one, Message | Typed) else one for name, one in values.items()}
    return template.format_map(said)


def on_one_line(text: str) -> str:
    r"""A text without its line breaks.

    >>> on_one_line("[1,\n 2]")
    '[1, 2]'
    """
    return _BREAKS.sub(" ", text)


class NoteKind(StrEnum):
    """What a note is about, for whoever treats some apart."""

    CONFIDENCE = "how sure a sampled figure is"
    LOOK_ALIKE = "people who look alike are taken as known apart"
    NOT_KNOWN = "of whom nothing is known"


class Note(Message):
    """A message of a kind."""

    __slots__ = ("kind",)
    kind: NoteKind

    def __new__(cls, text: str, kind: NoteKind) -> Self:
        """A message and what it is about."""
        message = Message(text)
        made = super().__new__(cls, message.template, **message.values)
        object.__setattr__(made, "kind", kind)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Note, (_again(self.template, dict(self.values)), self.kind)


def kind_of_note(note: str) -> NoteKind | None:
    """What a note is about; None where nobody treats it apart."""
    return note.kind if isinstance(note, Note) else None
