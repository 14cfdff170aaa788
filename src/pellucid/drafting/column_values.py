"""What the values of a column say, whatever its name: codes for missing values, weights, lists of known words."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.io.inference import REAL, missing_marks
from pellucid.runtime.records import record

MOST = 0.5
ROUNDED = 1e-6  # tenths that differ by less from whole ones are these
LOOKED_AT = 1_000  # distinct values
NEARLY_ALL = 0.9  # of the distinct values
HALF = 0.5
SINGLE = (7, 8, 9)  # "don't know", "not asked", "refused" of a question with few answers
MOST_ANSWERS = 6
ODD = frozenset({96, 97, 98, 99, 77, 88, 66, 996, 997, 998, 999, 777, 888, 9996, 9997, 9998, 9999, 7777, 8888})
ODD |= {99998, 99999, 77777, 88888, 999998, 999999, 9999999, 99999999}
BELOW = frozenset({-1, -2, -3, -4, -5, -6, -7, -8, -9, -66, -77, -88, -98, -99, -777, -888, -999, -9999})
GAP = 0.25  # of the range of the other values, above which an odd number stands apart
PEAK = 3.0  # so many times the rows of its neighbours make a peak
HEAP = 10  # times the rows of the most frequent other value: no accident
MANY_OTHERS = 10  # different values, at least, for that
LETTERS = 3  # of a word, at least, beside which a single N is none
AMONG_TEXTS = frozenset({*map(str, BELOW), "9", "99", "999", "9999"})
# Levels of education, by the beginnings of words in the languages of the hints.
LEVEL = (
    r"(?i)\b(prim[aä]r|second|sekund|terti|elementar|grundschul|hauptschul|realschul|abitur|matur|high.?school|hs.?grad|"
    r"bachelor|bacc|licen|undergrad|graduat|postgrad|master|magist|laurea|doctor|doktor|ph\.?d|dottor|doutor)"
)
FEWEST_BANDS, MOST_BANDS = 3, 50
FEW_MARKS = 3  # texts among numbers that are taken for marks of a missing value

# Words that fill columns; three different ones of a list, and nearly all values in it, are needed.
LISTS = {
    "sex": (
        Role.QUASI,
        "male female m f man woman men women masculino femenino masculin feminin mannlich weiblich hombre mujer",
    ),
    "race": (
        Role.QUASI,
        "white black asian hispanic latino caucasian african american indian other mixed pacific unknown",
    ),
    "marital": (
        Role.QUASI,
        "married single divorced widowed separated never-married unmarried cohabiting ledig verheiratet geschieden",
    ),
    "illness": (
        Role.SENSITIVE,
        "flu influenza cold asthma cancer diabetes hiv aids gout hypertension pneumonia bronchitis gastritis migraine "
        "depression anxiety arthritis stroke hepatitis covid covid-19 dyspepsia indigestion ulcer tuberculosis copd",
    ),
}
DIAGNOSIS = "diagnosis code"
SHAPES = (
    ("email", Role.IDENTIFIER, r"^[^@\s]+@[^@\s]+\.[a-zA-Z]+$"),
    ("internet address", Role.IDENTIFIER, r"^\d{1,3}(\.\d{1,3}){3}$"),
    ("telephone number", Role.IDENTIFIER, r"^(\+|00)\d[\d /-]{6,}$"),
    ("social security number", Role.IDENTIFIER, r"^\d{3}-\d{2}-\d{4}$"),
    ("bank account", Role.IDENTIFIER, r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$"),
    (DIAGNOSIS, Role.SENSITIVE, r"^[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}$"),
)
# ICD codes as clinics write them: with their name behind, three characters among longer ones, German marks at the end.
ICD = r"^[A-TV-Z]\d[0-9A-Z](\.[0-9A-Z-]{1,4}[+*!]?[GVZA]?)?(:? \D.{2,})?$"
MORE_THAN_THREE = r"[. ]"  # A12 alone may be a seat


@record()
class Numbers:
    """The shape of a column of numbers, without what stands for a missing value."""

    whole: bool
    low: float
    high: float
    distinct: int
    tail: float  # the value that 1 % exceed in multiples of the one in the middle; infinite if that is not positive
    mean: float
    fine: bool  # most have more than one decimal

    @property
    def like_weights(self) -> bool:
        """Positive, with a longer tail than the weight of bodies has, children among them or not, or scaled to one."""
        return self.low > 0 and (self.tail > 3 or self.mean >= 1000 or (0.8 < self.mean < 1.25 and not self.whole))


def numbers_of(values: pl.Series) -> Numbers | None:
    """The shape of the numbers in a column; None when it has none."""
    if not values.dtype.is_numeric():
        return None
    known = values.drop_nulls().cast(pl.Float64)
    known = known.filter(known.is_finite())
    if known.is_empty():
        return None
    array: NDArray[np.float64] = known.to_numpy()
    middle, large = np.quantile(array, [0.5, 0.99])
    return Numbers(
        whole=bool((array == np.floor(array)).all()),
        low=float(array.min()),
        high=float(array.max()),
        distinct=known.n_unique(),
        tail=float(large / middle) if middle > 0 else float("inf"),
        mean=float(array.mean()),
        fine=bool((np.abs(10 * array - np.rint(10 * array)) > ROUNDED).mean() > MOST),
    )


def missing_codes(values: pl.Series) -> list[str]:
    """What stands for a missing value: marks such as ? or N among other texts, odd numbers apart from the others.

    >>> missing_codes(pl.Series([34, 51, 999, 28, 999, 60])), missing_codes(pl.Series([0, 3, -1, 2]))
    (['999'], ['-1'])
    >>> missing_codes(pl.Series([1, 2, 2, 1, 9, 7])), missing_codes(pl.Series(["12", "N", "7", "15", "31"]))
    (['7', '9'], ['N'])
    >>> missing_codes(pl.Series(["1", "N", "2", "1"])), missing_codes(pl.Series(["Y", "N"]))
    (['N'], [])
    >>> missing_codes(pl.Series([96, 97, 98, 99, 99])), missing_codes(pl.Series(["a", "b"]))
    ([], [])
    """
    if values.dtype.is_integer() or values.dtype.is_float():
        return _odd_numbers(values)
    if values.dtype != pl.String:
        return []
    distinct = values.drop_nulls().unique(maintain_order=True)
    words = distinct.filter(~distinct.str.contains(REAL))  # of all rows: one may come after a thousand numbers
    marks = missing_marks(words)
    others = [value for value in words.head(LOOKED_AT) if value.strip() and value not in marks]
    if _are_marks_among_numbers(others, min(len(distinct), LOOKED_AT) - len(others) - len(marks)):
        return [*marks, *others]
    return [*marks, *_among_texts(distinct.head(LOOKED_AT).to_list(), others)]


def _are_marks_among_numbers(others: list[str], numbers: int) -> bool:
    """Whether what is no number among so many numbers stands for a missing one: few short words without a digit.

    N alone is usual for "not asked", also where the answers are 1 and 2.
    """
    if others == ["N"] and numbers >= 2:
        return True
    few = len(others) <= FEW_MARKS and numbers >= 4 * max(1, len(others))
    return few and all(re.fullmatch(r"\D{1,12}", text) for text in others)


def _among_texts(distinct: list[str], others: list[str]) -> list[str]:
    """Codes for "not asked" among other texts: -9 beside Y and N, N beside words alone.

    >>> _among_texts(["Y", "N", "-9"], ["Y", "N"]), _among_texts(["250", "V45", "999"], ["V45"])
    (['-9'], [])
    >>> words = ["single", "married", "widowed", "N"]
    >>> _among_texts(words, words), _among_texts(["N", "NE", "E"], ["N", "NE", "E"])
    (['N'], [])
    """
    numbers = [value for value in distinct if re.search(REAL, value)]
    codes = len(others) >= 2 and len(numbers) <= FEW_MARKS and AMONG_TEXTS.issuperset(numbers)
    return [*(numbers if codes else []), *(["N"] if _n_stands_beside_words(others) else [])]


def _n_stands_beside_words(texts: list[str]) -> bool:
    """Whether N is among texts that are otherwise words, and several: it is no answer then, as it is beside Y."""
    words = [text for text in texts if text != "N"]
    return LETTERS <= len(words) < len(texts) and all(len(word) >= LETTERS for word in words)


def _odd_numbers(values: pl.Series) -> list[str]:
    counts = values.drop_nulls().value_counts(name="rows").sort(values.name)
    array = counts[values.name].to_numpy()
    rows = counts["rows"].to_numpy()
    if len(array) < 3:
        return []
    whole = array == np.floor(array)
    below = whole & np.isin(array, list(BELOW))
    codes = {int(value) for value in array[below & (_negative_are_codes(array) | _heaped(array, rows))]}
    usual = array[~np.isin(array, list(codes))]
    codes |= _single_digits(usual) or _apart(usual, rows[~np.isin(array, list(codes))])
    return [str(code) for code in sorted(codes)]


def _negative_are_codes(array: NDArray[np.float64]) -> bool:
    """Whether everything below zero is a usual code, and few such codes there are."""
    below = array[array < 0]
    return 0 < len(below) <= FEW_MARKS + 2 and bool(np.isin(below, list(BELOW)).all()) and bool((array >= 0).sum() >= 2)


def _heaped(array: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values below zero are far more frequent than any other, where nearly all others are not below zero.

    A rent of -1 in half of the rows is no rent, though another one is -83 by mistake.
    """
    code = (array < 0) & np.isin(array, list(BELOW))
    others = rows[~code]
    high = array[~code] >= 0
    if high.sum() < MANY_OTHERS or others[high].sum() < 0.99 * others.sum():
        return np.zeros(len(array), bool)
    heaped: NDArray[np.bool_] = code & (rows >= HEAP * others.max())
    return heaped


