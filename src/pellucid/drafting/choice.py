"""From what each column is to a draft that can be published: one identifier, one sensitive column, ten others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from pellucid.core.attribute_disclosure import Says, as_numbers, says
from pellucid.core.hints import COUNTING, least_private, words_of
from pellucid.core.naming import NEARLY_UNIQUE
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Codes
from pellucid.drafting.draft import MERGE, Facts, Suggestion, alone
from pellucid.io.encode import without_marks
from pellucid.io.unnamed_people import numbered_in
from pellucid.io.written_dates import written_dates
from pellucid.messages import Message, Term
from pellucid.messages.terms import quoted_key

SOME_PRIVATE = 5  # of :func:`pellucid.core.hints.least_private`: before money
FEW_VALUES = 100  # of a sensitive column that l of them still tell apart
NEARLY_ALL = 0.99  # of the rows; ages are often cut off at a highest one
MOST_QUASI = 10  # quasi-identifiers of a draft: with more, groups tell hardly anything about each
ONCE = frozenset({"age", "birth", "sex", "race", "education", "marital"})  # a person has one, whatever it is called
OF_AGE = {"age", "birth"}
FINER = frozenset({"month", "months", "mois", "meses", "monate", "week", "weeks", "day", "days", "tage"})
EXCHANGE = "exchange it for a column that others know if it matters more"
# Known to others and yet what a table is often about: to be protected where nothing that looks sensitive can be.
INSTEAD = ("work", "education", "marital", "nation", "race")


def suggest(columns: Sequence[Facts], frame: pl.DataFrame | None = None) -> list[Suggestion]:
    """One suggestion per column; at most one identifier, one sensitive column and ten quasi-identifiers among them.

    With the rows each column is also measured against the sensitive one, and what determines it is left out.
    """
    suggestions = [alone(facts) for facts in columns]
    if frame is not None:
        suggestions = _with_people(suggestions, frame)
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
        suggestions = _once(_measured(_not_so_exactly(suggestions), frame), frame)
    return _few_quasi(suggestions)


def _with_people(suggestions: list[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """With what numbers people by its values, where no name says that a column does."""
    dropped = [suggestion.name for suggestion in suggestions if suggestion.role is Role.DROP]
    found = None if any(one.together for one in suggestions) else numbered_in(frame, dropped)
    if found is None:
        return suggestions
    reason = Message(
        "seems to number people or things: {people:,} have {rows:,} rows, and other columns never change within one",
        people=found.people,
        rows=found.rows,
    )
    check = Message("if it numbers people, a person has several rows: {merge}", merge=MERGE)
    return [
        replace(one, reason=reason, check=check, together=True, numbers=True) if one.name == found.column else one
        for one in suggestions
    ]


def _better_identifier(suggestion: Suggestion) -> tuple[bool | int, ...]:
    hint = suggestion.hint
    return (hint is not None and hint.role is Role.IDENTIFIER, suggestion.facts.dtype != pl.String)


def _better_sensitive(suggestion: Suggestion) -> tuple[bool | int, ...]:
    """What can be protected, repeats, is no count or age, harms most when known, and has few values.

    Of an income and its tenth it is the tenth, because incomes that are close say nearly the same.
    """
    facts, words = suggestion.facts, words_of(suggestion.name)
    private = least_private([*words, *words_of(facts.label), *(("diagnosis",) if facts.known else ())])
    return (
        _can_be_protected(suggestion),
        facts.distinct <= NEARLY_UNIQUE * facts.rows,
        COUNTING.isdisjoint(words) and "age" not in words,
        -private,
        facts.largest_l >= 2,
        facts.distinct <= FEW_VALUES,
    )


def _can_be_protected(suggestion: Suggestion) -> bool:
    """As a whole, or its rarer values where it is what people hide first."""
    facts = suggestion.facts
    return facts.largest_l >= 2 or (facts.protects_rarer and least_private(words_of(suggestion.name)) < SOME_PRIVATE)


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
        check="say yourself what must be protected",
    )
    return [instead if suggestion is best else suggestion for suggestion in suggestions]


def _keep_one(
    suggestions: list[Suggestion],
    role: Role,
    quality: Callable[[Suggestion], tuple[bool | int, ...]],
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
            reason=Message("{role} too: {reason}", role=str(role), reason=suggestion.reason),
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
        reason=told.words,
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
    """Of quasi-identifiers that say nearly the same, such as an age in years and in months, one."""
    kept: list[Suggestion] = []
    repeats: dict[str, Suggestion] = {}
    quasi = [suggestion for suggestion in suggestions if suggestion.role is Role.QUASI]
    for suggestion in sorted(quasi, key=partial(_better_known, rows=frame.height)):
        alike = ((other, _alike(suggestion, other, frame)) for other in kept)
        twin, how = next(((other, how) for other, how in alike if how is not None), (None, None))
        if twin is None:
            kept.append(suggestion)
            continue
        check, reason = EXCHANGE if how else "", f"repeats {twin.name}{how}"
        repeats[suggestion.name] = replace(suggestion, role=Role.DROP, reason=reason, check=check)
    return [repeats.get(suggestion.name, suggestion) for suggestion in suggestions]


def _better_known(suggestion: Suggestion, rows: int) -> tuple[bool, bool, int]:
    """In which order columns that say the same are kept: what others count in, of nearly everybody, the finest."""
    facts = suggestion.facts
    finer_than_known = bool(FINER.intersection(words_of(suggestion.name))) or facts.is_time
    return finer_than_known, 10 * facts.nulls > rows, -facts.distinct


def _are_of_one_concept(one: Suggestion, other: Suggestion) -> tuple[bool, bool]:
    """Whether the names of two columns are about the same, and mean the same, as far as names say anything."""
    if one.hint is None or other.hint is None:
        return False, False
    concepts = {one.hint.concept, other.hint.concept}
    same = one.hint.word.lower() == other.hint.word.lower()
    mean_the_same = same or concepts == OF_AGE or (len(concepts) == 1 and concepts <= ONCE)
    return len(concepts) == 1 or mean_the_same, mean_the_same


def _alike(one: Suggestion, other: Suggestion, frame: pl.DataFrame) -> str | None:
    """How a column says the same as another of the same meaning: a value of one has one of the other, or one order."""
    related, mean_the_same = _are_of_one_concept(one, other)
    if not related:
        return None
    both = pl.DataFrame([_meant(frame, one).alias("one"), _meant(frame, other).alias("other")]).drop_nulls()
    if both.height < frame.height / 2:
        return None
    if max(one.facts.distinct, other.facts.distinct) <= frame.height / 2:
        finer, coarser = (_tells(both, *names) for names in (("one", "other"), ("other", "one")))
    else:
        finer, coarser = _in_one_order(both), False
    if finer and coarser:
        return ""
    if not mean_the_same:
        return None
    return ", finer" if finer else ", coarser" if coarser else None


def _in_one_order(both: pl.DataFrame) -> bool:
    """Whether two columns sort people alike, or the other way round; texts have no order."""
    if any(dtype == pl.String for dtype in both.dtypes):
        return False
    ranks = both.select(pl.corr(pl.col("one").rank(), pl.col("other").rank()))
    return bool(abs(ranks.item() or 0.0) >= NEARLY_ALL)


def _tells(both: pl.DataFrame, known: str, asked: str) -> bool:
    """Whether nearly every value of one column goes with one value of the other."""
    most = both.group_by(known, asked).len().group_by(known).agg(pl.col("len").max())
    return int(most["len"].sum()) >= NEARLY_ALL * both.height


def _not_so_exactly(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Without what others know roughly at best, or of few people: heights to the millimetre, babies of some women."""
    return [
        replace(suggestion, role=Role.DROP, reason=reason, check=EXCHANGE)
        if suggestion.role is Role.QUASI and (reason := _why_not_known(suggestion))
        else suggestion
        for suggestion in suggestions
    ]


