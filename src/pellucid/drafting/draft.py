"""Suggest what each column of a table is: a role, a kind and the reason for it, for a person to check.

What speaks for a role is a name (:mod:`pellucid.core.hints`), values (:mod:`pellucid.drafting.column_values`) and
counts; what the columns say about each other is measured when the sensitive one is chosen
(:mod:`pellucid.drafting.choice`). A column of which nothing is known is not published: that is a loss, and
publishing what somebody hides is worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from pellucid.core.attribute_disclosure import Says
from pellucid.core.hints import NUMBERING, Hint, hint_of, words, words_of
from pellucid.core.hints.codebooks import is_replicate
from pellucid.core.naming import LONG_TEXT, MANY_TEXTS, NEARLY_UNIQUE
from pellucid.core.schema import Kind, Role
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.drafting.column_values import Numbers, are_levels, bands_of, known_values, missing_codes, numbers_of
from pellucid.drafting.odd_cells import POSTAL, LineOf, OddCells, are_codes, odd_cells
from pellucid.io.encode import without_marks
from pellucid.io.inference import INTEGER, REAL, Looks, Nature, looks_of
from pellucid.io.written_dates import LIKE_DAYS, order_of_dates
from pellucid.messages import Message, Term
from pellucid.messages.terms import quoted_key
from pellucid.runtime.progress import Progress

LONG_WORD = 5  # letters of a word of a label that says something by itself
SOME_TEXTS = 20  # are enough where the name says that it is text
FEW_CODES = 10  # different whole numbers that are more likely names of answers than amounts
MOST_CODES = 200  # more of them are published better as a range than as a list
MANY_THINGS = 30  # numbered things: a list of so many names no answers
YEARS = (1800, 2200)
CODED = frozenset({"code", "codes", "type", "class", "klasse", "icd", "cat", "category", "status", "flag", "id"})
ROWS_OF_VALUE = "rows of the value"
FEW_RARER = 5  # values that are listed as those to protect
LARGE_L = 20  # groups of more people keep little, so that an l above it is no advice
MERGE = Message(
    "say what is meant: {one} publishes one row of each, by lot; {role} protects whole people; {row} each row",
    one=quoted_key("people", "one"),
    role=quoted_key("role", "cluster"),
    row=quoted_key("people", "row"),
)
KEEP_WEIGHT = "weights single people out; to keep one, give it the role weight: each group then shows its mean"
MAYBE_WEIGHT = "if it says for how many people a row stands, give it the role weight: each group then shows its mean"
MAYBE_BODY = Message("if it is the weight of bodies, {role} protects it", role=quoted_key("role", "sensitive"))
HOUSEHOLD = Message(
    "if its rows are people of one household, give it {role}, and the promise is about the household; "
    "without it, about one person of it",
    role=quoted_key("role", "cluster"),
)
LEVELS = (
    "if its values are levels, one above the other, give it the kind ordered and list them in their order, lowest "
    "first: groups are then of neighbouring levels"
)
ONLY_RARER = Message(
    "{so}",
    so=Term(
        "draft protects",
        "the draft protects a few values alone, named at protect: add what else must not be known",
    ),
)
DIGITS = r"^[0-9]{1,9}$"
HARMLESS, TELLING = frozenset(words.HARMLESS.split()), frozenset(words.TELLING.split())


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be counted in a column."""

    name: str
    dtype: pl.DataType
    rows: int
    nulls: int  # with what stands for a missing value
    distinct: int  # different values; null is none
    most_frequent: int  # rows with the most frequent value; here null is one, as it is for every method
    mean_length: float  # of text, otherwise 0
    measured: bool = False  # dates or decimals, also as text: however many there are, they name nobody
    looks: str = ""  # what a column of text may really be, for a person to decide
    missing: tuple[str, ...] = ()  # what seems to stand for a missing value
    numbers: Numbers | None = None  # the shape of numbers, without these
    known: tuple[Role, str] | None = None  # what the values are by themselves
    numbers_as_text: bool = False  # text that is a number wherever it is not missing
    date_order: str | None = None  # of text that is a date in another notation than ISO
    bands: tuple[str, ...] = ()  # of text such as [0-10), in their order
    levels: bool = False  # text such as primary and secondary
    rarer: tuple[Any, ...] = ()  # the values that matter, where one value, or none, is in too many rows
    others_harmless: bool = False  # the values that are not among these tell as little as No
    largest_l_of_rarer: int = 0  # the largest l that is feasible when these alone are protected
    label: str = ""  # what a file of a statistics program calls the column in words

    @property
    def hint(self) -> Hint | None:
        """What the name says; where that is nothing, the label."""
        return hint_of(self.name) or _hint_of_label(self.label)

    @property
    def labelled(self) -> bool:
        """Whether the label says what the column is, and not its name."""
        return hint_of(self.name) is None and self.hint is not None

    @property
    def is_unique(self) -> bool:
        """Every row has a value of its own."""
        return self.rows > 1 and self.distinct == self.rows and self.nulls == 0

    @property
    def largest_l(self) -> int:
        """The largest l that is feasible when the column is the sensitive one."""
        return self.rows // self.most_frequent if self.most_frequent else 0

    @property
    def protects_rarer(self) -> bool:
        """Whether a few values can be protected and the others tell as little as No, where the whole column cannot."""
        few = self.others_harmless and len(self.rarer) <= FEW_RARER
        return few and self.largest_l < 2 <= self.largest_l_of_rarer

    @property
    def is_time(self) -> bool:
        """Dates, also as text, or whole numbers that may be years."""
        numbers = self.numbers
        years = numbers is not None and numbers.whole and YEARS[0] <= numbers.low and numbers.high <= YEARS[1]
        return years or self.dtype.is_temporal() or (self.dtype == pl.String and self.measured)

    @property
    def is_text(self) -> bool:
        """Text that is no number."""
        return self.dtype == pl.String and not self.numbers_as_text


