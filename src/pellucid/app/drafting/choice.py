"""From what each column is to a draft that can be published: one identifier, one sensitive column, ten others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from pellucid.app.drafting.draft import Facts, Suggestion, alone
from pellucid.determined import Says, says
from pellucid.hints import COUNTING, ILLNESS, words_of
from pellucid.io.encode import without_marks
from pellucid.io.written_dates import written_dates
from pellucid.naming import NEARLY_UNIQUE
from pellucid.schema import Kind, Role
from pellucid.table import Codes

FEW_VALUES = 100  # of a sensitive column that l of them still tell apart
NEARLY_ALL = 0.99  # of the rows; ages are often cut off at a highest one
MOST_QUASI = 10  # quasi-identifiers of a draft: with more, groups tell hardly anything about each
# Known to others and yet what a table is often about: to be protected where nothing that looks sensitive can be.
INSTEAD = ("work", "education", "marital", "nation", "race")


def suggest(columns: Sequence[Facts], frame: pl.DataFrame | None = None) -> list[Suggestion]:
    """One suggestion per column; at most one identifier, one sensitive column and ten quasi-identifiers among them.

    With the rows each column is also measured against the sensitive one, and what determines it is left out.
    """
    suggestions = [alone(facts) for facts in columns]
    suggestions = _keep_one(
        suggestions,
        Role.IDENTIFIER,
        _better_identifier,
        "a table has one identifier, here {}; choose another if that is the wrong one",
    )
    suggestions = _keep_one(
        _with_something_feasible(suggestions),
        Role.SENSITIVE,
        _better_sensitive,
        'the draft protects {} alone; with role = "sensitive" here too, each of these columns is protected on its own',
    )
    if frame is not None:
        suggestions = _measured(suggestions, frame)
        suggestions = _once(suggestions, frame)
    return _few_quasi(suggestions)


def _better_identifier(suggestion: Suggestion) -> tuple[bool, ...]:
    hint = suggestion.hint
    return (hint is not None and hint.role is Role.IDENTIFIER, suggestion.facts.dtype != pl.String)


def _better_sensitive(suggestion: Suggestion) -> tuple[bool, ...]:
    """What can be protected, repeats, is no count of something, is what a person suffers from, and has few values.

    Of an income and its tenth it is the tenth, because incomes that are close say nearly the same.
    """
    facts, words = suggestion.facts, words_of(suggestion.name)
    return (
        facts.largest_l >= 2,
        facts.distinct <= NEARLY_UNIQUE * facts.rows,
        not COUNTING.intersection(words),
        any(word.startswith(ILLNESS) for word in words),
        facts.distinct <= FEW_VALUES,
    )


def _with_something_feasible(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Where no column that looks sensitive can be protected: one that can, although others may know it."""
    sensitive = [one for one in suggestions if one.role is Role.SENSITIVE]
    if not sensitive or any(one.facts.largest_l >= 2 for one in sensitive):
        return suggestions
    others = [
        one
        for one in suggestions
        if one.role is Role.QUASI and one.hint and one.hint.concept in INSTEAD and one.facts.largest_l >= 2
    ]
    if not others:
        return suggestions
    best = min(others, key=lambda one: (INSTEAD.index(one.hint.concept), -one.facts.largest_l))  # type: ignore[union-attr]
    names = " and ".join(one.name for one in sensitive[:2])
    instead = replace(
        best,
        role=Role.SENSITIVE,
        reason=f"nothing that looks sensitive can be protected ({names}: one value is in more than half of the rows), "
        f"and this can; l can be up to {best.facts.largest_l}",
        check="say yourself what must be protected",
    )
    return [instead if one is best else one for one in suggestions]


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
            check=why.format(best.name),
        )
        if suggestion.role is role and suggestion is not best
        else suggestion
        for suggestion in suggestions
    ]


