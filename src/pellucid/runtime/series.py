"""Series of arrays, without what polars loads to look for a mask."""

from __future__ import annotations

from typing import Any

import polars as pl
from numpy.typing import NDArray

SHORT = 10_000  # entries: as a list they take less time than what is saved
DTYPES = {"?": pl.Boolean, "i": pl.Int32, "l": pl.Int64, "q": pl.Int64, "I": pl.UInt32}  # by numpy's letters


def series_of(array: NDArray[Any], name: str = "") -> pl.Series:
    """An array of numbers or truths as a series.

    To see that an array is not masked, polars has numpy load its masked arrays: 45 million instructions, of the 1,900
    million of a program that publishes 30,000 rows. A short array is handed over as a list, which has no mask.

    >>> import numpy as np
    >>> series_of(np.array([3, 1], dtype=np.int32), "code").to_list(), series_of(np.array([True])).dtype
    ([3, 1], Boolean)
    """
    dtype = DTYPES.get(array.dtype.char)
    if dtype is None or len(array) > SHORT:
        return pl.Series(name, array)
    return pl.Series(name, array.tolist(), dtype=dtype)