def _hint_of_label(label: str) -> Hint | None:
    """What a label says: as a name would, else a word of it.

    >>> _hint_of_label("Highest degree obtained").concept
    'education'
    """
    if not label:
        return None
    words = [word for word in words_of(label) if len(word) >= LONG_WORD]
    return hint_of(label) or next(filter(None, map(hint_of, words)), None)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A role with its reason, and what a person should check."""

    facts: Facts
    role: Role
    reason: str
    check: str = ""
    says: Says | None = None  # how much it says about the sensitive column of the draft
    beside: str = ""  # the reason where the role stands beside it: what the role says already is not said again
    reach: str = ""  # how large l can be, of what people hide
    together: bool = False  # it may say which rows belong together: the role cluster is offered
    numbers: bool = False  # people or things, by its values, whatever it is called

    @property
    def name(self) -> str:
        """The column."""
        return self.facts.name

    @property
    def in_full(self) -> str:
        """The reason, and how large l can be."""
        return Message.joined([self.reason, self.reach]) if self.reach else self.reason

    @property
    def protect(self) -> tuple[Any, ...]:
        """The values that the draft protects alone; none where it protects them all."""
        return tuple(sorted(self.facts.rarer)) if self.role is Role.SENSITIVE and self.facts.protects_rarer else ()

    @property
    def hint(self) -> Hint | None:
        """What the name says, or the label."""
        return self.facts.hint

    @property
    def kind(self) -> Kind:
        """What the column's type implies, but codes are names of things though they are written as numbers."""
        facts = self.facts
        if facts.dtype.is_temporal() or facts.date_order is not None:
            return Kind.DATE
        if facts.bands:
            return Kind.ORDERED
        if not (facts.dtype.is_numeric() or facts.numbers_as_text):
            return Kind.CATEGORY
        return Kind.CATEGORY if self._is_coded else Kind.NUMBER

    @property
    def _is_coded(self) -> bool:
        numbers, hint = self.facts.numbers, self.hint
        if numbers is None or not numbers.whole or numbers.distinct > MOST_CODES:
            return False
        if hint is not None and hint.numeric:
            return False
        if hint is not None and hint.role is Role.QUASI:
            return not hint.word.startswith(POSTAL)
        return _are_few_codes(numbers) or bool(CODED & set(words_of(self.name)))


def _are_few_codes(numbers: Numbers) -> bool:
    """Whether there are so few numbers, and so small ones, that they rather stand for something."""
    small = numbers.low >= 1 and numbers.high <= 2 * FEW_CODES
    return numbers.distinct <= 2 or (numbers.distinct <= FEW_CODES and small)


