"""Which l a table allows, and what is said of one that it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pellucid.anonymize.method import STRATUM, Feasible, largest_feasible, protect_only
from pellucid.anonymize.methods import Method, methods
from pellucid.anonymize.methods.strata import Strata
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.core.schema import Role
from pellucid.core.table import Table, frequencies
from pellucid.errors import MethodError
from pellucid.messages import Message
from pellucid.web.chosen_setting import protected_values
from pellucid.web.pages import short

MOST_DIGITS = 9  # of an l that somebody may mean


def feasible_with(outline: Table, name: str, parameters: Mapping[str, str | bool], *, every: bool = False) -> Feasible:
    """The largest l that a setting may have here: for the values that it protects, and the rows that it takes as one.

    Every place of the pages that says which l is possible asks here, so that all say the same. Of strata it is how
    many people one has: no value is in the way. With ``every`` as if it protected every value. Raises where it
    protects a value that no row has.

    >>> import pellucid as pc
    >>> from pellucid.datasets import patients
    >>> table = pc.read(patients(), quasi="age", sensitive="disease", cluster="zipcode")
    >>> feasible_with(table, "soft-cut", {}).largest, feasible_with(table, "soft-cut", {"cluster_rows": "1"}).largest
    (1, 4)
    """
    if name == Strata.name and outline.clusters is None:
        size = str(parameters.get("size") or STRATUM)
        largest = int(size) if size.isdecimal() and len(size) <= MOST_DIGITS else STRATUM
        return Feasible(largest, "", None, 0, len(outline))
    protected = None if every else protected_values(outline, name, parameters)
    return largest_feasible(outline, values=protected, cluster_rows=_cluster_rows(parameters))


def _cluster_rows(parameters: Mapping[str, str | bool]) -> int | None:
    """The most rows that are taken as one, where the form says so; what is no number is refused where it is read."""
    typed = str(parameters.get("cluster_rows", ""))
    return int(typed) if typed.isdecimal() and len(typed) <= MOST_DIGITS and int(typed) else None


def values_instead(outline: Table, name: str, feasible: Feasible) -> str:
    """Which values could be protected where no l is possible for all of them, for methods that can."""
    if feasible.largest > 1 or not issubclass(methods().get(name, Method), ProtectingMethod):
        return ""
    column = next(i for i in outline.having(Role.SENSITIVE) if outline.attributes[i].name == feasible.column)
    attribute = outline.attributes[column]
    return protect_only(attribute, frequencies(outline.codes[column], len(attribute)), len(outline), 2)


def require_l(name: str, parameters: Mapping[str, str | bool], feasible: Feasible, instead: str = "") -> None:
    """Raise unless the l of a method that has one is a whole number from 2 upward; says what is allowed here."""
    kind = methods().get(name)
    typed = str(parameters.get("l", ""))
    if kind is None or "l" not in kind.model_fields or (kind.l_of_each and "=" in typed):  # the method reads these
        return
    if not typed and not kind.model_fields["l"].is_required():
        return  # something else is asked of the groups, or building the method says what is missing
    allowed = _allowed(feasible, instead)
    if not typed:
        raise MethodError("l is empty or not a number; {allowed}", allowed=allowed)
    if not re.fullmatch(r"-?[0-9]+", typed):
        raise MethodError("l = {typed} is not a whole number; {allowed}", typed=typed, allowed=allowed)
    if len(typed) > MOST_DIGITS:
        told = "is too small" if typed.startswith("-") else "is too large"
        raise MethodError("l = {short} {told}; {allowed}", short=short(typed, MOST_DIGITS), told=told, allowed=allowed)
    if int(typed) < 2:
        told = "is too small"
        if int(typed) == 1:
            told = "promises nothing: somebody may learn a protected value with certainty"
        raise MethodError("l = {typed} {told}; {allowed}", typed=int(typed), told=told, allowed=allowed)


def _allowed(feasible: Feasible, instead: str) -> Message:
    """Which l may be typed."""
    if feasible.largest < 2:
        told = "no l is possible here ({why}): protect another column, or split that value into finer{instead}"
        return Message(
            told, why=feasible.sentence, instead=Message(", or {instead}", instead=instead) if instead else ""
        )
    if feasible.largest < 3:
        return Message("only 2 is possible here")
    return Message("type a whole number from 2 to {l}", l=feasible.largest)
