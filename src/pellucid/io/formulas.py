"""Texts that a spreadsheet runs when a file is opened there, as in ``=1+1``: found, quoted, and read back.

A cell that begins like a formula gets ``'`` before it, and so does one that begins with ``'``: taking one off again
gives every text as it was.
"""

from __future__ import annotations

import polars as pl

QUOTE = "'"
TEXTS = (pl.String, pl.Categorical, pl.Enum)
SIGNED = r"^[+-][\d.,\s]*$"  # a sign before a number is that of the number
BEGINS = r"^[=@\t\r\n\uFF1D\uFF20\uFF0B\uFF0D+-]"  # with the wide = @ + - of East Asian keyboards


def are_run(texts: pl.Series) -> pl.Series:
    """Which texts begin like a formula.

    >>> are_run(pl.Series(["=1+1", "-5", "-1 or 2", "@x", "a=b", None])).to_list()
    [True, False, True, True, False, None]
    """
    return texts.str.contains(BEGINS) & ~texts.str.contains(SIGNED)


def quoted(frame: pl.DataFrame) -> pl.DataFrame:
    """The table as a spreadsheet shows it and runs nothing of it, its names too.

    >>> table = pl.DataFrame({"@town": ["=1+1", "'s-Hertogenbosch", "Rome"], "age": [-1, 2, 3]})
    >>> print(quoted(table).write_csv())
    '@town,age
    '=1+1,-1
    ''s-Hertogenbosch,2
    Rome,3
    <BLANKLINE>
    >>> unquoted(quoted(table)).equals(table)
    True
    """
    texts = [_quoted(column) if column.dtype in TEXTS else column for column in frame]
    return pl.DataFrame(texts).rename(dict(zip(frame.columns, _quoted(pl.Series(frame.columns)), strict=True)))


def _quoted(texts: pl.Series) -> pl.Series:
    written = texts.cast(pl.String)
    marked = are_run(written) | written.str.starts_with(QUOTE)
    return (QUOTE + written).zip_with(marked.fill_null(value=False), written).alias(texts.name)


def unquoted(frame: pl.DataFrame) -> pl.DataFrame:
    """The table that was quoted."""
    texts = [column.str.strip_prefix(QUOTE) if column.dtype == pl.String else column for column in frame]
    return pl.DataFrame(texts).rename({name: name.removeprefix(QUOTE) for name in frame.columns})
