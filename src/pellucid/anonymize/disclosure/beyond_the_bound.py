"""For how many people the bound is 1/l, and for how many the share in their stratum, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.anonymize.layout.by_cuts import Above
from pellucid.anonymize.method import DiverseAsPublished, Method
from pellucid.messages import Count, Message, Share


def beyond_the_bound(method: Method, above: Mapping[str, Above], everyone: int, of: str = "a stratum") -> list[Message]:
    """For how many people the bound is 1/l, by the groups of each sensitive column that may have more than 1/l.

    ``of``: what these groups are.
    """
    if method.promises_nothing or not isinstance(method, DiverseAsPublished):
        return []
    found = []
    for column, one in above.items():
        strata, people, most, those = one.groups, one.rows, one.most, one.people or everyone
        about: dict[str, Any] = {"about": Message(" of {column}", column=column) if len(above) > 1 else ""}
        about["l"] = method.protecting(column).l
        told = Message("the bound{about} is 1/{l} for everybody: no protected value has more of {of}", of=of, **about)
        if people:
            told = Message(
                "the bound{about} is 1/{l} for {others:,} of {everyone}{applies} ({share}), and for {people} in "
                "{strata} the share of the value there, up to {largest}",
                others=those - people,
                everyone=Count(those, "person", "people"),
                applies="" if those == everyone else Message(" to whom {column} applies", column=column),
                share=Share((those - people) / those),
                people=Count(people, "person", "people"),
                strata=Count(strata, "stratum", "strata"),
                largest=Share(most),
                **about,
            )
        found.append(told)
    return found


def told_by_strata(method: Method, above: Mapping[str, Above]) -> Message:
    """Of how many people strata that are published whole tell the value for certain, and of how many they nearly do.

    Empty where they do of nobody. Every surface that tells it tells this.

    >>> from pellucid.anonymize.methods.strata import Strata
    >>> told_by_strata(Strata(l=2), {"ill": Above(5, 310, 1.0, half=250, whole=2, certain=101)})
    'of 101 people in 2 strata the release tells ill for certain, and of 149 others one value with more than 1/2'
    >>> told_by_strata(Strata(l=2), {"ill": Above(5, 310, 0.75, half=60)})
    'of 60 people the release tells one value of ill with more than 1/2'
    """
    told = [_told_of(column, one) for column, one in above.items() if one.half and not method.promises_nothing]
    return Message.joined(told, "; ")


def _told_of(column: str, one: Above) -> Message:
    """The same of one column, of which a stratum tells a value with more than 1/2."""
    if not one.certain:
        half = Count(one.half, "person", "people")
        return Message("of {half} the release tells one value of {column} with more than 1/2", column=column, half=half)
    told = Message(
        "of {people} in {strata} the release tells {column} for certain",
        column=column,
        people=Count(one.certain, "person", "people"),
        strata=Count(one.whole, "stratum", "strata"),
    )
    others = one.half - one.certain
    if not others:
        return told
    return Message("{told}, and of {others:,} others one value with more than 1/2", told=told, others=others)
