"""What the name of a column says about it: codebooks and vocabularies of health, census, school and work."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from pellucid.core.hints import words as vocabulary
from pellucid.core.hints.codebooks import HOUSEHOLDS, NUMERIC, in_codebook, is_weight
from pellucid.core.schema import Role
from pellucid.runtime.records import record

NUMBERING = frozenset(vocabulary.NUMBERING.split())
# A number of things is rarely what people hide: "num medications" is no medication.
COUNTING = frozenset({"num", "number", "count", "counts", "total", "n", "no", "nr", "anzahl", "nombre", "numero"})
# Beside such a word nothing is counted: a household's type.
KINDS = frozenset({"type", "types", "kind", "typ", "tipo", "art", "category", "class", "status"})
# What people hide first.
ILLNESS = tuple(vocabulary.ILLNESS.split())
# Words of these leave no doubt, whatever stands beside them; the others only beside words that say nothing.
SURE_CONCEPTS = frozenset({"birth", "place", "race", "marital", "nation"})
# "sex" is known to others only as what a person is; beside other words it is what a person does.
BESIDE_SEX = frozenset(
    {
        "code",
        "cd",
        "label",
        "desc",
        "of",
        "the",
        "at",
        "birth",
        "assigned",
        "legal",
        "var",
        "cat",
        "group",
        "recode",
        "p",
        "m",
        "f",
        "id",
        "type",
    }
)
ONSET = frozenset({"first", "onset", "start", "started", "began", "begin", "last", "when", "since"})
PEOPLE = frozenset(
    {
        "employee",
        "employees",
        "worker",
        "student",
        "child",
        "parent",
        "mother",
        "father",
        "patient",
        "respondent",
        "person",
    }
)
# A number of somebody's insurance names that person, though the insurance by itself is private or known.
INSURANCE = (("health", "plan"), ("health", "insurance"), ("insurance",), ("medicare",), ("medicaid",))
PHRASES = {  # several words that mean something else than each of them
    **{(*plan, word): (Role.IDENTIFIER, "") for plan in INSURANCE for word in ("number", "no", "nr", "num", "id")},
    ("grade", "level"): (Role.QUASI, "education"),
    ("school", "grade"): (Role.QUASI, "education"),
    ("special", "education"): (Role.SENSITIVE, ""),
    ("special", "needs"): (Role.SENSITIVE, ""),
    ("food", "stamps"): (Role.SENSITIVE, ""),
    ("birth", "weight"): (Role.SENSITIVE, ""),
    ("birth", "control"): (Role.SENSITIVE, ""),
    ("daily", "rate"): (Role.SENSITIVE, ""),
    ("hourly", "rate"): (Role.SENSITIVE, ""),
    ("monthly", "rate"): (Role.SENSITIVE, ""),
    ("life", "expectancy"): (Role.SENSITIVE, ""),
    ("health", "insurance"): (Role.SENSITIVE, ""),
    ("discharge", "disposition"): (Role.SENSITIVE, ""),
    ("gender", "identity"): (Role.SENSITIVE, ""),
    ("little", "interest"): (Role.SENSITIVE, ""),
    ("over", "time"): (Role.SENSITIVE, ""),
    ("job", "satisfaction"): (Role.SENSITIVE, ""),
    ("employment", "length"): (Role.QUASI, "work"),
    ("credit", "card", "number"): (Role.IDENTIFIER, ""),
    ("account", "number"): (Role.IDENTIFIER, ""),
    ("social", "security", "number"): (Role.IDENTIFIER, ""),
    ("medical", "record", "number"): (Role.IDENTIFIER, ""),
    ("health", "card", "number"): (Role.IDENTIFIER, ""),
}
BARE_WEIGHTS = frozenset({"weight", "weights", "gewicht", "poids", "peso", "pesos", "wt"})
WEIGHTS_OF = frozenset(
    f"{of}{word}" for of in vocabulary.OF_WEIGHTS.split() for word in ("weight", "weights", "wgt", "wght", "wgts")
)
RANKED = (*vocabulary.QUASI,)  # concepts, best known first


@record()
class Hint:
    """A role and the word that suggests it; ``concept`` of a quasi-identifier; whether numbers count something."""

    role: Role
    word: str
    concept: str = ""
    numeric: bool = False
    weighs: bool = False  # a weight, of a survey or of a body
    together: bool = False  # may say which rows belong together, such as those of a household

    @property
    def rank(self) -> int:
        """How well others know it: 0 best."""
        return RANKED.index(self.concept) if self.concept in RANKED else len(RANKED)


def words_of(column: str) -> list[str]:
    """The words of a column's name, lower case and without accents.

    >>> words_of("dateOfBirth"), words_of("Âge (années)"), words_of("ZIP_CODE")
    (['date', 'of', 'birth'], ['age', 'annees'], ['zip', 'code'])
    """
    plain = unicodedata.normalize("NFKD", column).encode("ascii", "ignore").decode()
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", plain)]


def hinted_role(column: str) -> tuple[Role, str] | None:
    """The role that the name suggests and the word that suggests it.

    >>> hinted_role("patient_diagnosis")
    (<Role.SENSITIVE: 'sensitive'>, 'diagnosis')
    >>> hinted_role("x17") is None
    True
    """
    hint = hint_of(column)
    return None if hint is None else (hint.role, hint.word)


def least_private(words: Iterable[str]) -> int:
    """Which of two columns that people hide is protected first: 0 is what harms most when it is known.

    >>> [least_private(words_of(name)) for name in ("HardDrugs", "SexOrientation", "diagnosis", "income", "pulse")]
    [0, 1, 4, 5, 6]
    """
    named = [*words]
    harms = (_matching(named, patterns) for patterns in vocabulary.MOST_PRIVATE)
    ill = any(word.startswith(ILLNESS) or "diagnos" in word for word in named)
    found = [*map(bool, harms), ill, _matching(named, vocabulary.MONEY) is not None]
    return found.index(True) if any(found) else len(found)


@cache
def hint_of(column: str) -> Hint | None:
    """What the name suggests: a codebook's variable, else words; what people hide goes before what others know.

    >>> hint_of("SexNumPartnLife").role, hint_of("sex").role, hint_of("RAC1P").concept, hint_of("pwgtp7").concept
    (<Role.SENSITIVE: 'sensitive'>, <Role.QUASI: 'quasi'>, 'codebook', 'survey')
    """
    known = in_codebook(column)
    if known is not None:
        concept = "survey" if known[0] == Role.DROP else "codebook"
        numeric, together = known[1] in NUMERIC.split(), known[1] in HOUSEHOLDS.split()
        return Hint(Role(known[0]), column.strip(), concept, numeric, is_weight(known[1]), together)
    words = words_of(column)
    return (
        _phrase(words)
        or _weight(words)
        or _home(words)
        or _any(words, vocabulary.SENSITIVE, Role.SENSITIVE)
        or _free_text(words)
        or _any(words, vocabulary.TECHNICAL, Role.DROP, "survey")
        or _quasi(words)
        or _any(words, vocabulary.IDENTIFIER, Role.IDENTIFIER)
    )


def _phrase(words: list[str]) -> Hint | None:
    for phrase, (role, concept) in PHRASES.items():
        for start in range(len(words) - len(phrase) + 1):
            if tuple(words[start : start + len(phrase)]) == phrase:
                return Hint(role, " ".join(phrase), concept, bool(COUNTING & set(words)))
    return None


def _weight(words: list[str]) -> Hint | None:
    """A survey's weight, a body's, or one of the two (concept "weight"), which only its values tell."""
    if words == ["w"]:
        return Hint(Role.DROP, "w", "weight", numeric=True, weighs=True)
    word = _matching(words, vocabulary.WEIGHTING) or next((word for word in words if word in WEIGHTS_OF), None)
    if word is None:
        return None
    others = set(words) - {word}
    if others & set(vocabulary.BODY.split()):
        return Hint(Role.SENSITIVE, word, "", numeric=True)
    if word not in BARE_WEIGHTS or _matching(others, vocabulary.SURVEY):
        return Hint(Role.DROP, word, "survey", weighs=True)
    return Hint(Role.SENSITIVE, word, "weight", numeric=True, weighs=True)


def _home(words: list[str]) -> Hint | None:
    """The number of a household; its word alone may also be a kind or a size of one, which its values tell."""
    word = _matching(words, vocabulary.HOME_NUMBERS)
    if word is not None:
        return Hint(Role.DROP, word, "household", together=True)
    word = _matching(words, vocabulary.HOMES)
    others = [other for other in words if other != word]
    if word is None or not NUMBERING.issuperset(others):
        return None
    if others:
        return Hint(Role.DROP, word, "household", together=True)
    known = _quasi(words)
    return None if known is None else replace(known, together=True)


def _free_text(words: list[str]) -> Hint | None:
    word = _matching(words, vocabulary.FREE_TEXT)
    return None if word is None or word == "text" else Hint(Role.DROP, word, "text")


def _any(words: Iterable[str], patterns: str, role: Role, concept: str = "") -> Hint | None:
    word = _matching(words, patterns)
    return None if word is None else Hint(role, word, concept)


def _quasi(words: list[str]) -> Hint | None:
    """What others know, unless words beside it make something else of it."""
    naming = _matching(words, vocabulary.IDENTIFIER) is not None
    looked_at = [word for word in words if not (naming and word in PEOPLE)]
    for concept, patterns in vocabulary.QUASI.items():
        known = _matching(looked_at, patterns)
        hint = None if known is None else _known_beside_others(words, known, concept)
        if hint is not None:
            return hint
    return None


def _known_beside_others(words: list[str], known: str, concept: str) -> Hint | None:
    """What a word that others know makes of its column: something private, something known, or nothing for sure."""
    others = [word for word in words if word != known and not word.isdigit()]
    private = _private_beside(concept, known, others)
    if private is not None:
        return Hint(Role.SENSITIVE, private)
    if concept not in SURE_CONCEPTS and not all(map(_says_nothing, others)):
        return None
    counts = bool(set(words) & {*vocabulary.NUMBERS.split(), *COUNTING}) and not KINDS.intersection(words)
    numeric = concept == "age" or counts
    return Hint(Role.QUASI, known, concept, numeric)


def _private_beside(concept: str, known: str, others: list[str]) -> str | None:
    """The words that make something private of sex or age, such as the age at the onset of an illness."""
    if concept == "sex" and not BESIDE_SEX.union(PEOPLE).issuperset(others):
        return known
    if concept == "age":
        beside = _matching(others, vocabulary.QUASI["sex"]) or next((word for word in others if word in ONSET), "")
        return f"{beside} {known}" if beside else None
    return None


def _says_nothing(word: str) -> bool:
    """Whether a word beside a known one leaves it what it is; so do other known ones."""
    if len(word) == 1 or word in vocabulary.NEUTRAL.split():
        return True
    return any(_matching([word], patterns) for patterns in vocabulary.QUASI.values()) or word in NUMBERING


def _matching(words: Iterable[str], patterns: str) -> str | None:
    """The first word that one of the patterns matches."""
    whole, stems, parts = _compiled(patterns)
    for word in words:
        if word in whole or word.startswith(stems) or any(part in word for part in parts):
            return word
    return None


@cache
def _compiled(patterns: str) -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    given = patterns.split()
    stems = tuple(pattern[:-1] for pattern in given if pattern.endswith("*"))
    parts = tuple(pattern[1:] for pattern in given if pattern.startswith("~"))
    return frozenset(given) - {*stems, *parts}, stems, parts