def _why_not_known(suggestion: Suggestion) -> str:
    facts, hint = suggestion.facts, suggestion.hint
    word = "" if hint is None else f" ({hint.word})"
    if hint is not None and hint.concept == "body" and facts.numbers is not None and not facts.numbers.whole:
        return f"known, but not so exactly{word}"
    return f"most rows have none{word}" if 2 * facts.nulls > facts.rows else ""


def _few_quasi(suggestions: list[Suggestion]) -> list[Suggestion]:
    """The quasi-identifiers that others know best; the rest is dropped, saying so."""
    quasi = [suggestion for suggestion in suggestions if suggestion.role is Role.QUASI]
    kept = sorted(quasi, key=lambda suggestion: _rank(suggestion))[:MOST_QUASI]
    return [
        replace(
            suggestion,
            role=Role.DROP,
            reason=Message("known less than {most} others", most=MOST_QUASI),
            check=f"exchange it for one of the {MOST_QUASI} that are drafted as known if it matters more",
        )
        if suggestion.role is Role.QUASI and suggestion not in kept
        else suggestion
        for suggestion in suggestions
    ]


def _rank(suggestion: Suggestion) -> int:
    return suggestion.hint.rank if suggestion.hint is not None and suggestion.hint.role is Role.QUASI else 99
