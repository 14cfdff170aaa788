"""Points in time, each written in one way, so that equal ones have equal texts and later ones greater texts.

CSV writes ``2024-03-31T01:30:00.123``, an interval has ``2024-03-31 01:30:00.123000``, and an hour later in Rome is
``2024-03-31T03:30:00+0200``: what counts is the moment. With a time zone it is told in UTC, to the nanosecond.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import polars as pl

MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def moment_of(text: str, *, zoned: bool) -> str | None:
    """The moment that a text denotes; None when it denotes none, or has a zone where none is expected, or lacks one.

    >>> moment_of("2024-03-31 03:30:00.5+02:00", zoned=True), moment_of("2024-03-31T01:30:00", zoned=False)
    ('2024-03-31T01:30:00.500000000', '2024-03-31T01:30:00.000000000')
    >>> moment_of("2024-03", zoned=False), moment_of("2024-02-31 00:00:00", zoned=False)
    (None, None)
    """
    match = MOMENT.fullmatch(text)
    if match is None or (match[4] is not None) != zoned:
        return None
    try:
        time = datetime.fromisoformat(f"{match[1]}T{match[2]}{match[4] or ''}")
        whole = time.astimezone(UTC).replace(tzinfo=None) if zoned else time
    except (ValueError, OverflowError):
        return None
    return f"{whole.isoformat()}.{(match[3] or '').ljust(9, '0')}"


def moments_in(values: pl.Series) -> list[str | None]:
    """The moment of each value of a column of datetimes.

    >>> moments_in(pl.Series([datetime(2024, 3, 31, 1, 30), None]))
    ['2024-03-31T01:30:00.000000000', None]
    """
    zoned = isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone is not None
    in_utc = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else values
    return in_utc.dt.to_string("%Y-%m-%dT%H:%M:%S%.9f").to_list()
