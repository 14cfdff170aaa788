"""What several sensitive columns leave open: each is protected by itself, not from who knows another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from pellucid.anonymize.disclosure.one_tells_another import Told, told_of, worst_of_each
from pellucid.anonymize.disclosure.set_disclosure import one_or_another
from pellucid.anonymize.methods import Method
from pellucid.audit import Asking, Audit
from pellucid.reports.hiding import limits_of_hiding
from pellucid.reports.opened import Given
from pellucid.reports.promise import general_limits
from pellucid.text.values import joined_by_and

ANOTHER = "Another sensitive column"
MEASURED_BY = "pellucid verify --harmonised --require l-diversity=2 (views='both' in Python)"


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What the promise does not say and the release tells all the same; ``certain``: of somebody it is certain."""

    text: str
    certain: bool = False


def limits_of(given: Given, open_: LeftOpen | None) -> tuple[tuple[str, str], ...]:
    """What the guarantee does not cover, with what several columns leave open where there are several."""
    if not given.audit.sensitive:
        return limits_of_hiding(general_limits(clustered=given.clustered, parted=given.parted))
    general = general_limits(clustered=given.clustered, parted=given.parted)
    return general if open_ is None else ((ANOTHER, f"{open_.text} It is measured by {MEASURED_BY}."), *general)


def each_by_itself(audit: Asking, method: Method | None, *, secret: bool) -> LeftOpen | None:
    """What several sensitive columns leave open, and with ``secret`` for how many people; None where one is.

    The public report has no figure: a count of people may be a count of one.
    """
    columns = audit.sensitive
    if len(columns) < 2:
        return None
    each = f"{joined_by_and(columns)} are protected each by itself"
    if not secret or not isinstance(audit, Audit):
        others = "the other" if len(columns) == 2 else "the others"
        return LeftOpen(f"{each}: who knows somebody's value of one may learn {others}.")
    told = _told_of_each(audit, method)
    return LeftOpen(" ".join([f"{each}.", *(one.sentence for one in told)]), any(one.certain for one in told))


def _told_of_each(audit: Audit, method: Method | None) -> list[Told]:
    """Of each column the other that tells most of it, and what the rest of a row tells where that is several."""
    pairs = permutations(audit.sensitive, 2)
    found = worst_of_each(told_of(audit.groups_by(known, name).groups, known, method) for name, known in pairs)
    rest = audit.sensitive if len(audit.sensitive) > 2 else ()
    return found + worst_of_each(told_of(audit.groups_beside(name).groups, None, method) for name in rest)


def one_of_several(audit: Audit, method: Method | None) -> list[LeftOpen]:
    """Of how many people it is certain that they have one of several protected values, for each column with some."""
    told = [one_or_another(method, audit.groups_of(name).groups) for name in audit.sensitive]
    return [LeftOpen(f"{text}.", certain=True) for text in told if text]
