"""Both meanings of ``pellucid.Anatomy`` as a user writes them; the type checker looks at this file."""

from __future__ import annotations

import polars as pl

import pellucid as pc


def as_recoder(frame: pl.DataFrame) -> pc.Release:
    """Without parameters: how to publish what another method decides."""
    return pc.publish(frame, pc.Tailor(l=2), quasi=["age"], sensitive="disease", recode=pc.Anatomy())


def as_method(frame: pl.DataFrame) -> pc.Release:
    """With parameters: the method."""
    return pc.publish(frame, pc.Anatomy(l=2), quasi=["age"], sensitive="disease")
