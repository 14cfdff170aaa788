"""Suggest what each column of a table is: a role, a kind and the reason for it, for a person to check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from pellucid.hints import COUNTING, ILLNESS, NUMBERING, hinted_role, words_of
from pellucid.io.inference import looks_like, missing_marks
from pellucid.naming import NEARLY_UNIQUE
from pellucid.progress import Progress
from pellucid.schema import Kind, Role
from pellucid.taxonomy.toml_text import toml_value

LONG_TEXT = 40  # characters on average, and
MANY_TEXTS = 100  # different ones: somebody wrote them, and may have named people
QUOTES = ("'", '"')
DATE_LIKE = r"^\s*(\d{4}([-/.])\d{1,2}([-/.])\d{1,2}|\d{1,2}([-/.])\d{1,2}([-/.])\d{2,4})(\D|$)"


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be counted in a column."""

    name: str
    dtype: pl.DataType
    rows: int
    nulls: int
    distinct: int  # different values; null is none
    most_frequent: int  # rows with the most frequent value; here null is one, as it is for every method
    mean_length: float  # of text, otherwise 0
    measured: bool = False  # dates or decimals, also as text: however many there are, they name nobody
    looks: str = ""  # what a column of text may really be, for a person to decide

    @property
    def is_unique(self) -> bool:
        """Every row has a value of its own."""
        return self.rows > 1 and self.distinct == self.rows and self.nulls == 0

    @property
    def largest_l(self) -> int:
        """The largest l that is feasible when the column is the sensitive one."""
        return self.rows // self.most_frequent if self.most_frequent else 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A role with its reason, and what a person should check."""

    facts: Facts
    role: Role
    reason: str
    check: str = ""

    @property
    def name(self) -> str:
        """The column."""
        return self.facts.name

    @property
    def kind(self) -> Kind:
        """The kind that the column's type implies."""
        dtype = self.facts.dtype
        if dtype.is_temporal():
            return Kind.DATE
        return Kind.NUMBER if dtype.is_numeric() else Kind.CATEGORY


def facts_of(frame: pl.DataFrame, column: str) -> Facts:
    """Count one column."""
    values = frame[column]
    counts = values.value_counts(name="rows of the value")["rows of the value"]
    text = values.dtype == pl.String
    looks = _looks(values)
    length = values.str.len_chars().mean() if text else 0.0
    return Facts(
        name=column,
        dtype=values.dtype,
        rows=len(values),
        nulls=values.null_count(),
        distinct=len(counts) - (values.null_count() > 0),
        most_frequent=int(counts.max() or 0),  # type: ignore[arg-type]
        mean_length=float(length or 0.0),  # type: ignore[arg-type]
        measured=values.dtype.is_float() or values.dtype.is_temporal() or (text and _is_measured(values, looks)),
        looks=looks,
    )


def counted(frame: pl.DataFrame, progress: Progress) -> list[Facts]:
    """Count every column."""
    progress.stage("counting the columns", frame.height * frame.width)
    found = []
    for number, name in enumerate(frame.columns, start=1):
        found.append(facts_of(frame, name))
        progress.advance(frame.height * number)
    return found


def _looks(values: pl.Series) -> str:
    """What a column of text may really be, and what to do then."""
    found = looks_like(values)
    if found is None:
        return ""
    ways = []
    if found.startswith("dates"):
        ways.append("write them as 2024-01-31, else each is a category of its own")
    elif not found.startswith(QUOTES):
        ways.append("write them as plain numbers, else each is a category of its own")
    marks = missing_marks(values)
    if marks:
        ways.append(f"add missing = {toml_value(marks)} to the column if so")
    return f"{'' if found.startswith(QUOTES) else 'looks like '}{found}; {', and '.join(ways)}"


def _is_measured(text: pl.Series, looks: str) -> bool:
    return "decimal comma" in looks or bool(text.drop_nulls().str.contains(DATE_LIKE).all())


