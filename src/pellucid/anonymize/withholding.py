"""Withholding rows with a budget: how it is said, of which models it can be asked, and why most methods refuse it.

Full-domain recoding lets one unusual row make a column coarser for everybody. So its papers allow some rows to be left
out: a table is still good when all but a few of its rows are in groups that satisfy the model (Samarati's threshold).
Which rows these are then follows from the model. With k-anonymity that is from quasi-identifiers alone. With a model of
sensitive values it follows from these, so that to be missing tells something: no method that promises anything to
somebody who knows it may do so.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from pellucid.messages import Message, Term
from pellucid.models import PrivacyModel
from pellucid.models.exact import parameter, plain
from pellucid.models.parameters import PARAMETER
from pellucid.text.figures import percent

if TYPE_CHECKING:
    from pellucid.anonymize.method import Method

BUDGET = "max_suppressed"
MEANING = (
    "the largest share of the rows that may be withheld because their groups do not satisfy the model, such as 1%; "
    "none when not given"
)


@cache
def _growing() -> tuple[type[PrivacyModel], ...]:  # imported when asked for: every method stands on this file
    from pellucid.models.distinct_l_diversity import DistinctLDiversity
    from pellucid.models.k_anonymity import KAnonymity
    from pellucid.models.k_e_anonymity import KEAnonymity
    from pellucid.models.maximum_risk import MaximumRisk

    return (KAnonymity, MaximumRisk, DistinctLDiversity, KEAnonymity)


def share(value: object) -> Fraction:
    """A share as people write it: ``1%``, ``0.01`` or ``1/100``.

    >>> share("1%"), share("2.5 %"), share(0.01)
    (Fraction(1, 100), Fraction(1, 40), Fraction(1, 100))
    """
    if isinstance(value, str) and value.strip().endswith("%"):
        return parameter(value.strip().removesuffix("%").strip()) / 100
    return parameter(value)


Share = Annotated[
    Fraction,
    BeforeValidator(share),
    Field(ge=0, le=1),
    PlainSerializer(lambda value: plain(value), return_type=int | float | str),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9./]+ ?%?$"}]}),
]
"""A share of the rows, taken exactly."""


def still_holds(model: PrivacyModel) -> bool:
    """Whether a group that satisfies the model does so with any rows added: the rows to withhold then only get fewer.

    A model of some values only asks nothing of a group without them: a row with one of them may break it.

    >>> import pellucid as pc
    >>> [still_holds(model) for model in (pc.KAnonymity(k=2), pc.LDiversity(l=2))]
    [True, False]
    >>> [still_holds(pc.DistinctLDiversity(l=3, sensitive=values)) for values in (None, ("HIV",))]
    [True, False]
    """
    return all(isinstance(part, _growing()) and part.protects is None for part in model.parts)


def asks_of_group_alone(model: PrivacyModel) -> bool:
    """Whether a group's own counts decide: of the others, the whole table does, which is not published as a whole."""
    from pellucid.models.k_e_anonymity import KEAnonymity
    from pellucid.models.sensitive import DiversityModel

    return all(part.looks_at == "sizes" or isinstance(part, DiversityModel | KEAnonymity) for part in model.parts)


def in_words(budget: Fraction, model: PrivacyModel, sensitive: str) -> Message:
    """What withholding does to the promise; ``sensitive`` is empty where nothing is.

    >>> import pellucid as pc
    >>> in_words(Fraction(1, 100), pc.KAnonymity(k=5), "disease")
    'Up to 1 % of the rows may be withheld, those with too few like them. Who they are follows from quasi-identifiers \
alone: whoever knows that somebody is in the table and finds no row that fits learns that few look like them. The \
release tells nothing about their disease; whoever knows the totals of the whole table learns it from what is missing.'
    """
    withheld = f"Up to {percent(float(budget))} of the rows may be withheld"
    if model.looks_at == "sizes" and not sensitive:
        return Message(
            "{withheld}, those with too few like them. An attacker who knows that a person is in the table and finds "
            "no row that fits learns that few look like them.",
            withheld=withheld,
        )
    if model.looks_at == "sizes":
        return Message(
            "{withheld}, those with too few like them. Who they are follows from quasi-identifiers alone: whoever "
            "knows that somebody is in the table and finds no row that fits learns that few look like them. The "
            "release tells nothing about their {sensitive}; whoever knows the totals of the whole table learns it "
            "from what is missing.",
            withheld=withheld,
            sensitive=sensitive,
        )
    compared = Message(
        " Groups were compared with the whole table, withheld rows included. A comparison with the published rows "
        "alone may give another level."
    )
    return Message(
        "{withheld}, those whose groups do not satisfy the model. Nothing is promised about them: that somebody is "
        "missing tells what {sensitive} they may have, and so do the totals of the whole table to whoever knows them."
        "{compared}",
        withheld=withheld,
        sensitive=sensitive,
        compared="" if asks_of_group_alone(model) else compared,
    )


def why_not(method: type[Method], called: Term | None = None) -> Message:
    """Why a method has no budget of rows to withhold, and what to do instead; ``called`` where it is told so.

    >>> from pellucid.anonymize.methods import methods
    >>> why_not(methods()["art"], Term("option", "the option"))
    'art has no the option: it withholds the rows that fit nowhere, by its own definition, and no budget changes \
which; the metric suppressed-rows counts them'
    """
    budget = called or Term(PARAMETER, BUDGET, BUDGET)
    if method.suppresses:
        return Message(
            "{method} has no {budget}: it withholds the rows that fit nowhere, by its own definition, and no budget "
            "changes which; the metric suppressed-rows counts them",
            method=method.name,
            budget=budget,
        )
    instead = Message("it publishes every row; where k-anonymity is enough, incognito takes {budget}", budget=budget)
    if method.guarantee == "algorithm":
        return Message(
            "{method} has no {budget}: which rows are withheld would depend on sensitive values, and that tells "
            "somebody who knows the method; {instead}",
            method=method.name,
            budget=budget,
            instead=instead,
        )
    told = "{method} has no {budget}, which is for methods that recode whole columns; {instead}"
    return Message(told, method=method.name, budget=budget, instead=instead)
