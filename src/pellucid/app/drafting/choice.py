"""From what each column is to a draft that can be published: one identifier, one sensitive column, ten others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from pellucid.app.drafting.column_values import DIAGNOSIS
from pellucid.app.drafting.draft import Facts, Suggestion, alone
from pellucid.determined import Says, as_numbers, says
from pellucid.hints import COUNTING, ILLNESS, words_of
from pellucid.io.encode import without_marks
from pellucid.io.written_dates import written_dates
from pellucid.messages import Message, Term
from pellucid.messages.terms import quoted_key
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
        lambda best: Message(
            "a table has one identifier, here {best}; choose another if that is the wrong one", best=best
        ),
    )
    suggestions = _keep_one(
        _with_something_feasible(suggestions),
        Role.SENSITIVE,
        _better_sensitive,
        lambda best: Message(
            "the draft protects {best} alone; with {role} here too, each of these columns is protected on its own",
            best=best,
            role=quoted_key("role", "sensitive"),
        ),
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
        facts.known == (Role.SENSITIVE, DIAGNOSIS)
        or any(word.startswith(ILLNESS) or "diagnos" in word for word in words),
        facts.distinct <= FEW_VALUES,
    )


def _can_be_protected(suggestion: Suggestion) -> bool:
    return suggestion.facts.largest_l >= 2


def _place_instead(suggestion: Suggestion) -> int | None:
    """How soon a column is protected in place of others, the first at 0; None where that is not usual."""
    hint = suggestion.hint
    return INSTEAD.index(hint.concept) if hint and hint.concept in INSTEAD else None


def _best_instead(suggestions: list[Suggestion]) -> Suggestion | None:
    """The column that others know and that is protected in place of those that cannot be; None without any."""
    known = [
        suggestion for suggestion in suggestions if suggestion.role is Role.QUASI and _can_be_protected(suggestion)
    ]
    places = {suggestion.name: place for suggestion in known if (place := _place_instead(suggestion)) is not None}
    possible = [suggestion for suggestion in known if suggestion.name in places]
    return min(possible, key=lambda suggestion: (places[suggestion.name], -suggestion.facts.largest_l), default=None)


def _with_something_feasible(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Where no column that looks sensitive can be protected: one that can, although others may know it."""
    sensitive = [suggestion for suggestion in suggestions if suggestion.role is Role.SENSITIVE]
    if not sensitive or any(map(_can_be_protected, sensitive)):
        return suggestions
    best = _best_instead(suggestions)
    if best is None:
        return suggestions
    names = " and ".join(suggestion.name for suggestion in sensitive[:2])
    instead = replace(
        best,
        role=Role.SENSITIVE,
        reason=f"nothing that looks sensitive can be protected as it is ({names}: one value is in more than half of "
        f"the rows), and this can; l can be up to {best.facts.largest_l}",
        why="",
        check="say yourself what must be protected",
    )
    return [instead if suggestion is best else suggestion for suggestion in suggestions]


def _keep_one(
    suggestions: list[Suggestion],
    role: Role,
    quality: Callable[[Suggestion], tuple[bool, ...]],
    why: Callable[[str], Message],
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
            reason=Message("could be the {role} column too: {reason}", role=str(role), reason=suggestion.reason),
            why=f"could be the {role} column too: {suggestion.why}" if suggestion.why else "",
            check=why(best.name),
        )
        if suggestion.role is role and suggestion is not best
        else suggestion
        for suggestion in suggestions
    ]