def suggest(columns: Sequence[Facts]) -> list[Suggestion]:
    """One suggestion per column; at most one identifier and one sensitive column among them."""
    suggestions = [_alone(facts) for facts in columns]
    suggestions = _keep_one(suggestions, Role.IDENTIFIER, _better_identifier, "a table has one identifier")
    return _keep_one(
        suggestions,
        Role.SENSITIVE,
        _better_sensitive,
        "Hybrid protects one sensitive column at a time (Tailor can protect several)",
    )


def _alone(facts: Facts) -> Suggestion:
    """The suggestion for a column by itself."""
    if facts.nulls == facts.rows:
        return Suggestion(facts, Role.DROP, "holds no value at all")
    if facts.distinct == 1 and not facts.nulls:
        return Suggestion(facts, Role.DROP, "has the same value in every row")
    role, word = hinted_role(facts.name) or (None, "")
    if role is Role.SENSITIVE:
        check = ""
        if facts.distinct > NEARLY_UNIQUE * facts.rows:
            check = "nearly every value is different: round it to bands, or a near miss is as good as a hit"
        elif facts.largest_l < 2:
            check = "one value is in more than half of the rows, so only l = 1 is feasible, which protects nobody"
        return Suggestion(facts, Role.SENSITIVE, f"the name says so ({word}); l can be up to {facts.largest_l}", check)
    if role is Role.QUASI and (facts.measured or not (facts.is_unique and facts.dtype == pl.String)):
        check = ""
        if word.startswith(("zip", "post", "plz")) and facts.dtype.is_integer():
            check = "read as numbers: leading zeros are lost, and near numbers count as near places"
        return Suggestion(facts, Role.QUASI, f"other people know it ({word})", check)
    if facts.is_unique and not facts.measured:
        return Suggestion(facts, Role.IDENTIFIER, "every row has a value of its own" + (f" ({word})" if word else ""))
    if role is Role.IDENTIFIER and word not in NUMBERING:
        return Suggestion(
            facts,
            Role.DROP,
            f"names people ({word}) and repeats, so it cannot tell rows apart",
            "if a person has several rows, merge them first: the promise is about one row of a person",
        )
    if facts.dtype == pl.String and facts.mean_length > LONG_TEXT and facts.distinct > MANY_TEXTS:
        return Suggestion(facts, Role.DROP, "long text, which may name people")
    if facts.dtype.is_nested() or facts.dtype == pl.Binary:
        return Suggestion(facts, Role.DROP, f"values of type {facts.dtype} cannot be generalised")
    return Suggestion(
        facts,
        Role.QUASI,
        "nothing in the name tells, so others may know it",
        "drop what nobody needs: every quasi-identifier costs precision in the others",
    )


def _better_identifier(suggestion: Suggestion) -> tuple[bool, ...]:
    hint = hinted_role(suggestion.name)
    return (hint is not None and hint[0] is Role.IDENTIFIER, suggestion.facts.dtype != pl.String)


def _better_sensitive(suggestion: Suggestion) -> tuple[bool, ...]:
    """What can be protected, has values that repeat, is no count of something, and is what a person suffers from."""
    facts, words = suggestion.facts, words_of(suggestion.name)
    return (
        facts.largest_l >= 2,
        facts.distinct <= NEARLY_UNIQUE * facts.rows,
        not COUNTING.intersection(words),
        any(word.startswith(ILLNESS) for word in words),
    )


def _keep_one(
    suggestions: list[Suggestion], role: Role, quality: Callable[[Suggestion], tuple[bool, ...]], why: str
) -> list[Suggestion]:
    """Leave the role to the best column that has it and drop the others, saying so."""
    having = [suggestion for suggestion in suggestions if suggestion.role is role]
    if len(having) < 2:
        return suggestions
    best = max(having, key=quality)  # max keeps the first of equals
    return [
        replace(
            suggestion,
            role=Role.DROP,
            reason=f"could be the {role} column too: {suggestion.reason}",
            check=f"{why}, here {best.name}; choose another if that is the wrong one",
        )
        if suggestion.role is role and suggestion is not best
        else suggestion
        for suggestion in suggestions
    ]
