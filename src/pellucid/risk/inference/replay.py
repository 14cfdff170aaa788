"""Whether the method that is named makes these groups of the true table: where it does not, it did not make them.

Somebody who audits another tool's release says how it was made. A method without coins can be run again on the true
table, and other groups than those published refute what was said: implementations of Mondrian differ in where they cut,
and what is inferred from one of them says nothing about a release of another.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pellucid.core.table import Codes
from pellucid.messages import Message, Term
from pellucid.messages.terms import switch
from pellucid.risk.inference.method_at_work import COINS, MethodAtWork
from pellucid.risk.inference.world_enumeration import Contradicted
from pellucid.risk.views import Evidence, Gathered, PublishedFrom
from pellucid.risk.views.reader_view import may_be_several
from pellucid.risk.views.row_orders import order_is_idle


def require_made_of_truth(gathered: Gathered) -> None:
    """Raise where the method makes other groups of the true table than the release has, and nothing is open about it.

    A release of ours says itself how it was made, and its recipe is held against it elsewhere.
    """
    evidence, truth = gathered.evidence, gathered.truth
    if truth is None or not _can_be_made_again(evidence, truth):
        return
    if _makes_these(evidence, truth):
        return
    assert evidence.method is not None
    variant = _variant_that_did(evidence, truth)
    made_by = (
        "it was made by another method or another variant of it, with other parameters, or of another table"
        if variant is None
        else Message("with {variant} it makes exactly these; say so", variant=variant)
    )
    told = "{method} makes other groups of the true table, with these parameters: {made_by}"
    raise Contradicted(told, method=evidence.method.name, made_by=made_by)


def _makes_these(evidence: Evidence, truth: Codes) -> bool:
    """Whether the method makes the groups of the release."""
    made = MethodAtWork(evidence)
    grouping = made.grouped(made.world(tuple(range(len(truth))), truth), COINS)
    return grouping is not None and _are_the_same(evidence, np.asarray(grouping.labels))


def _variant_that_did(evidence: Evidence, truth: Codes) -> Term | None:
    """What the method makes these groups with, by one parameter that is yes where no was said, or no where yes was."""
    assert evidence.method is not None
    for name, field in type(evidence.method).model_fields.items():
        if field.annotation is not bool:
            continue
        value = not getattr(evidence.method, name)
        other = evidence.method.model_copy(update={name: value})
        ordered = evidence.people.order is not None or order_is_idle(other, evidence.people)
        if ordered and _makes_these(replace(evidence, method=other), truth):
            return switch(name, value)
    return None


def _can_be_made_again(evidence: Evidence, truth: Codes) -> bool:
    """Whether somebody else says how it was made, by a method that makes the same groups each time."""
    method, origin = evidence.method, evidence.origin
    if method is None or method.draws_coins or method.may_suppress or (truth < 0).any():
        return False
    if evidence.distorted or (origin is not None and _says_itself_how(origin)):
        return False
    ordered = evidence.people.order is not None or order_is_idle(method, evidence.people)
    return ordered and _is_settled(evidence)


def _says_itself_how(origin: PublishedFrom) -> bool:
    """Whether it is a release of ours, of which nothing is assumed."""
    return origin.fingerprint is not None and not origin.assumed


def _is_settled(evidence: Evidence) -> bool:
    """Whether nothing is open about the groups of everybody, nor about what steered the method."""
    unclear = evidence.anonymous or evidence.membership is not None or evidence.lookalikes is not None
    return not (unclear or evidence.lacking or evidence.beside or (evidence.grouping.labels < 0).any())


def _are_the_same(evidence: Evidence, made: Codes) -> bool:
    """Whether every group that is made lies in one class of the release, and is that class unless it may be several."""
    read = evidence.grouping.labels
    pairs = np.unique(np.stack([made, read]), axis=1)
    groups, classes = len(np.unique(made)), len(np.unique(read))
    within = pairs.shape[1] == groups
    return bool(within and (groups == classes or may_be_several(evidence)))
