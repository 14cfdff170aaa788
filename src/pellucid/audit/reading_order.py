"""The order in which a person reads about the models: who is found, who is in the table, what is learnt."""

from __future__ import annotations

READING_ORDER = (
    "k-anonymity",
    "maximum re-identification risk",
    "average re-identification risk",
    "sample uniqueness",
    "k-map",
    "delta-presence",
    "l-diversity",
    "distinct l-diversity",
    "entropy l-diversity",
    "recursive (c,l)-diversity",
    "(alpha,k)-anonymity",
    "t-closeness",
    "ordered t-closeness",
    "hierarchical t-closeness",
    "(k,e)-anonymity",
    "delta-disclosure",
    "beta-likeness",
    "enhanced beta-likeness",
)
_PLACES = {name: place for place, name in enumerate(READING_ORDER)}


def place_of(label: str) -> int:
    """Where a model is told; those that the list does not know come last.

    >>> place_of("k-anonymity"), place_of("a model of tomorrow")
    (0, 18)
    """
    return _PLACES.get(label, len(_PLACES))
