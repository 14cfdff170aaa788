"""The kinds of adversaries, one record each: its name, who that is, how a reader is told of it, whom of it is tried.

A kind that is added here is tried by :func:`pellucid.attack_all`, can be named with ``--adversary``, and stands in
reports and on the pages. What follows from what it knows, the engines say (``inference/``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.messages import Message
from pellucid.risk.adversary import Adversary, Distribution, Learned

KindName = Literal["nothing", "minimality", "algorithm", "learned", "distribution"]


@dataclass(frozen=True)
class AdversaryKind:
    """One kind of adversary.

    - ``name`` completes "somebody who ...", as in "knows the algorithm";
    - ``who`` says in a report what such a person does and how their figure is to be read, ``in_short`` on a page;
    - ``promised_to`` is how a table of promises names them;
    - ``tried`` gives those of the kind who are tried on a table with these quasi-identifiers; where ``lacking`` is not
      empty they need the true table, and it says what is missing without;
    - ``covered_by`` are the guarantees that hold against them, ``mistaken_under`` those under which what they assume is
      wrong (:mod:`pellucid.risk.report.guarantee_coverage`);
    - ``in_python`` is how Python users write one of them, as the reference shows it;
    - ``named`` names one of them where that is more than ``name``;
    - ``by_column``: one for each quasi-identifier, who are told together;
    - ``reasons``: from the release and what is known of the method, and from nothing else;
    - ``cost``: the cheaper ones are tried first where somebody waits; no two kinds have the same.
    """

    name: str
    who: str
    in_short: str
    promised_to: str
    tried: Callable[[Sequence[str]], Sequence[Adversary]]
    cost: int
    in_python: str
    named: Callable[[Adversary], str] | None = None
    by_column: bool = False
    reasons: bool = False
    covered_by: tuple[str, ...] = ()
    mistaken_under: tuple[str, ...] = ()
    lacking: str = ""


def _by_columns(adversary: Adversary) -> str:
    assert isinstance(adversary.prior, Distribution)
    of = f" of at least {adversary.prior.support:,} people" if adversary.prior.support > 1 else ""
    return f"knows the distribution by {' and '.join(adversary.prior.by)}{of}"


KINDS: dict[KindName, AdversaryKind] = {
    "nothing": AdversaryKind(
        name="knows only the release",
        who=(
            "This attacker knows everybody's quasi-identifiers, finds a person's group and counts how often each value "
            "occurs in it. Every privacy model of tables stops this one."
        ),
        in_short="Has the published table and knows people, but not how the table was made.",
        promised_to="knows only the release",
        tried=lambda _: [Adversary(knows="nothing")],
        cost=1,
        in_python='pc.Adversary(knows="nothing")',
        reasons=True,
        covered_by=("frequency", "minimality", "algorithm"),
    ),
    "minimality": AdversaryKind(
        name="knows minimality",
        who=(
            "This attacker assumes that nothing was made coarser than it had to be, and asks of each group why these "
            "people were put together: perhaps because publishing them apart would have exposed somebody."
        ),
        in_short="Assumes that nothing was made coarser than it had to be, and reasons from that.",
        promised_to="knows that nothing was generalised without need (minimality)",
        tried=lambda _: [Adversary(knows="minimality")],
        cost=4,
        in_python='pc.Adversary(knows="minimality")',
        reasons=True,
        covered_by=("minimality",),
        mistaken_under=("algorithm",),
    ),
    "algorithm": AdversaryKind(
        name="knows the algorithm",
        who=(
            "This attacker runs the method in their head for every possible assignment of values and keeps those that "
            "lead to exactly this release. Only the values and the coins are unknown to them."
        ),
        in_short="Knows the method, its parameters and everything about everyone but the sensitive values.",
        promised_to="knows the algorithm, its parameters and everybody's quasi-identifiers",
        tried=lambda _: [Adversary(knows="algorithm")],
        cost=2,
        in_python='pc.Adversary(knows="algorithm")',
        reasons=True,
        covered_by=("algorithm",),
    ),
    "learned": AdversaryKind(
        name="learns from the release",
        who=(
            "This attacker learns from the release itself who tends to have which value, and uses that about single "
            "people. No promise about a group's values covers it. Publishing less helps: fewer or coarser "
            "quasi-identifiers, a larger l, or strata that fix more columns. ART is made against statistics of this "
            "kind. The figure is how sure "
            "this attacker is, not how often they are right: compare how many best guesses are right with counting "
            "alone."
        ),
        in_short="Learns from the release who usually has which value, and applies it to each person.",
        promised_to="learns from the release what is typical",
        tried=lambda _: [Adversary(prior=Learned())],
        cost=5,
        in_python="pc.Adversary(prior=pc.Learned())",
    ),
    "distribution": AdversaryKind(
        name="knows the distribution by a quasi-identifier",
        who=(
            "This attacker knows from elsewhere, such as a register, how values depend on one quasi-identifier or on "
            "the stratum. The worst case: what they know is exactly what the table says. Strata covers this attacker "
            "where every stratum has one value of the column."
        ),
        in_short="Knows how the sensitive values depend on that.",
        promised_to="knows from elsewhere how values depend on a quasi-identifier",
        tried=lambda quasi: [Adversary(prior=Distribution(name)) for name in quasi],
        cost=3,
        in_python='pc.Adversary(prior=pc.Distribution("age"))',
        named=_by_columns,
        by_column=True,
        lacking=Message.of("it is measured on the true table", "give that as {TRUTH}"),
    ),
}
REASONING: tuple[KindName, ...] = tuple(name for name, kind in KINDS.items() if kind.reasons)


def kind_of(adversary: Adversary) -> KindName:
    """Which of the kinds an adversary is.

    >>> kind_of(Adversary(prior=Learned())), kind_of(Adversary(knows="minimality"))
    ('learned', 'minimality')
    """
    if isinstance(adversary.prior, Learned):
        return "learned"
    return "distribution" if isinstance(adversary.prior, Distribution) else adversary.knows
