"""The 18 identifiers that HIPAA's safe harbor has removed (45 CFR 164.514(b)(2)(i)): which columns may be one, and why.

A finding has its evidence: a word of the column's name, or how many of its values look like the identifier. Places and
numbers of households are known by the words by which a draft knows them (:mod:`pellucid.core.hints`). What is not found
may be there all the same (in free text, or under a name that says nothing), and whether a column is about the
person, a relative, an employer or a member of the household only its owner knows. So this is a list to go through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from pellucid.core.hints import hint_of, words_of
from pellucid.core.schema import Role
from pellucid.drafting.draft import MANY_THINGS
from pellucid.io.written_dates import LIKE_DAYS
from pellucid.messages import Message, Share

LOOKED_AT = 2000  # different values of a column
MOST = 0.8  # of the values that look like an identifier, or the column is not one
OLDEST = 89  # ages above it are identifiers
NUMBERS = frozenset(
    {
        *("no", "nr", "nbr", "num", "n", "nro", "number", "nummer", "numero", "id", "ids", "identifier"),
        *("code", "codigo", "codice"),
    }
)
DROP = "drop it"
PLACES = "B"
# Words of places that are no part of a state: a state or what is larger, and what says no place.
NO_PART_OF_A_STATE = frozenset(
    {
        *("state", "states", "country", "countries", "land", "pays", "pais", "paese", "nation", "bundesland"),
        *("province", "provinces", "provincia", "provincie", "canton", "cantons", "governorate", "oblast"),
        *("division", "rural", "urban", "urbanicity", "distance"),
    }
)


@dataclass(frozen=True, slots=True)
class SafeHarborRule:
    """One of the 18: what its columns are called, what its values look like, and what to do."""

    letter: str
    identifier: str
    names: tuple[str, ...] = ()  # words, or words that follow each other
    shape: str = ""
    way_out: str = DROP
    numbered: tuple[str, ...] = ()  # the same, where a word for a number stands beside them: "plan" alone is its name
    endings: tuple[str, ...] = ()  # of one word


RULES = (
    SafeHarborRule(
        "A", "names", ("name", "firstname", "lastname", "surname", "forename", "initials", "nachname", "vorname")
    ),
    SafeHarborRule(
        PLACES,
        "places smaller than a state",
        (  # besides the words of places by which a draft knows what others know
            "address",
            "street",
            "city",
            "town",
            "county",
            "precinct",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "plz",
            "latitude",
            "longitude",
            "lat",
            "lon",
            "geocode",
            "strasse",
            "wohnort",
            "ort",
            "puma",
        ),
        way_out="drop it, or keep the first three digits of a zip code where more than 20,000 people live",
    ),
    SafeHarborRule(
        "C",
        "dates other than the year, and ages over 89",
        (
            "birthday",
            "birthdate",
            "dob",
            "date of birth",
            "admission date",
            "discharge date",
            "death date",
            "date of death",
        ),
        way_out='keep the year (round = "year"), and cap ages: cap = { high = 90 }',
    ),
    SafeHarborRule(
        "D",
        "telephone numbers",
        ("phone", "telephone", "mobile", "cell phone", "telefon", "handy"),
        r"^((\+|00)\d[\d() /.-]{6,16}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})$",
    ),
    SafeHarborRule("E", "fax numbers", ("fax",)),
    SafeHarborRule("F", "email addresses", ("email", "e mail", "mail"), r"^[^@\s]+@[^@\s]+\.[a-zA-Z]+$"),
    SafeHarborRule("G", "social security numbers", ("ssn", "social security"), r"^\d{3}-\d{2}-\d{4}$"),
    SafeHarborRule(
        "H",
        "medical record numbers",
        ("mrn", "medical record", "record number", "chart number", "patient id", "case number"),
    ),
    SafeHarborRule(
        "I",
        "health plan beneficiary numbers",
        ("beneficiary", "hicn", "kvnr", "carte vitale", "tarjeta sanitaria", "tessera sanitaria", "cartao sus"),
        numbered=(
            *("health plan", "healthplan", "plan", "insurance", "insured", "policy", "member", "subscriber"),
            *("medicare", "medicaid", "versicherten", "versicherung", "versicherungs", "krankenkasse", "kranken"),
            *("assure", "assuree", "adherent", "mutuelle", "assurance", "afiliado", "asegurado", "poliza"),
            *("beneficiario", "apolice", "utente", "segurado", "assicurato", "assistito", "polizza", "polis"),
        ),
        endings=(
            *("versichertennummer", "versichertennr", "versicherungsnummer", "versicherungsnr", "krankenkassennummer"),
            *("policennummer", "polisnummer", "verzekerdennummer", "verzekeringsnummer"),
        ),
    ),
    SafeHarborRule("J", "account numbers", ("account", "iban", "credit card"), r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$"),
    SafeHarborRule("K", "certificate and license numbers", ("license", "licence", "certificate", "passport")),
    SafeHarborRule(
        "L",
        "vehicle identifiers",
        ("vin", "plate", "license plate", "vehicle", "kennzeichen"),
        r"^[A-HJ-NPR-Z0-9]{17}$",
    ),
    SafeHarborRule(
        "M", "device identifiers and serial numbers", ("device", "serial", "imei", "udi", "implant"), r"^\d{15}$"
    ),
    SafeHarborRule("N", "web addresses", ("url", "website", "homepage"), r"^(https?://|www\.)\S+$"),
    SafeHarborRule(
        "O",
        "internet addresses",
        ("ip", "ip address"),
        r"^(\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{0,4}){2,7})$",
    ),
    SafeHarborRule("P", "biometric identifiers", ("fingerprint", "voiceprint", "retina", "iris scan", "biometric")),
    SafeHarborRule(
        "Q", "full-face photographs", ("photo", "photograph", "picture", "portrait"), r"(?i)\.(jpe?g|png|tiff?|bmp)$"
    ),
    SafeHarborRule("R", "any other unique number, characteristic or code", ()),
)


@dataclass(frozen=True, slots=True)
class SafeHarborFinding:
    """A column that may be one of the identifiers, with what says so."""

    letter: str
    identifier: str
    column: str
    evidence: str
    way_out: str

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        return f"({self.letter}) {self.identifier}: {self.column!r}, {self.evidence}; {self.way_out}"


def safe_harbor(frame: pl.DataFrame) -> list[SafeHarborFinding]:
    """Which columns of a table may be one of the 18 identifiers, by letter.

    >>> people = pl.DataFrame({"mrn": [7, 8], "mail": ["a@b.org", "c@d.org"], "age": [40, 93], "ill": ["flu", "flu"]})
    >>> [(found.letter, found.column, found.evidence) for found in safe_harbor(people)]
    [('C', 'age', '1 of 2 ages is above 89'), ('F', 'mail', 'its name says so (mail), and so do 100 % of its values'), \
('H', 'mrn', 'its name says so (mrn)')]
    """
    findings = [finding for name in frame.columns for finding in _of_column(frame[name])]
    return sorted(findings, key=lambda one: one.letter)


def _of_column(values: pl.Series) -> Iterator[SafeHarborFinding]:
    words = words_of(values.name)
    known = values.drop_nulls().unique(maintain_order=True).head(LOOKED_AT)
    seen = False
    for rule in RULES:
        evidence = _evidence(rule, words, known)
        if evidence:
            seen = True
            yield SafeHarborFinding(rule.letter, rule.identifier, values.name, evidence, rule.way_out)
    other = "" if seen else _numbers_homes(values) or _names_each(values)
    if other:
        yield SafeHarborFinding("R", RULES[-1].identifier, values.name, other, DROP)


def _evidence(rule: SafeHarborRule, words: list[str], known: pl.Series) -> Message:
    """What says that a column is one of these; empty: nothing does."""
    if rule.letter == "C":
        return _exact_time(rule, words, known)
    named, hint = _named(rule, words), hint_of(known.name) if rule.letter == PLACES else None
    if not named and hint and hint.concept == "place" and hint.word not in NO_PART_OF_A_STATE:
        named = hint.word  # it says to a draft, too, that a column has places
    share = _share(rule, known)
    if named:
        if share >= MOST:
            return Message(
                "its name says so ({named}), and so do {share} of its values", named=named, share=Share(share)
            )
        return Message("its name says so ({named})", named=named)
    return Message("{share} of its values look like it", share=Share(share)) if share >= MOST else Message("")


def _named(rule: SafeHarborRule, words: list[str]) -> str:
    """The word, or words, of a name that say what the column is."""
    line = f" {' '.join(words)} "
    names = rule.names + (rule.numbered if NUMBERS.intersection(words) else ())
    named = next((name for name in names if f" {name} " in line), "")
    return named or next((word for word in words if rule.endings and word.endswith(rule.endings)), "")


def _share(rule: SafeHarborRule, known: pl.Series) -> float:
    """How many of the values look like it."""
    if not rule.shape or known.dtype != pl.String or known.is_empty():
        return 0.0
    return float(known.str.strip_chars().str.contains(rule.shape).mean() or 0.0)  # type: ignore[arg-type]


def _exact_time(rule: SafeHarborRule, words: list[str], known: pl.Series) -> Message:
    """Days, and ages that few reach."""
    if known.dtype.is_temporal() and not known.is_empty():
        return Message("it has days, not only years")
    if known.dtype == pl.String and not known.is_empty():
        share = float(known.str.contains(LIKE_DAYS).mean() or 0.0)  # type: ignore[arg-type]
        if share >= MOST:
            return Message("{share} of its values look like days", share=Share(share))
    if known.dtype.is_numeric() and {"age", "alter", "edad"} & set(words):
        old = int((known > OLDEST).sum())
        if old:
            are = "is" if old == 1 else "are"
            return Message(
                "{old} of {known} ages {are} above {oldest}", old=old, known=len(known), are=are, oldest=OLDEST
            )
    named = _named(rule, words)
    return Message("its name says so ({named})", named=named) if named else Message("")


def _numbers_homes(values: pl.Series) -> Message:
    """Whether a column numbers households; where its word alone is the name, if there are many values."""
    hint = hint_of(values.name)
    if hint is None or not hint.together or values.dtype.is_float():
        return Message("")
    if hint.role is not Role.DROP and values.n_unique() <= MANY_THINGS:
        return Message("")
    return Message("it numbers households ({word})", word=hint.word)


def _names_each(values: pl.Series) -> Message:
    """Whether every row has a value of its own, and it is no measured number."""
    if values.dtype.is_float() or len(values) < 2 or values.null_count():
        return Message("")
    return Message("every row has a value of its own") if values.n_unique() == len(values) else Message("")
