"""What is promised, to whom, under which assumptions, and what is not: in words that hold for every release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pellucid.anonymize.methods import Method
from pellucid.core.sentence import ALL_WAYS, in_full, promises_nothing
from pellucid.messages import Message
from pellucid.reports.opened import Given
from pellucid.risk.adversary_kinds import KINDS

AGAINST = {
    "algorithm": (
        "somebody who holds the release and knows the code of the method, its parameters, what the columns are, and "
        "the identifiers and quasi-identifiers of everybody, in the table and outside it"
    ),
    "minimality": (
        "somebody who holds the release, knows everybody's quasi-identifiers, and knows that nothing was generalised "
        "without need, but not how the method works beyond that"
    ),
    "frequency": (
        "somebody who holds the release and knows everybody's quasi-identifiers, but nothing of how the method works: "
        "they count values in a group"
    ),
    "none": "nobody",
}
ASSUMPTIONS = (
    "The sensitive values and the coins of the method are all that the attacker does not know.",
    f"Before seeing the release, the attacker thinks {ALL_WAYS}.",
    "Each person has one row, and the value of one person says nothing about another's.",
    "The table is published once.",
)
OF_ROWS = (
    "Each row is taken by itself, as if what one row has said nothing about another's. Some people have several rows: "
    "an attacker who finds several rows of one person may be right more often."
)
OF_CLUSTERS = (
    "Which rows belong together is as the table says. What those of one have may depend on each other, and says "
    "nothing about what others have."
)
OF_PARTED = (
    "Which rows belong together is as the table says. Clusters of more rows than are taken as one are several, which "
    "have nothing to do with each other; what the rows of one of these have may depend on each other, and says nothing "
    "about what others have."
)
LIMITS = (
    (
        "Several releases",
        "Two releases of the same people, each safe, can together single out a value. Publish a table once; a "
        "correction or an update is a new release of the same people.",
    ),
    (
        "What is typical (learning attacks)",
        "If nearly everyone of a kind has a value, the release shows it, as it shows any statistic, and whoever learns "
        "from the release uses that about single people and may be right more often than the promise says. Decide "
        "whether the statistic itself may be known; fewer or coarser quasi-identifiers tell less of it.",
    ),
    (
        "Several rows of a person",
        "The promise is about one row; who has several is found out more easily. Merge the rows of a person into one "
        "before publishing, or keep one of them.",
    ),
    (
        "People who depend on each other",
        "Relatives may share a hereditary disease; the promise counts people one by one.",
    ),
    (
        "Values that mean the same",
        "Values are counted, not their meanings: 'flu' and 'influenza' are two. Clean the sensitive column first.",
    ),
    (
        "Numbers that are close",
        "50,000 and 50,001 are two values; naming one is nearly naming the other. Round a sensitive number to bands.",
    ),
    ("Who is in the table", "That somebody is in the table at all is not hidden."),
    (
        "What an attacker knows already",
        "A fact such as 'Ann does not have flu' removes one of the possibilities. Choose l larger by the number of "
        "such facts that you fear.",
    ),
    (
        "What is put beside it",
        "Other files about the same people, or a description of single rows, are not covered.",
    ),
)


LIMITS_OF_CLUSTERS = {
    "Several rows of a person": (
        "The promise is about rows that belong together, as the table says, and takes them as one. Rows of a person "
        "that it does not say belong together are found out more easily, and who knows what one row has may learn what "
        "the other rows that belong to it have."
    ),
    "People who depend on each other": (
        "Relatives may share a hereditary disease; the promise takes rows that belong together as one, and counts "
        "these one by one."
    ),
}


LIMITS_OF_PARTED = {
    "Several rows of a person": (
        "The promise is about rows that belong together, and takes more of them than it says as several. Who knows "
        "that what these have goes together, such as a value that is the same for all rows of a household, compares "
        "their groups and may be certain: nothing is promised about that. Rows of a person that the table does not say "
        "belong together are found out more easily, and who knows what one row has may learn what the other rows that "
        "belong to it have."
    ),
    "People who depend on each other": (
        "Relatives may share a hereditary disease, or an income; the promise takes as many rows that belong together "
        "as it says as one, and counts these one by one, as if larger clusters shared nothing."
    ),
}


def assumptions_of(
    method: Method | None, *, clustered: bool, parted: bool = False, of_rows: bool = False
) -> tuple[str, ...]:
    """What every promise assumes; ``clustered`` where rows that belong together were taken as one.

    ``parted``: where larger clusters were taken as several. ``of_rows``: each row by itself, of people with several.
    """
    first, ways, whose, once = ASSUMPTIONS
    if method is not None and method.assumption is not None:
        ways = method.assumption[0]
    elif clustered:
        whose = OF_PARTED if parted else OF_CLUSTERS
    return (first, ways, OF_ROWS if of_rows else whose, once)


def general_limits(*, clustered: bool, parted: bool = False) -> tuple[tuple[str, str], ...]:
    """What no promise covers, whatever is published; ``clustered`` where rows that belong together were taken as one.

    ``parted``: where larger clusters were taken as several.

    >>> [dict(general_limits(clustered=c))["Several rows of a person"][:38] for c in (False, True)]
    ['The promise is about one row; who has ', 'The promise is about rows that belong ']
    """
    instead = {} if not clustered else LIMITS_OF_PARTED if parted else LIMITS_OF_CLUSTERS
    return tuple((title, instead.get(title, text)) for title, text in LIMITS)


@dataclass(frozen=True)
class Promise:
    """The promise of a release. ``holds`` says whether it is kept against somebody who knows the algorithm."""

    sentence: str
    guarantee: str
    against: str
    holds: bool
    warning: str
    explanation: str
    reference: str
    bounds: tuple[tuple[str, str], ...]
    what: str  # what is named with these probabilities


def promise_of(given: Given) -> Promise:
    """The promise, from the recipe and the method that it names."""
    recipe, method = given.facts, given.method
    claim = given.claim
    sentence = in_full(recipe.sentence, method, *given.names) if recipe.sentence else ""
    sentence = sentence or (
        "Nobody says how this release was made, so nothing is promised."
        if method is None
        else f"The release is said to be made by {method.name}; no sentence came with it."
    )
    whose = "one row's value" if given.of_rows else "one person's value"
    whose = "a value that rows which belong together have" if given.clustered else whose
    return Promise(
        sentence=sentence,
        guarantee=claim,
        against=AGAINST.get(claim, claim),
        holds=claim == "algorithm" and not given.nothing,
        warning="" if method is None else method.warning or "",
        explanation="" if method is None else method.explanation,
        reference="" if method is None else method.reference,
        bounds=bounds_of(claim, method),
        what=f"{whose}, of those protected ({given.protected}; no other value is)," if given.protected else whose,
    )


def bounds_of(claim: str, method: Method | None) -> tuple[tuple[str, str], ...]:
    """For each kind of attacker what is promised: a figure where the method declares one, and, not proved, why.

    >>> from pellucid.anonymize.methods import methods
    >>> dict(bounds_of("frequency", methods()["mondrian"](l=4)))["knows only the release"]
    'at most 1/4'
    >>> dict(bounds_of("algorithm", methods()["tailor"](model="distinct l-diversity=4")))["knows only the release"]
    'what the sentence says'
    """
    most = _at_most(method, None if method is None else method.counted)
    informed = most
    if method is not None and method.promised != method.counted:
        bound = _at_most(method, method.promised)
        informed = Message("{bound} ({why})", bound=bound, why=method.unproved) if method.unproved else bound
    nothing = "nothing is promised"
    covered = "as in the next line; they are wrong about this method, so they may be surer than they are right"
    if method is not None and method.required is not None and method.required.looks_at == "sizes":
        covered = "as in the next line: sizes of groups decided what was generalised, and these they see"
    kept = {"frequency": 1, "minimality": 2, "algorithm": 3}.get(claim, 0)
    return (
        (KINDS["nothing"].promised_to, most if kept >= 1 else nothing),
        (KINDS["minimality"].promised_to, (nothing, nothing, most, covered)[kept]),
        (KINDS["algorithm"].promised_to, informed if kept >= 3 else nothing),
        *_with_statistics(method, informed, nothing, known=kept >= 3),
        ("combines several releases of the same people", nothing),
    )


def _with_statistics(method: Method | None, informed: str, nothing: str, *, known: bool) -> list[tuple[str, str]]:
    """What is promised against attackers who know or learn more than the method, of whom strata cover some."""
    others = {name: (kind.promised_to, nothing) for name, kind in KINDS.items() if not kind.covered_by}
    if method is None or not method.knows_too or not known:
        return list(others.values())
    fixed = Message(
        "{informed} where every stratum has one value of it, else {nothing}", informed=informed, nothing=nothing
    )
    others["distribution"] = (KINDS["distribution"].promised_to, fixed)
    return [(Message("knows {knows_too} besides", knows_too=method.knows_too), informed), *others.values()]


def _at_most(method: Method | None, limit: Fraction | None) -> Message:
    if method is not None and promises_nothing(method):
        return Message("nothing: l = 1") if limit == 1 else Message("nothing")
    return Message("what the sentence says") if limit is None else Message("at most {limit}", limit=limit)