def _single_digits(array: NDArray[np.float64]) -> set[int]:
    """7, 8 and 9 after the answers 1 to at most 6 (or 0 to 6), with a gap before them."""
    answers = array[array <= MOST_ANSWERS]
    codes = array[array > MOST_ANSWERS]
    contiguous = len(answers) >= 2 and len(answers) == answers[-1] - answers[0] + 1 and answers[0] in (0, 1)
    if not contiguous or len(codes) == 0 or not np.isin(codes, SINGLE).all() or codes[0] - answers[-1] < 2:
        return set()
    return {int(code) for code in codes}


def _apart(array: NDArray[np.float64], rows: NDArray[np.int64]) -> set[int]:
    """Odd numbers such as 99 at the end, far from the others or, for nines, a peak beside a gap."""
    end = len(array)
    while end > 1 and float(array[end - 1]) in ODD:
        end -= 1
    for start in range(end, len(array)):  # what is in the list and not apart belongs to the others
        last, spread = array[start - 1], max(array[start - 1] - array[0], 1)
        gap = array[start] - last
        nines = set(str(int(array[start]))) == {"9"}
        peak = nines and gap >= 2 and rows[start] >= PEAK * np.median(rows[max(0, start - 10) : start])
        if gap > max(1, GAP * spread) or peak:
            return {int(code) for code in array[start:]}
    return set()


