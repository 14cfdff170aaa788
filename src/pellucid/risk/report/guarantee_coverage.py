"""Whom a promise covers: the one place that says so, for every page, report and comparison.

A promise "at most 1/l" is about what somebody believes who reasons rightly from what they know. *Covered* are those who
know no more than the promise allows. *Mistaken* is who assumes that nothing was generalised without need (minimality)
where the promise holds against whoever knows the algorithm: such a method does generalise without need, so that what
follows from the assumption may be firm and wrong, and is no probability of being right. Everybody else is *outside*:
who learns from the release what is typical, who knows from elsewhere how values are distributed, and who knows more of
the method than a weaker promise allows. Strata covers whoever knows distributions by columns that strata fix.

A verdict judges those whom the promise covers, unless others are named, and says so: the figures of the others are told
beside it. A weak promise is no excuse: where it does not cover whoever knows the algorithm, or nobody promises
anything, a verdict judges everybody who reasons from the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.risk.adversary import Adversary, Distribution
from pellucid.risk.adversary_kinds import KINDS, REASONING, KindName

Coverage = Literal["covered", "mistaken", "outside"]

TITLES: dict[Coverage, str] = {
    "covered": "Covered by the promise",
    "mistaken": "Mistaken about the method: what they believe may be firm and wrong",
    "outside": "Not covered: nothing is promised about them",
}
RISK = "largest belief about anybody, of the attackers who know the release or the method"


def coverage(claim: str, adversary: Adversary, fixed: frozenset[str] = frozenset()) -> Coverage:
    """How an adversary stands to a guarantee; ``fixed`` is what strata fix, so that statistics by it are covered.

    >>> coverage("algorithm", Adversary(knows="algorithm")), coverage("frequency", Adversary(knows="algorithm"))
    ('covered', 'outside')
    >>> coverage("algorithm", Adversary(knows="minimality"))
    'mistaken'
    """
    prior = adversary.prior
    if isinstance(prior, Distribution) and not adversary.facts and statistics_covered(claim, prior.by, fixed):
        return "covered"
    return coverage_of(claim, adversary.knows, more=bool(adversary.facts) or prior != "uniform")


def kinds_covered(claim: str, fixed: frozenset[str] = frozenset()) -> set[KindName]:
    """The kinds of whom a guarantee covers some, or all."""
    covered: set[KindName] = {kind for kind in KINDS if coverage_of(claim, kind, more=False) == "covered"}
    return covered | {"distribution"} if statistics_covered(claim, fixed, fixed) else covered


def statistics_covered(claim: str | None, columns: Iterable[str], fixed: frozenset[str]) -> bool:
    """Whether a guarantee holds against whoever knows the distribution by these columns: where strata fix each of them.

    >>> [statistics_covered("algorithm", columns, frozenset(["sex"])) for columns in (["sex"], ["sex", "age"], [])]
    [True, False, False]
    """
    by = set(columns)
    return claim == "algorithm" and bool(by) and by <= fixed


def coverage_of(claim: str, knows: str, *, more: bool) -> Coverage:
    """The same by what somebody knows of the method, and whether they have facts or a prior of their own besides."""
    if more:
        return "outside"
    known = next((kind for name, kind in KINDS.items() if name == knows), None)
    if known is None:
        return "outside"
    return "mistaken" if claim in known.mistaken_under else "covered" if claim in known.covered_by else "outside"


@dataclass(frozen=True)
class Judged:
    """Whom a verdict is about, and why these; ``asked`` says that somebody named them.

    ``alone`` is ``why`` of a single one, ``beside`` whether either says behind a comma what they are beside, and
    ``title`` is ``why`` in a few words, where these are others.
    """

    kinds: tuple[KindName, ...] = tuple(KINDS)
    why: str = "as asked"
    asked: bool = True
    alone: str = ""
    beside: bool = False
    title: str = ""

    @property
    def brief(self) -> str:
        """The same for a title.

        >>> judged_by("frequency", "mondrian", "frequency", None).brief
        'who reason from the release'
        """
        return self.title or self.why


def judged_by(promise: str | None, method: str, claim: str | None, asked: Sequence[KindName] | None) -> Judged:
    """Whom a verdict is about.

    ``promise`` is the guarantee that comes with a release, None where nobody promises anything; ``method`` and
    ``claim`` are how it was made, as far as that is known, and what that method could promise.

    >>> judged_by("algorithm", "soft-cut", "algorithm", None).kinds
    ('nothing', 'algorithm')
    >>> judged_by("frequency", "mondrian", "frequency", None).kinds
    ('nothing', 'minimality', 'algorithm')
    >>> judged_by(None, "mondrian", "frequency", None).kinds
    ('nothing', 'minimality', 'algorithm')
    """
    if asked is not None:
        return Judged(tuple(asked))
    method = method or "the release"
    if promise == "algorithm":
        alone = f"whom alone the promise of {method} covers"
        return Judged(_covered_by(promise), f"whom the promise of {method} covers", asked=False, alone=alone)
    kinds = tuple(kind for kind in REASONING if coverage_of(claim or "", kind, more=False) != "mistaken")
    covered = promise and _covered_by(promise)
    more = f"more than the promise of {method} covers" if covered else "for which nobody promises anything"
    title = "who reason from the release"
    alone = f"who reasons from the release, {more}"
    return Judged(kinds, f"{title}, {more}", asked=False, alone=alone, beside=True, title=title)


def _covered_by(guarantee: str) -> tuple[KindName, ...]:
    return tuple(name for name, kind in KINDS.items() if guarantee in kind.covered_by)
