"""The shares that the synthetic census is drawn from, and the tables that turn random bits into values.

A sensitive value *leans*: it is up to ``1 + LEANING`` times as frequent at one end of a quasi-identifier as on average,
and ``1 - LEANING`` times at the other end. Frequent values lean on one attribute, rare ones on two. That gives
correlations as strong as in real extracts while no small region of the table is ruled by a few values: were it so,
every method that hides a person among l values would have to stop before such a region.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]
Codes = NDArray[np.uint8]

QUASI = ("age", "gender", "education", "birthplace")
BAND_COUNTS = (10, 2, 5, 6)  # a sensitive value sees a quasi-identifier in that many bands
SENSITIVE_VALUES = 50

SLOT_BITS = 16  # a quasi-identifier is drawn with 16 random bits: its shares are multiples of 1/65,536
CELL_BITS = 12  # a sensitive value with 12: there is one table of 4,096 slots for each of the 600 cells


@dataclass(frozen=True, slots=True)
class CensusShares:
    """Lookup tables: ``quasi[i]`` by (age band, bits), ``bands[i]`` by value, ``sensitive`` by (cell, bits)."""

    quasi: tuple[Codes, ...]
    bands: tuple[Codes, ...]
    sensitive: tuple[Codes, Codes]


@cache
def census_shares(strength: float = 1.0) -> CensusShares:
    """Build the tables, once per process (a tenth of a second); ``strength`` scales how much sensitive values lean."""
    age = np.arange(79)
    marginals = (
        _normalised(0.01 + 1 / (1 + np.exp((age - 49) / 8))),  # flat up to sixty, then falling
        _normalised(np.array([51.0, 49.0])),
        _normalised(np.array([0.3, 0.4, 0.6, 1, 2, 3, 3, 4, 26, 14, 6, 6, 5, 17, 7, 3, 1.2])),
        _normalised(1 / np.arange(3, 60) ** 1.3),
    )
    bands = tuple(_bands(shares, count) for shares, count in zip(marginals, BAND_COUNTS, strict=True))
    band_shares = [_in_bands(shares, band) for shares, band in zip(marginals, bands, strict=True)]
    slopes = [_slope(shares) for shares in band_shares]
    # The old went to school for fewer years: education has its own shares in each age band.
    schooling = marginals[2] * (1 - 0.4 * slopes[0][:, None] * slopes[2][bands[2]][None, :])
    schooling /= schooling.sum(axis=1, keepdims=True)
    cells = _cell_shares(band_shares, schooling, bands[2])
    return CensusShares(
        quasi=(
            _slots(marginals[0][None, :], SLOT_BITS),
            _slots(marginals[1][None, :], SLOT_BITS),
            _slots(schooling, SLOT_BITS),
            _slots(marginals[3][None, :], SLOT_BITS),
        ),
        bands=bands,
        sensitive=(
            _sensitive(cells, slopes, OCCUPATION, strength),
            _sensitive(cells, slopes, INCOME, strength),
        ),
    )


@dataclass(frozen=True, slots=True)
class Secret:
    """How a sensitive column is shared out and how it depends on the quasi-identifiers.

    ``leans[v]`` attributes are leant on by value v; ``reach[i]`` is the share of rows whose value leans on attribute i.
    """

    shares: Shares
    leans: tuple[int, ...]
    reach: tuple[float, float, float, float]
    leaning: float


def _normalised(weights: Shares) -> Shares:
    shares: Shares = weights / weights.sum()
    return shares


OCCUPATION = Secret(
    shares=_normalised(np.repeat([0.027, 0.0145], [22, 28])),
    leans=(1,) * 22 + (2,) * 28,
    reach=(0.46, 0.47, 0.14, 0.36),
    leaning=0.9,
)
INCOME = Secret(
    shares=_normalised(np.linspace(0.026, 0.014, SENSITIVE_VALUES)),
    leans=(2,) * SENSITIVE_VALUES,
    reach=(0.70, 0.74, 0.19, 0.37),
    leaning=0.95,
)


def _middles(shares: Shares) -> Shares:
    """The quantile in the middle of each value."""
    return np.cumsum(shares, dtype=np.float64) - shares / 2


def _bands(shares: Shares, count: int) -> Codes:
    """The band of each value: ``count`` bands of about equal share."""
    if len(shares) <= count:
        return np.arange(len(shares), dtype=np.uint8)
    return np.minimum(_middles(shares) * count, count - 1).astype(np.uint8)


def _in_bands(shares: Shares, bands: Codes) -> Shares:
    """The share of each band."""
    return np.bincount(bands, weights=shares).astype(np.float64)


def _slope(shares: Shares) -> Shares:
    """A step from -1 to 1 with a soft middle over the bands, of mean 0."""
    step = np.clip((_middles(shares) - 0.5) * 5, -1, 1)
    step -= (step * shares).sum()
    slope: Shares = step / np.abs(step).max()
    return slope


def _cell_shares(band_shares: list[Shares], schooling: Shares, education_bands: Codes) -> Shares:
    """The share of each cell, a combination of bands; education depends on age, the others are independent."""
    age, gender, _, birthplace = band_shares
    education_by_age = np.stack([_in_bands(row, education_bands) for row in schooling])
    cells: Shares = np.einsum("a,g,ae,b->ageb", age, gender, education_by_age, birthplace)
    return cells.ravel()


def _leanings(secret: Secret) -> Shares:
    """Which end of which attribute each value leans to: -1, 0 or 1 by (value, attribute).

    Both ends of an attribute, and the four corners of two attributes, get leaning values of about equal weight:
    otherwise the values that lean to a corner would share it with too few others.
    """
    missing = np.array(secret.reach)
    balance = np.zeros((len(QUASI), len(QUASI)))  # of two attributes; on the diagonal of one
    lean = np.zeros((SENSITIVE_VALUES, len(QUASI)))
    for value, share in enumerate(secret.shares):
        attributes = np.argsort(-missing, kind="stable")[: secret.leans[value]]
        candidates = np.zeros((2 ** len(attributes), len(QUASI)))
        candidates[:, attributes] = list(product((1, -1), repeat=len(attributes)))
        weights = [share * (np.triu(np.outer(ends, ends), 1) + np.diag(ends)) for ends in candidates]
        best = min(range(len(weights)), key=lambda i: round(float(((balance + weights[i]) ** 2).sum()), 12))
        lean[value] = candidates[best]
        balance += weights[best]
        missing[attributes] -= share
    return lean


def _sensitive(cells: Shares, slopes: list[Shares], secret: Secret, strength: float) -> Codes:
    """Slots by cell for a sensitive column whose shares in the whole table are ``secret.shares``."""
    lean = _leanings(secret)
    tilt = np.ones((1, SENSITIVE_VALUES))
    for attribute, slope in enumerate(slopes):
        factor = 1 + strength * secret.leaning * slope[:, None] * lean[:, attribute]
        tilt = (tilt[:, None, :] * factor[None, :, :]).reshape(-1, SENSITIVE_VALUES)
    weights = secret.shares.copy()
    for _ in range(50):  # raking: shares within a cell sum to 1, shares over the cells are those asked for
        given_cell = tilt * weights
        given_cell /= given_cell.sum(axis=1, keepdims=True)
        weights *= secret.shares / (cells @ given_cell)
    # A higher code leans to older, male, longer educated: an interval of codes then means something.
    order = np.argsort(lean @ np.array([1.0, 1.5, 1.2, 0.3]), kind="stable")
    return _slots(given_cell[:, order], CELL_BITS)


def _slots(shares: Shares, bits: int) -> Codes:
    """For each row of shares 2**bits slots, value v in as many of them as its share says, one row after the other."""
    borders = np.rint(np.cumsum(shares, axis=1) * (1 << bits)).astype(np.int64)
    counts = np.diff(borders, axis=1, prepend=0)
    values = np.tile(np.arange(shares.shape[1], dtype=np.uint8), len(shares))
    return np.repeat(values, counts.ravel())
