"""What every promise must say beside its bound, in words of its own: whoever rewords it changes both."""

from __future__ import annotations

import re
from html import unescape


def plainly(page: str) -> str:
    """What a page or a terminal says, without tags and line breaks."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def says_its_assumption(text: str) -> bool:
    """Whether a text says for whom a promise holds and whom it does not cover.

    >>> says_its_assumption("Nobody's disease is named with probability above 1/8.")
    False
    """
    said = plainly(text)
    assumes = "all ways of handing out the published values to the people equally likely" in said
    counts = "All rows of a group are taken as equally likely" in said  # where a promise is about the size of groups
    left_out = "does not cover somebody who learns from the release, or knows from elsewhere" in said
    of_strata = "all ways of assigning the values of a stratum to its people are equally likely before" in said
    inside = "does not cover what sets a person apart inside the stratum" in said
    return ((assumes or counts) and left_out) or (of_strata and inside)