def facts_of(frame: pl.DataFrame, column: str, line_of: LineOf | None = None) -> Facts:
    """Count one column; ``line_of`` tells the line of a text, where the table is of a text file."""
    written = frame[column]
    text = written.dtype == pl.String
    padded = text and _are_padded_numbers(written)
    missing = [] if written.n_unique() == len(written) else _missing(written, padded=padded)  # in several rows each
    as_numbers = padded or (text and _are_numbers(written, missing))
    values = without_marks(written, missing)
    values = _as_numbers(values) if as_numbers else values
    counts = values.value_counts(sort=True, name=ROWS_OF_VALUE)
    date_order, bands = _dates_or_bands(values) if text and not as_numbers else (None, ())
    odd = _odd(values, line_of, but=date_order or bands)
    nature, words = _nature(written, missing, odd)
    looks = _looks(nature, words, missing, date_order, odd, bands=bool(bands))
    rarer, others_harmless = _rarer(counts, len(values))
    return Facts(
        name=column,
        dtype=written.dtype,
        rows=len(values),
        nulls=values.null_count(),
        distinct=len(counts) - (values.null_count() > 0),
        most_frequent=0 if counts.is_empty() else int(counts[0, ROWS_OF_VALUE]),
        mean_length=_mean_length(written) if text else 0.0,
        measured=_is_measured(written, nature),
        looks=looks,
        missing=tuple(missing),
        numbers=numbers_of(values),
        known=known_values(written),
        numbers_as_text=as_numbers,
        date_order=date_order,
        bands=bands,
        levels=text and not as_numbers and not bands and are_levels(values),
        rarer=tuple(rarer[column].to_list()),
        others_harmless=others_harmless,
        largest_l_of_rarer=len(values) // int(rarer[ROWS_OF_VALUE].max()) if len(rarer) else 0,  # type: ignore[arg-type]
    )


def _are_padded_numbers(texts: pl.Series) -> bool:
    """Whether texts are whole numbers with zeros before them, under a name that says it is one: an age of 07.

    >>> [_are_padded_numbers(pl.Series(name, ["07", "34", None])) for name in ("AGE", "zip", "ward")]
    [True, False, False]
    """
    hint = hint_of(texts.name)
    return hint is not None and hint.numeric and bool(texts.drop_nulls().str.contains(DIGITS).all())


def _missing(written: pl.Series, *, padded: bool) -> list[str]:
    """What stands for a missing value, as the column writes it."""
    if not padded:
        return missing_codes(written)
    codes = set(missing_codes(written.cast(pl.Int64, strict=False)))
    return [text for text in written.drop_nulls().unique().sort() if str(int(text)) in codes]


def _as_numbers(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Int64 if texts.str.contains(INTEGER).all() else pl.Float64, strict=False)


def _mean_length(texts: pl.Series) -> float:
    return float(texts.str.len_chars().mean() or 0.0)  # type: ignore[arg-type]


def _dates_or_bands(texts: pl.Series) -> tuple[str | None, tuple[str, ...]]:
    """The order in which texts write dates, or the bands that they name, one above the other."""
    date_order = order_of_dates(texts)
    return (date_order, ()) if date_order is not None else (None, bands_of(texts))


def _rarer(counts: pl.DataFrame, rows: int) -> tuple[pl.DataFrame, bool]:
    """The values that matter where l = 3 is not feasible for all, not No or what most say; whether No alone is left.

    >>> counts = pl.DataFrame({"drugs": [None, "Yes", "No"], ROWS_OF_VALUE: [50, 30, 20]})
    >>> matter, others_harmless = _rarer(counts, 100)
    >>> matter["drugs"].to_list(), others_harmless
    (['Yes'], True)
    """
    if counts.is_empty() or 3 * counts[0, ROWS_OF_VALUE] <= rows:
        return counts.clear(), False
    known = counts.filter(counts[:, 0].is_not_null())
    plain = pl.Series([_plain(value) for value in known[:, 0].to_list()], dtype=pl.String)
    matter = known.filter(~plain.is_in([*HARMLESS]))
    if matter.height < known.height and not matter.is_empty():
        return matter, True
    most = not known.is_empty() and 2 * known[0, ROWS_OF_VALUE] > known[ROWS_OF_VALUE].sum()
    return (known.slice(1) if most and (known.height == counts.height or plain[0] not in TELLING) else known), False


def _plain(value: object) -> str:
    return str(value).strip().lower()


def counted(
    frame: pl.DataFrame,
    progress: Progress,
    labels: Mapping[str, str] | None = None,
    line_of: LineOf | None = None,
) -> list[Facts]:
    """Count every column; ``labels`` are what a file calls columns in words, ``line_of`` tells the line of a text."""
    progress.stage("counting the columns", frame.height * frame.width)
    facts = []
    for number, name in enumerate(frame.columns, start=1):
        facts.append(replace(facts_of(frame, name, line_of), label=(labels or {}).get(name, "")))
        progress.advance(frame.height * number)
    return facts


