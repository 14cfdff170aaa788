"""What was published as one value that can be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import polars as pl

from pellucid.io import load
from pellucid.release import Release


def fingerprint(made: Any) -> bytes:
    """What was published as one value: equal for the same rows in any order, and columns in any order.

    >>> fingerprint(pl.DataFrame({"a": [1, 2]})) == fingerprint(pl.DataFrame({"a": [2, 1]}))
    True
    """
    if isinstance(made, Release):
        made = made.public.frames
    tables = made if isinstance(made, Mapping) else {"data": made}
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(tables):
        frame = load(tables[name])[0]
        texts = frame.select(pl.col(sorted(frame.columns)).cast(pl.String))
        digest.update(f"{name}\x00{texts.columns}\x00".encode())
        digest.update(texts.sort(texts.columns).write_csv().encode())
    return digest.digest()