def _has_two_ends(band: str) -> bool:
    return any(between in band for between in ("-", ",", "to"))


def bands_of(values: pl.Series) -> tuple[str, ...]:
    """The bands of a column of text in their order, lowest first; empty where it has other values too.

    >>> bands_of(pl.Series(["[10-20)", "[0-10)", "[100-110)", None]))
    ('[0-10)', '[10-20)', '[100-110)')
    >>> bands_of(pl.Series(["18-24", "<18", "65+", "25-64"])), bands_of(pl.Series(["1-2", "a"]))
    (('<18', '18-24', '25-64', '65+'), ())
    """
    distinct = values.drop_nulls().unique(maintain_order=True).head(MOST_BANDS + 1).to_list()
    if not FEWEST_BANDS <= len(distinct) <= MOST_BANDS:
        return ()
    places = [_place(text) for text in distinct]
    known = [place for place in places if place is not None]
    if len(known) < len(distinct) or len(set(known)) < len(known):
        return ()
    if sum(map(_has_two_ends, distinct)) < 2:  # 1, 2 and 3+ are no bands
        return ()
    return tuple(text for _, text in sorted(zip(known, distinct, strict=True)))


def are_levels(values: pl.Series) -> bool:
    """Whether texts are levels of education, or some of them are.

    >>> are_levels(pl.Series(["primary", "secondary", "doctorate"])), are_levels(pl.Series(["Yale", "Brown College"]))
    (True, False)
    """
    distinct = values.drop_nulls().unique(maintain_order=True).head(MOST_BANDS + 1)
    return FEWEST_BANDS <= len(distinct) <= MOST_BANDS and int(distinct.str.contains(LEVEL).sum()) > 1