def _are_numbers(text: pl.Series, missing: Sequence[str]) -> bool:
    """Whether a column of text is one of numbers but for marks of missing values, such as N."""
    known = text.drop_nulls().unique()
    known = known.filter(~known.is_in(list(missing)) & (known.str.strip_chars() != ""))
    return bool(missing) and len(known) > 0 and bool(known.str.contains(REAL).all())


def _odd(values: pl.Series, line_of: LineOf | None, *, but: str | tuple[str, ...]) -> OddCells | None:
    """The cells that keep a column of text from being one of numbers; none of what is known to be something else."""
    if but or values.dtype != pl.String:
        return None
    counts = values.drop_nulls().value_counts(sort=True, name=ROWS_OF_VALUE)
    odd = odd_cells(counts[values.name], lambda: counts[ROWS_OF_VALUE].to_numpy().astype(np.int64))
    return odd and odd.found_in(values.name, line_of)


def _looks(
    nature: Nature | None,
    words: str,
    missing: Sequence[str],
    date_order: str | None,
    odd: OddCells | None,
    *,
    bands: bool = False,
) -> Message:
    """What a column of text may really be, and what to do then; what stands for a missing value is in the draft."""
    looks: list[str] = [Message("looks like {words}", words=words)] if nature is not None else []
    ways: list[str] = (
        [_way_out_of(nature, date_order)] if nature is not None and (nature.of == "dates" or not missing) else []
    )
    if odd is not None:
        looks.append(odd.problem())
        either = f"correct {odd.them}, or list {odd.them} in {odd.missing}"
        ways.append(odd.correct(f'{either} and say kind = "number", unless texts are meant'))
    if bands and nature is None:
        looks.append("looks like bands, one above the other")
        ways.append('the draft has kind = "ordered" and their order, take both out if not so')
    if missing:
        listed = " and ".join(map(repr, missing[:3])) + (" ..." if len(missing) > 3 else "")
        stand = "stands for a missing value" if len(missing) == 1 else "stand for missing values"
        looks.append(Message("{listed} {stand}", listed=listed, stand=stand))
        ways.append(_so("draft missing", f"the draft has missing = {toml_value(list(missing))}, take it out", missing))
    return Message.of(Message.joined(looks, ", and "), Message.joined(ways, ", and "))


def _nature(values: pl.Series, missing: Sequence[str], odd: OddCells | None) -> tuple[Nature | None, str]:
    """What texts look like, and in words; nothing where that is only due to marks of missing values, or of codes."""
    like = looks_of(values)
    nature = like.nature
    codes = nature is not None and (nature.of, nature.how) == ("numbers", "plain") and not like.missing
    if nature is None or odd is not None or (missing and nature.how == "exceptions") or (codes and are_codes(values)):
        return None, ""
    return nature, nature.words if like.missing else Looks(nature).phrase


def _so(name: str, way: str, value: object) -> Message:
    """What a draft has already, in the words of a schema file, and what to do if it is wrong."""
    return Message("{so} if not so", so=Term(name, way, value))


def _way_out_of(nature: Nature, date_order: str | None) -> Message:
    """What to do about a column of text that looks like dates, or like numbers."""
    if nature.how == "decimal comma":
        comma = Term("decimal comma", 'say decimal = "," under [file], or --decimal ","')
        return Message("{so}, else each is a category of its own", so=comma)
    if nature.of != "dates":
        return Message("write them as plain numbers, else each is a category of its own")
    if date_order is None:
        orders = " or ".join(f'"{order}"' for order in nature.orders or ("dmy", "mdy"))
        dates = Term("say date order", f'say kind = "date" and date_order = {orders}')
        return Message("{so}, else each is a category of its own", so=dates)
    return _so("draft dates", f'the draft has kind = "date" and date_order = "{date_order}", take both out', date_order)


def _is_measured(values: pl.Series, nature: Nature | None) -> bool:
    """Whether values come from a measurement or a clock, also where they are written as text."""
    if values.dtype != pl.String:
        return values.dtype.is_float() or values.dtype.is_temporal()
    comma = nature is not None and nature.how == "decimal comma"
    return comma or bool(values.drop_nulls().str.contains(LIKE_DAYS).all())


