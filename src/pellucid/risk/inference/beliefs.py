"""What an adversary believes about everybody, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.messages import Belief, Count, Message, Probability, Value
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.scoring import Scoring
from pellucid.risk.views import Evidence
from pellucid.runtime.notebook import line, table, view
from pellucid.text.figures import probability

if TYPE_CHECKING:
    from pellucid.risk.verdict import BoundVerdict

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """The posterior of every person, in population order.

    ``risk`` is the largest posterior over the sensitive values, one per person: 0 for people who are in no group, and
    NaN for those whose rows were withheld and of whom nothing is counted (``counted`` has 0 for these too);
    ``baseline`` is what the frequency in the group alone would give. When the engine samples, ``lower`` and ``upper``
    bound the risk with the stated ``confidence``; otherwise they equal it.

    ``exactness`` is what the engine claims of these figures; one that says nothing is not relied on. ``lacking`` says
    what to give to be shown more. Verdicts look at both (:mod:`pellucid.risk.verdict`).
    """

    adversary: Adversary
    evidence: Evidence
    risk: Floats
    engine: str
    posterior_of: Callable[[int], Mapping[Any, Any]]
    reason_of: Callable[[int], str]
    lower: Floats | None = None
    upper: Floats | None = None
    confidence: float = 1.0
    notes: tuple[str, ...] = field(default=())
    chance_of: Callable[[NDArray[np.int64]], Floats] | None = None  # of sensitive codes, for everybody at once
    before: Floats | None = None  # the largest belief about each person before the release, where people differ by it
    at_most: float | None = None  # what nobody exceeds in a view that was not computed; None where all views were
    other_view: str = ""  # which view that is, and what to give
    otherwise: Floats | None = None  # the same by person, where the promise bounds each person by themselves
    exactness: Exactness = Exactness.UNKNOWN
    lacking: tuple[str, ...] = ()
    surely: Floats | None = None  # of a walk: the lower ends that worlds drawn independently show of everybody at once
    guesses: Callable[[], NDArray[np.int32]] | None = None  # everybody's likeliest code, -1 for whoever is in no group
    drawn: tuple[int, int] | None = None  # the people and groups that it learned from, where they were drawn by lot
    scoring: Scoring | None = None  # of an attacker with statistics, beside the truth: how much of it is believed

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(Message, self.notes)))
        object.__setattr__(self, "lacking", tuple(map(Message, self.lacking)))
        object.__setattr__(self, "other_view", Message(self.other_view))

    @cached_property
    def counted(self) -> Floats:
        """The risks with 0 for whoever is not counted, which every figure of many people is made of."""
        unknown = np.isnan(self.risk)
        return np.where(unknown, 0.0, self.risk) if unknown.any() else self.risk

    @property
    def of_events(self) -> Floats:
        """For each person the largest belief in what counts: a value, or one of a set."""
        values = self.evidence.values
        named = ([values[code] for code in some.tolist()] for some in self.evidence.events)
        return np.asarray(reduce(np.maximum, (self.belief(*some) for some in named)))

    @property
    def baseline(self) -> Floats:
        """The risk by frequency alone."""
        return self.evidence.baseline

    @property
    def sampled(self) -> bool:
        """Whether figures are estimates between ``lower`` and ``upper``; they are written with ``~``."""
        return self.confidence < 1.0

    @property
    def by_lot(self) -> bool:
        """Whether figures are estimates of which nothing is claimed: learned from a lot, and not from everybody."""
        return self.drawn is not None

    def written(self, figure: float) -> str:
        """A figure as a reader should take it: with ``~`` where it is an estimate."""
        return f"{'~' * (self.sampled or self.by_lot)}{probability(figure)}"

    @cached_property
    def max_risk(self) -> float:
        """The largest risk of anybody."""
        return min(1.0, float(self.counted.max(initial=0.0)))

    @cached_property
    def most_exposed(self) -> int:
        """The row of the person whose risk may be largest: by the upper bound, then by the lower one and the figure."""
        upper = self.counted if self.upper is None else self.upper
        lower = self.counted if self.lower is None else self.lower
        return int(np.lexsort((-np.arange(len(self.counted)), self.counted, lower, upper))[-1])

    def posterior(self, person: Any, value: Any) -> Any:
        """How likely a person, by name or row number, has a value."""
        row = self.evidence.person(person)
        if np.isnan(self.risk[row]):
            return float("nan")
        code = self.evidence.code(value)
        found = self.posterior_of(row).get(self.evidence.values[code], 0.0)
        if self.chance_of is None or isinstance(found, Fraction):
            return found
        if code not in self._chances:  # as belief() has it: a shape may be sampled where chances are not
            self._chances[code] = self.chance_of(np.array([code], np.int64))
        return float(self._chances[code][row])

    @cached_property
    def _chances(self) -> dict[int, Floats]:
        return {}

    def belief(self, *values: Any) -> Floats:
        """How likely each person, in population order, has one of these values; for whoever protects some values only.

        >>> import pellucid as pc
        >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
        >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
        >>> beliefs = pc.attack(release, truth=pc.datasets.patients(), **roles)
        >>> float(beliefs.belief("gastritis").max()) <= beliefs.max_risk
        True
        """
        codes = np.unique([self.evidence.code(value) for value in values]).astype(np.int64)
        if self.chance_of is not None:
            return np.where(np.isnan(self.risk), np.nan, self.chance_of(codes))
        named = [self.evidence.values[code] for code in codes.tolist()]
        posteriors = (self.posterior_of(row) for row in range(len(self.counted)))
        chances = np.array([float(sum(posterior.get(value, 0.0) for value in named)) for posterior in posteriors])
        return np.where(np.isnan(self.risk), np.nan, chances)

    def vulnerable(self, threshold: float | Floats, *, surely: bool = False) -> NDArray[np.int64]:
        """The rows of people whose risk may exceed the threshold, or each their own; a billionth is rounding.

        Where risks are bounded, that is by the upper bound, the safe side; ``surely``: by what a verdict is sure of.
        """
        from pellucid.risk.verdict import lower_ends  # which looks at beliefs

        upper = self.counted if self.upper is None else self.upper
        return np.flatnonzero((lower_ends(self) if surely else upper) > threshold * (1 + 1e-9)).astype(np.int64)

    def standing(self, most: float | Fraction) -> BoundVerdict:
        """Whether nobody is believed to have a value with more than this probability; the one place that says so.

        >>> import pellucid as pc
        >>> release = pc.publish("patients", pc.Tailor(l=2))
        >>> pc.attack(release, truth=pc.datasets.patients()).standing(1 / 2).holds
        True
        """
        from pellucid.risk.verdict import most_allowed, verdict_of  # which looks at beliefs

        return verdict_of(self, most_allowed(most))

    def share_above(self, threshold: float) -> float:
        """The share of the people in groups whose risk may exceed the threshold."""
        people = int(self.evidence.inside.sum())
        return len(self.vulnerable(threshold)) / people if people else 0.0

    def explain(self, person: Any) -> Message:
        """The reasoning about one person, in words: what counting gives, what is believed, what was excluded and why.

        >>> import pellucid as pc
        >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
        >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
        >>> said = pc.attack(release, truth=pc.datasets.patients(), identifier="name").explain("Ann")
        >>> said.startswith("Ann is in a group of 4 rows"), "as counting alone" in said
        (True, True)
        """
        row = self.evidence.person(person)
        name = self.evidence.name_of(row)
        posterior = self.posterior_of(row)
        if not self.evidence.inside[row] or not posterior:
            return self._explain_absence(row, name)
        held = {code: posterior.get(value, 0) for code, value in enumerate(self.evidence.values)}
        event = max(self.evidence.events, key=lambda some: sum(held[code] for code in some.tolist()))
        belief = sum(held[code] for code in event.tolist())
        if not belief:
            alone = "{name} is in a group without any protected value, and nothing is promised about the others."
            return Message(alone, name=name)
        counts = [self.evidence.values[code] for code in event.tolist() if held[code]]
        counted, told = self._counted(row, counts)
        reason = Message(self.reason_of(row))
        if self._nothing_is_shown(row):
            return Message(
                "{name} {told}. What somebody believes who {adversary} is not shown: {reason}. {name} is taken as "
                "exposed.",
                name=name,
                told=told,
                adversary=self.adversary.name,
                reason=reason,
            )
        return Message(
            "{name} {told}. Somebody who {adversary} {believes} of {value}{most}, {compared} counting alone: {reason}.",
            name=name,
            told=told,
            adversary=self.adversary.name,
            believes=Belief(float(belief), self._bound(row, float(belief))),
            value=shown(*counts),
            most="" if self.upper is None else self._at_most(row, float(belief)),
            compared=compared(float(belief), counted),
            reason=reason,
        )

    def _explain_absence(self, row: int, name: str) -> Message:
        if self.counted[row] > 0:
            return Message(
                "{name} is in no published group. What being left out tells is not counted, so nothing is claimed: "
                "{name} is taken as exposed.",
                name=name,
            )
        if np.isnan(self.risk[row]):
            return Message(
                "{name} is not published and not counted: the row was withheld. Whoever knows the totals of the whole "
                "table may learn the value from what is missing.",
                name=name,
            )
        return Message("{name} is in no published group, so the release says nothing about {name}.", name=name)

    def _nothing_is_shown(self, row: int) -> bool:
        """Whether anything between nothing and certainty may be believed."""
        return self.lower is not None and self.upper is not None and self.lower[row] <= 0 and self.upper[row] >= 1

    def _counted(self, row: int, values: Sequence[Any]) -> tuple[float, Message]:
        """What counting gives for one value of a person, or for several as one, and where the person is."""
        evidence = self.evidence
        group = int(evidence.grouping.labels[row])
        named, value = [evidence.values.index(value) for value in values], shown(*values)
        if group < 0:
            groups = evidence.groups_of(row)
            chance = float(sum(evidence.mixture(row).get(code, 0.0) for code in named))
            where = f"may be in {len(groups)} published groups" if len(groups) > 1 else "may be in a published group"
            bound = "" if evidence.membership is None or evidence.membership.exact[row] else "at most"
            gives = "{where}: counting alone gives {chance} for {value}"
            return chance, Message(gives, where=where, chance=Probability(chance, bound), value=value)
        codes, counts = evidence.counts(group)
        size = int(evidence.published.sizes[group])
        having = int(counts[np.isin(codes, named)].sum())
        return having / size, Message(
            "is in a group of {rows}, {having} of them with {value}: counting alone gives {chance}",
            rows=Count(size, "row"),
            having=f"{having:,}",
            value=value,
            chance=Probability(having / size),
        )

    def _bound(self, row: int, belief: float) -> str:
        """The words before a figure that is an estimate, or the most that can be believed and not a sample."""
        if self.by_lot:
            return "about"
        if self.sampled or self.lower is None or float(self.lower[row]) >= belief * (1 - 1e-9):
            return ""
        if self.upper is not None and float(self.upper[row]) > belief * (1 + 1e-9):  # which is said behind it
            return ""
        return "at most"

    def _at_most(self, row: int, belief: float) -> Message:
        """The upper bound, where it is above the figure."""
        assert self.upper is not None
        if float(self.upper[row]) <= belief * (1 + 1e-9):
            return Message("")
        sure = "" if self.confidence == 1 else f" with confidence {self.confidence:g}"
        return Message(" ({most}{sure})", most=Probability(float(self.upper[row]), "at most"), sure=sure)

    @property
    def _interval(self) -> str:
        if not self.sampled or self.lower is None or self.upper is None:
            return ""
        if not len(self.counted):
            return ""
        low, high = float(self.lower[self.most_exposed]), float(self.upper[self.most_exposed])
        if high >= 1 and low <= 0:
            return " (not shown)"
        return f" (from {probability(low)} to {probability(high)} with confidence {self.confidence:g})"

    def __repr__(self) -> str:
        largest = float(self.counted[self.most_exposed]) if self.sampled and len(self.counted) else self.max_risk
        return (
            f"Beliefs({self.adversary.name}: {len(self.counted):,} people, largest risk {self.written(largest)}"
            f"{self._interval}, "
            f"by frequency {probability(float(self.baseline.max(initial=0)))}, engine {self.engine})"
        )

    def _repr_html_(self) -> str:
        """How much is believed of the person known best, and of how many people more than what; nobody is named."""
        inside = self.counted[self.evidence.inside]
        estimated = self.by_lot or (self.upper is not None and self.sampled)
        most = "largest risk of anybody, estimated" if estimated else "largest risk of anybody"
        figures: list[tuple[str, str]] = [
            (most, probability(self.max_risk)),
            ("by frequency alone", f"{probability(float(self.baseline.max(initial=0)))}"),
            ("people in groups", f"{len(inside):,}"),
            ("mean risk", f"{probability(float(inside.mean()) if len(inside) else 0.0)}"),
            ("computed", self.engine),
        ]
        if self.upper is not None:
            bound = f"{probability(float(self.upper.max(initial=0.0)))}, with confidence {self.confidence:.4g}"
            figures.insert(1, ("at most", bound))
        notes = [line(note) for note in self.notes]
        return view(line(f"Somebody who {self.adversary.name}", strong=True), table(["", ""], figures), *notes)


def compared(belief: float, counted: float) -> Message:
    """How a belief compares with what counting gives; differences below a billionth are rounding.

    >>> compared(0.5, 0.25), compared(0.25, 0.25), compared(0.2, 0.25)
    ('more than', 'as', 'less than')
    """
    if abs(belief - counted) <= 1e-9:
        return Message("as")
    return Message("more than") if belief > counted else Message("less than")


def shown(*values: Any) -> Message:
    """A sensitive value in a sentence, or one or another of several; a null is what a surface calls it.

    >>> shown("flu"), shown(7), shown(None), shown("flu", "gout")
    ("'flu'", '7', 'null', "'flu' or 'gout'")
    """
    each = [Message("{value}", value=Value(None) if value is None else repr(value)) for value in values]
    return Message.joined(each, " or ")