def _place(text: str) -> tuple[float, int] | None:
    """Where a band begins, and whether it is below, at or above that; None for a text that is no band."""
    plain = text.strip().lower()
    if match := re.fullmatch(r"[\[(]?(\d+(?:\.\d+)?) ?(?:-|\N{EN DASH}|,|to) ?(\d+(?:\.\d+)?)[\])]?", plain):
        return (float(match[1]), 0) if float(match[1]) <= float(match[2]) else None
    if match := re.fullmatch(r"(?:<=?|under|below) ?(\d+(?:\.\d+)?)", plain):
        return (float(match[1]), -1)
    if match := re.fullmatch(r"(?:>=?|over|above) ?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?(?:\+|and over|or more)", plain):
        return (float(match[1] or match[2]), 1)
    return None


def _are_diagnoses(distinct: pl.Series) -> bool:
    """Whether values are codes of the ICD, most of them with more than its first three characters.

    >>> _are_diagnoses(pl.Series(["I21 Herzinfarkt", "C50 Krebs", "F32"])), _are_diagnoses(pl.Series(["A12", "B3"]))
    (True, False)
    """
    codes = distinct.str.contains(ICD)
    more = distinct.str.contains(MORE_THAN_THREE)
    return bool(codes.mean() >= NEARLY_ALL and more.mean() >= HALF)  # type: ignore[operator]


def known_values(values: pl.Series) -> tuple[Role, str] | None:
    """A role that the values tell whatever the name, and what they are.

    >>> known_values(pl.Series(["f", "m", "f"])), known_values(pl.Series(["E11.9", "I10.0", "J45.1"]))
    ((<Role.QUASI: 'quasi'>, 'sex'), (<Role.SENSITIVE: 'sensitive'>, 'diagnosis code'))
    >>> known_values(pl.Series(["red", "blue"])) is None
    True
    """
    if values.dtype != pl.String:
        return None
    distinct = values.drop_nulls().unique(maintain_order=True).head(LOOKED_AT)
    if distinct.is_empty():
        return None
    for what, role, shape in SHAPES:
        if len(distinct) > 2 and distinct.str.contains(shape).mean() >= NEARLY_ALL:  # type: ignore[operator]
            return role, what
    if len(distinct) > 2 and _are_diagnoses(distinct):
        return Role.SENSITIVE, DIAGNOSIS
    words = distinct.str.strip_chars().str.to_lowercase()
    for what, (role, listed) in LISTS.items():
        hits = int(words.is_in(listed.split()).sum())
        if hits >= (2 if what == "sex" else 3) and hits >= NEARLY_ALL * len(words):
            return role, what
    return None
