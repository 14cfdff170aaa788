"""For how many people the bound is 1/l, and for how many the share in their stratum, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.group.by_cuts import Above
from pellucid.group.method import DiverseAsPublished, Method
from pellucid.messages import Count, Message, Share


def beyond_the_bound(method: Method, above: Mapping[str, Above], everyone: int, of: str = "a stratum") -> list[Message]:
    """For how many people the bound is 1/l, by the groups of each sensitive column that may have more than 1/l.

    ``of``: what these groups are.
    """
    if method.promises_nothing or not isinstance(method, DiverseAsPublished):
        return []
    found = []
    for column, (strata, people, most) in above.items():
        about: dict[str, Any] = {"about": Message(" of {column}", column=column) if len(above) > 1 else ""}
        about["l"] = method.protecting(column).l
        told = Message("the bound{about} is 1/{l} for everybody: no protected value has more of {of}", of=of, **about)
        if people:
            told = Message(
                "the bound{about} is 1/{l} for {others} of the people, and for {people} in {strata} the share of the "
                "value there, up to {largest}",
                others=Share((everyone - people) / everyone),
                people=Count(people, "person", "people"),
                strata=Count(strata, "stratum", "strata"),
                largest=Share(most),
                **about,
            )
        found.append(told)
    return found
