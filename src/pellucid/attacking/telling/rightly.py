"""How often an attacker with statistics is right: by these alone, with the release, and about those it is sure of.

Accuracy over everybody says little of a rare value: an attacker who is right about 42 % of those whom it believes to
have what 6 % have has learned much, though always naming the most frequent value is right more often.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.verdict import ROUNDING
from pellucid.records import record
from pellucid.table import Codes

Floats = NDArray[np.float64]
By = Literal["column", "pair", "columns", "strata"]


@record()
class Rightly:
    """What an attacker makes of the ``people`` in the table, beside what it makes of them without the release.

    - ``mean`` is the probability that it gives to the true value, on average; ``right`` how often its best guess is;
    - ``mean_alone`` and ``right_alone`` are the same by its statistics alone, ``mean_column`` and ``right_column`` by
      the distribution of the column alone, which is the baseline;
    - of ``believed`` people it believes a value above the bound, of ``correct`` of them rightly, and ``base`` is the
      share that the values so believed have in the table; None where there is no bound, or several values count.
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


@record()
class Statistic:
    """What an attacker with a statistic gets right; ``right`` is None where that is not known, and ``why`` says it.

    ``supported`` is how many people of the table the statistic tells anything about, ``least`` the fewest people that
    a figure of it rests on. ``drawn``: whether figures are those of people drawn by lot.
    """

    by: By
    columns: tuple[str, ...]
    supported: int = 0
    least: int = 0
    drawn: bool = False
    right: Rightly | None = None
    why: str = ""


def figures(
    truth: Codes,
    shares: Floats,
    release: tuple[Floats, Codes],
    alone: tuple[Floats, Codes] | None,
    bound: tuple[Floats, float | Floats, NDArray[np.int64] | None, bool] | None,
) -> Rightly:
    """The figures of some people with these true values.

    ``shares`` is how frequent each value is in the table. ``release`` and ``alone`` have how likely the truth is to the
    attacker and what is guessed, with the release and without. ``bound`` has the largest belief about each person, what
    is allowed, which values count, and whether these are one.
    """
    (chance, guesses), (mean, right) = release, (None, None)
    if alone is not None:
        mean, right = float(alone[0].mean()), float((alone[1] == truth).mean())
    return Rightly(
        len(truth),
        float(chance.mean()),
        float((guesses == truth).mean()),
        float(shares[truth].mean()),
        float((truth == shares.argmax()).mean()),
        mean,
        right,
        *((None, None, None) if bound is None else _above(truth, shares, chance, guesses, *bound)),
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
    return len(above), correct, float(shares[protected].sum()) if as_one or len(protected) == 1 else None
