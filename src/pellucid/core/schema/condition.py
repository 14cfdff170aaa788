"""Conditions on columns, such as ``age >= 15 and sex = "f"``: read into a tree of ours, and never run as code.

::

    condition   = both {"or" both}
    both        = one {"and" one}
    one         = "not" one | "(" condition ")" | column sign value | column ["not"] "in" "[" value {"," value} "]"
                | column "is" ["not"] "null"
    sign        = "=" | "==" | "!=" | "<" | "<=" | ">" | ">="
    column      = a word, or any name between backquotes
    value       = a number, or a text between quotation marks, which may be a date

A comparison with a null is false, and ``is null`` finds them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import SchemaError
from pellucid.runtime.records import record
from pellucid.text.values import label_of

Marks = NDArray[np.bool_]
SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
TOKEN = re.compile(
    r"""\s*(?:(?P<number>-?\d+(?:\.\d+)?)(?![\w.])|(?P<text>"[^"]*"|'[^']*')|`(?P<quoted>[^`]+)`
    |(?P<sign><=|>=|!=|==|=|<|>)|(?P<mark>[()\[\],])|(?P<word>[^\W\d]\w*))""",
    re.VERBOSE,
)
RESERVED = ("and", "or", "not", "in", "is", "null")
DOTTED = re.compile(r"(?<![\w.`])[^\W\d]\w*(?:[.-]\w+)+(?=\s*(?:[<>=!]|in\b|is\b|not\b))")
LONGEST, DEEPEST = 2000, 40
EXAMPLE = 'age >= 15 and sex in ["f", "m"]'


@record()
class Comparison:
    """A column compared with values: ``in`` and ``is null`` are comparisons with several, and with none."""

    column: str
    sign: str
    values: tuple[int | float | str, ...] = ()

    def holds(self, known: Mapping[str, Known]) -> Marks:
        """For which rows."""
        return known[self.column].compared(self)


@record()
class Joined:
    """Conditions that must all hold, or of which one must; ``not`` has a single one."""

    how: str
    parts: tuple[Comparison | Joined, ...]

    def holds(self, known: Mapping[str, Known]) -> Marks:
        """For which rows."""
        found = [part.holds(known) for part in self.parts]
        if self.how == "not":
            return ~found[0]
        together: Marks = (np.logical_and if self.how == "and" else np.logical_or).reduce(found)
        return together


@record(eq=False)
class Known:
    """A column that conditions look at: its values, which of them each row has, and their order where it has one."""

    name: str
    values: pl.Series
    codes: NDArray[np.int32]
    order: Sequence[str] = ()

    def compared(self, asked: Comparison) -> Marks:
        """For which rows a comparison holds."""
        null = self.values.is_null().to_numpy()
        if asked.sign == "null":
            return np.asarray(null[self.codes], np.bool_)
        held = np.zeros(len(self.values), np.bool_)
        known = np.flatnonzero(~null)
        for value in asked.values:
            mine, theirs = self._comparable(value, asked.sign)
            held[known] |= np.array([SIGNS[asked.sign](one, theirs) for one in mine], np.bool_)
        return held[self.codes]

    def _comparable(self, value: int | float | str, sign: str) -> tuple[Sequence[Any], Any]:
        """The values and another in a form in which they compare; raise where they do not."""
        values, equal = self.values.drop_nulls(), sign in ("=", "==", "!=")
        if self.order:
            ranks = {label: rank for rank, label in enumerate(self.order)}
            if str(value) not in ranks:
                self._refuse(value, f"its values are {', '.join(self.order[:6])}")
            return [ranks[label_of(one)] for one in values], ranks[str(value)]
        if values.dtype.is_numeric() and isinstance(value, str):
            self._refuse(value, "it has numbers, which are written without quotation marks")
        if values.dtype.is_temporal():
            try:
                return values.to_list(), pl.Series([str(value)]).str.strptime(values.dtype, strict=True)[0]  # type: ignore[arg-type]
            except pl.exceptions.PolarsError:
                self._refuse(value, 'it has dates, written as "2024-12-31"')
        if values.dtype.is_numeric():
            return values.to_list(), value
        if not equal and values.dtype == pl.String:
            self._refuse(value, 'its texts have no order; use = or in, or set kind = "ordered"')
        return [label_of(one) for one in values], label_of(value)

    def _refuse(self, value: object, why: str) -> NoReturn:
        raise SchemaError(
            "the condition compares {name} with {value!r}, and {why}",
            "correct it",
            name=self.name,
            value=value,
            why=why,
        )


@record()
class Condition:
    """A condition, and the text that it was read from.

    >>> adult = Condition.of('age >= 15 and not `home town` in ["Oslo"]')
    >>> adult.columns
    ['age', 'home town']
    >>> ages = Known("age", pl.Series([None, 9, 15]), np.array([0, 1, 2, 2]))
    >>> Condition.of("age >= 15").holds({"age": ages}).tolist()
    [False, False, True, True]
    """

    text: str
    tree: Comparison | Joined

    @classmethod
    def of(cls, text: object) -> Condition:
        """Read a condition; raise where it is none."""
        if not isinstance(text, str) or len(text) > LONGEST:
            raise SchemaError("this is no condition", "write a text such as {example!r}", example=EXAMPLE)
        return cls(text, _Reader(text).whole())

    @property
    def columns(self) -> list[str]:
        """The columns that it names, each once."""
        return list(dict.fromkeys(one.column for one in self.comparisons))

    @property
    def comparisons(self) -> list[Comparison]:
        """What it is put together of."""
        return list(_comparisons(self.tree))

    def holds(self, known: Mapping[str, Known]) -> Marks:
        """For which rows it holds."""
        return self.tree.holds(known)


def _comparisons(tree: Comparison | Joined) -> Iterator[Comparison]:
    if isinstance(tree, Comparison):
        yield tree
        return
    for part in tree.parts:
        yield from _comparisons(part)


class _Reader:
    """The words of a condition, one after the other."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.kind, self.word = "", ""
        self._next()

    def whole(self) -> Comparison | Joined:
        tree = self._condition()
        if self.kind:
            self._wrong("or, and, or the end")
        return tree

    def _next(self) -> str:
        """The word that was there; the next one takes its place."""
        before = self.word
        found = TOKEN.match(self.text, self.at)
        if found is None:
            self.kind, self.word = "", ""
            if self.text[self.at :].strip():
                self.word = self.text[self.at :].strip()[:20]
                self._wrong("a column, a sign or a value")
            return before
        self.at, self.kind = found.end(), found.lastgroup or ""
        self.word = found[self.kind]
        if self.kind == "word" and self.word.lower() in RESERVED:
            self.kind, self.word = "reserved", self.word.lower()
        return before

    def _is(self, word: str) -> bool:
        """Whether this word is next, which is then read."""
        if self.kind not in ("reserved", "mark") or self.word != word:
            return False
        self._next()
        return True

    def _need(self, word: str) -> None:
        if not self._is(word):
            self._wrong(word)

    def _condition(self) -> Comparison | Joined:
        return self._chain("or", lambda: self._chain("and", self._one))

    def _chain(self, word: str, part: Callable[[], Comparison | Joined]) -> Comparison | Joined:
        parts = [part()]
        while self._is(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Comparison | Joined:
        self.depth += 1
        if self.depth > DEEPEST:
            raise SchemaError("the condition is nested more than {deepest} times", "write it shorter", deepest=DEEPEST)
        try:
            if self._is("not"):
                return Joined("not", (self._one(),))
            if self._is("("):
                tree = self._condition()
                self._need(")")
                return tree
            return self._comparison()
        finally:
            self.depth -= 1

    def _comparison(self) -> Comparison | Joined:
        if self.kind not in ("word", "quoted"):
            self._wrong("the name of a column")
        column = self._next()
        if self.kind == "sign":
            sign = self._next()
            return Comparison(column, sign, (self._value(),))
        if self._is("is"):
            negated = self._is("not")
            self._need("null")
            found: Comparison | Joined = Comparison(column, "null")
        else:
            negated = self._is("not")
            self._need("in")
            self._need("[")
            values = [self._value()]
            while self._is(","):
                values.append(self._value())
            self._need("]")
            found = Comparison(column, "=", tuple(values))
        return Joined("not", (found,)) if negated else found

    def _value(self) -> int | float | str:
        if self.kind not in ("number", "text"):
            self._wrong("a number, or a text in quotation marks")
        kind, word = self.kind, self._next()
        if kind == "text":
            return word[1:-1]
        return float(word) if "." in word else int(word)

    def _wrong(self, expected: str) -> NoReturn:
        quoted = DOTTED.sub(r"`\g<0>`", self.text)
        if quoted != self.text:
            told = "the condition {text!r} has a column name with other signs than letters, digits and _"
            raise SchemaError(told, "put it in backquotes: {quoted}", text=self.text, quoted=quoted)
        raise SchemaError(
            "the condition {text!r} has {there} where {expected} must stand",
            "write it as in {example!r}",
            text=self.text,
            there=repr(self.word) if self.word else "nothing",
            expected=expected,
            example=EXAMPLE,
        )
