"""The promise of a release in plain words, with what it assumes and whom it does not cover: said in this one place.

What a method's groups bound is for the method to say (:meth:`pellucid.anonymize.methods.Method.sentence`). It is a
bound on what follows from the release for somebody to whom, before seeing it, all ways of handing out the published
values to the people seemed equally likely (``prior`` uniform). Somebody who learns from the release which values go
with which people (deFinetti's attack), or knows it from elsewhere, is right more often; what was proved does not speak
of them. A promise that leaves this out is not true, so every page, file and program shows the sentence that is made
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder, TwoTables
from pellucid.anonymize.recode.weights import digits_of
from pellucid.anonymize.recode.weights import in_words as in_words_of_weights
from pellucid.core.schema import Role
from pellucid.core.schema.people import ROW
from pellucid.core.schema.rounding import in_words
from pellucid.core.table import Table
from pellucid.runtime.records import record
from pellucid.text.values import ANY, joined_by_and

ALL_WAYS = "all ways of handing out the published values to the people equally likely"
LEARNER = "who learns from the release, or knows from elsewhere, which values go with which people"


@record()
class Sentence:
    """What is bounded, what that assumes, whom it does not cover, and what else is left open; ``text`` is all of it."""

    bound: str
    assumes: str = ""
    not_covered: str = ""
    besides: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, str]:
        """Each part under its name; a part that says nothing is left out."""
        named = {"promise": self.bound, "assumption": self.assumes, "not covered": self.not_covered}
        return {name: text for name, text in {**named, "besides": " ".join(self.besides)}.items() if text}

    @property
    def text(self) -> str:
        """The whole promise, as it is signed."""
        return " ".join(part for part in (self.bound, self.assumes, self.not_covered, *self.besides) if part)


def sentence_of(table: Table, method: Method, recoder: Recoder, accept_known: Sequence[str] = ()) -> Sentence:
    """The promise of a release: of this method, made into this form, with these columns accepted as known.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> table = pc.read(pc.datasets.patients(), **roles)
    >>> sentence_of(table, pc.SoftCut(l=2), pc.Intervals()).not_covered
    'It does not cover somebody who learns from the release, or knows from elsewhere, which values go with which \
people (such as disease by age): they may be right more often.'
    """
    sensitive = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
    quasi = [table.attributes[i].name for i in table.having(Role.QUASI)]
    assumes, not_covered = assumption(method, sensitive, quasi) if sensitive else ("", "")  # rows of a group are alike
    besides = [*method.left_open(table), *_rounded(table, sensitive), *_weighed(table)]
    besides += _besides(sensitive, method, recoder, accept_known)
    besides += _which_rows(table)
    besides += _who_may_have(table)
    bound = method.sentence(table)
    return Sentence(of_rows(bound) if protects_rows(table) else bound, assumes, not_covered, tuple(besides))


def protects_rows(table: Table) -> bool:
    """Whether each row is protected by itself, of people who have several."""
    return table.persons is not None and table.persons.answer == ROW


OF_PEOPLE = (
    ("any one person's", "any one row's"),
    ("For each person,", "For each row,"),
    ("person's stratum", "row's stratum"),
)


def of_rows(bound: str) -> str:
    """A bound about people as one about rows.

    >>> of_rows("names any one person's disease with probability at most 1/2")
    "names any one row's disease with probability at most 1/2"
    """
    for person, row in OF_PEOPLE:
        bound = bound.replace(person, row)
    return bound


def _which_rows(table: Table) -> list[str]:
    """Which rows are published, and what the promise says of people who have several."""
    people, where = table.persons, None if table.schema is None else table.schema.where
    told = [] if where is None else [f"Only rows are published for which {where}."]
    if people is None or not people.answer:
        return told
    if people.answer == ROW:
        return [
            *told,
            f"Some people have several rows, which {people.column} numbers: an attacker who finds several rows of one "
            "person may be right more often about that person.",
        ]
    which = f"the {people.answer}" if people.by else "drawn by lot"
    return [*told, f"Of each person whom {people.column} numbers one row is published, {which}."]


def _who_may_have(table: Table) -> list[str]:
    """To whom a column applies, and for whom a value is ruled out, as the schema declares: everybody may know that."""
    columns = {} if table.schema is None else table.schema.columns
    told = []
    for name in (table.attributes[i].name for i in table.having(Role.SENSITIVE)):
        column = columns.get(name)
        if column is not None and column.applies is not None:
            told.append(f"{name} applies where {column.applies}: everybody else has none, which is published.")
        ruled = ({} if column is None else column.ruled_out) or {}
        told += [f"{name} = {value} is ruled out where {condition}." for value, condition in ruled.items()]
    return told


def _rounded(table: Table, sensitive: Sequence[str]) -> list[str]:
    """Which sensitive columns are published less exactly than they are known, which the promise is then about."""
    columns = {} if table.schema is None else table.schema.columns
    rounded = [(name, columns[name].round) for name in sensitive if name in columns]
    return [
        f"What is said of {name} is about its values {in_words(rounding)}."
        for name, rounding in rounded
        if rounding is not None
    ]


def _weighed(table: Table) -> list[str]:
    """What is published of survey weights, which name people where they are exact."""
    return [in_words_of_weights(table.attributes[i].name, digits_of(table)) for i in table.having(Role.WEIGHT)]


def assumption(method: Method, sensitive: Sequence[str] = (), quasi: Sequence[str] = ()) -> tuple[str, str]:
    """What the promise of a method assumes, and whom it does not cover; empty where it promises nothing.

    >>> from pellucid.anonymize.methods import methods
    >>> assumption(methods()["ace"](l=3))[0]
    'This holds for somebody who thinks all ways of handing out the published values to the people equally likely.'
    >>> assumption(methods()["ace"](l=1))
    ('', '')
    """
    if promises_nothing(method):
        return "", ""
    if method.assumption is not None:
        return method.assumption
    example = f" (such as {sensitive[0]} by {quasi[0]})" if sensitive and quasi else ""
    if about_sizes(method):
        return (
            "All rows of a group are taken as equally likely to be a person's.",
            f"It does not cover somebody {LEARNER}{example}: they may tell which row is whose.",
        )
    but, more = "", LEARNER
    if method.reckons_with:
        but, example = f", but for {method.reckons_with},", ""
        more = f"who learns from the release, or knows from elsewhere, more than {method.reckons_with}"
    what = "This" if method.claim == "algorithm" else "The bound"
    return (
        f"{what} holds for somebody who{but} thinks {ALL_WAYS}.",
        f"It does not cover somebody {more}{example}: they may be right more often.",
    )


def in_full(sentence: str, method: Method | None, sensitive: Sequence[str], quasi: Sequence[str]) -> str:
    """The sentence of a recipe with its assumption, which recipes of earlier versions leave out.

    >>> from pellucid.anonymize.methods import methods
    >>> told = in_full("Nobody is named.", methods()["ace"](l=3), ["disease"], ["age"])
    >>> told == in_full(told, methods()["ace"](l=3), ["disease"], ["age"]), "equally likely" in told
    (True, True)
    """
    assumed = ("", "") if method is None or (quasi and not sensitive) else assumption(method, sensitive, quasi)
    return " ".join([sentence, *(part for part in assumed if part and part not in sentence)])


def promises_nothing(method: Method) -> bool:
    """Whether a setting keeps nothing from anybody: one row in one may have a value, or be a group of its own.

    >>> from pellucid.anonymize.methods import methods
    >>> [promises_nothing(methods()["hybrid"](l=l)) for l in (1, 2)]
    [True, False]
    >>> promises_nothing(methods()["tailor"](model="k-anonymity=1"))
    True
    """
    return method.promises_nothing


def about_sizes(method: Method) -> bool:
    """Whether a method promises how many rows a group has, and nothing about values.

    >>> from pellucid.anonymize.methods import methods
    >>> [about_sizes(methods()[name](model="k-anonymity=3")) for name in ("mondrian", "tailor")]
    [True, False]
    """
    model = method.required
    return model is not None and model.looks_at == "sizes" and not method.tells_frequencies_only


def _besides(sensitive: Sequence[str], method: Method, recoder: Recoder, accept_known: Sequence[str]) -> list[str]:
    """What the way of publishing, the choice of protected values, and what was accepted leave open."""
    sentences = []
    model = method.required
    names = joined_by_and(sensitive)
    if isinstance(recoder, TwoTables) and model is not None and model.looks_at == "sizes":
        sentences.append("The two tables show exact quasi-identifiers: whoever knows them recognises a person's row.")
    about = method.protects
    if about is not None and not promises_nothing(method):
        some = joined_by_and(list(about) if isinstance(about, Mapping) else sensitive)
        if set(about.values() if isinstance(about, Mapping) else [about]) == {(ANY,)}:
            sentences.append(f"That a person has no value of {some} is not protected and may be told with certainty.")
        else:
            sentences.append(f"Other values of {some} are not protected and may be told with certainty.")
    if accept_known:
        columns = " or ".join(accept_known)
        sentences.append(f"What {columns} gives away about {names} by itself was accepted and is not covered.")
    return sentences
