"""How often an attacker with statistics is right: by these alone, with the release, and about those it is sure of.

Accuracy over everybody says little of a rare value: an attacker who is right about 42 % of those whom it believes to
have what 6 % have has learned much, though always naming the most frequent value is right more often.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.risk.verdict import ROUNDING
from pellucid.runtime.records import record

Floats = NDArray[np.float64]
By = Literal["column", "pair", "columns", "strata"]


@record()
class Rightly:
    """What an attacker makes of the ``people`` in the table, beside what it makes of them without the release.

    - ``mean`` is the probability that it gives to the true value, on average; ``right`` how often its best guess is;
    - ``mean_alone`` and ``right_alone`` are the same by its statistics alone, ``mean_column`` and ``right_column`` by
      the distribution of the column alone, which is the baseline;
    - of ``believed`` people it believes a value above the bound, of ``correct`` of them rightly, and ``base`` is the
      share of the table that has such a value: one that is protected, or what is guessed of them (None of nobody); None
      without a bound. ``believed_alone``, ``correct_alone`` and ``base_alone`` are by its statistics alone.
    """

    people: int
    mean: float
    right: float
    mean_column: float
    right_column: float
    mean_alone: float | None = None
    right_alone: float | None = None
    believed: int | None = None
    correct: int | None = None
    base: float | None = None
    believed_alone: int | None = None
    correct_alone: int | None = None
    base_alone: float | None = None

    @property
    def above(self) -> tuple[Above | None, Above | None]:
        """The beliefs above the bound, without the release and with it."""
        alone = (self.believed_alone, self.correct_alone, self.base_alone)
        return Above.of(*alone), Above.of(self.believed, self.correct, self.base)


@record()
class Above:
    """Of ``people`` more than the bound is believed, of ``correct`` of them rightly; ``base`` have such a value."""

    people: int
    correct: int
    base: float | None

    @classmethod
    def of(cls, people: int | None, correct: int | None, base: float | None) -> Above | None:
        """None where nobody counted them."""
        return None if people is None or correct is None else cls(people, correct, base)

    @property
    def share(self) -> float | None:
        """How many of these beliefs are right; None without any."""
        return self.correct / self.people if self.people else None


@record()
class Statistic:
    """What an attacker with a statistic gets right; ``right`` is None where that is not known, and ``why`` says it.

    ``supported`` is how many people of the table the statistic tells anything about, ``least`` the fewest people that
    a figure of it rests on. Of ``unsupported`` others it knows the distribution of the whole column. ``drawn``: whether
    figures are those of people drawn by lot.
    """

    by: By
    columns: tuple[str, ...]
    supported: int = 0
    least: int = 0
    drawn: bool = False
    right: Rightly | None = None
    why: str = ""
    unsupported: int = 0


Told = tuple[Floats, Codes, Floats]  # how likely the truth is to the attacker, what is guessed, the largest belief
Bound = tuple[float | Floats, NDArray[np.int64] | None, bool]  # what is allowed, which values count, as one or not


def figures(truth: Codes, shares: Floats, release: Told, alone: Told | None, bound: Bound | None) -> Rightly:
    """The figures of some people with these true values, with the release and without.

    ``shares`` is how frequent each value is in the table.
    """
    (chance, guesses, _), (mean, right) = release, (None, None)
    if alone is not None:
        mean, right = float(alone[0].mean()), float((alone[1] == truth).mean())
    nobody = (None, None, None)
    return Rightly(
        len(truth),
        float(chance.mean()),
        float((guesses == truth).mean()),
        float(shares[truth].mean()),
        float((truth == shares.argmax()).mean()),
        mean,
        right,
        *(nobody if bound is None else _above(truth, shares, *release, *bound)),
        *(nobody if bound is None or alone is None else _above(truth, shares, *alone, *bound)),
    )


def _above(
    truth: Codes,
    shares: Floats,
    chance: Floats,
    guesses: Codes,
    risk: Floats,
    allowed: float | Floats,
    protected: NDArray[np.int64] | None,
    as_one: bool,
) -> tuple[int, int, float | None]:
    """Of how many people more is believed than is allowed, of how many rightly, and how frequent such values are.

    Where all values count, several may be believed of one person. It is then the likeliest that is right or not.
    """
    limit = np.broadcast_to(np.asarray(allowed) * ROUNDING, len(truth))
    above = np.flatnonzero(risk > limit)
    if protected is None:
        correct = int((guesses[above] == truth[above]).sum())
        return len(above), correct, float(shares[guesses[above]].mean()) if len(above) else None
    correct = int((np.isin(truth[above], protected) & (as_one | (chance[above] > limit[above]))).sum())
    return len(above), correct, float(shares[protected].sum())
