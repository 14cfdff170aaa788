"""A synthetic census in the shape of the tables that the literature measures on: four quasi-identifiers, two secrets.

No row is a person. Every value is looked up in small tables of shares with a few random bits, so ten million rows take
about a second.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.datasets.shares import BAND_COUNTS, CELL_BITS, QUASI, SLOT_BITS, CensusShares, census_shares
from pellucid.errors import InputError
from pellucid.runtime.arguments import brief

GENDERS = pl.Enum(["female", "male"])
FIRST = {"age": 17, "education": 1, "birthplace": 1, "occupation": 1, "income": 1}
ROWS_AT_ONCE = 1 << 18  # a block's temporaries are a few megabytes, whatever the size of the table
COLUMNS = (*QUASI, "occupation", "income")


def census(n: int, seed: int = 0, *, strength: float = 1.0) -> pl.DataFrame:
    """``n`` invented adults: age, gender, education, birthplace, and two sensitive columns, occupation and income.

    ``age`` has 79 values (17 to 95), ``gender`` 2, ``education`` 17 (a degree from 1 to 17), ``birthplace`` 57 (codes
    that run from west to east, so that an interval of codes is a region), ``occupation`` and ``income`` 50 codes each;
    from 50,000 rows on all of them occur. The first rows are the same whatever ``n`` is, and the same in every version
    of numpy.

    The sensitive columns depend on the others about as strongly as in the extracts OCC and SAL of the paper below. The
    figure is the correlation ratio of the quasi-identifier on the sensitive column (the standard deviation of its
    means by sensitive value, as a share of its own); in brackets what the paper's table XIV reports:

    ============ =========== =========== =========== ===========
    column       age         gender      education   birthplace
    ============ =========== =========== =========== ===========
    occupation   .48 (.49)   .60 (.62)   .28 (.28)   .36 (.38)
    income       .64 (.71)   .80 (.87)   .36 (.41)   .39 (.50)
    ============ =========== =========== =========== ===========

    The most frequent occupation and the most frequent income have a share of about 1/37, so that every l up to 30 is
    feasible; at l = 8 Tailor, which needs twice the room, cuts down to small groups by occupation, and stops early by
    income, as a table must where the quasi-identifiers tell so much. ``strength`` makes the sensitive columns depend on
    the others less: 1 gives the figures above, 0 no dependence at all.

    >>> table = census(50_000)
    >>> table.columns
    ['age', 'gender', 'education', 'birthplace', 'occupation', 'income']
    >>> table["occupation"].n_unique(), table["age"].min(), table["age"].max()
    (50, 17, 95)

    Reference: Xiao, Tao, Koudas. Transparent anonymization. ACM TODS 35(2), 2010, section 4.
    """
    _check_asked(n, seed, strength)
    shares = census_shares(strength)
    columns = {name: np.empty(n, dtype=np.uint8) for name in COLUMNS}
    # Raw words of a bit generator, unlike draws from a distribution, stay the same in every version of numpy.
    source = np.random.PCG64(seed)
    for start in range(0, n, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, n))
        words = source.random_raw(ROWS_AT_ONCE * len(COLUMNS) // 4)
        bits = words.view(np.uint16).reshape(len(COLUMNS), ROWS_AT_ONCE)[:, : rows.stop - start]
        for name, codes in zip(COLUMNS, _codes(shares, bits), strict=True):
            columns[name][rows] = codes
    for name, first in FIRST.items():
        columns[name] += np.uint8(first)
    gender = pl.col("gender").replace_strict({0: "female", 1: "male"}, return_dtype=GENDERS)
    return pl.DataFrame(columns).with_columns(gender)


def _check_asked(n: int, seed: int, strength: float) -> None:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n >= 2**31:
        raise InputError(f"census of {brief(n)} rows: give a whole number below 2,147,483,648, such as 50_000")
    if n < 1:
        raise InputError("census of {n} rows: a table needs at least 1 row, for example census:50000", n=n)
    if seed < 0:
        raise InputError(f"census with seed {seed}: a seed is a whole number from 0, for example census:50000:7")
    if not 0 <= strength <= 1:
        raise InputError(f"census with strength {strength}: must be from 0 (no dependence) to 1 (that of the paper)")


def _codes(shares: CensusShares, bits: NDArray[np.uint16]) -> Iterator[NDArray[np.uint8]]:
    """The codes of each column for some rows: of quasi-identifiers in turn, and then what depends on these."""
    cell = np.zeros(bits.shape[1], dtype=np.int32)
    age_band = cell
    for i, name in enumerate(QUASI):
        slot = (age_band << SLOT_BITS) | bits[i] if name == "education" else bits[i]
        codes = shares.quasi[i][slot]
        yield codes
        cell = cell * BAND_COUNTS[i] + shares.bands[i][codes]
        age_band = cell if name == "age" else age_band
    for i in range(len(COLUMNS) - len(QUASI)):
        slot = (cell << CELL_BITS) | (bits[len(QUASI) + i] >> (SLOT_BITS - CELL_BITS))
        yield shares.sensitive[i][slot]
