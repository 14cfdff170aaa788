"""Exact beliefs over possible worlds: pure functions of counts and sizes, one file per engine.

A result is a list with one entry per class, bucket, side or row, each a mapping from value to posterior: floats, or
fractions with ``exact=True``. Nothing here knows a method or a table; whoever asks says what was published and which
event the published decision tells about.
"""

from pellucid.posterior.refused_cut import refused_cut

__all__ = ["refused_cut"]
