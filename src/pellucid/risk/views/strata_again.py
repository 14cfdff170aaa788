"""The strata of a release, cut again as everybody can, and what they fix of each column."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.risk.adversary import STRATUM, by_column
from pellucid.risk.views.evidence import Evidence
from pellucid.risk.views.missing_inputs import UNORDERED, UNTOLD

_CUT: WeakKeyDictionary[Evidence, Codes | None] = WeakKeyDictionary()  # several attackers ask of the same evidence
_FIXED: WeakKeyDictionary[Evidence, frozenset[str]] = WeakKeyDictionary()


def cut_again(evidence: Evidence) -> Codes | None:
    """For everybody the stratum, cut again once; None where that is not known."""
    if evidence not in _CUT:
        _CUT[evidence] = _strata(evidence)
    return _CUT[evidence]


def _strata(evidence: Evidence) -> Codes | None:
    """For everybody the stratum, cut again; None where it is not known who was in the table, or what steered the cuts.

    With some of a table's people, or in other ranges, cuts lie elsewhere.
    """
    steered = [one for one in evidence.lacking if one not in (UNORDERED, UNTOLD)]  # no order of rows decides a stratum
    if evidence.method is None or evidence.anonymous or steered:
        return None
    if len(evidence.people) != int(evidence.published.sizes.sum()) or not evidence.inside.all():
        return None  # somebody was not in the table
    return evidence.method.strata(evidence.people)


def fixed_by_strata(evidence: Evidence) -> frozenset[str]:
    """The columns that every stratum fixes, and ``stratum`` itself; nothing where strata cannot be cut again.

    A distribution by these is the same of everybody in a stratum. Trading the values of two of them then changes no
    world's probability, which is what the promise of strata asks of an attacker (docs/strata.md). A column that was
    rounded or capped is not among them: an attacker may know its exact values.
    """
    if evidence not in _FIXED:
        strata, people = cut_again(evidence), evidence.people
        quasi = [(people.attributes[i], people.codes[i]) for i in people.having(Role.QUASI)]
        columns = {by_column(one.name): codes for one, codes in quasi if not one.coarser}
        columns = {} if strata is None else {STRATUM: strata} | columns
        _FIXED[evidence] = frozenset(name for name, codes in columns.items() if _one_in_each(strata, codes))
    return _FIXED[evidence]


def _one_in_each(strata: Codes | None, codes: Codes) -> bool:
    """Whether every stratum has one of these codes."""
    assert strata is not None
    one = np.empty(int(strata.max(initial=-1)) + 1, np.int32)
    one[strata] = codes  # of somebody in it
    return bool((one[strata] == codes).all())