def _measured(suggestions: list[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """Each column with how much it says about the sensitive one; quasi-identifiers that determine it are dropped."""
    secret = next((suggestion for suggestion in suggestions if suggestion.role is Role.SENSITIVE), None)
    if secret is None:
        return suggestions
    protected = codes_of(frame, secret)
    return [
        suggestion
        if suggestion is secret or suggestion.facts.dtype.is_nested()
        else _after(suggestion, says_in(frame, suggestion, secret, protected))
        for suggestion in suggestions
    ]


def _after(suggestion: Suggestion, told: Says) -> Suggestion:
    if suggestion.role is not Role.QUASI or not told.determines:
        return replace(suggestion, says=told)
    return replace(
        suggestion,
        role=Role.DROP,
        reason=f"{told.words}, so whoever knows it knows that",
        check=Message(
            "protect it too, or publish it all the same with {tick}",
            tick=Term("accept_known", f"--accept-known {suggestion.name}"),
        ),
        says=told,
    )


def says_in(frame: pl.DataFrame, suggestion: Suggestion, secret: Suggestion, protected: tuple[Codes, int]) -> Says:
    """How much a column says about the sensitive one, by the kinds that the draft gives them, as publishing does."""
    codes, values = codes_of(frame, suggestion)
    ordered = secret.kind is not Kind.CATEGORY or as_numbers(_meant(frame, secret)) is not None
    return says(
        suggestion.name,
        codes,
        values,
        secret.name,
        *protected,
        nulls=(True, True),  # code 0 is null, or nobody's
        ordered=ordered,
    ).named(lambda code: frame[secret.name][int(np.flatnonzero(protected[0] == code)[0])])


def codes_of(frame: pl.DataFrame, suggestion: Suggestion) -> tuple[Codes, int]:
    """Codes in the order of the values, 0 for null and for what stands for it, and how many there may be."""
    ranks = _meant(frame, suggestion).rank("dense").fill_null(0).to_numpy().astype(np.int32)
    return ranks, int(ranks.max(initial=0)) + 1


def _meant(frame: pl.DataFrame, suggestion: Suggestion) -> pl.Series:
    """The values as the draft has them read."""
    values = without_marks(frame[suggestion.name], suggestion.facts.missing)
    if suggestion.facts.numbers_as_text:
        return values.cast(pl.Float64, strict=False)
    if suggestion.facts.date_order is None:
        numbers = as_numbers(values) if suggestion.kind is Kind.CATEGORY else None
        return values if numbers is None else numbers
    distinct = values.drop_nulls().unique()
    dates, _ = written_dates(distinct, suggestion.facts.date_order)
    return values if dates is None else values.replace_strict(distinct, dates)


def _once(suggestions: list[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """Of quasi-identifiers that say the same, such as an age in years, in months and in decades, the first."""
    kept: list[Suggestion] = []
    distinct = []
    for suggestion in suggestions:
        alike = ((other, _alike(suggestion, other, frame)) for other in kept) if suggestion.role is Role.QUASI else ()
        twin, how = next(((other, how) for other, how in alike if how), (None, ""))
        if twin is not None:
            check = "exchange it for the column that it repeats if it matters more" if "detail" in how else ""
            suggestion = replace(
                suggestion, role=Role.DROP, reason=f"says the same as {twin.name}{how.rstrip('.')}", check=check
            )
        elif suggestion.role is Role.QUASI:
            kept.append(suggestion)
        distinct.append(suggestion)
    return distinct


def _mean_the_same(one: Suggestion, other: Suggestion) -> bool:
    """Whether the names of two columns say the same, as far as names say anything."""
    hints = one.hint, other.hint
    if hints[0] is None or hints[1] is None:
        return False
    return hints[0].word == hints[1].word and hints[0].concept == hints[1].concept


def _alike(one: Suggestion, other: Suggestion, frame: pl.DataFrame) -> str:
    """How a column says the same as another of the same meaning, where each value of one has one value of the other."""
    if not _mean_the_same(one, other) or max(one.facts.distinct, other.facts.distinct) > frame.height / 2:
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
    quasi = [suggestion for suggestion in suggestions if suggestion.role is Role.QUASI]
    kept = sorted(quasi, key=lambda suggestion: _rank(suggestion))[:MOST_QUASI]
    return [
        replace(
            suggestion,
            role=Role.DROP,
            reason=Message(
                "{reason}, but not as well as {most} other columns", reason=suggestion.reason, most=MOST_QUASI
            ),
            check=f"exchange it for one of the {MOST_QUASI} that are drafted as known if it matters more",
        )
        if suggestion.role is Role.QUASI and suggestion not in kept
        else suggestion
        for suggestion in suggestions
    ]


def _rank(suggestion: Suggestion) -> int:
    return suggestion.hint.rank if suggestion.hint is not None and suggestion.hint.role is Role.QUASI else 99