def alone(facts: Facts) -> Suggestion:
    """The suggestion for a column by itself."""
    hint = facts.hint
    for rule in (_empty, _household, _survey, _free_text, _numbered, _hidden, _told_by_values, _known, _naming):
        suggestion = rule(facts, hint)
        if suggestion is not None:
            return suggestion
    return Suggestion(facts, Role.DROP, "nothing tells what it is", _unknown(facts))


def _unknown(facts: Facts) -> Message:
    """Which roles a column may have of which nothing is known; numbers above 0 with decimals may be weights."""
    roles = Message(
        "give it a role if somebody needs it: {one} if others know it, {another} if it is to be protected",
        one=Term("one role", '"quasi"'),
        another=Term("another role", '"sensitive"'),
    )
    numbers = facts.numbers
    weights = numbers is not None and numbers.low > 0 and (numbers.fine or numbers.like_weights)
    weight = '{roles}, "weight" if it says for how many people a row stands'
    return Message(weight, roles=roles) if weights else roles


def _empty(facts: Facts, _: Hint | None) -> Suggestion | None:
    if facts.nulls == facts.rows:
        return Suggestion(facts, Role.DROP, "holds no value at all")
    if facts.distinct == 1 and not facts.nulls:
        return Suggestion(facts, Role.DROP, "has the same value in every row")
    if facts.dtype.is_nested() or facts.dtype == pl.Binary:
        return Suggestion(facts, Role.DROP, f"values of type {facts.dtype} cannot be generalised")
    return None


def _survey(facts: Facts, hint: Hint | None) -> Suggestion | None:
    """Weights, strata and flags: about the survey, and noise to whoever reads the table without the survey's design."""
    if hint is None or not (_weighs(facts, hint) or (hint.concept == "survey" and hint.role is Role.DROP)):
        return None
    if hint.concept == "weight":
        reason = f"rather a weight of the survey ({hint.word})"
        return Suggestion(facts, Role.DROP, reason, Message.joined([KEEP_WEIGHT, MAYBE_BODY]))
    if hint.weighs:
        reason = f"a weight of the survey ({hint.word})"
        check = "weights single people out, and groups have other weights than people"
        return Suggestion(facts, Role.DROP, reason, check if is_replicate(hint.word) else KEEP_WEIGHT)
    return Suggestion(facts, Role.DROP, f"a detail of the survey ({hint.word})")


def _weighs(facts: Facts, hint: Hint) -> bool:
    """Whether numbers that are called a weight are no body's: others than these weigh, or to more than 100 grams."""
    numbers = facts.numbers
    if hint.concept != "weight" or numbers is None or numbers.low <= 0:
        return False
    return numbers.like_weights or numbers.fine or hint.role is Role.DROP


def _household(facts: Facts, hint: Hint | None) -> Suggestion | None:
    """A number of the household, in each row of its people; the word alone may be its size, of which there are few."""
    if hint is None or not hint.together or (facts.numbers is not None and not facts.numbers.whole):
        return None
    if hint.role is not Role.DROP and facts.distinct <= MANY_THINGS:
        return None
    if facts.is_unique:
        return Suggestion(facts, Role.IDENTIFIER, f"every row has a value of its own ({hint.word})")
    return Suggestion(
        facts,
        Role.DROP,
        f"numbers households ({hint.word})",
        HOUSEHOLD,
        together=True,
    )


def _free_text(facts: Facts, hint: Hint | None) -> Suggestion | None:
    if not facts.is_text:
        return None
    if facts.mean_length > LONG_TEXT and facts.distinct > MANY_TEXTS:
        return Suggestion(facts, Role.DROP, "long text may name people")
    if hint is not None and hint.concept == "text" and facts.distinct > SOME_TEXTS:
        return Suggestion(facts, Role.DROP, f"free text may name people ({hint.word})")
    return None


def _numbered(facts: Facts, hint: Hint | None) -> Suggestion | None:
    """A number of its own in every row, under a name that says so."""
    numbering = NUMBERING & set(words_of(facts.name))
    if facts.is_unique and not facts.measured and (numbering or (hint is not None and hint.role is Role.IDENTIFIER)):
        word = hint.word if hint is not None and hint.role is Role.IDENTIFIER else min(numbering)
        return Suggestion(facts, Role.IDENTIFIER, f"every row has a value of its own ({word})")
    return None


def _hidden(facts: Facts, hint: Hint | None) -> Suggestion | None:
    if hint is None or hint.role is not Role.SENSITIVE:
        return None
    why = f"the label says so ({hint.word})" if facts.labelled else f"the name says so ({hint.word})"
    suggestion = _sensitive(facts, why)
    if not hint.weighs or facts.numbers is None:
        return suggestion
    return replace(suggestion, check=Message.joined(filter(None, (suggestion.check, MAYBE_WEIGHT))))


