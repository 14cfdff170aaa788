"""Exact beliefs over possible worlds: pure functions of counts and sizes, one file per engine.

A result is a list with one entry per class, bucket, side or row, each a mapping from value to posterior: floats, or
fractions with ``exact=True``. Nothing here knows a method or a table; whoever asks says what was published and which
event the published decision tells about.
"""

from __future__ import annotations

from pellucid.posterior.greedy_buckets import greedy_buckets
from pellucid.posterior.merged_classes import local_classes, merged_classes, sensitive_tuples
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.posterior.refusal.one_cut import refused_cut
from pellucid.posterior.worlds import worlds

__all__ = [
    "greedy_buckets",
    "local_classes",
    "merged_classes",
    "qi_distribution",
    "refused_cut",
    "sensitive_tuples",
    "worlds",
]