def _measured(suggestions: list[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """Each column with how much it says about the sensitive one; quasi-identifiers that determine it are dropped."""
    secret = next((one for one in suggestions if one.role is Role.SENSITIVE), None)
    if secret is None:
        return suggestions
    protected = codes_of(frame, secret)
    return [
        one if one is secret or one.facts.dtype.is_nested() else _after(one, says_in(frame, one, secret, protected))
        for one in suggestions
    ]


def _after(one: Suggestion, found: Says) -> Suggestion:
    if one.role is not Role.QUASI or not found.determines:
        return replace(one, says=found)
    return replace(
        one,
        role=Role.DROP,
        reason=f"{found.words}, so whoever knows it knows that",
        check=f"protect it too, or publish it all the same with --accept-known {one.name}",
        says=found,
    )


def says_in(frame: pl.DataFrame, one: Suggestion, secret: Suggestion, protected: tuple[Codes, int]) -> Says:
    """How much a column says about the sensitive one, by the kinds that the draft gives them, as publishing does."""
    codes, values = codes_of(frame, one)
    return says(
        one.name,
        codes,
        values,
        secret.name,
        *protected,
        nulls=(True, True),  # code 0 is null, or nobody's
        ordered=secret.kind is not Kind.CATEGORY,
    )


def codes_of(frame: pl.DataFrame, one: Suggestion) -> tuple[Codes, int]:
    """Codes in the order of the values, 0 for null and for what stands for it, and how many there may be."""
    ranks = _meant(frame, one).rank("dense").fill_null(0).to_numpy().astype(np.int32)
    return ranks, int(ranks.max(initial=0)) + 1


def _meant(frame: pl.DataFrame, one: Suggestion) -> pl.Series:
    """The values as the draft has them read."""
    values = without_marks(frame[one.name], one.facts.missing)
    if one.facts.numbers_as_text:
        return values.cast(pl.Float64, strict=False)
    if one.facts.date_order is None:
        return values
    distinct = values.drop_nulls().unique()
    dates, _ = written_dates(distinct, one.facts.date_order)
    return values if dates is None else values.replace_strict(distinct, dates)


def _once(suggestions: list[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """Of quasi-identifiers that say the same, such as an age in years, in months and in decades, the first."""
    kept: list[Suggestion] = []
    found = []
    for one in suggestions:
        alike = ((other, _alike(one, other, frame)) for other in kept) if one.role is Role.QUASI else ()
        twin, how = next(((other, how) for other, how in alike if how), (None, ""))
        if twin is not None:
            check = "exchange it for the column that it repeats if it matters more" if "detail" in how else ""
            one = replace(one, role=Role.DROP, reason=f"says the same as {twin.name}{how.rstrip('.')}", check=check)
        elif one.role is Role.QUASI:
            kept.append(one)
        found.append(one)
    return found


def _alike(one: Suggestion, other: Suggestion, frame: pl.DataFrame) -> str:
    """How a column says the same as another of the same meaning, where each value of one has one value of the other."""
    same = one.hint and other.hint and one.hint.word == other.hint.word and one.hint.concept == other.hint.concept
    if not same or max(one.facts.distinct, other.facts.distinct) > frame.height / 2:
        return ""
    both = pl.DataFrame([_meant(frame, one).alias("one"), _meant(frame, other).alias("other")]).drop_nulls()
    if both.height < frame.height / 2:
        return ""
    finer, coarser = (_tells(both, *names) for names in (("one", "other"), ("other", "one")))
    return "." if finer and coarser else " in more detail" if finer else " in less detail" if coarser else ""


def _tells(both: pl.DataFrame, known: str, asked: str) -> bool:
    """Whether nearly every value of one column goes with one value of the other."""
    most = both.group_by(known, asked).len().group_by(known).agg(pl.col("len").max())
    return int(most["len"].sum()) >= NEARLY_ALL * both.height


def _few_quasi(suggestions: list[Suggestion]) -> list[Suggestion]:
    """The quasi-identifiers that others know best; the rest is dropped, saying so."""
    quasi = [one for one in suggestions if one.role is Role.QUASI]
    kept = sorted(quasi, key=lambda one: _rank(one))[:MOST_QUASI]
    return [
        replace(
            one,
            role=Role.DROP,
            reason=f"{one.reason}, but not as well as {MOST_QUASI} other columns",
            check=f"exchange it for one of the {MOST_QUASI} that are drafted as known if it matters more",
        )
        if one.role is Role.QUASI and one not in kept
        else one
        for one in suggestions
    ]


def _rank(one: Suggestion) -> int:
    return one.hint.rank if one.hint is not None and one.hint.role is Role.QUASI else 99
