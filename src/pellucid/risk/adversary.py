"""An adversary is a prior, a knowledge of the method, and facts. What it believes follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, get_args

from pellucid.errors import AttackError
from pellucid.risk.facts import Fact, Has, Implies, Not
from pellucid.runtime.arguments import brief, several, whole_number
from pellucid.text.figures import counted

Knowledge = Literal["nothing", "minimality", "algorithm"]
STRATUM = "stratum"  # what a distribution depends on that is known by no column
A_COLUMN = "the column "  # before the name of a column that could be taken for it


@dataclass(frozen=True)
class Learned:
    """A prior that is estimated from the release itself (the deFinetti attack): who looks alike is alike.

    ``iterations`` of expectation and maximisation of a naive Bayes classifier with Laplace ``smoothing``.
    """

    iterations: int = 25
    smoothing: float = 0.1

    def __post_init__(self) -> None:
        numbers = isinstance(self.iterations, int) and isinstance(self.smoothing, int | float)
        numbers = numbers and not isinstance(self.iterations, bool) and not isinstance(self.smoothing, bool)
        if not numbers or self.iterations < 1 or not 0 < self.smoothing < inf:
            raise AttackError(
                f"Learned(iterations={self.iterations}, smoothing={self.smoothing}): needs at least one iteration and "
                "a smoothing above 0"
            )


@dataclass(frozen=True)
class Distribution:
    """A prior P(value | quasi-identifiers): the worst case of r-robustness, and what statistics of a region tell.

    ``attributes`` names the quasi-identifiers that it depends on. ``probabilities`` maps their values (a tuple, or the
    value itself when there is one) to a mapping from sensitive value to probability; without it, the distribution is
    measured on the true table, which is the most that an adversary can know about it. What probabilities leave is
    shared by the values that are not named, in proportion to what is published. Measured is of people of whom at least
    ``support`` look alike; of the others the whole table's is known, as :class:`pellucid.ART` has it. Without
    ``attributes`` it is that of the strata of a release of :class:`pellucid.Strata`.
    """

    attributes: tuple[str, ...]
    probabilities: Mapping[Any, Mapping[Any, float]] | None = None
    support: int = 1

    def __init__(
        self,
        attributes: str | Iterable[str] = (),
        probabilities: Mapping[Any, Mapping[Any, float]] | None = None,
        support: int = 1,
    ) -> None:
        names = tuple(several(attributes, "attributes", "names, as in Distribution(['age'])", AttackError))
        if not all(isinstance(name, str) for name in names):
            raise AttackError(f"attributes = {attributes!r}: must be names of columns, as in Distribution(['age'])")
        if probabilities is not None and not isinstance(probabilities, Mapping):
            raise AttackError("probabilities must map values of the attributes to probabilities of sensitive values")
        object.__setattr__(self, "attributes", names)
        object.__setattr__(self, "probabilities", probabilities)
        object.__setattr__(self, "support", whole_number(support, "support", AttackError, least=1))
        if support > 1 and (probabilities is not None or not names):
            raise AttackError(
                "support is of distributions by columns that are measured on the true table", "leave support out"
            )
        if not names and probabilities is not None:
            raise AttackError("the distribution in strata is measured on the true table", "leave probabilities out")

    @property
    def by(self) -> tuple[str, ...]:
        """What it depends on, in words."""
        return tuple(map(by_column, self.attributes)) or (STRATUM,)

    def __hash__(self) -> int:
        return hash(self.attributes)


def by_column(name: str) -> str:
    """What a distribution by a column depends on: its name, and never what that of strata depends on.

    >>> by_column("age"), by_column("stratum")
    ('age', 'the column stratum')
    """
    return A_COLUMN + name if name == STRATUM or name.startswith(A_COLUMN) else name


Prior = Literal["uniform"] | Learned | Distribution


def prior_name(prior: Prior | type[Learned | Distribution]) -> str:
    """A prior, or a class of them, as documents name it.

    >>> prior_name("uniform"), prior_name(Learned()), prior_name(Distribution)
    ('uniform', 'learned', 'distribution')
    """
    if isinstance(prior, str):
        return prior
    kind = prior if isinstance(prior, type) else type(prior)
    return kind.__name__.lower()


def prior_names() -> tuple[str, ...]:
    """Every prior that there is, as documents name it.

    >>> prior_names()
    ('uniform', 'learned', 'distribution')
    """
    words, *kinds = get_args(Prior)
    return (*get_args(words), *map(prior_name, kinds))


@dataclass(frozen=True)
class Adversary:
    """Who attacks: what is believed beforehand, what is known of the method, and which facts.

    - ``prior``: ``"uniform"`` (every world is equally likely), a :class:`Distribution`, or :class:`Learned`;
    - ``knows``: ``"nothing"`` of the method, ``"minimality"`` (that nothing was generalised without need), or
      ``"algorithm"`` (the method and its parameters, everything but the coins);
    - ``facts``: what is known of single people (:class:`Has`, :class:`Not`, :class:`Implies`).

    >>> Adversary(knows="algorithm").name
    'knows the algorithm'
    """

    prior: Prior = "uniform"
    knows: Knowledge = "nothing"
    facts: Sequence[Fact] = field(default=())

    def __post_init__(self) -> None:
        if not isinstance(self.knows, str) or self.knows not in ("nothing", "minimality", "algorithm"):
            raise AttackError(f"knows = {brief(self.knows)}: must be 'nothing', 'minimality' or 'algorithm'")
        words = isinstance(self.prior, str) and self.prior == "uniform"
        if not words and not isinstance(self.prior, Learned | Distribution):
            raise AttackError(
                f"prior = {brief(self.prior)}: must be 'uniform', pellucid.Learned() or pellucid.Distribution([...])"
            )
        single = isinstance(self.facts, Has | Not | Implies)
        rule = "a list, as in facts=[Not('Ann', 'flu')]"
        given = [self.facts] if single else several(self.facts, "facts", rule, AttackError)
        object.__setattr__(self, "facts", tuple(given))
        for fact in self.facts:
            if not isinstance(fact, Has | Not | Implies):
                raise AttackError(f"{fact!r} is not a fact", "write Has(person, value), Not(...) or Implies(..., ...)")

    @property
    def name(self) -> str:
        """The adversary in a few words."""
        from pellucid.risk.adversary_kinds import KINDS, kind_of  # which are made of adversaries

        kind = KINDS[kind_of(self)]
        own = kind.name if kind.named is None else kind.named(self)
        more = f"{KINDS[self.knows].name}, " if self.prior != "uniform" and self.knows != "nothing" else ""
        return more + own + (f", and {counted(len(self.facts), 'fact')}" if self.facts else "")