def _sensitive(facts: Facts, why: str) -> Suggestion:
    check = ""
    if facts.distinct > NEARLY_UNIQUE * facts.rows:
        round_it = Term("round to bands", "round it to bands")
        check = Message("nearly every value is different: {so}, or a near miss is as good as a hit", so=round_it)
    elif facts.protects_rarer:
        check = ONLY_RARER
    elif facts.largest_l < 2:
        check = "as it is, only l = 1 is feasible, which protects nobody"
    return Suggestion(facts, Role.SENSITIVE, why, check, reach=_reachable(facts))


def _reachable(facts: Facts) -> Message:
    """The largest l; where one value is in more than half of the rows, that of the others by themselves."""
    if facts.largest_l >= 2:
        whole = Message("l can be up to {largest_l:,}{usual}", largest_l=facts.largest_l, usual=_usual(facts.largest_l))
        if not 0 < len(facts.rarer) <= FEW_RARER or facts.largest_l_of_rarer <= facts.largest_l:
            return whole
        return Message.joined([whole, _with_rarer(facts)])
    most = f"more than half of the rows have {'no value' if 2 * facts.nulls > facts.rows else 'one value'}"
    if facts.largest_l_of_rarer < 2:
        return Message("{most}, which no l protects", most=most)
    if len(facts.rarer) > FEW_RARER:
        so = Term("name what matters", "protect = [...] has to name the values that matter")
        return Message("{most}, so {so}", most=most, so=so)
    return Message.of(most, _with_rarer(facts))


def _with_rarer(facts: Facts) -> Message:
    """How large l can be where a few values alone are protected."""
    rarer, l = toml_value(sorted(facts.rarer)), facts.largest_l_of_rarer
    so = Term("protect rarer", f"with protect = {rarer} l can be up to {l}", [rarer[1:-1], l])
    return Message("{so}{usual}", so=so, usual=_usual(l))


def _usual(largest: int) -> Message:
    """What l most releases have, where a table allows much larger ones."""
    return Message(", 3 to 10 are usual" if largest > LARGE_L else "")


def _told_by_values(facts: Facts, hint: Hint | None) -> Suggestion | None:
    """What a list of known values is, where the name does not say that others know it."""
    if facts.known is None:
        return None
    role, what = facts.known
    if role is Role.SENSITIVE:
        return _sensitive(facts, f"the values say so ({what})")
    if role is Role.IDENTIFIER:
        return Suggestion(facts, Role.IDENTIFIER if facts.is_unique else Role.DROP, f"the values name people ({what})")
    return (
        None
        if hint is not None
        else Suggestion(
            facts, role, f"other people know it (the values are of {what})", beside=f"the values are of {what}"
        )
    )


def _known(facts: Facts, hint: Hint | None) -> Suggestion | None:
    if hint is None or hint.role is not Role.QUASI or (facts.is_unique and facts.is_text and not facts.measured):
        return None
    if hint.concept == "time" and not facts.is_time:  # "monthly status" is no month
        return None
    check = ""
    if hint.word.startswith(POSTAL) and facts.dtype.is_integer():
        as_read = Term("as numbers", "read as numbers")
        check = Message("{so}: leading zeros are lost, and near numbers count as near places", so=as_read)
    if hint.concept == "education" and facts.levels:
        check = LEVELS
    beside = f"its label says so ({hint.word})" if facts.labelled else f"its name says so ({hint.word})"
    return Suggestion(facts, Role.QUASI, f"other people know it ({hint.word})", check, beside=beside)


def _naming(facts: Facts, hint: Hint | None) -> Suggestion | None:
    word = f" ({hint.word})" if hint is not None else ""
    if facts.is_unique and not facts.measured:
        return Suggestion(facts, Role.IDENTIFIER, f"every row has a value of its own{word}")
    if hint is None or hint.role is not Role.IDENTIFIER:
        return None
    if hint.word not in NUMBERING:
        return Suggestion(
            facts,
            Role.DROP,
            f"names people, repeats{word}",
            Message("if a person has several rows, {merge}", merge=MERGE),
            together=True,
        )
    if facts.distinct > MANY_THINGS:
        return Suggestion(
            facts,
            Role.DROP,
            f"numbers something, repeats{word}",
            Message("if it numbers people, a person has several rows: {merge}", merge=MERGE),
            together=True,
        )
    return None
